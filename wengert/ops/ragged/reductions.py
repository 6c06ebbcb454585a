"""Reductions of ragged tensors: across the rows, within rows, or over everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.gathering import gather, unsorted_segment_sum
from wengert.ops.arrays.shaping import expand_dims, reshape
from wengert.ops.math.elementwise import cast, ones_like
from wengert.ops.ragged.conversions import coordinates
from wengert.ops.ragged.places import count_of_rows, row_ids, splits_of
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.reductions.reductions import (
    normal_axes,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from wengert.ops.reductions.segments import (
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
)
from wengert.ops.sparse.places import columns, group_places
from wengert.values import dtypes
from wengert.values.tensor import Tensor, dims

Segments = Callable[[Any, Any, Any], Any]


def _mean(values: Tensor, ids: Tensor, count: int) -> Tensor:
    """The mean of each row; NaN for empty ones."""
    sizes = unsorted_segment_sum(ones_like(cast(ids, values.dtype)), ids, count)
    spread = reshape(sizes, (-1,) + (1,) * (len(dims(values)) - 1))
    return unsorted_segment_sum(values, ids, count) / spread


def _of_truths(reduce: Segments) -> Segments:
    """A reduction of booleans; an empty row gives an integer's extreme, truncated to one byte."""

    def reduced(values: Tensor, ids: Tensor, count: int) -> Tensor:
        result: Tensor = reduce(cast(values, dtypes.int32), ids, count) > 0
        return result

    return reduced


SEGMENTS: Final[dict[str, Segments]] = {
    "Sum": unsorted_segment_sum,
    "Mean": _mean,
    "Prod": unsorted_segment_prod,
    "Max": unsorted_segment_max,
    "Min": unsorted_segment_min,
    "All": _of_truths(unsorted_segment_min),
    "Any": _of_truths(unsorted_segment_max),
}

OF_TENSORS: Final[dict[str, Callable[..., Any]]] = {
    "Sum": reduce_sum,
    "Mean": reduce_mean,
    "Prod": reduce_prod,
    "Max": reduce_max,
    "Min": reduce_min,
    "All": reduce_all,
    "Any": reduce_any,
}


def reduced(name: str, r: RaggedTensor, axis: int | None, keepdims: bool) -> Any:
    """A reduction by its name, along axes that may be ragged."""
    rank = r.ragged_rank + len(dims(r.flat_values))
    if isinstance(axis, int) and not -rank <= axis < rank:
        raise InvalidArgumentError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    axes = normal_axes(axis, rank, name)
    if len(axes) == rank:
        return _of_all(name, r, rank, keepdims)
    if name == "Mean" and len(axes) > 1:
        ones = r.with_flat_values(ones_like(r.flat_values))
        sums = [_along_all("Sum", part, axes, keepdims) for part in (r, ones)]
        return sums[0] / sums[1]
    return _along_all(name, r, axes, keepdims)


def _of_all(name: str, r: RaggedTensor, rank: int, keepdims: bool) -> Tensor:
    whole = OF_TENSORS[name](r.flat_values)
    return reshape(whole, (1,) * rank) if keepdims else whole


def _along_all(name: str, r: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    for axis in axes[::-1]:
        r = _along(name, r, axis, keepdims)
    return r


def _along(name: str, r: Any, axis: int, keepdims: bool) -> Any:
    inner = r.values
    if axis > 1:
        deeper = isinstance(inner, RaggedTensor)
        along = _along if deeper else _along_dense
        return r.with_values(along(name, inner, axis - 1, keepdims))
    if axis == 1 and not isinstance(inner, RaggedTensor):
        found = SEGMENTS[name](inner, row_ids(r.row_splits), count_of_rows(r.row_splits))
        return expand_dims(found, 1) if keepdims else found
    found = _across(name, r, axis)
    return expand_dims(found, axis) if keepdims else found


def _along_dense(name: str, x: Tensor, axis: int, keepdims: bool) -> Tensor:
    """Reduce along an axis of the values that is not ragged."""
    found: Tensor = OF_TENSORS[name](x, axis, keepdims)
    return found


def _across(name: str, r: RaggedTensor, axis: int) -> Any:
    """Reduce values that differ only in the coordinate on one axis."""
    at = coordinates(r)
    rank = r.ragged_rank + 1
    kept = [a for a in range(rank) if a != axis]
    left, place = group_places(columns(at, kept))
    values = SEGMENTS[name](r.flat_values, place, dims(left)[0])
    if len(kept) == 1:
        return values
    first = count_of_rows(r.row_splits) if axis else _most(r)
    return _arranged(values, left, first)


def _most(r: RaggedTensor) -> int:
    return int(reduce_max(r.row_lengths()))


def _arranged(values: Tensor, at: Tensor, count: int) -> Any:
    """Values at sorted coordinates as nested rows."""
    if dims(at)[1] == 1:
        return values
    if dims(at)[1] == 2:
        return RaggedTensor._of(values, splits_of(at[:, 0], count, dtypes.int64))
    rows, place = group_places(at[:, :-1])
    inner = RaggedTensor._of(values, splits_of(place, dims(rows)[0], dtypes.int64))
    return RaggedTensor._of(inner, splits_of(gather(rows, 0, axis=1), count, dtypes.int64))
