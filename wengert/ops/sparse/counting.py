"""Counts of the integers in each row, as a sparse tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import ones
from wengert.ops.arrays.gathering import gather, unsorted_segment_sum
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import reshape, static
from wengert.ops.math.comparison import less
from wengert.ops.math.elementwise import cast, ones_like
from wengert.ops.reductions.reductions import reduce_max
from wengert.ops.sparse.places import group_places, places_where
from wengert.ops.sparse.tensor import SparseTensor, SparseTensorValue, gives_sparse, sparse
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Integers, IntLike, TensorLike


@deferrable
@gives_sparse
def bincount(
    values: TensorLike,
    weights: TensorLike | None = None,
    axis: Integers = 0,
    minlength: Any = None,
    maxlength: IntLike | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Count how often each integer occurs, or sum its weights; with axis=-1 in each row.

    >>> counts = tf.sparse.bincount([[1, 1, 3], [0, 0, 2]], axis=-1)
    >>> tf.sparse.to_dense(counts).numpy().tolist()
    [[0, 2, 0, 1], [2, 0, 1, 0]]
    """
    numbers, rows, count = _laid_out(values)
    if static(axis) == 0:
        rows = None
    given = _weights(values, weights)
    if given is not None and binary_output:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive.")
    if maxlength is not None:
        kept = places_where(less(numbers, convert(int(static(maxlength)), dtypes.int64)))
        numbers = gather(numbers, kept)
        rows = None if rows is None else gather(rows, kept)
        given = None if given is None else gather(given, kept)
    parts = [numbers] if rows is None else [rows, numbers]
    indices, place = group_places(stack(parts, 1))
    each = ones(dims(numbers), _kind_of(values)) if given is None else given
    totals = unsorted_segment_sum(each, place, dims(indices)[0])
    if binary_output:
        totals = ones_like(totals)
    width = _width(numbers, minlength)
    shape = width if rows is None else concat([np.array([count], np.int64), width], 0)
    return SparseTensor._of(indices, totals, shape)


def _width(numbers: Tensor, minlength: Any) -> Tensor:
    """One more than the largest number, and at least `minlength`."""
    least = 0 if minlength is None else int(static(minlength))
    return reshape(reduce_max(concat([numbers + 1, np.array([least], np.int64)], 0)), (1,))


def _kind_of(values: Any) -> DType:
    """The dtype of the integers, which is that of how often there are."""
    dtype = getattr(values, "dtype", None)
    return convert(values).dtype if dtype is None else as_dtype(dtype)


def _laid_out(values: Any) -> tuple[Any, Any, Any]:
    """The integers, the row of each (None for a vector), and the number of rows."""
    if isinstance(values, (SparseTensor, SparseTensorValue)):
        s = sparse(values)
        shape = s.dims
        numbers = cast(s.values, dtypes.int64)
        return (numbers, None, 1) if len(shape) == 1 else (numbers, s.indices[:, 0], shape[0])
    if hasattr(values, "value_rowids"):
        return cast(values.flat_values, dtypes.int64), values.value_rowids(), values.nrows()
    x = cast(convert(values), dtypes.int64)
    if len(dims(x)) < 2:
        return reshape(x, (-1,)), None, 1
    rows = np.repeat(np.arange(dims(x)[0], dtype=np.int64), np.prod(dims(x)[1:], dtype=int))
    return reshape(x, (-1,)), convert(rows), dims(x)[0]


def _weights(values: TensorLike, weights: TensorLike | None) -> Tensor | None:
    if weights is None:
        return None
    if isinstance(weights, (SparseTensor, SparseTensorValue)):
        return sparse(weights).values
    if hasattr(weights, "flat_values"):
        result: Tensor | None = weights.flat_values
        return result
    return reshape(convert(weights), (-1,))
