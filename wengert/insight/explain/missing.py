"""Why a gradient is None: whether something leads from the source to the target, and what cuts it."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, Final

from wengert.insight.explain.backward import Back, asked_backward
from wengert.insight.explain.cuts import Cut, mend_of_cut
from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.history import keys_of
from wengert.insight.explain.question import Question, chain, described, step_text
from wengert.insight.explain.rewriting import Mend
from wengert.insight.explain.without_way import (
    explain_without_way,
    left_for_python,
    left_the_tape,
    overwritten,
)
from wengert.insight.journal import Step
from wengert.insight.program_text import short
from wengert.insight.reports.blocks import Block, Words
from wengert.state.variable import Variable
from wengert.values.tensor import Tensor


def explain_missing(q: Question) -> Explanation | None:
    """The reason; None if the gradient is there."""
    if not isinstance(q.target, (Tensor, Variable)):
        return _not_a_tensor(q)
    if not q.source.dtype.is_differentiable:
        return _of_integers(q)
    if q.source._key is q.target._key:
        return None
    down, made = q.history.down({q.source._key})
    up, used = q.history.up({q.target._key})
    way = made & used
    return _cut_way(q, down & up, way) if way else explain_without_way(q, down, up, used)


def explain_unconnected(q: Question, note: str = "") -> Explanation:
    """The tape gives None, and what happened in the block does not say why."""
    title = f"{q.title} is None: nothing that the tape recorded leads from {q.x} to {q.y}."
    return Explanation("no-path", title, q.began, "", [Words(note)] if note else [])


def _of_integers(q: Question) -> Explanation:
    dtype = q.source.dtype.name
    line = q.place_of_name(q.x) or q.began
    kinds = {"bool": "booleans have", "string": "text has"}
    numbers = kinds.get(dtype, "integers have")
    words = f"Make {q.x} of floats where it is made, for instance by dtype=tf.float32."
    title = f"{q.title} is None: {q.x} is {dtype}, and {numbers} no derivatives."
    return Explanation("integer", title, line, words)


def _not_a_tensor(q: Question) -> Explanation:
    down, _ = q.history.down({q.source._key})
    kind = type(q.target).__name__
    out = [e for e in q.exits if getattr(e.value, "_key", None) in down]
    if out:
        return left_the_tape(q, out[-1], f"{q.y} is of type {kind}, not a tensor")
    line = q.place_of_name(q.y) or q.program.place(q.program.frame.f_lineno)
    title = f"{q.title} is None: {q.y} is of type {kind}, not a tensor."
    return Explanation(
        "left-tape", title, line, "Compute it with operations of tf from end to end."
    )


# ---- something leads from the source to the target ----------------------------------------------


def _cut_way(q: Question, values: Set[Any], way: Set[int]) -> Explanation | None:
    path = q.history.shortest(way, q.source._key, q.target._key)
    if q.journal is not None and path and not q.journal.was_recording(path[0]):
        return _why_not_recorded(q, path, path[0])
    if not q.is_followed(q.source._key):
        return overwritten(q) or _reset_after_watching(q) or explain_unwatched(q)
    return _not_recorded(q, path) or _cut_on(q, values, way, path)


def explain_cut_within(q: Question) -> Explanation | None:
    """What cuts the way within a loop, a branch or a call, around which zeros stand for a gradient that is None."""
    way, values = q.between()
    path = q.history.shortest(way, q.source._key, q.target._key)
    found = _cut_on(q, values, way, path, is_there=True) if path else None
    if found is not None:
        found.title = found.title.replace(" is None: ", " is zero: ", 1)
        found.note("Outside of the loop, branch or call zeros stand for what is None within.")
    return found


def _cut_on(
    q: Question, values: Set[Any], way: Set[int], path: list[int], is_there: bool = False
) -> Explanation | None:
    """What cuts the way; a gradient that `is_there` is the zeros that one may ask for otherwise."""
    backs, left = asked_backward(q, (way, values))
    if q.source._key in left:
        return None
    cuts = [b for b in backs if all(g is None for g in b.goes.values())]
    if not cuts:
        return None
    # A shape leads nowhere, whatever is done about it: the seed of a first derivative has one.
    told = [c for c in cuts if c.step.row.name not in _OF_SHAPE_ALONE]
    told = told or [b for b in backs if b.step.row.users and _leaves_out(b, values)]
    first = next((c for c in told or cuts if c.number in path), (told or cuts)[0])
    path = _path_by(q, way, path, first)
    if not told:
        return left_for_python(q, values, way) or _constant(q, path, first, is_there)
    return _cut_at(q, _where_it_turned(q, first, values), path, len(told))


def _leaves_out(back: Back, values: Set[Any]) -> bool:
    """Whether a rule of the user's returned None for an input on the way, and a gradient for another."""
    inputs = [key for key in keys_of(back.step.inputs) if key in values]
    return any(back.goes.get(key) is None for key in inputs)


def _path_by(q: Question, way: Set[int], path: list[int], cut: Back) -> list[int]:
    """The path, if the cut is on it; else one that it is on."""
    if cut.number in path:
        return path
    for y in cut.step.results:
        on = q.history.shortest(way, y._key, q.target._key)
        if on or y is q.target:
            return [*q.history.shortest(way, q.source._key, y._key), *on]
    return path


# What they give depends on the shape of what they are given, and not on its numbers.
_OF_SHAPE_ALONE: Final = frozenset({"OnesLike", "ZerosLike", "Shape", "ShapeN", "Size", "Rank"})


def _constant(q: Question, path: list[int], cut: Back, is_there: bool) -> Explanation:
    """Nothing but the shape of a value leads on, as in the derivative of what is linear."""
    title = f"{q.title} is None: {q.y} is the same whatever {q.x} is."
    words = f"Only shapes lead from {q.x} to {q.y}: a derivative of what is linear is a constant, and has no derivative."
    mend = "" if is_there else q.asking_for_zeros("Ask for zeros, which is what it is:")
    blocks: list[Block] = [
        chain(q, path, cut.number, {cut.number: "its shape alone"}),
        Words(words),
    ]
    return Explanation("no-path", title, cut.step.line, mend, blocks)


def _where_it_turned(q: Question, cut: Back, values: Set[Any]) -> Back:
    """Where a value became integers, if it did before the operation that does not lead on."""
    while True:
        inputs = [x for x in cut.step.inputs if getattr(x, "_key", None) in values]
        if not inputs or any(x.dtype.is_differentiable for x in inputs):
            return cut
        number = q.history.made_by.get(inputs[0]._key, -1)
        if number < 0:
            return cut
        cut = Back(number, q.history.steps[number], [], {})


def _cut_at(q: Question, cut: Back, path: list[int], count: int) -> Explanation:
    kind, why, mend = _index_beside_values(q, cut.step, path) or mend_of_cut(q, cut.step)
    computes = [n for n in path if q.history.steps[n].row.name != "ReadVariableOp"]
    ahead = sum(n < cut.number for n in computes)
    behind = sum(n > cut.number for n in computes)
    words = f"{_operations(ahead)} from {q.x} to it, {_operations(behind)} from it to {q.y}"
    others = {1: "there is no other path.", 2: "another path is cut, too."}
    words += f"; {others.get(count, f'{count - 1} more paths are cut, too.')}"
    blocks: list[Block] = [chain(q, path, cut.number, {cut.number: "cut here"}), Words(words)]
    return Explanation(kind, f"{q.title} is None: {why}", cut.step.line, mend, blocks)


def _index_beside_values(q: Question, step: Step, path: list[int]) -> Cut | None:
    """Of results of which one has a gradient the way goes on by another, such as the indices of top_k."""
    on = {key for n in path for key in keys_of(q.history.steps[n].inputs)}
    taken = [y for y in step.results if y._key in on or y is q.target]
    beside = any(y.dtype.is_differentiable for y in step.results)
    if not step.row.differentiable or not beside or any(y.dtype.is_differentiable for y in taken):
        return None
    why = f"the indices that {step.row.name} ({short(step.line)}) gives are integers, and an index has no derivative."
    words = (
        "Use the values that it gives, or tf.sort for them in order, or weigh all elements: "
        "tf.nn.softmax(scores)."
    )
    return "no-gradient", why, Mend(words)


def _operations(count: int) -> str:
    return f"{count} operation{' leads' if count == 1 else 's lead'}"


# ---- the tape did not follow --------------------------------------------------------------------


def _not_recorded(q: Question, path: list[int]) -> Explanation | None:
    """An operation of the block that the tape did not record, though it has a gradient."""
    if q.tape is None:
        return None
    for number in path:
        step = q.history.steps[number]
        if not step.row.differentiable:
            return None  # the cut is of another kind
        if not q.is_followed(step.results[0]._key):
            return _why_not_recorded(q, path, number)
    return None


def _why_not_recorded(q: Question, path: list[int], number: int) -> Explanation:
    step = q.history.steps[number]
    reset = next((line for line, at in q.resets if number < at), "")
    if reset:
        words = f"{step_text(step)} was recorded, but {short(reset)} resets the tape."
        blocks: list[Block] = [Words(words), chain(q, path, number, {number: "forgotten"})]
        title = f"{q.title} is None: the tape forgot what it had recorded."
        return Explanation("used-up", title, reset, _without_reset(q, reset), blocks)
    called = next((n for n in path if q.history.steps[n].row.name == "PyFuncResults"), -1)
    if called > number:
        return _within_python(q, path, called)
    was_on = q.journal is None or q.journal.was_recording(number)
    if was_on and number == path[0] and q.is_watched(q.source._key):
        note = f"used {q.x} when the tape did not follow it"
        title = f"{q.title} is None: {q.x} was used before it was watched."
        words = f"Watch {q.x} first, before it is used:"
        mend = q.first_in_block(words, f"{q.tape_name}.watch({q.x})")
        return Explanation(
            "not-watched", title, step.line, mend, [chain(q, path, number, {number: note})]
        )
    note = "not recorded: the tape was stopped"
    title = f"{q.title} is None: a part of the way was computed while the tape did not record."
    mend = q.outside_of_block(step.line, "stop_recording")
    return Explanation(
        "after-tape", title, step.line, mend, [chain(q, path, number, {number: note})]
    )


def _within_python(q: Question, path: list[int], called: int) -> Explanation:
    """A Python function reads the source without being given it."""
    step = q.history.steps[called]
    title = f"{q.title} is None: the Python function of {short(step.line)} reads {q.x}, and is not given it."
    words = f"Give {q.x} to tf.py_function as an input, too, and let the function take it as an argument."
    blocks: list[Block] = [chain(q, path, called, {called: "cut here"})]
    return Explanation("left-tape", title, step.line, words, blocks)


def _without_reset(q: Question, line: str) -> Mend:
    return q.deleting(
        line, f"Leave the reset at {short(line)} out, or ask for the gradient before it."
    )


def _reset_after_watching(q: Question) -> Explanation | None:
    if not any(q.source._key in tape.positions for tape in q.before):
        return None
    line = q.resets[-1][0]
    title = f"{q.title} is None: the tape was reset after {q.x} was watched."
    words = f"{short(line)} makes the tape forget what it watched and recorded."
    return Explanation("used-up", title, line, _without_reset(q, line), [Words(words)])


def explain_unwatched(q: Question) -> Explanation:
    """The tape does not follow the source."""
    tape = f"the tape of {short(q.began)}" if q.began else "the tape"
    made = q.place_of_name(q.x)
    at = f" ({short(made)})" if made else ""
    words = "Add this as the first line inside the `with`"
    if not isinstance(q.source, Variable):
        follows = ", ".join(_watched(q)) or "nothing"
        why = f"{q.x} is a tensor{at}, and {tape} follows variables, and what it is told to: {follows}."
        words += f", or make it tf.Variable({q.x})"
    elif not q.source.trainable:
        why = (
            f"{q.x} is a variable with trainable=False{at}, and {tape} follows trainable ones only."
        )
    elif not q.watches_variables:
        why = (
            f"{tape} was made with watch_accessed_variables=False, and not told to watch {q.x}{at}."
        )
    else:
        why = f"{tape} never saw {q.x}{at} being read."
    mend = q.first_in_block(f"{words}:", f"{q.tape_name}.watch({q.x})")
    title = f"{q.title} is None: {q.x} is not watched."
    return Explanation(
        "not-watched",
        title,
        q.began,
        mend,
        [Words(why[0].upper() + why[1:] if why.startswith("the") else why)],
    )


def _watched(q: Question) -> list[str]:
    tape = q.tape
    watched = (
        [] if tape is None else [v for k, v in tape.watched.items() if k not in tape.without_rule]
    )
    return [q.name(v) or getattr(v, "name", "") or described(v) for v in watched][:6]
