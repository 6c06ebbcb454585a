"""Why a gradient is zero, infinite or not a number: the operation that made it so, and its operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

import numpy as np

from wengert.insight.explain.arrays import array_of, finite, is_sound
from wengert.insight.explain.backward import Back, StoppedError, Way, asked_backward
from wengert.insight.explain.culprit import Culprit
from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.history import History, keys_of
from wengert.insight.explain.in_derivative import in_rule_of
from wengert.insight.explain.patterns import (
    SELECTIONS,
    SPECTRAL,
    behind_where,
    name_the_trouble,
    of_spectrum,
)
from wengert.insight.explain.question import Between, Question, chain, described, step_text
from wengert.insight.explain.zeros import name_the_zero
from wengert.insight.journal import Journal, Step
from wengert.insight.program_text import line_text, short
from wengert.insight.reports.blocks import Block, Table, Words
from wengert.ops.arrays.identity import IDENTITY
from wengert.overrides.strong_zero import with_strong_zeros
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims
from wengert.values.value import Key


def explain_numbers(q: Question) -> Explanation | None:
    """The reason; None if every number of the gradient is finite and not all are zero."""
    within = with_what_is_recomputed(q)
    if within is not q and is_right(q):  # what is computed again may have other rules
        return None
    q = within
    between = q.between()
    try:
        way = asked_backward(q, between)
    except StoppedError as stopped:
        return _failed(q, stopped)
    gradient = array_of(way.left.get(q.source._key))
    if gradient is None or gradient.dtype.kind not in "fcV" or not gradient.size:
        return None
    if not finite(gradient).all():
        return _not_finite(q, way, gradient, between)
    loss = array_of(q.target)
    if loss is not None and not finite(loss).all():
        return _not_finite(q, way, gradient, between)
    return None if np.any(gradient) else _zero_weights(q) or _zero(q, way)


def is_right(q: Question) -> bool:
    """Whether every number of the gradient, and of the target, is finite, and not all are zero."""
    try:
        gradient = asked_backward(q, q.between()).left.get(q.source._key)
    except StoppedError:
        return False
    return gradient is not None and is_sound(gradient) and _is_finite(q.target)


def _failed(q: Question, stopped: StoppedError) -> Explanation:
    """The rule of an operation refuses what it is given, as gradient says without the line."""
    step = q.history.steps[stopped.at]
    title = f"{q.title} cannot be computed: the rule of {step_text(step)} raises an error."
    return Explanation("failed", title, step.line, "", [Words(str(stopped))])


def explain_sound(q: Question) -> Explanation:
    """The answer where there is no trouble."""
    shape = dims(q.source)
    is_empty = is_certain(shape) and 0 in shape
    how = "is there, and has no elements" if is_empty else "is there: finite, and not zero"
    return Explanation("right", f"{q.title} {how}.")


def with_what_is_recomputed(q: Question) -> Question:
    """Calls of what tf.recompute_grad gave are seen as the operations within, as without it."""
    all_steps = q.history.steps
    if not any(map(_is_recomputed, all_steps)):
        return q
    return q._replace(history=History([s for step in all_steps for s in _passed_on(step)]))


def _is_recomputed(step: Step) -> bool:
    return getattr(step.row.kernel, "is_recomputed", False)


def _passed_on(step: Step) -> list[Step]:
    """A call that is recomputed hands on what the operations within gave: in a graph as tensors of its own."""
    if not _is_recomputed(step):
        return [step]
    passed = zip(step.inputs, step.results, strict=False) if step.row.closes else ()
    return [step._replace(row=IDENTITY, inputs=(x,), results=(y,)) for x, y in passed]


# ---- not finite ---------------------------------------------------------------------------------


def _not_finite(q: Question, way: Way, gradient: Any, between: Between) -> Explanation:
    forward = _first_forward(q)
    title = _headline(q, gradient)
    is_finite = _is_finite(q.target)
    culprit = _first_backward(way) if is_finite else forward
    given = _given(q) if culprit is None or (is_finite and _is_of_given(q, culprit)) else None
    if given is not None:
        return _in_the_data(q, title, given)
    culprit = culprit or _first_backward(way)
    if culprit is not None and not culprit.forward and culprit.step.row.users:
        inner = _first_in_rule(q, between)
        if inner is not None:
            return _in_users_rule(q, title, culprit, inner)
    if culprit is None:
        is_given = q.seed is not None and not finite(array_of(q.seed)).all()
        words = "It came with output_gradients." if is_given else "It came with the data."
        return Explanation("overflow", title, q.began, words)
    culprit = _made_infinite_before(q, culprit) or culprit
    taken_at = culprit.step.line
    culprit = in_rule_of(q, culprit) or culprit
    kind, why, mend = name_the_trouble(q, culprit)
    way_there = "forward" if culprit.forward else "back"
    blocks: list[Block] = [
        Words(f"The first number that is not finite, going {way_there}:"),
        _scene(q, culprit),
        Words(why),
    ]
    if taken_at != culprit.step.line:
        blocks.append(Words(f"Its rule is carried out at {short(taken_at)}, {line_text(taken_at)}"))
    if is_finite and not finite(gradient).all():
        blocks += _tried(q, between, len(q.history.steps) if culprit.forward else culprit.number)
    return Explanation(kind, title, culprit.step.line, mend, blocks)


def _given(q: Question) -> Any:
    """A value that came in with numbers that are not finite; None if all did without."""
    _, used = q.history.up({q.target._key})
    came_in = [
        y for n in sorted(used) if _is_given(q.history.steps[n]) for y in q.history.steps[n].results
    ]
    for x in (q.source, *q.history.leaves(used), *came_in):
        array = array_of(x)
        if array is not None and not finite(array).all():
            return x
    return None


def _is_of_given(q: Question, culprit: Culprit) -> bool:
    """Whether an operand is infinite, or NaN, as it came in: masks that do no harm do not count."""
    bad = [x for x in culprit.step.inputs if not _is_finite(x)]
    return any(getattr(x, "_key", None) not in q.history.made_by for x in bad)


def _is_given(step: Step) -> bool:
    """Whether an operation hands on what came in: a variable's value, or what was fed."""
    return step.row.name == "ReadVariableOp" or not step.inputs


def _in_the_data(q: Question, title: str, given: Any) -> Explanation:
    name = q.name(given)
    bad = ~finite(array_of(given))
    use = next((s.line for s in q.history.steps if any(x is given for x in s.inputs)), "")
    line = (q.place_of_name(name) if name else "") or q.line_of(given) or use or q.began
    what = "NaN" if np.isnan(array_of(given)).any() else "infinite"
    subject = f"{name} itself" if name else f"A value that is used at {short(line)}"
    text = f"{subject} has {_count(int(bad.sum()), 'number')} that {'is' if bad.sum() == 1 else 'are'} {what}"
    words = "Look at where it comes from."
    if name:
        words = f"Look at where {name} comes from; tf.debugging.check_numerics({name}, '{name}') stops there."
    return Explanation("overflow", title, line, words, [Words(f"{text}{_places(name, bad)}.")])


def _first_in_rule(q: Question, between: Between) -> Culprit | None:
    """The first operation that made such a number in a gradient function of the user's, or for it."""
    journal = Journal()
    asked_backward(q, between, journal)
    for number, step in enumerate(journal.steps):
        found = _bad_result(step)
        if found is not None:
            return Culprit(number, step, True, *found)
    read = [x for step in journal.steps for x in step.inputs if not _is_finite(x)]
    return _first_behind(q, read)


def _in_users_rule(q: Question, title: str, outer: Culprit, inner: Culprit) -> Explanation:
    kind, why, mend = name_the_trouble(q, inner)
    is_within = inner.step.results[0]._key not in q.history.made_by
    blocks: list[Block] = [
        Words("The first number that is not finite, going back:"),
        _scene(q, outer),
        Words(
            f"The gradient function of {step_text(outer.step)} is yours. {'In it' if is_within else 'It reads what is computed here'}:"
        ),
        _scene(q, inner),
        Words(why),
    ]
    return Explanation(kind, title, inner.step.line, mend, blocks)


def _headline(q: Question, gradient: Any) -> str:
    bad = ~finite(gradient)
    if not bad.any():
        return f"{q.y} is not finite, though {q.title} is."
    what = "NaN" if np.isnan(gradient).any() else "infinite"
    verb = "is" if bad.sum() == 1 else "are"
    head = f"{int(bad.sum())} of {_count(gradient.size, 'number')} in {q.title} {verb} {what}"
    loss = array_of(q.target)
    is_finite = loss is not None and finite(loss).all()
    rest = f", though {q.y} is finite." if is_finite else f"; {q.y} is not finite either."
    return head + _places(q.x, bad) + rest


def _first_forward(q: Question) -> Culprit | None:
    """The first operation that made something that is not finite from finite numbers."""
    loss = array_of(q.target)
    if loss is None or finite(loss).all():
        return None
    _, used = q.history.up({q.target._key})
    for bad in (_bad_result, _new_nan):  # infinite numbers may come with the data, as masks do
        for number in sorted(used):
            step = q.history.steps[number]
            found = None if _is_given(step) else bad(step)
            if found is not None and _reaches_target(q, step, used):
                inner = _first_within(q, number) if step.row.users else None
                return inner or Culprit(number, step, True, *found)
    return None


def _reaches_target(q: Question, step: Step, used: Set[int]) -> bool:
    """Whether what is not finite has a part in the target: no, where all of it is in a branch that is not taken."""
    spoiled = {y._key for y in step.results}
    for number in sorted(used):
        later = q.history.steps[number]
        if spoiled.isdisjoint(keys_of(later.inputs)):
            continue
        is_chosen = later.row.name in SELECTIONS
        if not is_chosen or not all(map(_is_finite, later.results)):
            spoiled.update(y._key for y in later.results)
    return q.target._key in spoiled


def _made_infinite_before(q: Question, culprit: Culprit) -> Culprit | None:
    """What made an operand infinite, which a finite result hides and a rule does not."""
    infinite = [x for x in culprit.step.inputs if not _is_finite(x)]
    if culprit.forward or not infinite or behind_where(q, culprit) is not None:
        return None
    return _first_behind(q, infinite)


def _first_behind(q: Question, values: Sequence[Any]) -> Culprit | None:
    """The first operation of those that computed values that made something that is not finite."""
    _, used = q.history.up(set(keys_of(values)))
    for number in sorted(used):
        step = q.history.steps[number]
        found = None if _is_given(step) else _bad_result(step)
        if found is not None:
            return Culprit(number, step, True, *found)
    return None


def _is_finite(x: Any) -> bool:
    array = array_of(x)
    return array is None or bool(finite(array).all())


def _first_within(q: Question, last: int) -> Culprit | None:
    """The same among the operations inside of one with a gradient of the user's."""
    for number in range(last):
        found = _bad_result(q.history.steps[number])
        if found is not None:
            return Culprit(number, q.history.steps[number], True, *found)
    return None


def _bad_result(step: Step) -> tuple[Any, Any, Any] | None:
    """The first number that is not finite, where all that is given is."""
    return _first_of(step, finite)


def _new_nan(step: Step) -> tuple[Any, Any, Any] | None:
    """The first NaN, where nothing that is given is NaN."""
    return _first_of(step, _is_number)


def _is_number(array: Any) -> Any:
    return ~np.isnan(array) if array.dtype.kind in "fc" else np.ones(array.shape, bool)


def _first_of(step: Step, good: Callable[[Any], Any]) -> tuple[Any, Any, Any] | None:
    inputs = [array_of(x) for x in step.inputs]
    if any(a is not None and not good(a).all() for a in inputs):
        return None
    for y in step.results:
        array = array_of(y)
        if array is not None and not good(array).all():
            at = np.unravel_index(int(np.argmin(good(array))), array.shape)
            return at, None, array[at]
    return None


def _first_backward(way: Way) -> Culprit | None:
    """The first operation of the sweep that made something that is not finite from finite numbers."""
    for back in way.backs:
        for key, g in back.goes.items():
            array = array_of(g)
            if array is None or finite(array).all():
                continue
            came = [array_of(g) for g in back.came]
            if all(a is None or finite(a).all() for a in came):
                at = np.unravel_index(int(np.argmin(finite(array))), array.shape)
                arrived = next((a for a in came if a is not None), None)
                seed = arrived
                if arrived is not None and arrived.shape == array.shape:
                    seed = arrived[at]
                return Culprit(back.number, back.step, False, at, seed, array[at], key)
    return None


def _scene(q: Question, culprit: Culprit) -> Table:
    """The operation with its operands at the element, and what its rule made of them."""
    step = culprit.step
    rows = [(short(step.line), line_text(step.line))]
    inputs = ", ".join(_operand(q, x, culprit.at) for x in step.inputs)
    results = ", ".join(_at(y, culprit.at) for y in step.results)
    rows.append(("", f"{step.row.name}: {inputs} → {results}"))
    if not culprit.forward:
        rows.append(
            ("", f"its rule: {_number(culprit.came)} comes in, {_number(culprit.made)} goes out")
        )
    return Table(("", ""), tuple(rows))


def _operand(q: Question, x: Any, at: Any) -> str:
    name = q.name(x)
    array = array_of(x)
    if array is None:
        return name or described(x)
    place = f"[{', '.join(map(str, at))}]" if at and array.shape and len(at) == array.ndim else ""
    return f"{name}{place} = {_at(x, at)}" if name else _at(x, at)


def _at(x: Any, at: Any) -> str:
    array = array_of(x)
    if array is None:
        return described(x)
    if array.ndim == len(at) and all(i < n for i, n in zip(at, array.shape, strict=True)):
        return _number(array[at])
    return _number(array[()]) if array.ndim == 0 else described(x)


def _number(value: Any) -> str:
    if value is None:
        return "a cotangent"
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array[()]:.6g}" if array.dtype.kind in "fc" else str(array[()])
    return f"{array.dtype}[{', '.join(map(str, array.shape))}]"


def _places(name: str, bad: Any) -> str:
    if not bad.ndim:
        return ""
    if not name:
        return ""
    places = np.argwhere(bad)
    shown = ", ".join(f"{name}[{', '.join(map(str, p))}]" for p in places[:3])
    return f", {shown}{', ...' if len(places) > 3 else ''}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _tried(q: Question, between: Between, last: int) -> list[Block]:
    """What the gradient would be with strong zeros, if that ends the trouble.

    What the sweep passed before the operation of that number was in order, and stays as it is.
    """
    steps = [
        s._replace(row=with_strong_zeros(s.row)) if n <= last and s.row.differentiable else s
        for n, s in enumerate(q.history.steps)
    ]
    strong = q._replace(history=q.history.with_steps(steps))
    try:
        gradient = array_of(asked_backward(strong, between).left.get(q.source._key))
    except Exception:  # noqa: BLE001  # it is an attempt: some rules cannot have strong zeros
        return []
    if gradient is None or not finite(gradient).all():
        return []
    text = np.array2string(gradient, precision=6, threshold=12, separator=", ")
    return [
        Words(
            f"With strong_zero=True the gradient is {text}: a cotangent of zero then contributes zero."
        )
    ]


# ---- zero ---------------------------------------------------------------------------------------


def _zero_weights(q: Question) -> Explanation | None:
    if q.seed is None or np.any(array_of(q.seed)):
        return None
    title = f"{q.title} is zero: output_gradients weighs {q.y} with zeros."
    words = "Give weights that are not all zero, or none: then each element counts once."
    return Explanation("zero", title, q.program.place(q.program.frame.f_lineno), words)


def _zero(q: Question, way: Way) -> Explanation:
    """The first operation of the sweep that lets nothing through."""
    live = _leading_to(q.source._key, way)
    for back in way.backs:
        came = [array_of(g) for g in back.came]
        if not any(a is not None and np.any(a) for a in came) or back.cancels:
            continue
        goes = {key: array_of(g) for key, g in back.goes.items() if key in live}
        there = {key: a for key, a in goes.items() if a is not None}
        if there and not any(np.any(a) for a in there.values()):
            return _zero_at(q, way, back, next(iter(there)))
    if not any(back.cancels for back in way.backs):
        title = f"{q.title} is zero: on each way from {q.x} to {q.y} something passes zero."
        return Explanation("zero", title, q.line_of(q.target) or q.began)
    return Explanation(
        "zero",
        f"{q.title} is zero: contributions cancel one another.",
        q.began,
        "Each path has a gradient, and their sum is zero.",
    )


def _leading_to(source: Key, way: Way) -> set[Key]:
    """The values whose cotangents go on to the source: others end at what has no derivative."""
    found = {source}
    for back in reversed(way.backs):
        if any(g is not None and key in found for key, g in back.goes.items()):
            found.update(y._key for y in back.step.results)
    return found


def _zero_at(q: Question, way: Way, back: Back, key: Key) -> Explanation:
    kind = "zero"
    if back.step.row.name in SPECTRAL:
        kind, why, mend = of_spectrum(q)
    else:
        came = next((a for a in map(array_of, back.came) if a is not None), None)
        why, mend = name_the_zero(q, back.step, key, came)
    path = q.history.shortest(q.between()[0], q.source._key, q.target._key)
    gradient = array_of(way.left.get(q.source._key))
    count = _count(int(np.size(gradient)), "element")
    return Explanation(
        kind,
        f"{q.title} is zero in all of its {count}: {why}",
        back.step.line,
        mend,
        [chain(q, path, back.number, {back.number: "passes zero"})],
    )
