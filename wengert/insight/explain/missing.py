"""Why a gradient is None: where the way from the source to the target is cut."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from wengert.insight.explain.backward import Back, backward
from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.question import (
    Question,
    chain,
    described,
    step_text,
)
from wengert.insight.journal import Exit
from wengert.insight.program_text import line_text, names_in, short
from wengert.insight.reports.blocks import Block, Words
from wengert.state.variable import Variable
from wengert.values.tensor import Tensor


def explain_missing(q: Question) -> Explanation | None:
    """The reason; None if the gradient is there."""
    key = getattr(q.source, "_key", None)
    if not isinstance(q.target, (Tensor, Variable)):
        return _not_a_tensor(q)
    if key is not None and key is q.target._key:
        return None if q.is_followed(key) else _not_watched(q)
    down, made = q.history.down({key} if key is not None else set())
    up, used = q.history.up({q.target._key} if q.target._key is not None else set())
    way = made & used
    if not way:
        return _no_way(q, down, up, used)
    return _cut_way(q, down & up, way)


# ---- there is a way -----------------------------------------------------------------------------


def _cut_way(q: Question, values: set[Any], way: set[int]) -> Explanation | None:
    path = q.history.shortest(way, q.source._key, q.target._key)
    if not q.is_followed(q.source._key):
        return _overwritten(q) or _was_reset(q) or _not_watched(q)
    unseen = _not_recorded(q, path)
    if unseen is not None:
        return unseen
    cuts: list[Back] = []
    reached = False
    for back in backward(q.history, way, values, q.target):
        if all(g is None for g in back.goes.values()):
            cuts.append(back)
        reached = reached or back.goes.get(q.source._key) is not None
    if reached or not cuts:
        return None
    first = next((c for c in cuts if c.number in path), cuts[0])
    return _cut_at(q, _where_it_turned(q, first, values), path, len(cuts))


def _where_it_turned(q: Question, cut: Back, values: set[Any]) -> Back:
    """Where a value became integers, if it did before the operation that does not lead on."""
    while True:
        inputs = [x for x in cut.step.inputs if getattr(x, "_key", None) in values]
        if not inputs or any(x.dtype.is_differentiable for x in inputs):
            return cut
        number = q.history.made_by.get(inputs[0]._key, -1)
        if number < 0:
            return cut
        cut = Back(number, q.history.steps[number], [], {})


def _not_recorded(q: Question, path: list[int]) -> Explanation | None:
    """An operation of the block that the tape did not record, though it could have."""
    if q.tape is None:
        return None
    for number in path:
        step = q.history.steps[number]
        result = step.results[0]._key
        if q.is_followed(result) or not step.row.differentiable:
            if not step.row.differentiable:
                return None
            continue
        reset = next((line for line, at in q.resets if number < at), "")
        if reset:
            return Explanation(
                "used-up",
                f"{q.title} is None: the tape forgot what it had recorded.",
                reset,
                "Ask for the gradient before the reset, or leave the reset out.",
                [
                    Words(
                        f"{step_text(step)} was recorded, but {short(reset)} resets the tape: "
                        "it watches and knows only what comes afterwards."
                    ),
                    chain(q, path, number, {number: "forgotten"}),
                ],
            )
        was_on = q.journal is None or q.journal.was_recording(number)
        if number == path[0] and was_on and q.is_watched(q.source._key):
            return Explanation(
                "not-watched",
                f"{q.title} is None: {q.x} was used before it was watched.",
                step.line,
                f"Watch {q.x} first, before it is used:",
                [chain(q, path, number, {number: f"used {q.x} when the tape did not follow it"})],
                [f"{q.indentation()}tape.watch({q.x})"],
            )
        return Explanation(
            "after-tape",
            f"{q.title} is None: a part of the way was computed while the tape did not record.",
            step.line,
            f"Move {short(step.line)} to where the tape records.",
            [chain(q, path, number, {number: "not recorded: the tape was stopped"})],
        )
    return None


def _cut_at(q: Question, cut: Back, path: list[int], count: int) -> Explanation:
    kind, why, mend, added = _kind_of_cut(q, cut)
    ahead = sum(n < cut.number for n in path)
    behind = sum(n > cut.number for n in path)
    words = f"{_operations(ahead)} from {q.x} to it, {_operations(behind, False)} from it to {q.y}"
    others: str = (
        "; there is no other path."
        if count == 1
        else f"; {count - 1} more path{'s are' if count > 2 else ' is'} cut, too."
    )
    blocks: list[Block] = [
        chain(q, path, cut.number, {cut.number: "cut here"}),
        Words(words + others),
    ]
    return Explanation(kind, f"{q.title} is None: {why}", cut.step.line, mend, blocks, added)


def _operations(count: int, lead: bool = True) -> str:
    verb = (" leads" if count == 1 else " lead") if lead else ""
    return f"{count} operation{'' if count == 1 else 's'}{verb}"


_NEAREST: Final = {
    "Round": ("x + tf.stop_gradient(tf.round(x) - x)", "straight-through"),
    "Rint": ("x + tf.stop_gradient(tf.math.rint(x) - x)", "straight-through"),
    "Floor": ("x + tf.stop_gradient(tf.floor(x) - x)", "straight-through"),
    "Ceil": ("x + tf.stop_gradient(tf.math.ceil(x) - x)", "straight-through"),
    "Sign": ("tf.tanh(10.0 * x)", "smooth"),
    "ArgMax": ("tf.nn.softmax(x)", "soft maximum"),
    "ArgMin": ("tf.nn.softmax(-x)", "soft minimum"),
    "Greater": ("tf.sigmoid(10.0 * (a - b))", "smooth"),
    "GreaterEqual": ("tf.sigmoid(10.0 * (a - b))", "smooth"),
    "Less": ("tf.sigmoid(10.0 * (b - a))", "smooth"),
    "LessEqual": ("tf.sigmoid(10.0 * (b - a))", "smooth"),
    "Equal": ("tf.exp(-(a - b) ** 2)", "smooth"),
    "OneHot": ("tf.nn.softmax(logits)", "soft"),
    "Bucketize": ("tf.nn.softmax(-(x[..., None] - edges) ** 2)", "soft"),
    "FloorDiv": ("x / y", "without rounding"),
    "InTopKV2": ("tf.nn.softmax(predictions)", "soft"),
    "Unique": ("tf.sort(x)", "sorted"),
    "Where": ("tf.where(mask, x, 0.0)", "the values in place of their positions"),
}


def _kind_of_cut(q: Question, cut: Back) -> tuple[str, str, str, list[str]]:
    step, row = cut.step, cut.step.row
    place = short(step.line)
    if row.name in ("StopGradient", "PreventGradient"):
        return (
            "stop-gradient",
            f"{place} stops it, {line_text(step.line) or 'stop_gradient'}.",
            f"Leave tf.stop_gradient out at {place} if a gradient is wanted.",
            [_without_stop(line_text(step.line))]
            if "stop_gradient" in line_text(step.line)
            else [],
        )
    if row.gradient_type:
        return (
            "override-none",
            f"the rule {row.gradient_type!r}, given in place of that of {row.name}, returned None.",
            f"Let the function registered as {row.gradient_type!r} return a gradient "
            "for each input that has one.",
            [],
        )
    if row.users:
        if row.differentiable:
            return (
                "custom-none",
                f"the custom gradient of {place} returned None for it.",
                "Let the gradient function return the gradient in this place: dy times the "
                "derivative by this argument.",
                [],
            )
        return (
            "no-gradient",
            f"{row.name} ({place}) has no gradient.",
            "Give it one with tf.RegisterGradient, tf.custom_gradient or tf.wrap.",
            [],
        )
    if row.name in ("PyFunc", "PyFuncStateless", "NumpyFunction") or "PyFunc" in row.name:
        return (
            "left-tape",
            f"{place} computes it in Python, where no operations are seen.",
            "Give the Python function a derivative: tf.wrap(function, vjp=...), or "
            "tf.py_function in place of tf.numpy_function.",
            [],
        )
    turned = [y for y in step.results if not y.dtype.is_differentiable]
    if row.name == "Cast" and turned:
        to = turned[0].dtype.name
        return (
            "integer",
            f"{place} casts it to {to}, and {_kind_of_number(to)} have no derivatives.",
            f"Stay with floats: leave the cast at {place} out, or cast a value that does not lead to "
            f"{q.y}.",
            [],
        )
    nearest = _NEAREST.get(row.name)
    why = (
        "gives integers" if turned and turned[0].dtype.is_integer
        else "gives booleans" if turned
        else "is constant almost everywhere" if row.name in _NEAREST
        else "has no derivative"
    )  # fmt: skip
    if row.differentiable:
        why = "has no derivative by this input"
    if nearest is None:
        mend = f"Compute it by operations that have a gradient, or give {row.name} one by tf.RegisterGradient."
        return "no-gradient", f"{row.name} ({place}) {why}.", mend, []
    text, what = nearest
    return (
        "no-gradient",
        f"{row.name} ({place}) {why}.",
        f"The nearest that has a gradient ({what}):",
        [text],
    )


def _kind_of_number(dtype: str) -> str:
    return "booleans" if dtype == "bool" else "strings" if dtype == "string" else "integers"


def _without_stop(text: str) -> str:
    """A line without its call of stop_gradient."""
    try:
        tree = ast.parse(text.removesuffix(":") if not text.startswith(("if", "for")) else "")
    except SyntaxError:
        return ""

    class Unwrap(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            is_stop = ast.unparse(node.func).endswith("stop_gradient")
            return node.args[0] if is_stop and node.args else node

    return ast.unparse(Unwrap().visit(tree))


# ---- the source is not followed -----------------------------------------------------------------


def _not_watched(q: Question) -> Explanation:
    where = f"the tape of {short(q.began)}" if q.began else "the tape"
    line = q.began
    made = _place_of_name(q, q.x)
    at = f" ({made})" if made else ""
    added = [f"{q.indentation()}tape.watch({q.x})"]
    if isinstance(q.source, Variable):
        if not q.source.trainable:
            why = f"{q.x} is a variable with trainable=False{at}, and {where} follows trainable ones only"
        elif not q.watches_variables:
            why = f"{where} was made with watch_accessed_variables=False"
        else:
            why = f"{where} never saw {q.x}{at} being read"
        mend = "Add this as the first line inside the `with`:"
    else:
        follows = ", ".join(_watched_names(q)) or "nothing"
        why = f"{q.x} is a tensor{at}, and {where} follows variables, and what it is told to: {follows}"
        mend = f"Add this as the first line inside the `with`, or make it tf.Variable({q.x}):"
    return Explanation(
        "not-watched",
        f"{q.title} is None: {q.x} is not watched.",
        line,
        mend,
        [Words(why + ".")],
        added,
    )


def _watched_names(q: Question) -> list[str]:
    watched = [] if q.tape is None else list(q.tape.watched.values())
    return [q.name(v) or getattr(v, "name", "") or described(v) for v in watched][:6]


def _place_of_name(q: Question, name: str) -> str:
    found = q.program.assignments(name) if name.isidentifier() else []
    before = [a for a in found if a.line <= q.program.frame.f_lineno] or found
    return short(q.program.place(before[-1].line)) if before else ""


def _overwritten(q: Question) -> Explanation | None:
    """The name of a variable was given another value, a tensor."""
    if isinstance(q.source, Variable) or not q.x.isidentifier():
        return None
    found = q.program.assignments(q.x)
    made = [a for a in found if "Variable(" in ast.unparse(a.value)]
    after = [a for a in found if made and a.line > made[0].line]
    if not after:
        return None
    line = q.program.place(after[-1].line)
    return Explanation(
        "overwritten",
        f"{q.title} is None: {q.x} is no variable any more.",
        line,
        f"Change the variable in place at {short(line)}:",
        [
            Words(
                f"{q.x} was a tf.Variable ({short(q.program.place(made[0].line))}); {short(line)} "
                "gave the name to a tensor, which the tape does not follow by itself."
            )
        ],
        [_assigning(q.x, after[-1].value)],
    )


def _assigning(name: str, value: ast.expr) -> str:
    if (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, (ast.Sub, ast.Add))
        and ast.unparse(value.left) == name
    ):
        verb = "sub" if isinstance(value.op, ast.Sub) else "add"
        return f"{name}.assign_{verb}({ast.unparse(value.right)})"
    return f"{name}.assign({ast.unparse(value)})"


def _was_reset(q: Question) -> Explanation | None:
    if not q.resets or not any(q.source._key in t.positions for t in q.before):
        return None
    line = q.resets[-1][0]
    return Explanation(
        "used-up",
        f"{q.title} is None: the tape was reset after {q.x} was watched.",
        line,
        "Watch it again after the reset:",
        [Words(f"{short(line)} makes the tape forget what it watched and recorded.")],
        [f"{q.indentation()}tape.watch({q.x})"],
    )


# ---- no way leads from the source to the target -------------------------------------------------


def _no_way(q: Question, down: set[Any], up: set[Any], used: set[int]) -> Explanation:
    for ask in _REASONS:
        found = ask(q, down, up, used)
        if found is not None:
            return found
    return Explanation(
        "no-path",
        f"{q.title} is None: {q.y} does not depend on {q.x}.",
        _line_of(q, q.target) or q.began,
        f"Use {q.x} where {q.y} is computed, or ask with unconnected_gradients='zero' if zero is meant.",
        [_uses(q, used)],
    )


def _line_of(q: Question, value: Any) -> str:
    number = q.history.made_by.get(getattr(value, "_key", None), -1)
    return q.history.steps[number].line if number >= 0 else ""


def _uses(q: Question, used: set[int]) -> Words:
    leaves = [name for name in [q.name(x) for x in q.history.leaves(used)] if name]
    what = (
        f"It was computed from {', '.join(dict.fromkeys(leaves))}" if leaves else "It was computed"
    )
    steps = [q.history.steps[n] for n in sorted(used)]
    ops = ", ".join(dict.fromkeys(s.row.name for s in steps[-4:]))
    return Words(f"{what}, by {len(steps)} operations{f', the last of them {ops}' if ops else ''}.")


def _not_a_tensor(q: Question) -> Explanation:
    down, _ = q.history.down({q.source._key} if hasattr(q.source, "_key") else set())
    out = [e for e in q.exits if getattr(e.value, "_key", None) in down]
    kind = type(q.target).__name__
    if out:
        return _left(q, out[-1], f"{q.y} is of type {kind}, not a tensor")
    made = q.program.assignments(q.y) if q.y.isidentifier() else []
    line = q.program.place(made[-1].line) if made else q.program.place(q.program.frame.f_lineno)
    return Explanation(
        "left-tape",
        f"{q.title} is None: {q.y} is of type {kind}, not a tensor.",
        line,
        "Compute it with operations of tf from beginning to end.",
    )


def _left(q: Question, out: Exit, why: str) -> Explanation:
    name = q.name(out.value) or ("it" if out.value is not q.source else q.x)
    text = line_text(out.line)
    number = q.history.made_by.get(getattr(out.value, "_key", None), -1)
    path = (
        []
        if number < 0
        else [
            *sorted(_to(q, number)),
        ]
    )
    gives = "a Python number" if out.way.endswith("()") and out.way != ".numpy()" else "an array"
    words = (
        f"{short(out.line)}: {name} left the tape here: {out.way} gives {gives} without a history."
    )
    blocks: list[Block] = [chain(q, path, -1, {})] if path else []
    blocks.append(Words(f"{short(out.line)}   {text}\n✂ {words}"))
    return Explanation(
        "left-tape",
        f"{q.title} is None: the way from {q.x} to {q.y} leaves the tape ({why}).",
        out.line,
        _instead(text)
        + " If NumPy must compute it, give it a derivative: tf.wrap(function), or tf.custom_gradient.",
        blocks,
        [new] if (new := _in_tf(text)) else [],
    )


def _to(q: Question, number: int) -> set[int]:
    """The operations from the source to one."""
    _, made = q.history.down({q.source._key})
    _, used = q.history.up({q.history.steps[number].results[0]._key})
    return made & used


_OF_NUMPY: Final = {
    "maximum", "minimum", "exp", "sin", "cos", "tan", "tanh", "sqrt", "square", "abs", "sum", "mean",
    "max", "min", "where", "dot", "matmul", "sinh", "cosh", "sign", "floor", "round", "clip", "power",
    "log", "prod", "stack", "concatenate", "reshape", "transpose",
}  # fmt: skip
_CALLED: Final = {
    "sum": "reduce_sum", "mean": "reduce_mean", "max": "reduce_max", "min": "reduce_min",
    "prod": "reduce_prod", "dot": "tensordot", "clip": "clip_by_value", "power": "pow",
    "log": "math.log", "concatenate": "concat",
}  # fmt: skip


def _in_tf(text: str) -> str:
    """The line with operations of tf in place of those of NumPy and of Python; empty if unsure."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ""

    class Rewrite(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            name = ast.unparse(node.func)
            head, _, last = name.rpartition(".")
            if last == "numpy" and not node.args and isinstance(node.func, ast.Attribute):
                return node.func.value
            if name in ("float", "np.asarray", "np.array", "numpy.asarray", "tf.constant",
                        "tf.convert_to_tensor", "int") and len(node.args) == 1:  # fmt: skip
                return node.args[0]
            if head in ("np", "numpy") and last in _OF_NUMPY:
                node.func = ast.parse(f"tf.{_CALLED.get(last, last)}", mode="eval").body
            return node

    new = ast.unparse(Rewrite().visit(tree))
    return new if new != text and "np." not in new and ".numpy" not in new else ""


def _instead(text: str) -> str:
    return "Stay with tf:" if _in_tf(text) else "Compute with operations of tf."


def _by_exit(q: Question, down: set[Any], up: set[Any], used: set[int]) -> Explanation | None:
    """A value that depends on the source left for Python before the target was computed."""
    last = max(used, default=len(q.history.steps))
    found = [
        e
        for e in q.exits
        if getattr(e.value, "_key", None) in down and e.at <= last and _is_for_more(q, e)
    ]
    if not found:
        return None
    return _left(q, found[-1], "as an array or a number of Python's")


def _is_for_more(q: Question, out: Exit) -> bool:
    """Whether what left was more than printed or compared."""
    text = line_text(out.line)
    return (
        not text.startswith(("print(", "assert ", "if ", "while ", "log")) and out.way != "bool()"
    )


def _by_variable(q: Question, down: set[Any], up: set[Any], used: set[int]) -> Explanation | None:
    """The way leads through a variable that was assigned."""
    names = {q.x, *_names_of(q, down)}
    variables = [v for v in q.history.leaves(used) if isinstance(v, Variable)]
    for node in ast.walk(q.program.tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if not node.func.attr.startswith("assign") or not names & set(names_in(node)):
            continue
        owner = ast.unparse(node.func.value)
        if any(q.name(v) == owner for v in variables):
            line = q.program.place(node.lineno)
            return Explanation(
                "overwritten",
                f"{q.title} is None: the way leads through the variable {owner}, which was assigned.",
                line,
                f"Use the value itself in place of {owner} afterwards: an assignment keeps the "
                "number, not how it was computed.",
                [
                    Words(
                        f"{short(line)}   {line_text(line)}\n✂ the variable {owner} starts anew here."
                    )
                ],
                [f"new_{owner.rpartition('.')[2]} = {ast.unparse(node.args[0])}"]
                if node.args
                else [],
            )
    for v in variables:
        made = q.program.assignments(q.name(v)) if q.name(v).isidentifier() else []
        for a in made:
            if names & set(names_in(a.value)) and "Variable(" in ast.unparse(a.value):
                line = q.program.place(a.line)
                return Explanation(
                    "left-tape",
                    f"{q.title} is None: tf.Variable keeps the number, not how it was computed.",
                    line,
                    f"Use the value itself in place of a variable at {short(line)}.",
                    [Words(f"{short(line)}   {line_text(line)}\n✂ {q.name(v)} starts anew here.")],
                )
    return None


def _names_of(q: Question, keys: set[Any]) -> Iterator[str]:
    for name, value in list(q.program.frame.f_locals.items()):
        if isinstance(value, (Tensor, Variable)) and value._key in keys:
            yield name


def _by_memory(q: Question, down: set[Any], up: set[Any], used: set[int]) -> Explanation | None:
    """Another tensor is used than the one that is asked for."""
    for leaf in q.history.leaves(used):
        if leaf is not q.source and _shares(q.source, leaf):
            return _other(q, leaf, "the same numbers in the same memory")
    _, sources = q.history.up({q.source._key})
    for number in sorted(sources):
        for x in q.history.steps[number].inputs:
            if getattr(x, "_key", None) in up:
                return _other(
                    q, x, f"{q.x} was computed from it ({short(q.history.steps[number].line)})"
                )
    return None


def _by_equality(q: Question, down: set[Any], up: set[Any], used: set[int]) -> Explanation | None:
    for leaf in q.history.leaves(used):
        if leaf is not q.source and _equals(q.source, leaf) and _is_somebodys(q, leaf):
            return _other(q, leaf, "equal numbers, but another tensor: a copy, or converted anew")
    return None


def _is_somebodys(q: Question, leaf: Any) -> bool:
    """Whether a value is more than a number in a formula."""
    return bool(q.name(leaf)) or leaf._array.size > 1


def _other(q: Question, other: Any, why: str) -> Explanation:
    name = q.name(other)
    use = next((s for s in q.history.steps if any(x is other for x in s.inputs)), None)
    line = use.line if use is not None else q.began
    shown = name or "it"
    blocks = [Words(f"{step_text(use)} uses {name or 'another tensor'}: {why}.")] if use else []
    return Explanation(
        "other-tensor",
        f"{q.title} is None: another tensor than {q.x} was used. Did you mean {name or 'that one'}?",
        line,
        f"Ask for the gradient by {shown}:"
        if name
        else f"Use {q.x} itself where {q.y} is computed.",
        blocks,
        [f"tape.gradient({q.y}, {name})"] if name else [],
    )


def _array(value: Any) -> Any:
    array = getattr(value, "_array", None)
    return array if isinstance(array, np.ndarray) else None


def _shares(a: Any, b: Any) -> bool:
    x, y = _array(a), _array(b)
    return x is not None and y is not None and x.size > 0 and np.may_share_memory(x, y)


def _equals(a: Any, b: Any) -> bool:
    x, y = getattr(a, "_array", None), getattr(b, "_array", None)
    if x is None or y is None or getattr(x, "dtype", 0) != getattr(y, "dtype", 1):
        return False
    return bool(np.shape(x) == np.shape(y) and np.array_equal(x, y, equal_nan=True))


def _by_text(q: Question, down: set[Any], up: set[Any], used: set[int]) -> Explanation | None:
    """Something on the way was computed before the block, or after it."""
    block = q.within_block()
    if block is None:
        return None
    begin, end = block
    if getattr(q.target, "_key", None) not in q.history.made_by and q.y.isidentifier():
        made = [a for a in q.program.assignments(q.y) if a.line < q.program.frame.f_lineno]
        if made and made[-1].line > end:
            line = q.program.place(made[-1].line)
            return Explanation(
                "after-tape",
                f"{q.title} is None: {q.y} was computed after the tape had stopped.",
                line,
                f"Move {short(line)} into the block:",
                [
                    Words(
                        f"{short(line)} computes {q.y}; the `with` block ends at "
                        f"{short(q.program.place(end))}."
                    )
                ],
                [f"{q.indentation()}{line_text(line)}"],
            )
        if made and made[-1].line < begin:
            return _before(q, q.y, made[-1].line)
    for leaf in [*q.history.leaves(used)]:
        name = q.name(leaf)
        if not name or isinstance(leaf, Variable):
            continue
        made = [a for a in q.program.assignments(name) if a.line < begin]
        if made and q.x in _reaches(q, made[-1].value, begin):
            return _before(q, name, made[-1].line)
    return None


def _before(q: Question, name: str, at: int) -> Explanation:
    line = q.program.place(at)
    return Explanation(
        "before-tape",
        f"{q.title} is None: {name} was computed before the tape began.",
        line,
        f"Move {short(line)} into the block, after the watching:",
        [
            Words(
                f"{short(line)}   {line_text(line)}\n✂ the tape begins at {short(q.began)} and knows {name} "
                "as a number only."
            )
        ],
        [f"{q.indentation()}{line_text(line)}"],
    )


def _reaches(q: Question, value: ast.expr, before: int, depth: int = 4) -> set[str]:
    """The names that an expression reads, and those that these were made from."""
    names = set(names_in(value))
    if depth:
        for name in list(names):
            for a in q.program.assignments(name):
                if a.line < before:
                    names |= _reaches(q, a.value, a.line, depth - 1)
    return names


def _by_branch(q: Question, down: set[Any], up: set[Any], used: set[int]) -> Explanation | None:
    """The program uses the source in a branch that was not taken."""
    lines = {
        int(s.line.rpartition(":")[2]) for s in q.history.steps if s.line.startswith(q.program.file)
    }
    for node in ast.walk(q.program.tree):
        parts: list[tuple[list[Any], int]] = []
        if isinstance(node, ast.If):
            parts = [(node.body, node.lineno), (node.orelse, node.lineno)]
        elif isinstance(node, ast.IfExp):
            parts = [([node.body], node.lineno), ([node.orelse], node.lineno)]
        for part, line in parts:
            names = {name for n in part for name in names_in(n)}
            spans = {at for n in part for at in range(n.lineno, (n.end_lineno or n.lineno) + 1)}
            one_line = isinstance(node, ast.IfExp)
            if q.x in names and (one_line or not spans & lines):
                place = q.program.place(line)
                return Explanation(
                    "branch",
                    f"{q.title} is None: the branch that uses {q.x} was not taken.",
                    place,
                    f"Where the other branch is meant to depend on {q.x}, let it; a gradient of zeros is "
                    "had by unconnected_gradients='zero'.",
                    [
                        Words(
                            f"{short(place)}   {line_text(place)}\n✂ {q.x} is used in the other branch alone."
                        )
                    ],
                    [f"tape.gradient({q.y}, {q.x}, unconnected_gradients='zero')"],
                )
    return None


def _unwatched_leaf(
    q: Question, down: set[Any], up: set[Any], used: set[int]
) -> Explanation | None:
    return _overwritten(q) if not q.is_followed(getattr(q.source, "_key", None)) else None


Reason = Callable[[Question, set[Any], set[Any], set[int]], Explanation | None]
_REASONS: Final[tuple[Reason, ...]] = (
    _by_exit, _by_memory, _by_variable, _by_text, _by_equality, _unwatched_leaf, _by_branch,
)  # fmt: skip
