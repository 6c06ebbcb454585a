"""What a kernel computes, as an expression: it is called with symbols in place of arrays."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from wengert.core.row import Attrs, Row
from wengert.insight.source.text import Text, call, infix, item, literal, method, prefix


class NotWritableError(NotImplementedError):
    """An operation has no text of NumPy."""


def of_kernel(row: Row, values: list[Symbol], attrs: Attrs) -> Text:
    """The expression that a kernel computes of these values."""
    if row.ufunc is not None:
        name = row.ufunc.__name__
        if name in _SIGNS and len(values) == 2:
            return infix(_SIGNS[name], values[0].text, values[1].text)
        return (
            prefix("-", values[0].text)
            if name == "negative"
            else call(f"np.{name}", *[v.text for v in values])
        )
    try:
        made = row.kernel(_NUMPY, *values, **attrs)
    except Exception as error:  # a kernel that looks at its arrays
        raise NotWritableError(row.name) from error
    if not isinstance(made, Symbol):
        raise NotWritableError(row.name)
    return made.text


_SIGNS: Final = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "power": "**",
    "floor_divide": "//", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=",
    "equal": "==", "not_equal": "!=", "matmul": "@", "bitwise_and": "&", "bitwise_or": "|",
    "bitwise_xor": "^",
}  # fmt: skip


class UnknownSize:
    """A size that depends on numbers: what would write it, or count with it, has no text."""

    def _refused(self, *_: Any) -> Any:
        raise NotWritableError("a size that is not known")

    def __mul__(self, other: Any) -> UnknownSize:
        return self  # the size of an array is not known, either

    __rmul__ = __mul__
    __int__ = __index__ = __repr__ = __bool__ = _refused
    __add__ = __radd__ = __sub__ = __rsub__ = __mod__ = __floordiv__ = _refused
    __lt__ = __le__ = __gt__ = __ge__ = _refused


class Symbol:
    """An array of which the expression, the dtype and the shape are known, and nothing else."""

    __array_ufunc__ = None

    def __init__(self, text: Text, dtype: Any, shape: tuple[int, ...]) -> None:
        self.text = text
        self.dtype = np.dtype(dtype)
        self.shape = shape
        self.ndim = len(shape)
        self.size = math.prod(shape)

    def like(self, text: Text) -> Symbol:
        """An expression of the same dtype and shape."""
        return Symbol(text, self.dtype, self.shape)

    def astype(self, dtype: Any, copy: bool = True) -> Symbol:
        """The same numbers in another dtype."""
        if np.dtype(dtype) == self.dtype and not copy:
            return self
        return Symbol(method(self.text, "astype", np.dtype(dtype)), dtype, self.shape)

    def copy(self) -> Symbol:
        """The same: no text changes an array that it did not make."""
        return self

    def conj(self) -> Symbol:
        """The complex conjugate."""
        return self.like(call("np.conj", self.text))

    def __neg__(self) -> Symbol:
        return self.like(prefix("-", self.text))

    def __invert__(self) -> Symbol:
        return self.like(prefix("~", self.text))

    def __abs__(self) -> Symbol:
        return self.like(call("np.abs", self.text))

    def __getitem__(self, key: Any) -> Symbol:
        return self.like(item(self.text, key))

    def __bool__(self) -> bool:
        raise NotWritableError("a branch by values")

    def __iter__(self) -> Iterator[Any]:  # which Python would do by asking for item after item
        raise NotWritableError("a loop over values")

    __hash__ = object.__hash__


def _operator(sign: str, turned: bool) -> Callable[[Symbol, Any], Symbol]:
    def combined(self: Symbol, other: Any) -> Symbol:
        a, b = (other, self) if turned else (self, other)
        return self.like(infix(sign, as_text(a), as_text(b)))

    return combined


def as_text(value: Any) -> Text:
    """What stands for an operand."""
    if isinstance(value, Symbol):
        return value.text
    text = literal(value)
    return Text(text, 80) if text.startswith("-") else Text(text)


def is_number(x: Symbol) -> bool:
    """Whether a value is written as a number, which has no dtype of its own."""
    return x.ndim == 0 and bool(_NUMBER.fullmatch(x.text.text))


_NUMBER: Final = re.compile(r"-?([0-9.]+(e[-+]?[0-9]+)?|np\.inf|np\.nan)")


def with_dtype(x: Symbol) -> Symbol:
    """A number as one of NumPy's, as it is needed where nothing else says its dtype."""
    return x.like(call(literal(x.dtype), x.text)) if is_number(x) else x


for _name, _sign in {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "and": "&", "or": "|", "xor": "^",
    "floordiv": "//", "mod": "%", "matmul": "@",
}.items():  # fmt: skip
    setattr(Symbol, f"__{_name}__", _operator(_sign, False))
    setattr(Symbol, f"__r{_name}__", _operator(_sign, True))
for _name, _sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    setattr(Symbol, f"__{_name}__", _operator(_sign, False))


class _Namespace:
    """Stands for NumPy: a call of a function is an expression."""

    pi = math.pi
    inf = math.inf
    nan = math.nan
    newaxis = None

    def __getattr__(self, name: str) -> Any:
        own = getattr(np, name)
        if isinstance(own, type):
            return own

        def function(*args: Any, **kwargs: Any) -> Symbol:
            first = next((a for a in _flat(args) if isinstance(a, Symbol)), None)
            if first is None:
                raise NotWritableError(name)
            parts = [_part(a) for a in args]
            named = {k: _part(v) for k, v in kwargs.items() if v is not None and v is not False}
            if name in _SIGNS and len(parts) == 2:
                return first.like(infix(_SIGNS[name], as_text(args[0]), as_text(args[1])))
            return first.like(call(f"np.{name}", *parts, **named))

        return function


def _flat(values: Any) -> list[Any]:
    return [v for a in values for v in (a if isinstance(a, (list, tuple)) else [a])]


def _part(value: Any) -> Any:
    if isinstance(value, Symbol):
        return value.text
    if isinstance(value, (list, tuple)) and any(isinstance(v, Symbol) for v in value):
        return Text(
            f"[{', '.join(str(_part(v)) if isinstance(v, Symbol) else literal(v) for v in value)}]"
        )
    return value


_NUMPY: Final = _Namespace()
