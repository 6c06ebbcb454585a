"""Rearranging sparse tensors: coordinates change, values are gathered."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable, nameable
from wengert.ops.arrays.creation import fill, ones, zeros
from wengert.ops.arrays.gathering import gather, gather_densely, gather_nd, unsorted_segment_sum
from wengert.ops.arrays.joining import concat as concat_dense
from wengert.ops.arrays.shaping import as_shape, one_axis, static
from wengert.ops.math.comparison import equal, where
from wengert.ops.math.elementwise import logical_not
from wengert.ops.reductions.reductions import reduce_any, reduce_max
from wengert.ops.sparse.places import (
    as_list,
    columns,
    flat_places,
    order_of,
    places_where,
    rows_inside,
    unflatten_places,
    with_column,
)
from wengert.ops.sparse.tensor import (
    SparseTensor,
    gives,
    gives_sparse,
    new_sparse,
    placeholder_sparse,
    sparse,
)
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import Dims, normal_axis
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.ops.sparse.tensor import SparseLike
    from wengert.values.typing import (
        DTypeLike,
        Integers,
        IntLike,
        NumpyDType,
        ShapeLike,
        TensorLike,
    )


def pick_values(s: SparseTensor, places: Tensor) -> SparseTensor:
    """Only the values at some indices of the list of values, in that order."""
    return SparseTensor._of(gather(s.indices, places), gather(s.values, places), s.dense_shape)


def sorted_(s: SparseTensor) -> SparseTensor:
    """The sparse tensor with its coordinates in row-major order."""
    order = order_of(s.indices)
    values = gather_densely(s.values, order)
    return SparseTensor._of(gather(s.indices, order), values, s.dense_shape)


@deferrable
@gives_sparse
def reorder(sp_input: SparseLike, name: str | None = None) -> SparseTensor:
    """Sort the coordinates into row-major order.

    >>> s = tf.SparseTensor([[1, 0], [0, 1]], [1.0, 2.0], [2, 2])
    >>> tf.sparse.reorder(s).values.numpy().tolist()
    [2.0, 1.0]
    """
    return sorted_(sparse(sp_input))


@deferrable
@gives_sparse
def retain(sp_input: SparseLike, to_retain: TensorLike) -> SparseTensor:
    """Keep only the values for which `to_retain` is true.

    >>> s = tf.SparseTensor([[0], [2]], [1.0, 2.0], [3])
    >>> tf.sparse.retain(s, [False, True]).values.numpy().tolist()
    [2.0]
    """
    s, kept = sparse(sp_input), convert(to_retain)
    kept.shape.assert_has_rank(1)
    kept.shape.assert_is_compatible_with(s.values.shape)
    return pick_values(s, places_where(kept))


@deferrable
@gives_sparse
def transpose(
    sp_input: SparseLike, perm: Integers | None = None, name: str | None = None
) -> SparseTensor:
    """Permute the axes, by default in reverse order.

    >>> s = tf.SparseTensor([[0, 1]], [5.0], [2, 3])
    >>> tf.sparse.transpose(s).indices.numpy().tolist()
    [[1, 0]]
    """
    s = sparse(sp_input)
    shape = s.dims
    order = range(len(shape))[::-1] if perm is None else [int(a) for a in as_shape(perm)]
    moved = new_sparse(columns(s.indices, order), s.values, [shape[a] for a in order])
    return sorted_(moved)


@deferrable
@gives_sparse
def reshape(sp_input: SparseLike, shape: ShapeLike, name: str | None = None) -> SparseTensor:
    """The same elements in another shape; one size may be -1, which is inferred.

    >>> s = tf.SparseTensor([[0, 1], [1, 2]], [5.0, 7.0], [2, 3])
    >>> tf.sparse.reshape(s, [3, -1]).indices.numpy().tolist()
    [[0, 1], [2, 1]]
    """
    s = sparse(sp_input)
    before = s.dims
    after = _reshaped(before, as_shape(shape))
    return new_sparse(unflatten_places(flat_places(s.indices, before), after), s.values, after)


def _reshaped(before: Dims, after: Dims) -> Dims:
    size = math.prod(before)
    rest = math.prod(a for a in after if a != -1)
    if after.count(-1) == 1 and rest and size % rest == 0:
        return tuple(size // rest if a == -1 else a for a in after)
    if -1 in after or rest != size:
        raise InvalidArgumentError(
            f"Input to reshape is a tensor with {size} dense values, but the requested shape has "
            f"{rest}. input_shape={as_list(before)} output_shape={as_list(after)} "
            "[Op:SparseReshape]"
        )
    return after


@deferrable
@gives_sparse
def expand_dims(
    sp_input: SparseLike, axis: Integers | None = None, name: str | None = None
) -> SparseTensor:
    """Insert an axis of size one, by default as the last.

    >>> s = tf.SparseTensor([[0, 1]], [5.0], [2, 3])
    >>> tf.sparse.expand_dims(s, 0).shape
    TensorShape([1, 2, 3])
    """
    s = sparse(sp_input)
    shape = s.dims
    at = normal_axis(-1 if axis is None else int(static(axis)), len(shape) + 1)
    if not 0 <= at <= len(shape):
        raise ValueError(f"axis {axis} is out of range for a tensor of rank {len(shape)}.")
    nothing = zeros([dims(s.values)[0]], dtypes.int64)
    return new_sparse(with_column(s.indices, at, nothing), s.values, (*shape[:at], 1, *shape[at:]))


@deferrable
@gives_sparse
def reset_shape(sp_input: SparseLike, new_shape: ShapeLike | None = None) -> SparseTensor:
    """The same values in a larger shape, by default in the smallest that contains them.

    >>> s = tf.SparseTensor([[0, 1]], [5.0], [9, 9])
    >>> tf.sparse.reset_shape(s).shape
    TensorShape([1, 2])
    """
    s = sparse(sp_input)
    if new_shape is None:
        # A size is one more than the largest coordinate; zero if there are none.
        low = zeros([1, s.rank], dtypes.int64)
        sizes = reduce_max(concat_dense([low, s.indices + 1], 0), 0)
        return SparseTensor._of(s.indices, s.values, sizes)
    before, after = s.dims, as_shape(new_shape)
    if len(before) != len(after):
        raise ValueError(f"Dimensions {len(after)} and {len(before)} are not compatible")
    if any(a < b for a, b in zip(after, before, strict=True)):
        raise ValueError(
            "Requested new_shape should have dimension sizes >= sp_input.shape.  "
            f"Found new_shape ({as_list(after)}), sp_input.shape ({as_list(before)})."
        )
    return new_sparse(s.indices, s.values, after)


# ---- pieces -----------------------------------------------------------------------------------


def _piece(s: SparseTensor, start: Sequence[int], size: Sequence[int]) -> SparseTensor:
    places = rows_inside(s.indices, start, [a + b for a, b in zip(start, size, strict=True)])
    moved = gather(s.indices, places) - np.array(start, np.int64)
    return new_sparse(moved, gather_densely(s.values, places), size)


@deferrable
@gives_sparse
def slice_(
    sp_input: SparseLike, start: TensorLike, size: TensorLike, name: str | None = None
) -> SparseTensor:
    """The slice that begins at `start`, clipped to the end of the tensor.

    >>> s = tf.SparseTensor([[0, 0], [1, 2]], [5.0, 7.0], [2, 3])
    >>> tf.sparse.slice(s, [1, 1], [1, 9]).indices.numpy().tolist()
    [[0, 1]]
    """
    s = sparse(sp_input)
    shape, at, asked = s.dims, as_shape(start), as_shape(size)
    if not len(at) == len(asked) == len(shape):
        raise InvalidArgumentError(
            f"Expected start and size to be vectors of length {len(shape)}, but got shapes "
            f"[{len(at)}] and [{len(asked)}] [Op:SparseSlice]"
        )
    there = [max(min(n, whole - a), 0) for a, n, whole in zip(at, asked, shape, strict=True)]
    return _piece(s, at, there)


@nameable
def split(
    sp_input: SparseLike | None = None,
    num_split: IntLike | None = None,
    axis: Integers | None = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """Split along an axis into pieces, of which the first may be larger by one.

    >>> s = tf.SparseTensor([[0], [2]], [5.0, 7.0], [3])
    >>> [part.shape for part in tf.sparse.split(s, num_split=2, axis=0)]
    [TensorShape([2]), TensorShape([1])]
    """
    if sp_input is None or num_split is None or axis is None:
        raise ValueError("sp_input, num_split and axis are required.")
    return _pieces(sp_input, int(static(num_split)), axis)


def _forms_of_pieces(dtype: NumpyDType, args: Any) -> tuple[Any, list[Any]]:
    one, forms = placeholder_sparse(dtype)
    return [one] * args[1], forms * args[1]


@deferrable
@gives(_forms_of_pieces)
def _pieces(sp_input: SparseLike, count: int, axis: Integers) -> list[SparseTensor]:
    s = sparse(sp_input)
    shape = s.dims
    at = one_axis(axis, len(shape), "SparseSplit")
    if not 1 <= count <= shape[at]:
        raise InvalidArgumentError(
            f"Input num_split should be between 1 and the splitting dimension size "
            f"({shape[at]}), got {count} [Op:SparseSplit]"
        )
    least, more = divmod(shape[at], count)
    sizes = [least + (i < more) for i in range(count)]
    starts = itertools.accumulate(sizes, initial=0)
    return [
        _piece(
            s,
            [start if a == at else 0 for a in range(len(shape))],
            [size if a == at else whole for a, whole in enumerate(shape)],
        )
        for start, size in zip(starts, sizes, strict=False)
    ]


@deferrable
@gives_sparse
def concat(
    axis: Integers,
    sp_inputs: TensorLike,
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Concatenate along an axis; other sizes must be equal, or are expanded to the largest.

    >>> s = tf.SparseTensor([[0, 1]], [5.0], [1, 2])
    >>> tf.sparse.concat(0, [s, s]).indices.numpy().tolist()
    [[0, 1], [1, 1]]
    """
    given = [
        sparse(s) for s in (sp_inputs if isinstance(sp_inputs, (list, tuple)) else [sp_inputs])
    ]
    if len(given) == 1:
        return given[0]
    shapes = [s.dims for s in given]
    at = one_axis(axis, len(shapes[0]), "SparseConcat")
    result = _joined_shape(shapes, at, expand_nonconcat_dims)
    starts = itertools.accumulate([shape[at] for shape in shapes], initial=0)
    indices = []
    for s, start in zip(given, starts, strict=False):
        shift = np.zeros(len(result), np.int64)
        shift[at] = start
        indices.append(s.indices + shift)
    joined = concat_dense(indices, 0), concat_dense([s.values for s in given], 0)
    return sorted_(new_sparse(*joined, result))


def _joined_shape(shapes: Sequence[Dims], at: int, expand: bool) -> list[int]:
    rank = len(shapes[0])
    for i, shape in enumerate(shapes):
        if len(shape) != rank:
            raise InvalidArgumentError(
                f"Ranks of all input tensors must match: expected {rank} but got {len(shape)} at "
                f"position {i} [Op:SparseConcat]"
            )
        for axis in range(rank):
            if axis != at and not expand and shape[axis] != shapes[0][axis]:
                raise InvalidArgumentError(
                    f"Input shapes must match: expected {shapes[0][axis]} for dimension {axis} "
                    f"but got {shape[axis]} at position {i} [Op:SparseConcat]"
                )
    sizes = zip(*shapes, strict=True)
    return [sum(column) if axis == at else max(column) for axis, column in enumerate(sizes)]


def _filled_foreseen(dtype: Any, args: Any) -> tuple[Any, list[Any]]:
    filled, known = placeholder_sparse(dtype)
    return (filled, 0), [*known, ((None,), np.dtype(bool))]


@deferrable
@gives(_filled_foreseen)
def fill_empty_rows(
    sp_input: SparseLike, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """Put a default value at the start of every empty row; returns which rows were empty, too.

    >>> s = tf.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])
    >>> filled, was_empty = tf.sparse.fill_empty_rows(s, -1.0)
    >>> filled.values.numpy().tolist(), was_empty.numpy().tolist()
    ([5.0, -1.0, 7.0], [False, True, False])
    """
    filled, empty, _ = filled_rows(sp_input, default_value)
    return filled, empty


def filled_rows(
    sp_input: SparseLike, default_value: TensorLike
) -> tuple[SparseTensor, Tensor, Tensor]:
    """The tensor without empty rows, which were empty, and the order of its values.

    The order numbers those that were there before, and the defaults after them.
    """
    s = sparse(sp_input)
    shape = s.dims
    default = convert(default_value, s.dtype)
    rows = s.indices[:, 0]
    there = unsorted_segment_sum(ones(dims(rows), dtypes.int32), rows, shape[0])
    empty = equal(there, 0)
    missing = places_where(empty)
    count = dims(missing)[0]
    others = zeros([count, len(shape) - 1], dtypes.int64)
    more = with_column(others, 0, missing)
    indices = concat_dense([s.indices, more], 0)
    values = concat_dense([s.values, fill([count], default)], 0)
    order = order_of(indices[:, :1])
    return new_sparse(gather(indices, order), gather(values, order), shape), empty, order


@deferrable
def mask(a: IndexedSlices, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """IndexedSlices without the rows at some indices.

    >>> a = tf.IndexedSlices(tf.constant([1.0, 2.0, 3.0]), tf.constant([4, 6, 8]), [9])
    >>> tf.sparse.mask(a, [6]).indices.numpy().tolist()
    [4, 8]
    """
    unwanted = convert(mask_indices, a.indices.dtype)
    hit = reduce_any(equal(a.indices[:, None], unwanted[None]), 1)
    kept = places_where(logical_not(hit))
    return IndexedSlices(gather(a.values, kept), gather(a.indices, kept), a._dense_shape)


# ---- creation ---------------------------------------------------------------------------------


@deferrable
@gives_sparse
def eye(
    num_rows: IntLike,
    num_columns: IntLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """A sparse identity matrix, with ones on the diagonal.

    >>> tf.sparse.eye(2, 3).indices.numpy().tolist()
    [[0, 0], [1, 1]]
    """
    rows = int(static(num_rows))
    wide = rows if num_columns is None else int(static(num_columns))
    count = min(rows, wide)
    at = np.arange(count, dtype=np.int64)
    return new_sparse(convert(np.stack([at, at], 1)), ones([count], dtype), (rows, wide))


@deferrable
@gives_sparse
def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The nonzero elements, as a sparse tensor.

    >>> tf.sparse.from_dense([[0.0, 5.0], [7.0, 0.0]]).values.numpy().tolist()
    [5.0, 7.0]
    """
    x = convert(tensor)
    nothing = b"" if x.dtype is dtypes.string else False if x.dtype is dtypes.bool_ else 0
    there = x if x.dtype is dtypes.bool_ else logical_not(equal(x, convert(nothing, x.dtype)))
    indices = where(there)
    return new_sparse(indices, gather_nd(x, indices), dims(x))
