"""Cumulative sums and products of large arrays, along any axis.

Each element is added to the sum of those before it, one after the other as NumPy does, so the bits
are the same. An addition takes longer than a store, so a few rows are added up side by side; along
other axes than the last, vectors of adjacent sums.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.combine import combine, neutral
from wengert.engines.native.codegen.kernel_writer import Kernel, KernelWriter, kernel
from wengert.engines.native.codegen.vectors import literal, llvm_type, power_within
from wengert.engines.native.frontend.scalar import TYPE_OF, constant, is_float
from wengert.engines.native.runtime.processor import vector_bytes
from wengert.values.shapes import Dims

PART: Final = 1 << 14  # elements, about
FLAT: Final = 1 << 16  # elements, below which a second thread gains nothing
VECTORS: Final = 4  # of sums side by side, at most; 8 rows are no faster than 4, as their places need registers, too


def accumulate(how: str, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    """The cumulative sums ("sum") or products ("prod"); None if NumPy should compute them."""
    kind = TYPE_OF.get(x.dtype, "")
    if kind[:1] not in ("f", "i", "u") or not x.size:
        return None
    made = _made(how, kind, x.shape, axis, exclusive, reverse)
    if made is None:
        return None
    found, parts, numbers = made
    y = np.empty(x.shape, x.dtype)
    found(parts, numbers, np.ascontiguousarray(x), y)
    return y


@functools.lru_cache(maxsize=1024)
def _made(
    how: str, kind: str, shape: Dims, axis: int, exclusive: bool, reverse: bool
) -> tuple[Kernel, int, tuple[int, ...]] | None:
    """The kernel for arrays of a shape, the number of its parts, and its numbers."""
    count, inner = shape[axis], math.prod(shape[axis + 1 :])
    outer = math.prod(shape[:axis])
    if outer == inner == 1 and not is_float(kind) and not exclusive and not reverse:
        return None  # NumPy adds up one row of integers as fast
    several = VECTORS * vector_bytes() // int(kind[1])
    width = power_within(inner, several)
    rows = power_within(outer, several // width, VECTORS)
    strips = -(-inner // width)
    items = -(-outer // rows) * strips
    size = rows * count * width
    each = max(PART // size, 1) if items * size >= FLAT else items
    step = -inner if reverse else inner
    first = (count - 1) * inner if reverse else 0
    numbers = (items, each, strips, outer, count, inner, first, step, int(exclusive))
    return _chains(how, kind, rows, width), -(-items // each), numbers


@kernel
def _chains(how: str, kind: str, rows: int, width: int) -> str:
    """The kernel: an item is so many rows of vectors of so many adjacent sums.

    At the end of an array they overlap those before, and write the same numbers once more: so there
    are no masks, which some processors store slowly.
    """
    w = KernelWriter(2, 9)
    (x, y), numbers = w.arrays, w.numbers
    items, each, strips, outer, count, inner, first, step, exclusive = numbers
    start = literal(kind, neutral(how, kind), width)
    # The sum of none is 0.0, not -0.0.
    lead = literal(kind, constant(kind, int(how == "prod")), width)
    shift, size = w.mul(exclusive, step), w.sub(count, exclusive)

    def item(at: str) -> None:
        group, strip = w.div(at, strips)
        row = w.least(w.mul(group, rows), w.sub(outer, rows))
        column = w.least(w.mul(strip, width), w.sub(inner, width))
        begins = [w.add(w.mul(w.add(row, k), count, inner), column, first) for k in range(rows)]
        given = [w.place(kind, x, begin) for begin in begins]
        for begin in begins:  # written over, if it is not exclusive
            w.write(kind, y, begin, lead, width)
        made = [w.place(kind, y, w.add(begin, shift)) for begin in begins]

        def along(i: str, now: list[str]) -> list[str]:
            place = w.mul(i, step)
            then = []
            for k in range(rows):
                value = w.read(kind, given[k], place, width)
                then.append(combine(w, how, kind, now[k], value, width))
            for k in range(rows):
                w.write(kind, made[k], place, then[k], width)
            return then

        w.loop(0, size, 1, along, [(llvm_type(kind, width), start)] * rows)

    w.share(each, items, item)
    return w.text()
