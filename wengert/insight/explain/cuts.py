"""What cuts the way from a source to a target: one operation, of which kind, and what to write instead."""

from __future__ import annotations

import ast
from typing import Any, Final

from wengert.host.syntax import expression
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import Change, Mend, called, replacing, rewritten
from wengert.insight.journal import Step
from wengert.insight.program_text import line_text, short

Cut = tuple[str, str, Mend]

# By the type of the operation: functions of tf that compute it, and what has a gradient in its place.
_NEAREST: Final = {
    "Round": (("round",), "{0} + tf.stop_gradient({whole} - {0})", "straight-through"),
    "Rint": (("rint",), "{0} + tf.stop_gradient({whole} - {0})", "straight-through"),
    "Floor": (("floor",), "{0} + tf.stop_gradient({whole} - {0})", "straight-through"),
    "Ceil": (("ceil",), "{0} + tf.stop_gradient({whole} - {0})", "straight-through"),
    "Sign": (("sign",), "tf.tanh(10.0 * ({0}))", "smooth"),
    "ArgMax": (("argmax",), "tf.nn.softmax({0})", "a soft maximum"),
    "ArgMin": (("argmin",), "tf.nn.softmax(-({0}))", "a soft minimum"),
    "OneHot": (("one_hot",), "tf.nn.softmax({0})", "soft"),
    "Greater": (("greater", ">"), "tf.sigmoid(10.0 * ({0} - {1}))", "smooth"),
    "GreaterEqual": (("greater_equal", ">="), "tf.sigmoid(10.0 * ({0} - {1}))", "smooth"),
    "Less": (("less", "<"), "tf.sigmoid(10.0 * ({1} - {0}))", "smooth"),
    "LessEqual": (("less_equal", "<="), "tf.sigmoid(10.0 * ({1} - {0}))", "smooth"),
    "Equal": (("equal", "=="), "tf.exp(-({0} - {1}) ** 2)", "smooth"),
    "FloorDiv": (("floordiv", "//"), "({0} / {1})", "without rounding"),
}  # fmt: skip
_SIGNS: Final = {
    ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.FloorDiv: "//",
}  # fmt: skip
_INTEGERS: Final = ("int", "bool", "uint")


def mend_of_cut(q: Question, step: Step) -> Cut:
    """The kind of cut, why it is one, and the mend."""
    row, place = step.row, short(step.line)
    if row.name in ("StopGradient", "PreventGradient"):
        words = f"Leave tf.stop_gradient out at {place} if a gradient is wanted:"
        mend = replacing(step.line, words, rewritten(step.line, _without_stop))
        return "stop-gradient", f"{place} stops it, {line_text(step.line)}", mend
    if row.gradient_type:
        rule = _rule_text(row.gradient_type)
        why = f"{rule}, given in place of that of {row.name} ({place}), returned None."
        words = f"Let {rule} return a gradient for each input that has one."
        return "override-none", why, Mend(words)
    if "PyFunc" in row.name or row.name == "NumpyFunction":
        words = "Give the Python function a derivative: tf.wrap(function, vjp=...), or tf.py_function of operations."
        return (
            "left-tape",
            f"{place} computes it in Python, where no operations are seen.",
            Mend(words),
        )
    if row.users and row.differentiable:
        words = "Let the gradient function return the gradient in this place: dy times the derivative by this argument."
        return "custom-none", f"the custom gradient of {place} returned None for it.", Mend(words)
    if row.users:
        words = "Give it a gradient by tf.RegisterGradient, tf.custom_gradient or tf.wrap."
        return "no-gradient", f"{row.name} ({place}) has no gradient.", Mend(words)
    turned = [y for y in step.results if not y.dtype.is_differentiable]
    if row.name == "Cast" and turned:
        to = turned[0].dtype.name
        numbers = "booleans" if to == "bool" else "integers"
        chooser = _chooser(q, turned[0])
        if chooser:
            why = f"it is an index for {chooser} ({place}), and a choice has no derivative."
            words = "Ask for the gradient by what is chosen from, or weigh all of it: tf.nn.softmax(scores) @ table."
            return "integer", why, Mend(words)
        words = f"Stay with floats: leave the cast at {place} out."
        mend = replacing(step.line, words, rewritten(step.line, _without_cast))
        return "integer", f"{place} casts it to {to}, and {numbers} have no derivatives.", mend
    return _without_gradient(q, step)


_CHOOSE: Final = ("GatherV2", "GatherNd", "ResourceGather", "OneHot", "StridedSlice", "Slice",
                  "SparseSoftmaxCrossEntropyWithLogits", "DynamicPartition", "SegmentSum", "UnsortedSegmentSum")  # fmt: skip


def _chooser(q: Question, value: Any) -> str:
    """The operation that takes integers for indices; empty if none does."""
    for step in q.history.steps:
        if step.row.name in _CHOOSE and any(x is value for x in step.inputs[1:] or step.inputs):
            return step.row.name
    return ""


def _rule_text(given: str) -> str:
    """A rule that was registered under a name, or the function at a line."""
    is_line = given.rpartition(":")[2].isdigit()
    return f"the rule of {short(given)}" if is_line else f"the rule {given!r}"


def _without_gradient(q: Question, step: Step) -> Cut:
    row, place = step.row, short(step.line)
    turned = [y.dtype for y in step.results if not y.dtype.is_differentiable]
    if row.differentiable:
        why = "has no derivative by this input"
    elif turned:
        why = "gives integers" if turned[0].is_integer else f"gives {turned[0].name}s"
    else:
        why = "is constant almost everywhere" if row.name in _NEAREST else "has no derivative"
    said = f"{row.name} ({place}) {why}."
    if row.name not in _NEAREST:
        words = f"Compute it by operations that have a gradient, or give {row.name} one by tf.RegisterGradient."
        return "no-gradient", said, Mend(words)
    names, template, what = _NEAREST[row.name]
    new = rewritten(step.line, _weighed(names, template))
    new = new or rewritten(step.line, _nearest(names, template))
    words = f"The nearest that has a gradient is {what}:"
    mend = (
        replacing(step.line, words, new)
        if new
        else Mend(words, (template.format("x", "y", whole="f(x)"),))
    )
    return "no-gradient", said, mend


def changed_at(place: str, kind: str) -> str:
    """The line without the call that ends the way; empty if it is not plain how."""
    if kind == "stop-gradient":
        return rewritten(place, _without_stop)
    if kind == "integer":
        return rewritten(place, _without_cast)
    tried = [rewritten(place, _nearest(names, form)) for names, form, _ in _NEAREST.values()]
    return next((new for new in tried if new), "")


def _weighed(names: tuple[str, ...], template: str) -> Change:
    """A selection by a comparison becomes a weighted sum."""
    nearest = _nearest(names, template)

    def change(node: ast.expr) -> ast.expr | None:
        if not (isinstance(node, ast.Call) and called(node) == "where" and len(node.args) == 3):
            return None
        weight = nearest(node.args[0])
        if weight is None:
            return None
        chosen, other = map(ast.unparse, node.args[1:])
        return expression(f"({other}) + ({chosen} - ({other})) * {ast.unparse(weight)}")

    return change


def _nearest(names: tuple[str, ...], template: str) -> Change:
    def change(node: ast.expr) -> ast.expr | None:
        operands: list[ast.expr] = []
        if isinstance(node, ast.Call) and called(node) in names:
            operands = node.args
        elif isinstance(node, ast.Compare) and _SIGNS.get(type(node.ops[0])) in names:
            operands = [node.left, node.comparators[0]]
        elif isinstance(node, ast.BinOp) and _SIGNS.get(type(node.op)) in names:
            operands = [node.left, node.right]
        if not operands:
            return None
        texts = [ast.unparse(o) for o in operands]
        return expression(template.format(*texts, "0.0", whole=ast.unparse(node)))

    return change


def _without_stop(node: ast.expr) -> ast.expr | None:
    return node.args[0] if isinstance(node, ast.Call) and called(node) == "stop_gradient" else None


def _without_cast(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.Call) and called(node) == "cast" and len(node.args) == 2:
        to = ast.unparse(node.args[1]).rpartition(".")[2].strip("'\"")
        return node.args[0] if to.startswith(_INTEGERS) else None
    if isinstance(node, ast.Call) and called(node) in ("to_int32", "to_int64"):
        return node.args[0]
    return None
