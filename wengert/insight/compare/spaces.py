"""What kernels are called with in place of NumPy: SymPy's functions, or mpmath's."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np


class Number:
    """A scalar in place of an array: an expression, or a number of many digits."""

    __array_ufunc__ = None  # an operand of NumPy's leaves the operation to us
    __hash__ = object.__hash__
    dtype = np.dtype(np.float64)
    shape: tuple[int, ...] = ()
    ndim = 0
    size = 1

    def __init__(self, space: Space, value: Any) -> None:
        self.space = space
        self.value = value

    def astype(self, *_: Any, **__: Any) -> Number:
        """Itself: there is one dtype."""
        return self

    conj = astype

    def __bool__(self) -> bool:
        raise TypeError("a branch by values has no formula")

    def __neg__(self) -> Number:
        return Number(self.space, -self.value)

    def __abs__(self) -> Number:
        return self.space.abs(self)  # type: ignore[no-any-return]

    def __invert__(self) -> Number:
        return Number(self.space, self.space.functions["invert"](self.value))


def _operator(method: Callable[[Any, Any], Any], turned: bool) -> Callable[[Number, Any], Number]:
    def combined(self: Number, other: Any) -> Number:
        pair = self.value, self.space.plain(other)
        return Number(self.space, method(*(reversed(pair) if turned else pair)))

    return combined


def _comparison(name: str) -> Callable[[Number, Any], Number]:
    def compared(self: Number, other: Any) -> Number:
        return Number(self.space, self.space.functions[name](self.value, self.space.plain(other)))

    return compared


for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Number, f"__{_name}__", _operator(getattr(operator, f"__{_name}__"), False))
    setattr(Number, f"__r{_name}__", _operator(getattr(operator, f"__{_name}__"), True))
for _name, _called in {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
    "ne": "not_equal", "and": "logical_and", "or": "logical_or",
}.items():  # fmt: skip
    setattr(Number, f"__{_name}__", _comparison(_called))


class Space:
    """A namespace with NumPy's names, whose functions take and give numbers of one kind."""

    def __init__(
        self, functions: dict[str, Callable[..., Any]], number: Callable[[float], Any]
    ) -> None:
        self.functions = functions | {
            "add": operator.add,
            "subtract": operator.sub,
            "multiply": operator.mul,
            "true_divide": operator.truediv,
            "divide": operator.truediv,
            "power": operator.pow,
            "negative": operator.neg,
            "square": lambda x: x * x,
            "reciprocal": lambda x: 1 / x,
            "zeros_like": lambda x: number(0.0),
            "ones_like": lambda x: number(1.0),
            "absolute": functions["abs"],
            "conj": lambda x: x,
        }
        self._number = number

    def plain(self, value: Any) -> Any:
        """The value of an operand."""
        if isinstance(value, Number):
            return value.value
        return bool(value) if isinstance(value, (bool, np.bool_)) else self._number(float(value))

    def __getattr__(self, name: str) -> Any:
        function = self.functions[name]
        return lambda *args: Number(self, function(*map(self.plain, args)))


def space_of_formulas(sympy: Any) -> Space:
    """SymPy's functions. A number of the program is what it is written as: 0.1 is one tenth."""
    s = sympy
    functions = {
        name: getattr(s, called or name)
        for name, called in {
            "exp": "", "log": "", "sqrt": "", "sin": "", "cos": "", "tan": "", "sinh": "", "cosh": "",
            "tanh": "", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh",
            "arccosh": "acosh", "arctanh": "atanh", "arctan2": "atan2", "abs": "Abs", "sign": "",
            "maximum": "Max", "minimum": "Min", "floor": "", "ceil": "ceiling", "erf": "", "erfc": "",
            "lgamma": "loggamma", "digamma": "", "less": "Lt", "less_equal": "Le", "greater": "Gt",
            "greater_equal": "Ge", "equal": "Eq", "not_equal": "Ne", "logical_and": "And",
            "logical_or": "Or", "invert": "Not",
        }.items()
    }  # fmt: skip
    functions |= {
        "expm1": lambda x: s.exp(x) - 1,
        "log1p": lambda x: s.log(1 + x),
        "hypot": lambda x, y: s.sqrt(x * x + y * y),
        "where": lambda c, a, b: s.Piecewise((a, c), (b, True)),
        "sigmoid": lambda x: 1 / (1 + s.exp(-x)),
        "softplus": lambda x: s.log(1 + s.exp(x)),
    }
    return Space(functions, lambda v: s.Rational(repr(v)) if np.isfinite(v) else s.Float(v))


def space_of_digits(mpmath: Any) -> Space:
    """The functions of mpmath. A number of the program is the float64 that it is."""
    m = mpmath.mp
    functions = {
        name: getattr(m, called or name)
        for name, called in {
            "exp": "", "log": "", "sqrt": "", "sin": "", "cos": "", "tan": "", "sinh": "", "cosh": "",
            "tanh": "", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh",
            "arccosh": "acosh", "arctanh": "atanh", "arctan2": "atan2", "abs": "fabs", "sign": "",
            "floor": "", "ceil": "", "erf": "", "erfc": "", "lgamma": "loggamma", "digamma": "",
            "expm1": "", "log1p": "", "hypot": "",
        }.items()
    }  # fmt: skip
    functions |= {
        "maximum": max,
        "minimum": min,
        "less": operator.lt,
        "less_equal": operator.le,
        "greater": operator.gt,
        "greater_equal": operator.ge,
        "equal": operator.eq,
        "not_equal": operator.ne,
        "logical_and": lambda a, b: a and b,
        "logical_or": lambda a, b: a or b,
        "invert": operator.not_,
        "where": lambda c, a, b: a if c else b,
        "sigmoid": lambda x: 1 / (1 + m.exp(-x)),
        "softplus": lambda x: m.log1p(m.exp(x)),
    }
    return Space(functions, m.mpf)
