"""Lowering of diagonals and bands of matrices: views, and choices by the row and the column."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert.engines.native.frontend.arrays import Base, View, broadcast, whole
from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.scalar import NotLowered, dtype_of
from wengert.graph.operation import Operation


def diagonal(a: View, k: int = 0) -> View:
    """The diagonals of matrices, k above the main one."""
    (rows, columns), (down, across) = a.shape[-2:], a.strides[-2:]
    size = min(rows + min(k, 0), columns - max(k, 0))
    if size < 1:
        raise NotLowered("a diagonal without elements")
    offset = a.offset + max(k, 0) * across - min(k, 0) * down
    return View(a.base, (*a.shape[:-2], size), offset, (*a.strides[:-2], down + across))


def by_place(low: Lowering, function: Callable[..., Lane], *xs: View) -> View:
    """A function of the row, the column and the elements of matrices."""
    shape = xs[0].shape
    rows, columns = (low.places(shape, len(shape) - axis) for axis in (2, 1))
    return low.computed(function, rows, columns, *xs)


def _only(band: tuple[int, int]) -> int:
    if band[0] != band[1]:
        raise NotLowered("several diagonals")
    return band[0]


@rule("MatrixBandPart")
def _band_part(low: Lowering, op: Operation, x: View, *, lower: int, upper: int) -> View:
    if x.kind == "b1":
        raise NotLowered("truth values")

    def kept(i: Lane, j: Lane, v: Lane) -> Lane:
        found, zero = v, v.dtype.type(0)
        if lower >= 0:
            found = LANES.where(i - j <= lower, found, zero)
        return found if upper < 0 else LANES.where(j - i <= upper, found, zero)

    return by_place(low, kept, x)


@rule("MatrixDiagPartV3")
def _diagonal_part(low: Lowering, op: Operation, x: View, *, band: Any, **_: Any) -> View:
    return diagonal(x, _only(band))


@rule("MatrixDiagV3")
def _with_diagonal(
    low: Lowering, op: Operation, x: View, *, band: Any, rows: int, columns: int, padding: Any, align: str
) -> View:  # fmt: skip
    shape = (*x.shape[:-1], rows, columns)
    fill = np.asarray(padding).astype(dtype_of(x.kind)).reshape(())[()]
    place = diagonal(whole(Base(shape, x.kind)), _only(band))
    return low.assembled(shape, x.kind, fill, [(x, place)])


@rule("MatrixSetDiagV3")
def _set_diagonal(low: Lowering, op: Operation, x: View, d: View, *, band: Any, align: str) -> View:
    if _only(band) or x.kind == "b1":
        raise NotLowered("another diagonal than the main one")
    rows, columns = x.shape[-2:]
    apart = (*d.shape, 1) if rows <= columns else (*d.shape[:-1], 1, d.shape[-1])
    spread = broadcast(low.reshape(d, apart), x.shape)
    return by_place(low, lambda i, j, v, new: LANES.where(i == j, new, v), x, spread)


@rule("Diag")
def _tensor_diagonal(low: Lowering, op: Operation, x: View) -> View:
    place = diagonal(whole(Base((x.size, x.size), x.kind)))
    made = low.assembled((x.size, x.size), x.kind, 0, [(low.reshape(x, (x.size,)), place)])
    return low.reshape(made, x.shape * 2)


@rule("DiagPart")
def _tensor_diagonal_part(low: Lowering, op: Operation, x: View) -> View:
    half = x.shape[: len(x.shape) // 2]
    size = math.prod(half)
    return low.reshape(diagonal(low.reshape(x, (size, size))), half)
