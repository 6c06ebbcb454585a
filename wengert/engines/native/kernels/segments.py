"""Sums and extremes of the rows of large arrays that have the same index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.combine import combine
from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import power_over
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.runtime.processor import vector_bytes

_HOW: Final = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}


def change_rows(ufunc: Any, out: Any, ids: Any, updates: Any) -> Any:
    """out[ids[i]] = ufunc(out[ids[i]], updates[i]) in place; None if NumPy should compute it."""
    how, kind = _HOW.get(ufunc.__name__), kind_of(out, updates)
    columns = math.prod(out.shape[1:])
    if how is None or not kind or columns < 2 or not ids.size:
        return None
    if ids.min() < 0 or ids.max() >= len(out):  # NumPy raises the error
        return None
    width = vector_bytes() // int(kind[1])
    short = columns if columns < width else 0
    each = min(-(-max(columns // 4, 4 * width) // width) * width, columns)
    places = np.ascontiguousarray(ids, np.int64).reshape(-1)
    numbers = (len(places), columns, each)
    _changed(how, kind, width, short)(-(-columns // each), numbers, out, places, updates)
    return out


@kernel
def _changed(how: str, kind: str, width: int, short: int) -> str:
    """The kernel: a part is some columns of all rows, each a vector if all are so short."""
    w = KernelWriter(3, 3)
    (out, ids, updates), (count, columns, each) = w.arrays, w.numbers
    if short:
        width = power_over(short)
    first = w.mul("%part", each)
    own = w.least(w.sub(columns, first), each)

    def row(i: str, _: list[str]) -> None:
        target = w.place(kind, out, w.add(w.mul(w.read("i8", ids, i, 1), columns), first))
        source = w.place(kind, updates, w.add(w.mul(i, columns), first))

        def some(j: Any, mask: str | None, _: Sequence[str] = ()) -> None:
            old, new = (w.read(kind, p, j, width, mask) for p in (target, source))
            w.write(kind, target, j, combine(w, how, kind, old, new, width), width, mask)

        w.along_row(own, short, width, some)

    w.loop(0, count, 1, row)
    return w.text()
