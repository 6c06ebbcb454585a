"""Functions of tf.ragged: creation from lists and ranges, concatenation, maps and masks."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.errors import noted
from wengert.inference.public_functions import deferrable, nameable
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import concat as concat_dense
from wengert.ops.arrays.shaping import expand_dims, reshape, static
from wengert.ops.math.arithmetic import add_n
from wengert.ops.math.elementwise import cast
from wengert.ops.ragged.conversions import from_tensor
from wengert.ops.ragged.indexing import take, take_rows
from wengert.ops.ragged.operators import of_same_rows
from wengert.ops.ragged.places import RANGE, count_of_rows, from_lengths, row_ids, splits_of
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.reductions.sorting import argsort
from wengert.ops.sparse.places import places_where
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import normal_axis
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import DTypeLike, Integers, IntLike, TensorLike

# ---- from Python's lists ----------------------------------------------------------------------


def constant(
    pylist: Any,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """A ragged tensor from a nested list whose parts may differ in length.

    >>> tf.ragged.constant([[1, 2], [], [3]])
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    kind = None if dtype is None else as_dtype(dtype)
    if isinstance(pylist, np.ndarray):
        pylist = pylist.tolist()
    depth = _depth(pylist)
    inner = () if inner_shape is None else tuple(inner_shape)
    rank = ragged_rank
    if rank is None:
        rank = max(depth - 1 - len(inner), 0)
    if rank == 0:
        return convert(pylist, kind)
    splits, flat = [], list(pylist)
    for _ in range(rank):
        if any(not isinstance(part, (list, tuple, np.ndarray)) for part in flat):
            text = "all scalar values must have the same nesting depth"
            raise noted(ValueError(text), f"They are {reprlib.repr(pylist)}.")
        splits.append(np.cumsum([0, *map(len, flat)]))
        flat = [value for part in flat for value in part]
    values: Any = _flat_constant(flat, kind, inner)
    for ends in splits[::-1]:
        values = RaggedTensor._of(values, convert(ends, as_dtype(row_splits_dtype)))
    return values


def _flat_constant(flat: list[Any], kind: DType | None, inner: tuple[int, ...]) -> Tensor:
    if flat:
        return convert(flat, kind)
    return convert(np.zeros((0, *inner), (kind or dtypes.float32).as_numpy_dtype))


def _depth(value: TensorLike) -> int:
    if not isinstance(value, (list, tuple, np.ndarray)):
        return 0
    return 1 + max((_depth(part) for part in value), default=0)


# The dtypes of numbers in ragged ranges, which take the last one of theirs.
_WIDER: Final = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


@deferrable
def _ranges(
    starts: TensorLike,
    limits: TensorLike | None,
    deltas: TensorLike,
    dtype: DTypeLike | None,
    splits_dtype: Any,
) -> RaggedTensor:
    if limits is None:
        starts, limits = convert(starts) * 0, starts
    given = [convert(p) for p in (starts, limits, deltas)]
    if dtype is not None:
        kind = as_dtype(dtype)
    elif all(p.dtype in _WIDER for p in given):
        kind = max((p.dtype for p in given), key=_WIDER.index)
    else:
        kind = given[0].dtype
    splits, values = apply(RANGE, tuple([cast(p, kind) for p in given]))
    return RaggedTensor._of(values, cast(splits, as_dtype(splits_dtype)))


def range_(
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """A row of numbers for each start, limit and step.

    >>> tf.ragged.range([2, 0, 3])
    <tf.RaggedTensor [[0, 1], [], [0, 1, 2]]>
    """
    return _ranges(starts, limits, deltas, dtype, row_splits_dtype)


# ---- on the values ----------------------------------------------------------------------------


_UNLIKE = "RowPartition._merge_precomputed_encodings: partitions have incompatible row_splits"


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Apply a function to the innermost values; all ragged arguments must have the same rows.

    >>> r = tf.ragged.constant([[1.0, 4.0], [9.0]])
    >>> tf.ragged.map_flat_values(tf.sqrt, r)
    <tf.RaggedTensor [[1.0, 2.0], [3.0]]>
    """
    found = [v for v in (*args, *kwargs.values()) if isinstance(v, RaggedTensor)]
    fitting = {id(v): of_same_rows(v, found[0], _UNLIKE).flat_values for v in found}
    plain = [fitting.get(id(v), v) for v in args]
    named = {k: fitting.get(id(v), v) for k, v in kwargs.items()}
    result = op(*plain, **named)
    if not found:
        return result
    made, wanted = convert(result), found[0].flat_values.shape[:1]
    if not made.shape[:1].is_compatible_with(wanted):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same "
            "outer-dimension size as flat_values of any ragged inputs. "
            f"(output shape: {made.shape}; expected outer dimension size: {wanted})"
        )
    return found[0].with_flat_values(made)


# ---- masks ------------------------------------------------------------------------------------


@deferrable
def boolean_mask(data: TensorLike, mask: TensorLike, name: str | None = None) -> Any:
    """Keep the elements where the mask is true, row by row.

    >>> tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    <tf.RaggedTensor [[1], [3, 4]]>
    """
    where_true = mask if isinstance(mask, RaggedTensor) else convert(mask)
    values = data if isinstance(data, RaggedTensor) else convert(data)
    if not isinstance(where_true, RaggedTensor):
        if len(dims(where_true)) == 1:
            return take(values, places_where(where_true))
        where_true = from_tensor(where_true)
    if not isinstance(values, RaggedTensor):
        values = from_tensor(values, ragged_rank=where_true.ragged_rank)
    return _masked(values, where_true)


def _masked(values: RaggedTensor, mask: RaggedTensor) -> RaggedTensor:
    inner = mask.values
    if isinstance(inner, RaggedTensor):
        return values.with_values(_masked(values.values, inner))
    if len(dims(inner)) > 1:
        return values.with_values(_masked(from_tensor(values.values), from_tensor(inner)))
    kept = places_where(inner)
    rows = take(row_ids(mask.row_splits), kept)
    splits = splits_of(rows, count_of_rows(mask.row_splits), mask.row_splits.dtype)
    return RaggedTensor._of(take(values.values, kept), splits)


# ---- rows and splits --------------------------------------------------------------------------


@deferrable
def row_splits_to_segment_ids(
    splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None
) -> Tensor:
    """The row of each value, from row splits.

    >>> tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
    [0, 0, 2]
    """
    given = convert(splits, hint=dtypes.int64)
    return cast(row_ids(given), given.dtype if out_type is None else as_dtype(out_type))


@deferrable
def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Row splits, from the row of each value.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
    [0, 2, 2, 3]
    """
    ids = convert(segment_ids, hint=dtypes.int64)
    if num_segments is None:
        known = static(ids)
        num_segments = int(known[-1]) + 1 if len(known) else 0
    kind = ids.dtype if out_type is None else as_dtype(out_type)
    return splits_of(ids, int(static(num_segments)), kind)


# ---- stacking and concatenation ---------------------------------------------------------------


def _ragged(value: TensorLike) -> Tensor | RaggedTensor:
    return value if isinstance(value, RaggedTensor) else convert(value)


def _rank(value: Any) -> int:
    ragged = isinstance(value, RaggedTensor)
    return value.ragged_rank + len(dims(value.flat_values)) if ragged else len(dims(value))


def _as_ragged(value: RaggedTensor | Tensor, rank: int) -> RaggedTensor:
    return value if isinstance(value, RaggedTensor) else from_tensor(value, ragged_rank=rank)


@deferrable
def stack(values: TensorLike, axis: int = 0, name: str | None = None) -> Any:
    """Stack tensors of different lengths as the rows of a ragged tensor.

    >>> tf.ragged.stack([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    given = [_ragged(v) for v in (values if isinstance(values, (list, tuple)) else [values])]
    rank = _rank(given[0])
    at = normal_axis(int(axis), rank + 1)
    if at == 0:
        return _stacked(given)
    if at == 1 and rank > 1:
        rows = [_as_ragged(v, 1) for v in given]
        return concat([_each_a_row(r) for r in rows], 1)
    if rank == 1:
        return from_tensor(concat_dense([expand_dims(v, 1) for v in given], 1))
    raise NotImplementedError("tf.ragged.stack along an axis beyond the first two.")


def _each_a_row(r: RaggedTensor) -> RaggedTensor:
    """Every row in a row of its own."""
    ends = np.arange(count_of_rows(r.row_splits) + 1, dtype=np.int64)
    return RaggedTensor._of(r, convert(ends, r.row_splits.dtype), 1)


def _stacked(given: list[Any]) -> Any:
    if _rank(given[0]) == 0:
        return convert(given)
    lengths = [
        count_of_rows(v.row_splits) if isinstance(v, RaggedTensor) else dims(v)[0] for v in given
    ]
    values = concat(given, 0) if len(given) > 1 else given[0]
    return RaggedTensor._of(values, from_lengths(convert(lengths, dtypes.int64)))


@deferrable
def concat(values: Iterable[TensorLike], axis: Integers, name: str | None = None) -> Any:
    """Concatenate ragged tensors along their rows, or row by row."""
    given = [_ragged(v) for v in values]
    rank = max(_rank(v) for v in given)
    at = normal_axis(int(static(axis)), rank)
    if not any(isinstance(v, RaggedTensor) for v in given):
        return _joined_dense(given, at)
    if at == 0:
        deepest = max(v.ragged_rank for v in given if isinstance(v, RaggedTensor))
        return _below([_as_ragged(v, deepest) for v in given])
    rows = [_as_ragged(v, 1) for v in given]
    if at > 1:
        return rows[0].with_values(concat([r.values for r in rows], at - 1))
    return _side_by_side(rows)


def _joined_dense(given: list[Any], at: int) -> Tensor | RaggedTensor:
    if at == 0 or len({tuple(dims(v)[:at]) for v in given}) == 1:
        return concat_dense(given, at)
    return _side_by_side([from_tensor(v) for v in given])


def _below(rows: list[RaggedTensor]) -> RaggedTensor:
    lengths = concat_dense([r.row_lengths() for r in rows], 0)
    return RaggedTensor._of(concat([r.values for r in rows], 0), from_lengths(lengths))


def _side_by_side(rows: list[RaggedTensor]) -> RaggedTensor:
    """Concatenate row by row: stack all rows, then join those that belong together."""
    count, size = count_of_rows(rows[0].row_splits), len(rows)
    order = reshape(convert(np.arange(count * size).reshape(size, count).T.copy()), (-1,))
    together = take_rows(_below(rows), order)
    splits = add_n([r.row_splits for r in rows])  # where a row ends, all rows before it have ended
    return RaggedTensor._of(together.values, splits)


@nameable
def stack_dynamic_partitions(
    data: TensorLike, partitions: TensorLike, num_partitions: IntLike, name: str | None = None
) -> RaggedTensor:
    """The parts of `tf.dynamic_partition` as the rows of one ragged tensor.

    >>> tf.ragged.stack_dynamic_partitions([1, 2, 3], [1, 0, 1], 3)
    <tf.RaggedTensor [[2], [1, 3], []]>
    """
    values, which = _ragged(data), convert(partitions)
    rows = reshape(which, (-1,))
    order = argsort(rows, stable=True)
    flat = (
        reshape(values, (-1, *dims(values)[len(dims(which)) :]))
        if isinstance(values, Tensor)
        else values
    )
    taken = take_rows(flat, order) if isinstance(flat, RaggedTensor) else gather(flat, order)
    kind = which.dtype if which.dtype is dtypes.int32 else dtypes.int64
    splits = splits_of(gather(rows, order), int(num_partitions), kind)
    return RaggedTensor._of(taken, splits)
