"""Segment maxima and minima of large arrays."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.combine import combine
from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.runtime.processor import vector_bytes

_HOW: Final = {"maximum": "max", "minimum": "min"}


def change_rows(ufunc: Any, out: Any, ids: Any, updates: Any) -> Any:
    """out[ids[i]] = ufunc(out[ids[i]], updates[i]) in place; None if NumPy should compute it."""
    how, kind = _HOW.get(ufunc.__name__), kind_of(out, updates)
    columns = math.prod(out.shape[1:])
    if how is None or not kind or columns < 8 or not ids.size:
        return None
    if ids.min() < 0 or ids.max() >= len(out):  # NumPy raises the error
        return None
    width = vector_bytes() // int(kind[1])
    while width > columns:
        width //= 2
    places = np.ascontiguousarray(ids, np.int64).reshape(-1)
    each = min(-(-max(columns // 4, 4 * width) // width) * width, columns)
    _changed(how, kind, width)(columns // each, (len(places), columns, each), out, places, updates)
    return out


@kernel
def _changed(how: str, kind: str, width: int) -> str:
    """The kernel: a part is some columns of all rows.

    The last part includes the remainder, so that vectors overlap only within a part: otherwise
    threads would overwrite each other's results.
    """
    w = KernelWriter(3, 3)
    (out, ids, updates), (count, columns, each) = w.arrays, w.numbers
    first = w.mul("%part", each)
    is_last = w.set(f"icmp sgt i64 {w.add(first, each, each)}, {columns}")
    end = w.set(f"select i1 {is_last}, i64 {columns}, i64 {w.add(first, each)}")
    last = w.sub(columns, width)

    def row(i: str, _: list[str]) -> None:
        target = w.place(kind, out, w.mul(w.read("i8", ids, i, 1), columns))
        source = w.place(kind, updates, w.mul(i, columns))

        def some(j: str, _: list[str]) -> None:
            at = w.least(j, last)
            pair = [w.read(kind, p, at, width) for p in (target, source)]
            w.write(kind, target, at, combine(w, how, kind, pair[0], pair[1], width), width)

        w.loop(first, end, width, some)

    w.loop(0, count, 1, row)
    return w.text()
