"""What functions of arrays do with ragged tensors: tf.concat, tf.gather, tf.where, tf.tile, ..."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.ops.arrays import gathering, indexing, joining, partitioning, shaping, slicing
from wengert.ops.arrays.creation import rank, shape, size
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast
from wengert.ops.ragged import factories
from wengert.ops.ragged.answers import answers, rank_of, with_flat
from wengert.ops.ragged.conversions import coordinates
from wengert.ops.ragged.dynamic_shape import DynamicRaggedShape
from wengert.ops.ragged.indexing import as_one_row, take_rows
from wengert.ops.ragged.operators import elementwise, of_same_rows
from wengert.ops.ragged.places import count_of_rows, row_ids
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import normal_axis
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, Integers, IntLike

# ---- joining and taking apart -------------------------------------------------------------------

answers(joining.concat)(factories.concat)
answers(joining.stack)(factories.stack)


@answers(joining.split)
def _split(
    value: RaggedTensor,
    num_or_size_splits: Integers,
    axis: IntLike = 0,
    num: int | None = None,
    name: str | None = None,
) -> list[Any]:
    if normal_axis(int(axis), rank_of(value)):
        raise NotImplementedError("tf.split of a ragged tensor is along its rows, axis 0.")
    count = count_of_rows(value.row_splits)
    sizes = np.asarray(num_or_size_splits)
    if not sizes.ndim:
        if count % int(sizes):
            raise ValueError(f"{count} rows cannot be split into {int(sizes)} parts of one size.")
        sizes = np.full(int(sizes), count // int(sizes))
    ends = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    return [value[a:b] for a, b in itertools.pairwise(ends)]


@answers(shaping.expand_dims)
def _expand_dims(input: RaggedTensor, axis: IntLike, name: str | None = None) -> RaggedTensor:
    at = normal_axis(int(axis), rank_of(input) + 1)
    if at == 0:
        return as_one_row(input)
    if at == 1:
        rows = count_of_rows(input.row_splits)
        return RaggedTensor._of(input, convert(np.arange(rows + 1), input.row_splits.dtype), 1)
    return input.with_values(shaping.expand_dims(input.values, at - 1))


@answers(shaping.squeeze)
def _squeeze(input: RaggedTensor, axis: Integers | None = None, name: str | None = None) -> Any:
    if axis is None:
        raise ValueError(
            "Ragged.squeeze must have an axis argument: sizes of rows may be 1 by chance."
        )
    if isinstance(axis, Tensor):
        raise TypeError("The axes to squeeze must be numbers or a list of them, not a tensor.")
    axes = sorted({normal_axis(int(a), rank_of(input)) for a in np.atleast_1d(np.asarray(axis))})
    found: Any = input
    for at in reversed(axes):
        found = _without_axis(found, at)
    return found


def _without_axis(r: Any, at: int) -> Any:
    if not isinstance(r, RaggedTensor):
        return shaping.squeeze(r, [at])
    if at > 1:
        return r.with_values(_without_axis(r.values, at - 1))
    if at == 0:
        return _only_row(r)
    lengths = np.asarray(r.row_lengths())
    if (lengths != 1).any():
        raise InvalidArgumentError(
            f"Every row must have one element to squeeze axis 1, got {lengths.tolist()}."
        )
    return r.values


def _only_row(r: RaggedTensor) -> Any:
    if count_of_rows(r.row_splits) != 1:
        raise InvalidArgumentError(
            f"Axis 0 can be squeezed where there is one row; there are {count_of_rows(r.row_splits)}."
        )
    return r.values


@answers(shaping.tile)
def _tile(input: RaggedTensor, multiples: Integers, name: str | None = None) -> Any:
    counts = np.asarray(multiples).tolist()
    if len(counts) != rank_of(input):
        raise ValueError(f"tf.tile needs {rank_of(input)} multiples, got {counts}.")
    found: Any = input
    for axis, count in enumerate(counts):
        if axis < input.ragged_rank + 1:
            none = (*[slice(None)] * axis, slice(0, 0))
            found = joining.concat([found] * count, axis) if count else found[none]
    inner = [1, *counts[input.ragged_rank + 1 :]]
    return found if set(inner) == {1} else with_flat(found, lambda v: shaping.tile(v, inner))


@answers(slicing.reverse)
def _reverse(tensor: RaggedTensor, axis: Integers, name: str | None = None) -> Any:
    found: Any = tensor
    for at in np.atleast_1d(np.asarray(axis)).tolist():
        found = _reversed(found, normal_axis(at, rank_of(tensor)))
    return found


def _reversed(r: Any, at: int) -> Any:
    if not isinstance(r, RaggedTensor):
        return slicing.reverse(r, [at])
    if at == 0:
        return take_rows(r, convert(np.arange(count_of_rows(r.row_splits))[::-1].copy()))
    if at > 1:
        return r.with_values(_reversed(r.values, at - 1))
    splits = r.row_splits
    ids = row_ids(splits)
    begin, end = (gathering.gather(s, ids) for s in (splits[:-1], splits[1:]))
    places = begin + end - 1 - cast(convert(np.arange(dims(ids)[0])), splits.dtype)
    return RaggedTensor._of(gathering.gather(r.values, places), splits, r._uniform)


# ---- gathering ----------------------------------------------------------------------------------


@answers(gathering.gather)
def _gather(
    params: Any,
    indices: Any,
    validate_indices: object = None,
    axis: Integers | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    is_dense = isinstance(indices, RaggedTensor) and not isinstance(params, RaggedTensor)
    if is_dense and not batch_dims and axis not in (None, 0):
        return _gather_ragged_along(convert(params), indices, int(np.asarray(axis)))
    if isinstance(indices, RaggedTensor) and not batch_dims and axis in (None, 0):
        return with_flat(indices, lambda flat: gathering.gather(params, flat))
    if batch_dims or (axis is not None and int(np.asarray(axis)) > 0):
        return _gather_within(params, indices, int(batch_dims), axis)
    return _gathered(params, gathering.integers(indices))


def _gather_ragged_along(params: Tensor, indices: RaggedTensor, axis: int) -> Any:
    """Gather elements along an axis of a tensor, at ragged indices: for every index before it."""
    at = normal_axis(axis, len(dims(params)))
    if at == 0:
        return with_flat(indices, lambda flat: gathering.gather(params, flat))
    rows = [_gather_ragged_along(params[i], indices, at - 1) for i in range(_rows_of(params))]
    return factories.stack(rows)


def _gathered(r: RaggedTensor, indices: Tensor) -> Any:
    """Gather rows at indices, whose shape replaces the first axis."""
    rows: Any = _of_any_length(take_rows(r, shaping.reshape(indices, (-1,))))
    if not dims(indices):
        return rows.values
    for length in reversed(dims(indices)[1:]):
        rows = RaggedTensor.from_uniform_row_length(rows, length)
    return rows


def _of_any_length(r: Any) -> Any:
    """The same rows, of which nothing says that they have one length, as in TensorFlow."""
    if not isinstance(r, RaggedTensor):
        return r
    return RaggedTensor._of(_of_any_length(r.values), r.row_splits)


def _gather_within(params: Any, indices: Any, batch_dims: int, axis: Integers | None) -> Any:
    """Gather along a later axis, row by row: each row of the indices from the row of the values."""
    at = batch_dims if axis is None else normal_axis(int(np.asarray(axis)), _depth(params))
    if batch_dims == 0:
        if isinstance(params, RaggedTensor) and at > 1:
            return params.with_values(gathering.gather(params.values, indices, axis=at - 1))
        rows = [gathering.gather(params[i], indices) for i in range(_rows_of(params))]
    else:
        rows = [
            gathering.gather(params[i], indices[i], axis=at - 1, batch_dims=batch_dims - 1)
            for i in range(_rows_of(params))
        ]
    return factories.stack(rows)


def _depth(value: Any) -> int:
    return rank_of(value) if isinstance(value, RaggedTensor) else len(dims(convert(value)))


def _rows_of(value: Any) -> int:
    if isinstance(value, RaggedTensor):
        return count_of_rows(value.row_splits)
    return int(dims(convert(value))[0])


@answers(gathering.gather_nd)
def _gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, **_: Any
) -> Any:
    if batch_dims:
        raise NotImplementedError("tf.gather_nd of ragged tensors with batch_dims: use tf.gather.")
    if isinstance(indices, RaggedTensor):
        return with_flat(indices, lambda flat: gathering.gather_nd(params, flat))
    at = np.asarray(convert(indices))
    if not at.ndim:
        raise InvalidArgumentError(
            "indices must be at least a vector, got shape [] [Op:GatherNd]: write [[0]] for one place."
        )
    found = [params[tuple(i)] for i in at.reshape(-1, at.shape[-1]).tolist()]
    whole = factories.stack(found)
    return whole if at.ndim == 2 else shaping.reshape(whole, [*at.shape[:-1], *dims(whole)[1:]])


@answers(indexing.boolean_mask)
def _boolean_mask(
    tensor: Any, mask: Any, axis: IntLike | None = None, name: str | None = None
) -> Any:
    return factories.boolean_mask(tensor, mask)


@answers(where)
def _where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    if x is None and y is None:
        return indexing.boolean_mask(coordinates(condition), condition.flat_values)
    like = next(v for v in (condition, x, y) if isinstance(v, RaggedTensor))
    if not isinstance(condition, RaggedTensor) and dims(convert(condition)):
        return factories.stack([where(c, x[i], y[i]) for i, c in enumerate(convert(condition))])
    parts = [v if isinstance(v, RaggedTensor) else _spread(like, v) for v in (condition, x, y)]
    first = of_same_rows(of_same_rows(like, parts[1]), parts[2])
    return first.with_flat_values(
        where(parts[0].flat_values, parts[1].flat_values, parts[2].flat_values)
    )


def _spread(like: RaggedTensor, dense: Any) -> RaggedTensor:
    """A dense value in the rows of a ragged tensor."""
    given = convert(dense)
    return elementwise(lambda _, b: shaping.broadcast_to(b, dims(like.flat_values)), like, given)


@answers(partitioning.dynamic_partition)
def _dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Any]:
    if isinstance(partitions, RaggedTensor):
        return partitioning.dynamic_partition(
            data.flat_values, of_same_rows(partitions, data).flat_values, num_partitions
        )
    which = np.asarray(convert(partitions))
    return [
        take_rows(data, convert(np.flatnonzero(which == i))) for i in range(int(num_partitions))
    ]


# ---- sizes --------------------------------------------------------------------------------------


@answers(rank)
def _rank_as_tensor(input: RaggedTensor, name: str | None = None) -> Tensor:
    return convert(rank_of(input))


@answers(size)
def _size(
    input: RaggedTensor, out_type: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    return size(input.flat_values, out_type=as_dtype(out_type or dtypes.int32))


@answers(gathering.one_hot)
def _one_hot(indices: RaggedTensor, *args: Any, axis: IntLike | None = None, **options: Any) -> Any:
    if axis is not None and int(axis) not in (-1, rank_of(indices)):
        raise NotImplementedError("tf.one_hot of a ragged tensor puts the new axis last.")
    return with_flat(indices, lambda flat: gathering.one_hot(flat, *args, **options))


@answers(shape)
def _shape(
    input: RaggedTensor, out_type: DTypeLike | None = None, name: str | None = None
) -> DynamicRaggedShape:
    return DynamicRaggedShape.from_tensor(input, out_type)
