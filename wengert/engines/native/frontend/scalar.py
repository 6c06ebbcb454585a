"""Straight-line code on scalars, in which equal instructions are shared.

Types are NumPy's letters with the size in bytes: f4, f8, i4, u1; b1 is a truth value. h2 (float16)
and g2 (bfloat16) are stored only: they are moved, or cast to f4 and from it. An
instruction is (operation, type of the result, arguments, extra); values are named by its index:

    param                the extra-th argument of the code
    const                the number that is the extra
    neg add sub mul div abs sqrt floor ceil trunc rint copysign fma
    lt le gt ge eq ne    truth values; comparisons with NaN are false, except ne
    div                  of integers towards zero, by what is not zero
    and or xor not       bitwise, or on truth values
    shl shr              bit shifts; shr is arithmetic on signed types
    select               the second argument where the first is true, otherwise the third
    cast                 the same number in another type
    bits                 the same bits as another type
    call                 a function of `mathematics`, named by the extra
    gather               an element of an array in memory, at the index that the argument gives; the
                         extra is which array, and its stride
    far                  the first argument, or, where the second is beyond a limit, a function of
                         the second; the extra is the function's name and the limit
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.runtime.processor import converts_halves
from wengert.values.dtypes import bfloat16, float16

Instruction = tuple[str, str, tuple[int, ...], Any]

TYPES: Final = ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")
HALVES: Final = frozenset(("h2", "g2"))
COMPARISONS: Final = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))
_OF_HALVES: Final = frozenset(("param", "const", "cast", "select", "gather", "bits"))
_COMMUTES: Final = frozenset(("add", "mul", "and", "or", "xor", "eq", "ne"))


class NotLowered(Exception):  # noqa: N818  # not an error: the operation is computed elsewhere
    """Raised for what the native engine leaves to NumPy."""


TYPE_OF: Final = {np.dtype(t if t != "b1" else bool): t for t in TYPES}


def type_of(dtype: Any) -> str:
    """The type of the elements of an array."""
    found = type_or_none(np.dtype(dtype))
    if found is None:
        raise NotLowered(f"numbers of dtype {dtype}")
    return found


def type_or_none(dtype: Any) -> str | None:
    """The same; None if the engine has no such numbers."""
    found = TYPE_OF.get(dtype)
    if found is None and dtype.itemsize == 2 and converts_halves():
        return {"float16": "h2", "bfloat16": "g2"}.get(dtype.name)
    return found


def part_of(value: Any, which: int) -> Any:
    """The real or the imaginary part of a known array, in memory."""
    array = np.asarray(value)
    return np.asarray(array.imag if which else array.real, order="C")


def dtype_of(kind: str) -> Any:
    """The dtype of the elements of a type."""
    if kind in HALVES:
        return (float16 if kind == "h2" else bfloat16).numpy_dtype
    return np.dtype(bool if kind == "b1" else kind)


def is_float(kind: str) -> bool:
    return kind[0] == "f"


def constant(kind: str, value: Any) -> Any:
    """A number as the extra of an instruction, encoded so that -0.0 != 0.0 and NaN == NaN."""
    if kind == "b1":
        return bool(value)
    with np.errstate(over="ignore"):
        if is_float(kind):
            return struct.pack("<d", float(np.dtype(kind).type(value)))
        if kind in HALVES:
            return int(np.asarray(value, dtype_of(kind)).view(np.uint16))
    return int(np.dtype(kind).type(value))


def number_of(kind: str, extra: Any) -> Any:
    """The number that the extra of an instruction encodes."""
    if kind in HALVES:
        return float(np.uint16(extra).view(dtype_of(kind)))
    return struct.unpack("<d", extra)[0] if is_float(kind) else extra


class Code:
    """A list of instructions that grows; the same instruction is not added twice."""

    __slots__ = ("_known", "instructions")

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self._known: dict[Instruction, int] = {}

    def add(self, op: str, kind: str, args: tuple[int, ...] = (), extra: Any = None) -> int:
        """The value of an instruction, which is appended unless it exists already or simplifies."""
        if op in _COMMUTES and args[0] > args[1]:
            args = (args[1], args[0])
        instruction = (op, kind, args, extra)
        found = self._known.get(instruction)
        if found is None:
            kinds = [kind, *[self.instructions[a][1] for a in args]]
            if not HALVES.isdisjoint(kinds):
                found = self._of_halves(op, kind, args)
            if found is None:
                found = self._simpler(op, kind, args, extra)
            if found is None:
                found = len(self.instructions)
                self.instructions.append(instruction)
            self._known[instruction] = found
        return found

    def constant(self, kind: str, value: Any) -> int:
        return self.add("const", kind, (), constant(kind, value))

    def kind(self, value: int) -> str:
        return self.instructions[value][1]

    def known(self, value: int) -> Any:
        """The number if the value is constant, otherwise None."""
        op, kind, _, extra = self.instructions[value]
        return number_of(kind, extra) if op == "const" else None

    def inserted(self, other: Code, arguments: Sequence[int]) -> list[int]:
        """Inline another code with these arguments; the values of its instructions."""
        values: list[int] = []
        for op, kind, args, extra in other.instructions:
            if op == "param":
                values.append(arguments[extra])
            else:
                values.append(self.add(op, kind, tuple([values[a] for a in args]), extra))
        return values

    def _of_halves(self, op: str, kind: str, args: tuple[int, ...]) -> int | None:
        """A value that is there already, or a cast by way of f4; raises for arithmetic."""
        if op not in _OF_HALVES:
            raise NotLowered("arithmetic on numbers of two bytes")
        if op != "cast":
            return None
        (x,) = args
        source, inner = self.kind(x), self.instructions[x]
        if inner[0] == "cast" and self.kind(inner[2][0]) == kind != "f4":
            return inner[2][0]  # there and back
        if source == "f8":
            raise NotLowered("a number that would be rounded twice")
        if "f4" not in (source, kind):
            return self.add("cast", kind, (self.add("cast", "f4", args),))
        number = self.known(x)
        return None if number is None else self.constant(kind, number)

    # ---- algebra that is exact in floating point ---------------------------------------------

    def _simpler(self, op: str, kind: str, args: tuple[int, ...], extra: Any) -> int | None:
        """An existing value or a cheaper instruction whose result is always the same."""
        if op == "call":
            return self._power(kind, *args) if extra == "pow" else None
        if len(args) == 2:
            return self._simpler_pair(op, kind, *args)
        if op in ("neg", "not"):
            inner = self.instructions[args[0]]
            return inner[2][0] if inner[0] == op else None
        if op == "select":
            return self._chosen(*args)
        if op == "cast" and self.kind(args[0]) == kind:
            return args[0]
        if op == "abs":
            inner = self.instructions[args[0]]
            if inner[0] in ("abs", "neg"):
                return self.add("abs", kind, inner[2])
        return None

    def _power(self, kind: str, x: int, y: int) -> int | None:
        """A power whose exponent is 0, 1, 2 or -1: at most one rounding, as in `pow` at its best."""
        exponent = self.known(y)
        if exponent == 0:
            return self.constant(kind, 1)
        if exponent == 1:
            return x
        if exponent == 2:
            return self.add("mul", kind, (x, x))
        return self.add("div", kind, (self.constant(kind, 1), x)) if exponent == -1 else None

    def _chosen(self, c: int, x: int, y: int) -> int | None:
        if x == y:
            return x
        known = self.known(c)
        if known is not None:
            return x if known else y
        return None

    def _simpler_pair(self, op: str, kind: str, x: int, y: int) -> int | None:
        left, right = self.known(x), self.known(y)
        if left is not None and right is not None and is_float(kind) and op in _FOLDED:
            return self.constant(kind, _FOLDED[op](kind, left, right))
        if op == "mul":  # the constant may stand on either side
            x, y, left, right = (x, y, left, right) if left is None else (y, x, right, left)
            if right == 1:
                return x
            if right == -1 and is_float(kind):
                return self.add("neg", kind, (x,))
            if right == 2 and is_float(kind):
                return self.add("add", kind, (x, x))
        elif op == "div" and is_float(kind):
            if right == 1:
                return x
            if right is not None and _has_exact_reciprocal(kind, right):
                return self.add("mul", kind, (x, self.constant(kind, 1 / right)))
        elif op == "sub" and right == 0 and math.copysign(1, right) > 0:
            return x
        elif op == "add":
            return self._simpler_sum(kind, x, y, left, right)
        elif op in ("and", "or") and x == y:
            return x
        return None

    def _simpler_sum(self, kind: str, x: int, y: int, left: Any, right: Any) -> int | None:
        for value, other in ((left, y), (right, x)):
            # Adding -0.0 changes nothing; adding 0.0 changes -0.0.
            if value == 0 and (not is_float(kind) or math.copysign(1, value) < 0):
                return other
        if is_float(kind):  # x + (-y) is x - y
            for a, b in ((x, y), (y, x)):
                if self.instructions[b][0] == "neg":
                    return self.add("sub", kind, (a, self.instructions[b][2][0]))
        return None


def _rounded(kind: str, value: Any) -> Any:
    return np.dtype(kind).type(value)


def _in_kind(function: Any) -> Any:
    def folded(kind: str, x: float, y: float) -> Any:
        with np.errstate(all="ignore"):
            return function(_rounded(kind, x), _rounded(kind, y))

    return folded


_FOLDED: Final = {
    "add": _in_kind(np.add),
    "sub": _in_kind(np.subtract),
    "mul": _in_kind(np.multiply),
    "div": _in_kind(np.divide),
}


def _has_exact_reciprocal(kind: str, value: float) -> bool:
    """Whether division equals multiplication by the reciprocal: powers of two, not extreme ones."""
    if value == 0 or not math.isfinite(value):
        return False
    mantissa, exponent = math.frexp(value)
    limit = 120 if kind == "f4" else 1000
    return abs(mantissa) == 0.5 and abs(exponent) < limit
