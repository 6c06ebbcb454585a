"""The unique elements of a vector, found by a table of hashes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.scalar import TYPE_OF, is_float

_MIX: Final = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio: spreads what is close together
_ALL: Final = 1 << 64
_MOST: Final = (1 << 31) - 1


def unique(x: Any, dtype: Any) -> Any:
    """The unique elements in the order of their first occurrence, the index of each, and counts.

    A NaN is like no other one. None for other than numbers.
    """
    kind, index = TYPE_OF.get(x.dtype, "b1"), TYPE_OF.get(np.dtype(dtype))
    if kind == "b1" or index not in ("i4", "i8") or x.ndim != 1 or not 0 < x.size < _MOST:
        return None
    bits = (2 * x.size - 1).bit_length()
    values, places, counts = np.empty_like(x), np.empty(x.size, dtype), np.empty(x.size, dtype)
    table, found = np.zeros(1 << bits, np.int32), np.zeros(1, np.int64)
    arrays = (np.ascontiguousarray(x), values, places, counts, table, found)
    _unique(kind, index)(1, (x.size, 64 - bits, len(table) - 1), *arrays)
    return [values[: found[0]].copy(), places, counts[: found[0]].copy()]


@kernel
def _unique(kind: str, index: str) -> str:
    """The kernel: the table has the number of an element, from 1 on, at its hash or behind that."""
    w = KernelWriter(6, 3)
    (x, values, places, counts, table, found), (size, shift, mask) = w.arrays, w.numbers

    def element(i: str, now: list[str]) -> list[str]:
        value = w.read(kind, x, i, 1)

        def at(slot: str) -> str:
            return w.set(f"zext i32 {w.read('u4', table, slot, 1)} to i64")

        def is_other(slots: list[str]) -> str:
            number = at(slots[0])
            there = w.read(kind, values, w.most(w.sub(number, 1), 0), 1)
            taken = w.set(f"icmp ne i64 {number}, 0")
            return w.set(f"and i1 {taken}, {_differs(w, kind, there, value)}")

        def after(slots: list[str]) -> list[str]:
            return [w.set(f"and i64 {w.add(slots[0], 1)}, {mask}")]

        mixed = w.set(f"mul i64 {_key(w, kind, value, i)}, {_MIX - _ALL}")
        start = w.set(f"lshr i64 {mixed}, {shift}")
        (slot,) = w.as_long_as(is_other, after, [("i64", start)])
        number = at(slot)

        def enter() -> list[str]:
            then = w.add(now[0], 1)
            w.write("u4", table, slot, w.set(f"trunc i64 {then} to i32"), 1)
            w.write(kind, values, now[0], value, 1)
            w.write(index, counts, now[0], "0", 1)
            return [then, then]

        is_new = w.set(f"icmp eq i64 {number}, 0")
        number, then = w.when(is_new, enter, [("i64", number), ("i64", now[0])])
        place = w.sub(number, 1)
        short = place if index == "i8" else w.set(f"trunc i64 {place} to i32")
        w.write(index, places, i, short, 1)
        before = w.read(index, counts, place, 1)
        w.write(index, counts, place, w.set(f"add {llvm_type(index, 1)} {before}, 1"), 1)
        return [then]

    (count,) = w.loop(0, size, 1, element, [("i64", "0")])
    w.write("i8", found, 0, count, 1)
    return w.text()


def _differs(w: KernelWriter, kind: str, a: str, b: str) -> str:
    return w.set(f"{'fcmp une' if is_float(kind) else 'icmp ne'} {llvm_type(kind, 1)} {a}, {b}")


def _key(w: KernelWriter, kind: str, value: str, i: str) -> str:
    """The same integer for equal elements; one of its own for each NaN."""
    bits, number = 8 * int(kind[1]), llvm_type(kind, 1)
    if not is_float(kind):
        return value if bits == 64 else w.set(f"zext i{bits} {value} to i64")
    whole = w.set(
        f"bitcast {number} {w.set(f'fadd {number} {value}, 0.0')} to i{bits}"
    )  # of both zeros
    whole = whole if bits == 64 else w.set(f"zext i{bits} {whole} to i64")
    is_nan = w.set(f"fcmp uno {number} {value}, {value}")
    return w.set(f"select i1 {is_nan}, i64 {i}, i64 {whole}")
