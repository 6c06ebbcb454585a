"""Set operations on rows: unique elements, union, intersection, difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import ones
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.gathering import gather_nd, scatter_nd
from wengert.ops.arrays.joining import concat
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, ones_like
from wengert.ops.sparse.places import check_sorted, group_kernel
from wengert.ops.sparse.tensor import SparseTensor, SparseTensorValue, gives_sparse, sparse
from wengert.ops.support.static_value import get_static_value
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.symbolic import is_certain
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.ops.sparse.tensor import SparseLike
    from wengert.values.typing import Array, Namespace, TensorLike


def _set_kernel(
    _: Namespace, a_at: Array, a: Array, b_at: Array, b: Array, *, rank: int, operation: str
) -> list[Any]:
    """The resulting sets of all rows as sparse rows, and the size of the largest.

    The coordinates of the inputs are without the last axis.
    """
    rows, row = group_kernel(np, np.concatenate([a_at, b_at]))
    values, value = _ranked(np.concatenate([a, b]))
    row, value = _chosen(row, value, len(values), len(a), operation)
    counts = np.bincount(row, minlength=len(rows))
    begins = np.cumsum(counts) - counts
    column = np.arange(len(row)) - begins[row]
    return [
        np.concatenate([rows[row], column[:, None]], 1).reshape(-1, rank),
        values[value],
        np.array([counts.max(initial=0)], np.int64),
    ]


def _ranked(values: Array) -> tuple[Any, Any]:
    """The values that there are, sorted, or a range with all of them; and the place of each there."""
    if values.dtype.kind == "O":
        known = sorted(set(values.tolist()))
        places = {value: place for place, value in enumerate(known)}
        ranks = np.fromiter(map(places.__getitem__, values.tolist()), np.int64, len(values))
        found = np.empty(len(known), object)
        found[:] = known
        return found, ranks
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    if high - low < _RANGE * len(values):
        return np.arange(low, high + 1).astype(values.dtype), values.astype(np.int64) - low
    found, ranks = np.unique(values, return_inverse=True)
    return found, ranks


_RANGE: Final = 4  # numbers in a range for each that there is


def _chosen(row: Array, value: Array, span: int, of_a: int, operation: str) -> tuple[Array, Array]:
    """The rows and values of the result, sorted: of elements of `a`, the first ones, and of `b`.

    Each is one number, odd for an element of `b`, so that equal ones lie side by side once they are sorted.
    """
    keys = 2 * (row * span + value)
    keys[of_a:] += 1
    if keys.max(initial=0) < 1 << 31:  # are sorted in half the time
        keys = keys.astype(np.int32)
    keys.sort()
    keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]
    of_b, keys = (keys & 1).astype(bool), keys >> 1
    again = np.append(False, keys[1:] == keys[:-1])[: len(keys)]  # what `a` has, too
    both = np.append(again[1:], False)[: len(keys)]  # what `b` has, too
    keys = keys[
        {
            "a-b": ~of_b & ~both,
            "b-a": of_b & ~again,
            "intersection": both,
            "union": ~again,
        }[operation]
    ]
    return keys // span, keys % span


def _forms(inputs: Sequence[Tensor], attrs: Attrs) -> list[Any]:
    """The number of elements depends on their values."""
    whole = np.dtype(np.int64)
    return [((None, attrs["rank"]), whole), ((None,), inputs[1]._array.dtype), ((1,), whole)]


SET_OPERATION: Row = op("SparseToSparseSetOperation", _set_kernel, many=True, forms=_forms)


def _listed(value: TensorLike, validate: bool) -> tuple[Any, Any, Dims, Any]:
    """The row and the value of each element, and the shape without the last axis, twice."""
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        s = sparse(value)
        shape = s.dims
        known = get_static_value(s.indices) if validate else None
        if isinstance(known, np.ndarray):
            check_sorted(known, SET_OPERATION.name)
        return s.indices[:, : len(shape) - 1], s.values, shape[:-1], s.dense_shape[:-1]
    x = convert(value)
    if len(dims(x)) < 2:
        raise InvalidArgumentError(
            f"Input set rank must be at least 2, got shape {shape_text(dims(x))} "
            f"[Op:{SET_OPERATION.name}]. Add an axis in front: x[tf.newaxis]."
        )
    places = where(ones(dims(x), dtypes.bool_))
    rows = places[:, : len(dims(x)) - 1]
    return rows, gather_nd(x, places), dims(x)[:-1], shape_of(x, dtypes.int64)[:-1]


def _combined(a: TensorLike, b: TensorLike, operation: str, validate: bool = True) -> SparseTensor:
    a_at, left, shape, sizes = _listed(a, validate)
    b_at, right, other, _ = _listed(b, validate)
    if left.dtype is not right.dtype:
        raise TypeError(f"Types don't match, {left.dtype!r} vs {right.dtype!r}.")
    if not (left.dtype.is_integer or left.dtype is dtypes.string):
        raise TypeError(
            f"Value passed to parameter 'set1' has DataType {left.dtype.name} not in list of allowed "
            "values: int8, int16, int32, int64, uint8, uint16, string"
        )
    known = is_certain(shape) and is_certain(other)
    if len(shape) != len(other) or (known and shape != other):
        raise InvalidArgumentError(
            f"Mismatched shapes {shape_text(shape)} vs {shape_text(other)} [Op:{SET_OPERATION.name}]"
        )
    attrs = {"rank": len(shape) + 1, "operation": operation}
    indices, values, longest = apply(SET_OPERATION, (a_at, left, b_at, right), attrs)
    return SparseTensor._of(indices, values, concat([sizes, longest], 0))


@deferrable
@gives_sparse
def difference(
    a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    """For each row the elements of `a` that are not in `b`; without `aminusb`, the reverse.

    >>> tf.sets.difference([[1, 2, 3]], [[2, 5]]).values.numpy().tolist()
    [1, 3]
    """
    return _combined(a, b, "a-b" if aminusb else "b-a", validate_indices)


@deferrable
@gives_sparse
def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """For each row the elements that are in both.

    >>> tf.sets.intersection([[1, 2, 3]], [[3, 2]]).values.numpy().tolist()
    [2, 3]
    """
    return _combined(a, b, "intersection", validate_indices)


@deferrable
@gives_sparse
def union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """For each row the elements that are in either.

    >>> tf.sets.union([[1, 2, 2]], [[3, 2]]).values.numpy().tolist()
    [1, 2, 3]
    """
    return _combined(a, b, "union", validate_indices)


@deferrable
def size(a: SparseLike, validate_indices: bool = True) -> Tensor:
    """The number of unique elements in each row.

    >>> tf.sets.size(tf.sets.union([[1, 2]], [[3, 2]])).numpy().tolist()
    [3]
    """
    if not isinstance(a, (SparseTensor, SparseTensorValue)):
        raise TypeError(f"Expected `SparseTensor`, got {a!r}.")
    s = sparse(a)
    shape = s.dims
    at, values, *_ = _listed(s, validate_indices)
    attrs = {"rank": len(shape), "operation": "a-b"}
    indices = apply(SET_OPERATION, (at, values, at[:0], values[:0]), attrs)[0]
    rows = indices[:, : len(shape) - 1]
    return scatter_nd(rows, ones_like(cast(rows[:, 0], dtypes.int32)), shape[:-1])
