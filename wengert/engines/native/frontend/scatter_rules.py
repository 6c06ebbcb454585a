"""Lowering of gathers by coordinates or for each example, and of scatters, which add up or overwrite.

An array that is indexed counts as a table of rows, and all coordinates become the number of a row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import Dims, View, broadcast, slice_view
from wengert.engines.native.frontend.lanes import LANES, Lane, like
from wengert.engines.native.frontend.list_rules import row_among_zeros, with_added, with_row
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.scalar import NotLowered, dtype_of, is_float
from wengert.graph.operation import Operation
from wengert.values.dtypes import of_numpy

_KINDS: Final = ("f4", "f8", "i4", "i8")


def _wide(low: Lowering, index: View) -> View:
    if index.kind[0] not in "iu":
        raise NotLowered("indices that are no integers")
    return low.computed(lambda v: v.astype("i8"), index)


def _row_number(low: Lowering, places: Sequence[View], sizes: Sequence[int], shape: Dims) -> View:
    """The number of a row, from its place on each of several axes."""
    number = low.number("i8", 0, shape)
    for place, size in zip(places, sizes, strict=True):
        wide = broadcast(_wide(low, place), shape)
        number = _counted_on(low, number, wide, np.int64(size))
    return number


def _counted_on(low: Lowering, number: View, place: View, size: Any) -> View:
    return low.computed(lambda n, at: n * size + at, number, place)


def _inside(low: Lowering, index: View, size: int) -> View:
    if not size:
        raise NotLowered("an axis without elements")
    return low.within(index, 0, size)


def _at_coordinates(low: Lowering, i: View, sizes: Sequence[int], batch: Sequence[int]) -> View:
    """The number of the row of all coordinates, which lie along the last axis of `i`."""
    outer = i.shape[:-1]
    places = [low.places(outer, axis) for axis in range(len(batch))]
    depth = i.shape[-1]
    if not outer or not depth:
        raise NotLowered("no coordinates")
    each = [slice_view(i, (Ellipsis, k)) for k in range(depth)]
    places += [_inside(low, at, size) for at, size in zip(each, sizes, strict=False)]
    return _row_number(low, places, [*batch, *sizes[:depth]], outer)


def _row_of(low: Lowering, i: View, shape: Dims, axis: int, batch_dims: int) -> View:
    """The number of the row of an index on an axis, one index for each example."""
    own = i.shape[batch_dims:]
    outer = (*shape[:axis], *own)
    apart = (*i.shape[:batch_dims], *[1] * (axis - batch_dims), *own)
    index = low.reshape(_inside(low, i, shape[axis]), apart)
    places = [*[low.places(outer, k) for k in range(axis)], index]
    return _row_number(low, places, shape[: axis + 1], outer)


def _taken(low: Lowering, table: View, numbers: View, inner: Dims) -> View:
    """The rows of those numbers."""
    rows = table.size // max(math.prod(inner), 1)
    flat = low.reshape(table, (rows, *inner))
    index = low.reshape(numbers, (*numbers.shape, *[1] * len(inner)))
    return low.gathered(low.stored(flat), index, 0, numbers.shape)


def rows_of_examples(low: Lowering, x: View, i: View, axis: int, batch_dims: int) -> View:
    """Slices along an axis, by an index for each example."""
    numbers = _row_of(low, i, x.shape, axis, batch_dims)
    return _taken(low, x, numbers, x.shape[axis + 1 :])


@rule("GatherNd")
def _gather_nd(low: Lowering, op: Operation, x: View, i: View, *, batch_dims: int) -> View:
    batch, sizes = x.shape[:batch_dims], x.shape[batch_dims:]
    numbers = _at_coordinates(low, i, sizes, batch)
    return _taken(low, x, numbers, x.shape[batch_dims + i.shape[-1] :])


# ---- scatters ----------------------------------------------------------------------------------


def _scattered(
    low: Lowering, how: str, numbers: View, updates: View, shape: Dims, onto: View | None = None
) -> View:
    """The rows of `updates` combined with rows of an array, or of zeros."""
    kind, rows = updates.kind, numbers.size
    if kind not in _KINDS or not rows or not updates.size:
        raise NotLowered("elements of another type")
    inner, size = updates.size // rows, math.prod(shape)
    if low.is_body and rows == 1 and how == "add" and onto is None:
        table = size // max(inner, 1), inner
        index, item = low.reshape(numbers, (1,)), low.reshape(updates, (inner,))
        return low.reshape(row_among_zeros(low, table, index, item), shape)
    operands = [numbers, updates] if onto is None else [onto, numbers, updates]
    arguments = (how, kind, rows, inner, size, onto is not None)
    work = updates.size + size
    (found,) = low.routine("scatters.scatter", arguments, operands, [(shape, kind)], work=work)
    return found


@rule("ScatterNd", by_routine=True)
def _scatter_nd(
    low: Lowering, op: Operation, i: View, u: View, *, shape: Dims, batch_dims: int
) -> View:
    numbers = _at_coordinates(low, i, shape[batch_dims:], shape[:batch_dims])
    return _scattered(low, "add", numbers, u, shape)


# An update that is NaN is no extreme: it becomes a number beyond which all others are.
_UNCHANGING: Final = {"max": -math.inf, "min": math.inf}


def _onto(how: str) -> Any:
    def lowered(low: Lowering, op: Operation, x: View, i: View, u: View) -> View:
        if how in _UNCHANGING and is_float(u.kind):
            u = low.computed(lambda v: LANES.where(LANES.isnan(v), like(v, _UNCHANGING[how]), v), u)
        numbers = _at_coordinates(low, i, x.shape, ())
        if low.is_body and numbers.size == 1 and how in ("add", "update") and u.kind == x.kind:
            return _one_row(low, how, numbers, u, x, i.shape[-1])
        return _scattered(low, how, numbers, u, x.shape, x)

    return lowered


def _one_row(low: Lowering, how: str, number: View, u: View, x: View, depth: int) -> View:
    """One row of what a loop carries: in its place, and not in a copy for each iteration."""
    inner = x.shape[depth:]
    table = low.reshape(x, (math.prod(x.shape[:depth]), *inner))
    index, row = low.reshape(number, (1,)), low.reshape(u, inner)
    put = with_added if how == "add" else with_row
    return low.reshape(put(low, table, index, row), x.shape)


for _name in ("Add", "Sub", "Update", "Max", "Min"):
    rule(f"TensorScatter{_name}", by_routine=True)(_onto(_name.lower()))


@rule("GatherV2Grad", by_routine=True)
def _gather_gradient(
    low: Lowering, op: Operation, g: View, i: View, *, axis: int, batch_dims: int, shape: Dims
) -> View:
    return _scattered(low, "add", _row_of(low, i, shape, axis, batch_dims), g, shape)


def _segment_numbers(low: Lowering, ids: View, count: int) -> View:
    """Rows with a negative index are dropped; one that is too large is an error."""
    beyond = low.computed(lambda v: v >= count, ids)
    low.checks.append(low.reduced("any", beyond, range(len(ids.shape)), False))

    def known(v: Lane) -> Lane:
        return LANES.where(v < count, v, v.dtype.type(-1))

    return low.computed(known, _wide(low, ids))


@rule("UnsortedSegmentSum", by_routine=True)
def _segment_sum(low: Lowering, op: Operation, x: View, ids: View, *, num_segments: int) -> View:
    numbers = _segment_numbers(low, ids, num_segments)
    return _scattered(low, "add", numbers, x, (num_segments, *x.shape[len(ids.shape) :]))


def _segment_extreme(how: str, limit: str) -> Any:
    def lowered(low: Lowering, op: Operation, x: View, ids: View, *, num_segments: int) -> View:
        """An empty segment has the number that no element is beyond."""
        shape = (num_segments, *x.shape[len(ids.shape) :])
        empty = getattr(of_numpy(dtype_of(x.kind)), limit)
        numbers = _segment_numbers(low, ids, num_segments)
        return _scattered(low, how, numbers, x, shape, low.number(x.kind, empty, shape))

    return lowered


rule("UnsortedSegmentMax", by_routine=True)(_segment_extreme("max", "min"))
rule("UnsortedSegmentMin", by_routine=True)(_segment_extreme("min", "max"))
