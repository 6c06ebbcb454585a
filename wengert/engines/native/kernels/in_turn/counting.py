"""Integers are counted row by row, or the weights at each are added up."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.combine import combine
from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import literal
from wengert.engines.native.frontend.scalar import TYPE_OF, constant, is_float

PART: Final = 1 << 15  # elements, about


def count(values: Any, weights: Any, size: int, binary: bool) -> Any:
    """The counts of each row; None for numbers that are negative, which is an error, and other dtypes.

    `weights` is one number, or as many as there are values.
    """
    index, kind = TYPE_OF.get(values.dtype), TYPE_OF.get(weights.dtype)
    if index not in ("i4", "i8") or kind not in ("i4", "i8", "f4", "f8") or not values.size:
        return None
    rows, last = values.shape
    # Sums of floating-point numbers would be others if they were cut.
    several = 1 if is_float(kind) and not binary else _pieces(last, size)
    long = -(-last // several)
    each = max(PART // long, 1)
    parts = -(-rows * several // each)
    found = np.zeros((rows, several, size), weights.dtype)
    wrong = np.zeros(parts, np.int64)
    numbers = (rows * several, each, several, last, long, size, int(weights.ndim > 0))
    given = (np.ascontiguousarray(x) for x in (values, weights))
    _counts(index, kind, binary)(parts, numbers, *given, found, wrong)
    if wrong.any():
        return None
    if several == 1:
        return found[:, 0]
    return found.max(1) if binary else found.sum(1, dtype=found.dtype)


def _pieces(last: int, size: int) -> int:
    """Of a row, each of which is counted by itself: much longer than what is added up at the end."""
    return max(last // max(2 * PART, 16 * size), 1)


@kernel
def _counts(index: str, kind: str, binary: bool) -> str:
    """The kernel: an item is a piece of a row."""
    w = KernelWriter(4, 7)
    (values, weights, found, wrong), (items, each, several, last, long, size, step) = (
        w.arrays,
        w.numbers,
    )
    one = literal(kind, constant(kind, 1), 1)

    def item(k: str) -> None:
        row, piece = w.div(k, several)
        first = w.mul(piece, long)
        begin = w.add(w.mul(row, last), first)
        given, weight = w.place(index, values, begin), w.place(kind, weights, w.mul(begin, step))
        counts = w.place(kind, found, w.mul(k, size))

        def element(i: str, now: list[str]) -> list[str]:
            value = w.read(index, given, i, 1)
            if index != "i8":
                value = w.set(f"sext i32 {value} to i64")

            def add() -> None:
                more = one if binary else w.read(kind, weight, w.mul(i, step), 1)
                if not binary:
                    more = combine(w, "sum", kind, w.read(kind, counts, value, 1), more, 1)
                w.write(kind, counts, value, more, 1)

            w.when(w.set(f"icmp ult i64 {value}, {size}"), add)
            return [w.set(f"or i64 {now[0]}, {value}")]

        left = w.least(w.sub(last, first), long)
        (seen,) = w.loop(0, left, 1, element, [("i64", "0")])
        negative = w.set(f"icmp slt i64 {seen}, 0")
        w.when(negative, lambda: w.write("i8", wrong, "%part", "1", 1))

    w.share(each, items, item)
    return w.text()
