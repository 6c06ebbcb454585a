"""Sizes of which another call may bring others: numbers that have a name in machine code.

A graph of unknown sizes is compiled for the sizes of a call. Code for other sizes is the same but for
numbers. So a size of the call is an OpenSize: the number, and its `mark`, which is the number
that it would be at sizes nobody has. What is computed of open sizes is computed of both, and so is open. Machine code reads an
open number from a table, in which the mark is its name: the text of the code depends on the
marks alone, and is compiled once.

Nothing depends on marks being different for different terms: what a text says is true for the numbers
for which it was written, and two calls share code only if their texts are equal.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final


class _Naming(threading.local):
    """The numbers behind the marks that a text in the making uses; None if numbers are written out."""

    numbers: dict[str, int] | None = None


_naming: Final = _Naming()
PREFIX: Final = "%z"  # of the names of open numbers in LLVM IR


class OpenSize(int):
    """A number that depends on open sizes."""

    mark: int

    def __new__(cls, value: int, mark: int) -> OpenSize:
        """The number with its mark."""
        self = super().__new__(cls, value)
        self.mark = mark
        return self

    def __str__(self) -> str:
        """The number, or its name in a text that is written for all sizes."""
        numbers = _naming.numbers
        if numbers is None:
            return int.__repr__(self)
        first = name = f"{PREFIX}{self.mark}" if self.mark >= 0 else f"{PREFIX}m{-self.mark}"
        again = 0
        while numbers.setdefault(name, int(self)) != self:  # another number with the same mark
            again += 1
            name = f"{first}.{again}"
        return name

    def __neg__(self) -> int:
        return opened(-int(self), -self.mark)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __reduce__(self) -> Any:
        return OpenSize, (int(self), self.mark)


def _both(of: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """Something of two numbers, and of their marks; NotImplemented if one of them is no integer."""
    if not (isinstance(x, int) and isinstance(y, int)):
        return NotImplemented
    found = of(int(x), int(y))
    try:
        return opened(found, of(int(mark_of(x)), int(mark_of(y))))
    except ZeroDivisionError:  # elsewhere the term has no value, and nothing divides by it
        return found


def opened(value: int, mark: int) -> int:
    """A number that is open if its mark differs."""
    return value if value == mark else OpenSize(value, mark)


def _define(name: str, of: Callable[[Any, Any], Any]) -> None:
    def straight(self: OpenSize, other: Any) -> Any:
        return _both(of, self, other)

    def turned(self: OpenSize, other: Any) -> Any:
        return _both(of, other, self)

    setattr(OpenSize, f"__{name}__", straight)
    setattr(OpenSize, f"__r{name}__", turned)


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    _define(_name, getattr(operator, _name))


def of_both(function: Callable[..., int], *sizes: int) -> int:
    """A function of sizes; open if one of them is, whatever the number is elsewhere."""
    found = function(*map(int, sizes))
    if not is_open(sizes):
        return found
    try:
        return OpenSize(found, int(function(*map(mark_of, sizes))))
    except ZeroDivisionError:  # elsewhere it has no value
        return OpenSize(found, -1)


def mark_of(size: Any) -> Any:
    """The mark of an open size; anything else as it is."""
    return size.mark if type(size) is OpenSize else size


def is_open(shape: Any) -> bool:
    """Whether any of these sizes is open."""
    return any(type(size) is OpenSize for size in shape)


@contextmanager
def named() -> Iterator[dict[str, int]]:
    """Texts written inside have names for open numbers; gives the number of each name."""
    before = _naming.numbers
    found: dict[str, int] = {}
    _naming.numbers = found
    try:
        yield found
    finally:
        _naming.numbers = before


def number_of(name: str) -> int:
    """The number of a name in the text that is being written."""
    assert _naming.numbers is not None
    return _naming.numbers[name]
