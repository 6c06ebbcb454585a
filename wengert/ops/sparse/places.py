"""Bookkeeping for sparse tensors: sorting and grouping of coordinates. All of it is on integers.

The values are then computed by gathers and sums, which have gradients.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.shape_inference import form_of
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import expand_dims, reshape
from wengert.ops.math.comparison import greater_equal, less, logical_and, where
from wengert.ops.reductions.reductions import reduce_all, reduce_sum
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.values.typing import Array, Namespace


def _keys(indices: Array) -> Array | None:
    """A number for each coordinates, in their order; None if there are too many or negative ones."""
    columns = indices.T  # a reduction along rows of two or three numbers takes five times as long
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    if any(column.min(initial=0) < 0 for column in columns) or math.prod(sizes) >= 2**63:
        return None
    keys = np.zeros(len(indices), np.int64)
    for column, stride in zip(columns, strides_of(sizes), strict=True):
        keys += column * stride
    return keys


def _order_kernel(_: Namespace, indices: Array) -> Array:
    """The permutation that sorts the coordinates lexicographically."""
    keys = _keys(indices)
    # The stable sort is fast on sorted keys, and on two concatenated sorted lists.
    return np.lexsort(indices.T[::-1]) if keys is None else np.argsort(keys, kind="stable")


def group_kernel(_: Namespace, indices: Array) -> list[Array]:
    """The unique coordinates, sorted, and the index of each given one among them."""
    keys = _keys(indices)
    if keys is None:
        unique, place = np.unique(indices, axis=0, return_inverse=True)
        return [unique, place.reshape(-1)]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    new = np.ones(len(order), bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    place = np.empty(len(order), np.int64)
    place[order] = np.cumsum(new) - 1
    return [indices[order[new]], place]


def _groups_forms(inputs: Sequence[Tensor], attrs: Attrs) -> list[Any]:
    """The number of unique coordinates depends on their values."""
    shape, dtype = form_of(inputs[0])
    count, width = (None, None) if shape is None else shape
    return [((None, width), dtype), ((count,), np.dtype(np.int64))]


ORDER: Row = op("SparseOrder", _order_kernel, by_value=True)
GROUPS: Row = op("SparseGroups", group_kernel, many=True, forms=_groups_forms)


def order_of(indices: Tensor) -> Tensor:
    """The permutation that sorts coordinates in row-major order."""
    found: Tensor = apply(ORDER, (indices,))
    return found


def group_places(indices: Tensor) -> tuple[Tensor, Tensor]:
    """The unique coordinates, sorted, and the index of each given one among them."""
    unique, place = apply(GROUPS, (indices,))
    return unique, place


def columns(indices: Tensor, which: Sequence[int]) -> Tensor:
    """Some columns of the coordinates."""
    return gather(indices, np.array(which, np.int32).reshape(-1), axis=1)


def strides_of(shape: Sequence[int]) -> list[int]:
    """The row-major strides of a shape, in elements."""
    return [math.prod(shape[i + 1 :]) for i in range(len(shape))]


def flat_places(indices: Tensor, shape: Sequence[int]) -> Tensor:
    """Coordinates as indices into the flattened tensor."""
    strides = np.array(strides_of(shape), np.int64)
    return reduce_sum(indices * strides, 1)


def unflatten_places(places: Tensor, shape: Sequence[int]) -> Tensor:
    """Indices into the flattened tensor as coordinates."""
    if not shape:
        return gather(expand_dims(places, 1), np.zeros(0, np.int32), axis=1)
    sizes = zip(shape, strides_of(shape), strict=True)
    return stack([places // max(stride, 1) % max(size, 1) for size, stride in sizes], 1)


def with_column(indices: Tensor, at: int, column: Tensor) -> Tensor:
    """Coordinates with one more column."""
    parts = [indices[:, :at], reshape(column, (-1, 1)), indices[:, at:]]
    return concat(parts, 1)


def rows_inside(indices: Tensor, start: Sequence[int], end: Sequence[int]) -> Tensor:
    """The indices of the coordinates inside a box."""
    low, high = np.array(start, np.int64), np.array(end, np.int64)
    within = logical_and(greater_equal(indices, low), less(indices, high))
    return places_where(reduce_all(within, 1))


def places_where(mask: Tensor) -> Tensor:
    """The indices where a vector is true."""
    return where(mask)[:, 0]


def check_inside(indices: Array, shape: Sequence[int], who: str) -> None:
    """Check, in a kernel, that every coordinate is within the shape."""
    columns = list(zip(indices.T, shape, strict=True))  # rows of two or three numbers are slow
    if any(column.min(initial=0) < 0 or column.max(initial=-1) >= size for column, size in columns):
        bad = ((indices < 0) | (indices >= np.array(shape, np.int64))).any(axis=1)
        at = int(np.argmax(bad))
        raise InvalidArgumentError(
            f"indices[{at}] = {as_list(indices[at])} is out of bounds: need 0 <= index < "
            f"{as_list(shape)} [Op:{who}]"
        )


def check_sorted(indices: Array, who: str) -> None:
    """Check, in a kernel, that the coordinates are in strictly ascending order."""
    if len(indices) < 2 or not indices.shape[1]:
        return
    step = np.diff(indices, axis=0)
    lead = step[:, 0]  # the first step that is not zero
    for column in step.T[1:]:
        lead = np.where(lead == 0, column, lead)
    if (lead > 0).all():
        return
    at = int(np.argmax(lead <= 0))
    found = f"indices[{at + 1}] = {as_list(indices[at + 1])}"
    if lead[at] == 0:
        raise InvalidArgumentError(f"{found} is repeated [Op:{who}]")
    raise InvalidArgumentError(
        f"{found} is out of order. Many sparse ops require sorted indices.\n"
        f"    Use `tf.sparse.reorder` to create a correctly ordered copy. [Op:{who}]"
    )


def as_list(values: Array | Sequence[int]) -> str:
    """Integers as text: "[1,2,3]"."""
    return f"[{','.join(str(int(v)) for v in values)}]"
