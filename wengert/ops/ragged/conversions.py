"""Ragged tensors from dense and sparse ones, and back."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import ones, range_
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.math.arithmetic import maximum
from wengert.ops.math.comparison import not_equal, where
from wengert.ops.math.elementwise import cast
from wengert.ops.ragged.places import PLACES, count_of_rows, row_ids, splits_of
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.reductions.reductions import reduce_max
from wengert.ops.sparse.tensor import SparseTensor, sparse
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import DTypeLike, Integers, IntLike, TensorLike

# ---- to a tensor ------------------------------------------------------------------------------


def to_tensor(
    self: RaggedTensor,
    default_value: TensorLike | None = None,
    name: str | None = None,
    shape: Iterable[IntLike | None] | None = None,
) -> Tensor:
    """A dense tensor of the rows, padded with a default."""
    wanted = None if shape is None else list(shape)
    made = _to_tensor(self, default_value, name, wanted)
    rank = made.shape.rank
    if wanted and rank is not None and None in made.shape.as_list():  # say what was asked for
        known = [None if n in (None, -1) else int(n) for n in wanted]
        made.set_shape([*known, *[None] * (rank - len(known))])
    return made


@deferrable
def _to_tensor(
    self: RaggedTensor,
    default_value: TensorLike | None,
    name: str | None,
    shape: Iterable[IntLike | None] | None,
) -> Tensor:
    wanted = [None] if shape is None else list(shape)
    default = convert(0 if default_value is None else default_value, self.dtype) if (
        self.dtype not in (dtypes.string, dtypes.bool_) or default_value is not None
    ) else convert(b"" if self.dtype is dtypes.string else False)  # fmt: skip
    sizes = [None if n in (None, -1) else int(n) for n in wanted]
    return _dense(self, default, sizes)


def _dense(r: RaggedTensor, default: Tensor, sizes: list[int | None]) -> Tensor:
    inner = r.values
    values = _dense(inner, default, sizes[1:]) if isinstance(inner, RaggedTensor) else inner
    rest = dims(values)[1:]
    # One row of defaults after the last value, for the elements that are padding.
    filler = broadcast_to(default, (1, *rest))
    width = sizes[1] if len(sizes) > 1 else r._uniform
    places = apply(PLACES, (r.row_splits,), {"width": width})
    dense: Tensor = gather(concat([values, filler], 0), places)
    if not sizes or sizes[0] is None:
        return dense
    have, count = count_of_rows(r.row_splits), sizes[0]
    if count <= have:
        return dense[:count]
    missing = broadcast_to(default, (count - have, *dims(dense)[1:]))
    return concat([dense, missing], 0)


@deferrable
def bounding_shape(
    self: RaggedTensor,
    axis: Integers | None = None,
    name: str | None = None,
    out_type: DTypeLike | None = None,
) -> Tensor:
    """The shape of the smallest dense tensor that contains all rows."""
    kind = self.row_splits.dtype if out_type is None else as_dtype(out_type)
    sizes: list[Any] = [count_of_rows(self.row_splits)]
    for splits in self.nested_row_splits:
        lengths = concat([np.zeros(1, splits.dtype.as_numpy_dtype), splits[1:] - splits[:-1]], 0)
        sizes.append(reduce_max(lengths))
    sizes += dims(self.flat_values)[1:]
    whole = stack([cast(convert(n), kind) for n in sizes])
    return whole if axis is None else gather(whole, axis)


# ---- to sparse --------------------------------------------------------------------------------


def coordinates(r: RaggedTensor) -> Tensor:
    """For each value (not along the innermost dense axes) its index on every axis."""
    ids = cast(row_ids(r.row_splits), dtypes.int64)
    begins = gather(cast(r.row_splits, dtypes.int64), ids)
    place = range_(dims(ids)[0], dtype=dtypes.int64) - begins
    outer = stack([ids, place], 1)
    inner = r.values
    if not isinstance(inner, RaggedTensor):
        return outer
    deeper = coordinates(inner)
    return concat([gather(outer, deeper[:, 0]), deeper[:, 1:]], 1)


@deferrable
def to_sparse(self: RaggedTensor, name: str | None = None) -> SparseTensor:
    """A sparse tensor with the same values at the same coordinates."""
    flat = self.flat_values
    at = coordinates(self)
    if len(dims(flat)) > 1:
        inner = where(ones(dims(flat), dtypes.bool_))
        at = concat([gather(at, inner[:, 0]), inner[:, 1:]], 1)
    return SparseTensor._of(at, reshape(flat, (-1,)), bounding_shape(self, out_type=dtypes.int64))


@deferrable
def from_sparse(
    st_input: SparseTensor, name: str | None = None, row_splits_dtype: Any = dtypes.int64
) -> RaggedTensor:
    """The rows of a sparse matrix, whose values must be at the start of each row."""
    s = sparse(st_input)
    if s.rank != 2:
        raise ValueError("rank(st_input) must be 2.")
    splits = splits_of(s.indices[:, 0], s.dims[0], as_dtype(row_splits_dtype))
    return RaggedTensor._of(s.values, splits)


# ---- from a tensor ----------------------------------------------------------------------------


@deferrable
def from_tensor(
    tensor: TensorLike,
    lengths: TensorLike | None = None,
    padding: TensorLike | None = None,
    ragged_rank: int = 1,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """The rows of a dense tensor, cut to `lengths`, or without the padding at their ends."""
    x, kind = convert(tensor), as_dtype(row_splits_dtype)
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if len(dims(x)) <= ragged_rank:
        raise ValueError(f"ragged_rank {ragged_rank} must be less than the rank of {x!r}")
    if ragged_rank > 1:
        return _from_deeper(x, lengths, padding, ragged_rank, kind)
    rows, width, *rest = dims(x)
    flat = reshape(x, (rows * width, *rest))
    if lengths is None and padding is None:
        splits = _even_splits(rows, width, kind)
        return RaggedTensor._of(flat, splits, width)
    if lengths is None:
        counts = _unpadded(x, convert(padding, x.dtype))
    else:
        counts = cast(convert(lengths), dtypes.int64)
    within = np.arange(width, dtype=np.int64) < reshape(counts, (-1, 1))
    kept = where(within)
    splits = splits_of(kept[:, 0], rows, kind)
    return RaggedTensor._of(gather(flat, kept[:, 0] * width + kept[:, 1]), splits)


def _even_splits(rows: int, width: int, kind: DType) -> Tensor:
    return convert(np.arange(rows + 1) * index(width), kind)


def _unpadded(x: Tensor, padding: Tensor) -> Tensor:
    """The length of each row without the padding at its end."""
    there = not_equal(x, padding)
    for _ in range(len(dims(x)) - 2):
        there = cast(reduce_max(cast(there, dtypes.int32), -1), dtypes.bool_)
    place = cast(there, dtypes.int64) * np.arange(1, dims(x)[1] + 1)
    return maximum(reduce_max(place, 1), 0)  # of no elements the maximum is the least integer


def _from_deeper(x: Tensor, lengths: Any, padding: Any, rank: int, kind: Any) -> RaggedTensor:
    rows, width, *rest = dims(x)
    merged = reshape(x, (rows * width, *rest))
    outer = _even_splits(rows, width, kind)
    inner = from_tensor(merged, lengths, padding, rank - 1, row_splits_dtype=kind)
    return RaggedTensor._of(inner, outer, width)
