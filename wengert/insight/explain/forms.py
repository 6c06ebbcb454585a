"""Expressions that overflow, cancel or have no slope, and what to write in their place."""

from __future__ import annotations

import ast

from wengert.host.syntax import expression
from wengert.insight.explain.rewriting import called


def smooth_norm(node: ast.AST) -> ast.expr | None:
    """A norm, or a square root, that has a slope at zero."""
    if called(node) == "norm" and isinstance(node, ast.Call):
        inner = ast.unparse(node.args[0])
        rest = "".join(f", {ast.unparse(a)}" for a in node.args[2:])
        rest += "".join(
            f", {k.arg}={ast.unparse(k.value)}" for k in node.keywords if k.arg != "ord"
        )
        return expression(f"tf.sqrt(tf.reduce_sum(({inner}) ** 2{rest}) + 1e-12)")
    if called(node) == "sqrt" and isinstance(node, ast.Call):
        return expression(f"{ast.unparse(node.func)}({ast.unparse(node.args[0])} + 1e-12)")
    return None


def smooth_deviation(node: ast.AST) -> ast.expr | None:
    """A standard deviation that has a slope where all numbers are equal."""
    if called(node) == "reduce_std" and isinstance(node, ast.Call):
        rest = ", ".join(ast.unparse(a) for a in (*node.args, *node.keywords))
        return expression(f"tf.sqrt(tf.math.reduce_variance({rest}) + 1e-12)")
    return None


def log_of_sum(node: ast.AST) -> ast.expr | None:
    """log(sum(exp(x))) by one function."""
    if (
        called(node) == "log"
        and isinstance(node, ast.Call)
        and called(node.args[0]) == "reduce_sum"
    ):
        inner = node.args[0]
        assert isinstance(inner, ast.Call)
        if inner.args and called(inner.args[0]) == "exp":
            exp = inner.args[0]
            assert isinstance(exp, ast.Call)
            rest = ", ".join(
                ast.unparse(a) for a in (exp.args[0], *inner.args[1:], *inner.keywords)
            )
            return expression(f"tf.reduce_logsumexp({rest})")
    return None


def log_of_softmax(node: ast.AST) -> ast.expr | None:
    """log(softmax(x)) by one function."""
    if called(node) == "log" and isinstance(node, ast.Call) and called(node.args[0]) == "softmax":
        inner = node.args[0]
        assert isinstance(inner, ast.Call)
        rest = ", ".join(ast.unparse(a) for a in (*inner.args, *inner.keywords))
        return expression(f"tf.nn.log_softmax({rest})")
    return None


def product_with_log(node: ast.AST) -> ast.expr | None:
    """x log y, which is zero where x is."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for a, b in ((node.left, node.right), (node.right, node.left)):
            if called(b) == "log" and isinstance(b, ast.Call):
                return expression(f"tf.math.xlogy({ast.unparse(a)}, {ast.unparse(b.args[0])})")
    return None


def soft_plus(node: ast.AST) -> ast.expr | None:
    """log(1 + exp(x)) by one function."""
    if called(node) not in ("log", "log1p") or not isinstance(node, ast.Call):
        return None
    inner = node.args[0]
    if called(node) == "log1p" and called(inner) == "exp":
        assert isinstance(inner, ast.Call)
        return expression(f"tf.nn.softplus({ast.unparse(inner.args[0])})")
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add):
        for one, exp in ((inner.left, inner.right), (inner.right, inner.left)):
            if ast.unparse(one) in ("1", "1.0") and called(exp) == "exp":
                assert isinstance(exp, ast.Call)
                return expression(f"tf.nn.softplus({ast.unparse(exp.args[0])})")
    return None


def soft_max(node: ast.AST) -> ast.expr | None:
    """exp(x) / sum(exp(x)) by one function."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        top, bottom = node.left, _without_new_axes(node.right)
        if called(top) == "exp" and called(bottom) == "reduce_sum":
            assert isinstance(top, ast.Call)
            assert isinstance(bottom, ast.Call)
            axis = _axis_of(bottom)
            rest = "" if axis in ("", "-1", "None") else f", {axis}"
            return expression(f"tf.nn.softmax({ast.unparse(top.args[0])}{rest})")
    return None


def _without_new_axes(node: ast.expr) -> ast.expr:
    """What `x[:, None]` or `tf.expand_dims(x, 1)` gives an axis to."""
    if isinstance(node, ast.Subscript):
        keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        written = {ast.unparse(key).rpartition(".")[2] for key in keys}
        return node.value if written <= {":", "None", "newaxis", "..."} else node
    is_wider = isinstance(node, ast.Call) and called(node) in ("expand_dims", "reshape")
    return node.args[0] if isinstance(node, ast.Call) and is_wider and node.args else node


def _axis_of(node: ast.Call) -> str:
    """The axis of a reduction, as written."""
    given = [*node.args[1:2], *[k.value for k in node.keywords if k.arg == "axis"]]
    return ast.unparse(given[0]) if given else ""


def sigmoid(node: ast.AST) -> ast.expr | None:
    """1 / (1 + exp(-x)) by one function."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        bottom = node.right
        if isinstance(bottom, ast.BinOp) and isinstance(bottom.op, ast.Add):
            for one, exp in ((bottom.left, bottom.right), (bottom.right, bottom.left)):
                if ast.unparse(one) in ("1", "1.0") and called(exp) == "exp":
                    assert isinstance(exp, ast.Call)
                    top, inner = ast.unparse(node.left), ast.unparse(exp.args[0])
                    negated = inner[1:] if inner.startswith("-") else f"-({inner})"
                    return expression(f"{top} * tf.sigmoid({negated})")
    return None


def safe_division(node: ast.AST) -> ast.expr | None:
    """A quotient that is zero where the divisor is."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return expression(
            f"tf.math.divide_no_nan({ast.unparse(node.left)}, {ast.unparse(node.right)})"
        )
    if called(node) in ("divide", "truediv") and isinstance(node, ast.Call):
        return expression(f"tf.math.divide_no_nan({', '.join(map(ast.unparse, node.args))})")
    if called(node) == "reciprocal" and isinstance(node, ast.Call):
        inner = ast.unparse(node.args[0])
        return expression(f"tf.math.divide_no_nan(tf.ones_like({inner}), {inner})")
    return None


def shifted_power(node: ast.AST) -> ast.expr | None:
    """A power whose base stays away from zero."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return expression(
            f"tf.maximum({ast.unparse(node.left)}, 1e-12) ** {ast.unparse(node.right)}"
        )
    if called(node) == "pow" and isinstance(node, ast.Call):
        base, power = map(ast.unparse, node.args[:2])
        return expression(f"tf.pow(tf.maximum({base}, 1e-12), {power})")
    return None
