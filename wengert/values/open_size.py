"""Sizes of which another call may bring others: numbers that have a name in machine code.

A graph of unknown sizes is compiled for the sizes of a call. Code for other sizes is the same but for
numbers. So a size of the call is an OpenSize: the number, and its `mark`, the number that it would
be at sizes nobody has. What is computed of open sizes is computed of both, and so is open.
Machine code reads an open number from a table, and has a name for it that is made of the mark: so
the text of the code does not depend on the sizes of the call, and is compiled once.

Nothing depends on different terms having different marks: a text is right for the numbers for
which it was written, and two calls share code only if their texts are equal.
"""

from __future__ import annotations

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


def opened(value: int, mark: int) -> int:
    """A number that is open if its mark differs."""
    return value if value == mark else OpenSize(value, mark)


def _define(name: str) -> None:
    """Define an operation on integers for open ones: it is done to the numbers, and to their marks."""
    of: Callable[[int, Any], int] = getattr(int, f"__{name}__")
    turned: Callable[[int, Any], int] = getattr(int, f"__r{name}__")
    for method, function in ((f"__{name}__", of), (f"__r{name}__", turned)):
        setattr(OpenSize, method, _of_numbers_and_marks(function))


def _of_numbers_and_marks(function: Callable[[int, Any], int]) -> Callable[[OpenSize, Any], Any]:
    def applied(self: OpenSize, other: Any) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        found = function(self, other)
        try:
            mark = function(self.mark, other.mark if type(other) is OpenSize else other)
        except ZeroDivisionError:  # elsewhere the term has no value, and nothing divides by it
            return found
        # What happens to be its mark, as a result of `of_both` may, is open nevertheless.
        is_closed = found == mark and int.__ne__(self, self.mark)
        return found if is_closed else OpenSize(found, mark)

    return applied


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    _define(_name)


def is_open(sizes: Any) -> bool:
    """Whether any of these sizes is open."""
    return OpenSize in map(type, sizes)


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
