"""Expressions that overflow, cancel or have no slope, and what to write in their place."""

from __future__ import annotations

import ast
import math
from typing import Final

from wengert.insight.explain.rewriting import Change, called, called_with, filled

TINY: Final = "1e-12"  # what keeps a number away from zero


def smooth_norm(tiny: str = TINY) -> Change:
    """A norm, or a square root, that has a slope at zero."""

    def change(node: ast.expr) -> ast.expr | None:
        if not isinstance(node, ast.Call) or not node.args:
            return None
        if called(node) == "sqrt":
            return called_with(node, filled(f"x + {tiny}", x=node.args[0]))
        if called(node) != "norm" or not _is_euclidean(node):
            return None
        total = filled("tf.reduce_sum(x ** 2)", x=node.args[0])
        assert isinstance(total, ast.Call)
        total.args += node.args[2:]
        total.keywords = [k for k in node.keywords if k.arg != "ord"]
        return filled(f"tf.sqrt(total + {tiny})", total=total)

    return change


def _is_euclidean(node: ast.Call) -> bool:
    orders = [*node.args[1:2], *[k.value for k in node.keywords if k.arg == "ord"]]
    return all(ast.unparse(o) in ("2", "2.0", "'euclidean'") for o in orders)


def smooth_deviation(tiny: str = TINY) -> Change:
    """A standard deviation that has a slope where all numbers are equal."""

    def change(node: ast.expr) -> ast.expr | None:
        if called(node) != "reduce_std" or not isinstance(node, ast.Call):
            return None
        variance = filled("tf.math.reduce_variance()")
        assert isinstance(variance, ast.Call)
        variance.args, variance.keywords = node.args, node.keywords
        return filled(f"tf.sqrt(variance + {tiny})", variance=variance)

    return change


def log_of_sum(node: ast.expr) -> ast.expr | None:
    """log(sum(exp(x))), or that of a mean, by one function."""
    return _log_of_total(node, lambda inner: _argument(inner, "exp"))


def log_of_weighted_sum(node: ast.expr) -> ast.expr | None:
    """log(sum(w * exp(x))) by one function: right for weights above zero."""
    return _log_of_total(node, _exponent)


def _log_of_total(node: ast.expr, inside: Change) -> ast.expr | None:
    total = _argument(node, "log")
    if not isinstance(total, ast.Call) or not total.args:
        return None
    exponent = inside(total.args[0])
    if exponent is None:
        return None
    summed = filled("tf.reduce_logsumexp()")
    assert isinstance(summed, ast.Call)
    summed.args, summed.keywords = [exponent, *total.args[1:]], total.keywords
    if called(total) == "reduce_sum":
        return summed
    if called(total) != "reduce_mean":
        return None
    count = filled("tf.reduce_sum(tf.ones_like(x))", x=exponent)
    assert isinstance(count, ast.Call)
    count.args += total.args[1:]
    count.keywords += total.keywords
    return filled("summed - tf.math.log(count)", summed=summed, count=count)


def _exponent(node: ast.expr) -> ast.expr | None:
    """What exp is taken of; a factor beside it is a summand there."""
    inner = _argument(node, "exp")
    if inner is None and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for weight, exp in ((node.left, node.right), (node.right, node.left)):
            inner = _argument(exp, "exp")
            if inner is not None:
                return filled("x + tf.math.log(w)", x=inner, w=weight)
    return inner


def _argument(node: ast.AST, name: str) -> ast.expr | None:
    """The first argument of a call of that name."""
    is_it = isinstance(node, ast.Call) and called(node) == name and node.args
    return node.args[0] if is_it and isinstance(node, ast.Call) else None


def log_of_softmax(node: ast.expr) -> ast.expr | None:
    """log(softmax(x)) by one function."""
    inner = _argument(node, "log")
    if not isinstance(inner, ast.Call) or called(inner) != "softmax":
        return None
    return ast.Call(filled("tf.nn.log_softmax"), inner.args, inner.keywords)


def product_with_log(node: ast.expr) -> ast.expr | None:
    """x log y, which is zero where x is."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for a, b in ((node.left, node.right), (node.right, node.left)):
            inner = _argument(b, "log")
            if inner is not None:
                return filled("tf.math.xlogy(a, b)", a=a, b=inner)
    return None


def soft_plus(node: ast.expr) -> ast.expr | None:
    """log(1 + exp(x)) by one function; another positive number than 1 is a factor of it all."""
    inner = _argument(_argument(node, "log1p") or node, "exp") if called(node) == "log1p" else None
    if inner is not None:
        return filled("tf.nn.softplus(x)", x=inner)
    for number, x in _number_and_exp(_argument(node, "log")):
        if number == 1.0:
            return filled("tf.nn.softplus(x)", x=x)
        log = ast.Constant(abs(math.log(number)))
        form = "tf.nn.softplus(x + c) - c" if number < 1 else "tf.nn.softplus(x - c) + c"
        return filled(form, x=x, c=log)
    return None


def _number_and_exp(node: ast.expr | None) -> list[tuple[float, ast.expr]]:
    """The positive number and the exponent of a sum such as 1 + exp(x)."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)):
        return []
    for number, exp in ((node.left, node.right), (node.right, node.left)):
        inner = _argument(exp, "exp")
        value = number.value if isinstance(number, ast.Constant) else None
        if inner is not None and isinstance(value, (int, float)) and value > 0:
            return [(float(value), inner)]
    return []


def soft_max(node: ast.expr) -> ast.expr | None:
    """exp(x) / sum(exp(x)) by one function."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
        return None
    top, bottom = _argument(node.left, "exp"), _without_new_axes(node.right)
    inner = _argument(bottom, "reduce_sum")
    if top is None or inner is None or not isinstance(bottom, ast.Call):
        return None
    below = _argument(inner, "exp")
    if below is None or ast.dump(below) != ast.dump(top):
        return None
    axis = axis_of(bottom)
    found = filled("tf.nn.softmax(x)", x=top)
    assert isinstance(found, ast.Call)
    if axis is not None and ast.unparse(axis) not in ("-1", "None"):
        found.args.append(axis)
    return found


def _without_new_axes(node: ast.expr) -> ast.expr:
    """What `x[:, None]` or `tf.expand_dims(x, 1)` gives an axis to."""
    if isinstance(node, ast.Subscript):
        keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        written = {ast.unparse(key).rpartition(".")[2] for key in keys}
        return node.value if written <= {":", "None", "newaxis", "..."} else node
    is_wider = isinstance(node, ast.Call) and called(node) in ("expand_dims", "reshape")
    return node.args[0] if isinstance(node, ast.Call) and is_wider and node.args else node


def axis_of(node: ast.Call) -> ast.expr | None:
    """The axis of a reduction, as written."""
    given = [*node.args[1:2], *[k.value for k in node.keywords if k.arg == "axis"]]
    return given[0] if given else None


def sigmoid(node: ast.expr) -> ast.expr | None:
    """1 / (1 + exp(-x)), or exp(x) / (1 + exp(x)), by one function."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
        return None
    for number, exponent in _number_and_exp(node.right):
        if number != 1.0:
            return None
        top = _argument(node.left, "exp")
        if top is not None and ast.dump(top) == ast.dump(exponent):
            return filled("tf.sigmoid(x)", x=top)
        found = filled("tf.sigmoid(x)", x=_negated(exponent))
        is_one = ast.unparse(node.left) in ("1", "1.0")
        return found if is_one else filled("a * s", a=node.left, s=found)
    return None


def _negated(node: ast.expr) -> ast.expr:
    """The opposite, without a sign where there was one."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return node.operand
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        return ast.BinOp(_negated(node.left), node.op, node.right)
    return filled("-x", x=node)


def safe_division(node: ast.expr) -> ast.expr | None:
    """A quotient that is zero where the divisor is."""
    top: ast.expr | None = None
    bottom: ast.expr | None = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        top, bottom = node.left, node.right
    elif isinstance(node, ast.Call) and called(node) in ("divide", "truediv"):
        top, bottom = node.args[:2] if len(node.args) > 1 else (None, None)
    elif called(node) == "reciprocal":
        bottom = _argument(node, "reciprocal")
        top = None if bottom is None else filled("tf.ones_like(x)", x=bottom)
    if top is None or bottom is None or isinstance(bottom, ast.Constant):
        return None
    return filled("tf.math.divide_no_nan(a, b)", a=top, b=bottom)


def shifted_power(tiny: str = TINY) -> Change:
    """A power whose base stays away from zero."""

    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return filled(f"tf.maximum(b, {tiny}) ** p", b=node.left, p=node.right)
        if called(node) == "pow" and isinstance(node, ast.Call) and node.args:
            return called_with(node, filled(f"tf.maximum(b, {tiny})", b=node.args[0]))
        return None

    return change


def inverse_power(node: ast.expr) -> ast.expr | None:
    """One by a power, which is zero where the base is: in place of a power below zero."""
    base: ast.expr | None = None
    power: ast.expr | None = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = node.left, node.right
    elif called(node) == "pow" and isinstance(node, ast.Call) and len(node.args) == 2:
        base, power = node.args
    is_number = isinstance(power, ast.UnaryOp) and isinstance(power.op, ast.USub)
    if base is None or not is_number or not isinstance(power, ast.UnaryOp):
        return None
    is_one = ast.unparse(power.operand) in ("1", "1.0")
    divisor = base if is_one else filled("b ** p", b=base, p=power.operand)
    return filled("tf.math.divide_no_nan(1.0, d)", d=divisor)
