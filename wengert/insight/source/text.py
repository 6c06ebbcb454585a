"""Expressions with as few brackets as they need: brackets say in which order numbers are added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

ATOM: Final = 100
UNARY: Final = 80
LEVELS: Final = {
    "**": 90, "*": 70, "/": 70, "//": 70, "%": 70, "@": 70, "+": 60, "-": 60, "&": 50, "^": 45,
    "|": 44, "<": 40, "<=": 40, ">": 40, ">=": 40, "==": 40, "!=": 40,
}  # fmt: skip


class Text(NamedTuple):
    """An expression, and how tightly its outermost operator binds."""

    text: str
    level: int = ATOM

    def __str__(self) -> str:
        return self.text


def infix(sign: str, a: Text, b: Text) -> Text:
    """Two expressions with an operator between."""
    level = LEVELS[sign]
    is_power, compares = sign == "**", level == LEVELS["<"]
    left = _bracketed(a, a.level < level or (a.level == level and (is_power or compares)))
    right = _bracketed(
        b, b.level < (UNARY if is_power else level) or (b.level == level and not is_power)
    )
    return Text(f"{left} {sign} {right}", level)


def prefix(sign: str, a: Text) -> Text:
    """An operator before an expression."""
    return Text(f"{sign}{_bracketed(a, a.level < UNARY)}", UNARY)


def call(name: str, *parts: Any, **named: Any) -> Text:
    """A call of a function."""
    written = [str(p) if isinstance(p, Text) else literal(p) for p in parts]
    written += [f"{k}={v if isinstance(v, Text) else literal(v)}" for k, v in named.items()]
    return Text(f"{name}({', '.join(written)})")


def method(a: Text, name: str, *parts: Any) -> Text:
    """A call of a method."""
    written = ", ".join(str(p) if isinstance(p, Text) else literal(p) for p in parts)
    return Text(f"{_bracketed(a, a.level < ATOM)}.{name}({written})")


def item(a: Text, key: Any) -> Text:
    """An element, or a part."""
    return Text(f"{_bracketed(a, a.level < ATOM)}[{_key(key)}]")


def index_of(key: Any) -> Text:
    """A key as an expression of its own."""
    keys = key if isinstance(key, tuple) else (key,)
    return Text(f"np.s_[{_key(keys if len(keys) > 1 else keys[0])}]")


def _bracketed(a: Text, are_needed: bool) -> str:
    return f"({a.text})" if are_needed else a.text


def _key(key: Any) -> str:
    if isinstance(key, Text):
        return key.text
    if isinstance(key, tuple):
        return ", ".join(map(_key, key)) + ("," if len(key) == 1 and key[0] is Ellipsis else "")
    if isinstance(key, slice):
        ends = ["" if e is None else literal(e) for e in (key.start, key.stop)]
        return ":".join(ends if key.step in (None, 1) else [*ends, literal(key.step)])
    if key is Ellipsis:
        return "..."
    return "None" if key is None else literal(key)


def literal(value: Any) -> str:
    """A number, a dtype, a shape, or an array, as Python writes it."""
    if isinstance(value, Text):
        return value.text
    if isinstance(value, type) and issubclass(value, np.generic):
        value = np.dtype(value)
    if isinstance(value, np.dtype):
        return "bool" if value == np.dtype(bool) else f"np.{value.name}"
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return "np.nan" if np.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, tuple):
        inner = ", ".join(map(literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return repr(value)


def array(value: Any) -> str:
    """An array with its numbers."""
    if not value.size:
        return f"np.zeros({literal(value.shape)}, {literal(value.dtype)})"
    numbers = np.array2string(
        value, separator=", ", threshold=value.size + 1, max_line_width=10**9,
        formatter={"all": lambda x: literal(x)},
    ).replace("\n", "")  # fmt: skip
    return f"np.array({' '.join(numbers.split())}, {literal(value.dtype)})"


def listed(parts: Sequence[Text]) -> Text:
    """Several expressions as a list."""
    return Text(f"[{', '.join(p.text for p in parts)}]")
