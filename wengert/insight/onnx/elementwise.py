"""Functions of NumPy, of which the kernels of elementwise operations consist, as nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.core.row import Attrs, Row
from wengert.insight.onnx.terms import NoCounterpartError, Term

# By the name of NumPy's function: the node that is the same.
_ALIKE: Final = {
    "negative": "Neg", "absolute": "Abs", "abs": "Abs", "sign": "Sign", "exp": "Exp", "log": "Log", "sqrt": "Sqrt",
    "sin": "Sin", "cos": "Cos", "tan": "Tan", "arcsin": "Asin", "arccos": "Acos", "arctan": "Atan", "sinh": "Sinh",
    "cosh": "Cosh", "tanh": "Tanh", "arcsinh": "Asinh", "arccosh": "Acosh", "arctanh": "Atanh", "floor": "Floor",
    "ceil": "Ceil", "rint": "Round", "reciprocal": "Reciprocal", "add": "Add", "subtract": "Sub", "multiply": "Mul",
    "divide": "Div", "true_divide": "Div", "power": "Pow", "maximum": "Max", "minimum": "Min",
}  # fmt: skip
_QUESTIONS: Final = {
    "less": "Less", "less_equal": "LessOrEqual", "greater": "Greater", "greater_equal": "GreaterOrEqual", "equal": "Equal",
    "isnan": "IsNaN", "isinf": "IsInf", "logical_and": "And", "logical_or": "Or", "logical_not": "Not",
}  # fmt: skip
_BITS: Final = {
    "bitwise_and": "BitwiseAnd", "bitwise_or": "BitwiseOr", "bitwise_xor": "BitwiseXor", "invert": "BitwiseNot",
}  # fmt: skip

_LOGIC: Final = {"bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor", "invert": "Not"}


def where(condition: Term, x: Any, y: Any) -> Term:
    """One or the other."""
    known = x if isinstance(x, Term) else y
    a, b = known.like(x), known.like(y)
    return condition.node("Where", a, b, dtype=a.dtype)


def _expm1(x: Term) -> Term:
    """exp(x) - 1 = tanh(x / 2) (exp(x) + 1), without the difference of numbers near one."""
    return (x * 0.5).node("Tanh") * (x.node("Exp") + 1.0)


def _log1p(x: Term) -> Term:
    """log(1 + x), near zero as 2 atanh(x / (x + 2)): there 1 + x has lost the digits of x."""
    near = (x / (x + 2.0)).node("Atanh") * 2.0
    return where(abs(x) < 0.5, near, (x + 1.0).node("Log"))


def _logaddexp(x: Term, y: Any) -> Term:
    other = x.like(y)
    return x.node("Max", other) + _log1p((-abs(x - other)).node("Exp"))


def _is_finite(x: Term) -> Term:
    is_infinite = x.node("IsInf", dtype=np.bool_)
    return ~x.node("IsNaN", dtype=np.bool_).node("Or", is_infinite)


def floor_divide(x: Term, y: Any) -> Term:
    """The quotient, rounded down."""
    divisor = x.like(y)
    if x.dtype.kind in "fV":
        return (x / divisor).node("Floor")
    return (
        x - x.node("Mod", divisor)
    ) / divisor  # a quotient of integers is cut off; this one is exact


def mod(x: Term, y: Any) -> Term:
    """What the division leaves, with the sign of the divisor."""
    if x.dtype.kind not in "fV":
        return x.node("Mod", y)
    rest = x.node("Mod", y, fmod=1)  # has the sign of x; the result has that of y
    differs: Any = rest * y < 0.0
    return where(differs, rest + y, rest)


_COMPOSED: Final[dict[str, Callable[..., Term]]] = {
    "square": lambda x: x * x,
    "not_equal": lambda x, y: ~(x == y),
    "isfinite": _is_finite,
    "expm1": _expm1,
    "log1p": _log1p,
    "logaddexp": _logaddexp,
    "where": where,
    "floor_divide": floor_divide,
    "mod": mod,
    "remainder": mod,
    "fmod": lambda x, y: x.node("Mod", y, fmod=1),
    "trunc": lambda x: x.node("Sign") * abs(x).node("Floor"),
    "zeros_like": lambda x: filled(x, 0),
    "ones_like": lambda x: filled(x, 1),
    "clip": lambda x, low, high: x.node("Max", low).node("Min", high),
}


def filled(x: Term, value: Any) -> Term:
    """An array as large as this one, of one number."""
    shape = x.node("Shape", dtype=np.int64)
    return shape.node("ConstantOfShape", dtype=x.dtype, value=np.full(1, value, x.dtype))


class _Namespace:
    """Stands for NumPy: a call of a function makes nodes."""

    pi = math.pi
    inf = math.inf
    nan = math.nan

    def __getattr__(self, name: str) -> Callable[..., Term]:
        return lambda *args: _called(name, *args)


def _called(name: str, *args: Any) -> Term:
    first = next((a for a in args if isinstance(a, Term)), None)
    if first is None:
        raise NoCounterpartError(name)
    if name in _COMPOSED:
        return _COMPOSED[name](first.like(args[0]), *args[1:])
    x, *others = [first.like(a) for a in args]
    if name in _QUESTIONS:
        return x.node(_QUESTIONS[name], *others, dtype=np.bool_)
    if name in _BITS:
        kind = _LOGIC[name] if x.dtype.kind == "b" else _BITS[name]
        return x.node(kind, *others)
    if name not in _ALIKE:
        raise NoCounterpartError(name)
    return x.node(_ALIKE[name], *others)


_FUNCTIONS: Final = _Namespace()


def of_kernel(row: Row, terms: list[Term], attrs: Attrs) -> Term:
    """The nodes that compute what the kernel of an elementwise operation does."""
    if row.ufunc is not None:
        return _called(row.ufunc.__name__, *terms)
    try:
        made = row.kernel(_FUNCTIONS, *terms, **attrs)
    except NoCounterpartError:
        raise
    except Exception as error:  # a kernel that looks at its arrays
        raise NoCounterpartError(row.name) from error
    if not isinstance(made, Term):
        raise NoCounterpartError(row.name)
    return made
