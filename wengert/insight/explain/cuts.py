"""What cuts the way from a source to a target: one operation, of which kind, and what to write instead."""

from __future__ import annotations

import ast
from typing import Any, Final

from wengert.host.syntax import expression, parsed
from wengert.insight.explain.forms import axis_of
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import (
    Change,
    Mend,
    called,
    filled,
    joined,
    rewritings,
    rewritten,
)
from wengert.insight.explain.trial import ANOTHER, EXACT, proposed
from wengert.insight.journal import Step
from wengert.insight.program_text import line_text, short

Cut = tuple[str, str, Mend]

# By the type of the operation: functions of tf that compute it, and what has a gradient in its place.
# There `x` and `y` are its arguments, and `whole` is the call itself.
_THROUGH: Final = "x + tf.stop_gradient(whole - x)"
_STEP: Final = "tf.sigmoid(10.0 * (x - y))"  # x is the one that is to be larger
_NEAREST: Final = {
    "Round": (("round",), _THROUGH, "straight-through"),
    "Rint": (("rint",), _THROUGH, "straight-through"),
    "Floor": (("floor",), _THROUGH, "straight-through"),
    "Ceil": (("ceil",), _THROUGH, "straight-through"),
    "Sign": (("sign",), "tf.tanh(10.0 * x)", "smooth"),
    "Greater": (("greater", ">", "<"), _STEP, "smooth"),
    "GreaterEqual": (("greater_equal", ">=", "<="), _STEP, "smooth"),
    "Less": (("less", "<", ">"), _STEP, "smooth"),
    "LessEqual": (("less_equal", "<=", ">="), _STEP, "smooth"),
    "Equal": (("equal", "=="), "tf.exp(-((x - y) ** 2))", "smooth"),
    "FloorDiv": (("floordiv", "//"), "x / y", "without rounding"),
}  # fmt: skip
_LESS: Final = ("less", "less_equal", "<", "<=")  # its second argument is to be larger
_SOFT: Final = {"ArgMax": ("argmax", "x", "maximum"), "ArgMin": ("argmin", "-x", "minimum")}
_OF_DRAWS: Final = (
    "What is drawn has no derivative by its probabilities; its mean has. Weigh what would be drawn by "
    "tf.nn.softmax((logits + gumbel noise) / temperature), or differentiate log_probability(draw) * "
    "tf.stop_gradient(loss): the mean of its gradient is that of the mean loss."
)
_SIGNS: Final = {
    ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.FloorDiv: "//",
}  # fmt: skip
_INTEGERS: Final = ("int", "bool", "uint")


def mend_of_cut(q: Question, step: Step) -> Cut:
    """The kind of cut, why it is one, and the mend."""
    row, place = step.row, short(step.line)
    if row.name in ("StopGradient", "PreventGradient"):
        words = f"Leave tf.stop_gradient out at {place} if a gradient is wanted:"
        mend = proposed(q, step.line, words, rewritings(step.line, _without_stop))
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
        mend = proposed(q, step.line, words, _uncast(step.line), digits=ANOTHER)
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
    if row.name in _SOFT:
        return "no-gradient", said, _soft_choice(q, step)
    if any(draw in row.name for draw in ("Multinomial", "Binomial", "Poisson")):
        return "no-gradient", said, Mend(_OF_DRAWS)
    if row.name not in _NEAREST:
        words = f"Compute it by operations that have a gradient, or give {row.name} one by tf.RegisterGradient."
        return "no-gradient", said, Mend(words)
    names, template, what = _NEAREST[row.name]
    words = f"The nearest that has a gradient is {what}:"
    plain = rewritings(step.line, _nearest(names, template))
    if not plain:
        return "no-gradient", said, Mend(words, (_shown(template),))
    found = [*rewritings(step.line, _weighed(names, template)), *plain]
    digits = EXACT if template == _THROUGH else ANOTHER
    return "no-gradient", said, proposed(q, step.line, words, found, digits, sure=len(plain) == 1)


def _shown(template: str) -> str:
    """A form for an operation that is not written where it is carried out."""
    return ast.unparse(filled(template, whole=expression("f(x)")))


def _soft_choice(q: Question, step: Step) -> Mend:
    """An index has no derivative: what it chooses may be weighed."""
    name, template, of = _SOFT[step.row.name]

    def change(node: ast.expr) -> ast.expr | None:
        if not isinstance(node, ast.Call) or called(node) != "one_hot" or not node.args:
            return None
        index = node.args[0]
        if not isinstance(index, ast.Call) or called(index) != name or len(node.args) > 2:
            return None
        if not _is_over_last(index, len(step.inputs[0].shape)):
            return None
        return filled("tf.nn.softmax(s)", s=filled(template, x=index.args[0]))

    words = f"The nearest that has a gradient is a soft {of}:"
    scores = "-scores" if of == "minimum" else "scores"
    otherwise = (
        f"An index has no derivative. tf.nn.softmax({scores}) weighs all instead of choosing one: use these weights "
        "where the index, or its one_hot, is used."
    )
    found = rewritings(step.line, change)
    return proposed(q, step.line, words, found, digits=ANOTHER, otherwise=otherwise)


def _is_over_last(index: ast.Call, rank: int) -> bool:
    """Whether an index is that along the last axis, the one over which softmax goes."""
    axis = axis_of(index)
    return rank == 1 if axis is None else ast.unparse(axis) in ("-1", str(rank - 1))


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
        return filled("b + (a - b) * w", a=node.args[1], b=node.args[2], w=weight)

    return change


def _nearest(names: tuple[str, ...], template: str) -> Change:
    def change(node: ast.expr) -> ast.expr | None:
        name, operands = _operands(node)
        if name not in names or not operands:
            return None
        first, second = (*operands, ast.Constant(0.0))[:2]
        if name in _LESS:
            first, second = second, first
        return filled(template, x=first, y=second, whole=node)

    return change


def _operands(node: ast.expr) -> tuple[str, list[ast.expr]]:
    """The name or the sign of an operation, and what it is given."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _SIGNS.get(type(node.ops[0]), ""), [node.left, node.comparators[0]]
    if isinstance(node, ast.BinOp):
        return _SIGNS.get(type(node.op), ""), [node.left, node.right]
    return called(node), node.args if isinstance(node, ast.Call) else []


def _without_stop(node: ast.expr) -> ast.expr | None:
    return node.args[0] if isinstance(node, ast.Call) and called(node) == "stop_gradient" else None


def _uncast(place: str) -> list[str]:
    """The line without a cast to integers; where a call is told that it gives integers, without this as well."""
    found = rewritings(place, _without_cast)
    trees = [parsed(text) for text in found]
    for node in [n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Call)]:
        node.keywords = [k for k in node.keywords if not _says_integers(k)]
    without = [joined(tree) for tree in trees]
    return without if any(a != b for a, b in zip(found, without, strict=True)) else found


def _says_integers(keyword: ast.keyword) -> bool:
    is_signature = keyword.arg == "fn_output_signature"
    return is_signature and _is_integer(keyword.value)


def _is_integer(dtype: ast.expr) -> bool:
    return ast.unparse(dtype).rpartition(".")[2].strip("'\"").startswith(_INTEGERS)


def _without_cast(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.Call) and called(node) == "cast" and len(node.args) == 2:
        return node.args[0] if _is_integer(node.args[1]) else None
    if isinstance(node, ast.Call) and called(node) in ("to_int32", "to_int64"):
        return node.args[0]
    return None
