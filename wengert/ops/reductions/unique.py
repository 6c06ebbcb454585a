"""The unique elements of a vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.gathering import unsorted_segment_sum
from wengert.ops.arrays.shaping import as_shape, one_axis, order_back, transpose
from wengert.ops.reductions.segments import unsorted_segment_min
from wengert.ops.support.large_kernels import unique_kernel
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, DTypeLike, Namespace, TensorLike, TensorOrDims


class Unique(NamedTuple):
    """The unique elements, and the index of each input element among them."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The unique elements, the index of each input element among them, and their counts."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]


def _counted_kernel(_: Namespace, x: Array, *, out_idx: DType) -> list[Array]:
    """The unique elements, or rows, in the order of their first occurrence; indices and counts."""
    axis, kind = None if x.ndim < 2 else 0, out_idx.numpy_dtype
    found: list[Array] | None = unique_kernel(x, kind) if x.size >= _MANY else None
    if found is not None:
        return found
    values, first, place, counts = np.unique(x, True, True, True, axis, equal_nan=False)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return [values[order], rank[place.ravel()].astype(kind), counts[order].astype(kind)]


_MANY: Final = 1 << 7  # elements


def _unique_rule(
    gs: Sequence[Any], ys: Sequence[Tensor], x: TensorOrDims, **attrs: object
) -> Tensor:
    """The cotangent of an element goes to its first occurrence."""
    idx = ys[1]
    count = dims(gs[0])[0]
    first = unsorted_segment_min(range_(dims(idx)[0]), idx, count)
    return unsorted_segment_sum(gs[0], first, dims(idx)[0])


UNIQUE: Row = op(
    "Unique",
    lambda xp, x, *, out_idx: _counted_kernel(xp, x, out_idx=out_idx)[:2],
    shape=lambda x, *, out_idx: [(None, *x[1:]), x[:1]],
    dtype=lambda x, *, out_idx: [x, out_idx.numpy_dtype],
    vjp=(_unique_rule,),
    saves="y",
    many=True,
    by_value=True,
)
UNIQUE_WITH_COUNTS: Row = op(
    "UniqueWithCounts",
    _counted_kernel,
    shape=lambda x, *, out_idx: [(None, *x[1:]), x[:1], (None,)],
    dtype=lambda x, *, out_idx: [x, out_idx.numpy_dtype, out_idx.numpy_dtype],
    vjp=(_unique_rule,),
    saves="y",
    many=True,
    by_value=True,
)


@deferrable
def unique(x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None) -> Unique:
    """The unique elements of a vector, in the order of their first occurrence, and indices.

    >>> y, idx = tf.unique([7, 5, 7, 9])
    >>> y.numpy().tolist(), idx.numpy().tolist()
    ([7, 5, 9], [0, 1, 0, 2])
    """
    return Unique(*_found(UNIQUE, x, out_idx))


@deferrable
def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """The unique elements of a vector, with indices and counts.

    >>> y, idx, count = tf.unique_with_counts([7, 5, 7, 9])
    >>> y.numpy().tolist(), count.numpy().tolist()
    ([7, 5, 9], [2, 1, 1])
    """
    return UniqueWithCounts(*_found(UNIQUE_WITH_COUNTS, x, out_idx))


@deferrable
def unique_along(x: TensorLike, axis: TensorLike, out_idx: DTypeLike) -> tuple[Tensor, ...]:
    """The unique slices along an axis, indices and counts; without an axis, of a vector."""
    tensor, given = convert(x), as_shape(convert(axis, hint=dtypes.int32))
    if not given:
        return tuple(_found(UNIQUE_WITH_COUNTS, tensor, out_idx))
    rank = len(dims(tensor))
    first = one_axis(given[0], rank, "UniqueV2")
    order = (first, *[a for a in range(rank) if a != first])
    attrs = {"out_idx": as_dtype(out_idx or dtypes.int32)}
    y, idx, count = apply(UNIQUE_WITH_COUNTS, (transpose(tensor, order),), attrs)
    return transpose(y, order_back(order)), idx, count


def _found(row: Row, value: TensorLike, out_idx: DTypeLike) -> list[Tensor]:
    vector = convert(value)
    if len(dims(vector)) != 1:
        raise InvalidArgumentError(
            f"unique expects a 1D vector, got shape {shape_text(dims(vector))} [Op:{row.name}]. "
            "Use tf.reshape(x, [-1]) first."
        )
    result: list[Tensor] = apply(row, (vector,), {"out_idx": as_dtype(out_idx or dtypes.int32)})
    return result
