"""Bookkeeping for ragged tensors: which value is in which row. All of it is on integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.gathering import unsorted_segment_sum
from wengert.ops.arrays.joining import concat
from wengert.ops.math.elementwise import cast, ones_like
from wengert.ops.reductions.cumulative import cumsum
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.ops.ragged.tensor import RaggedTensor
    from wengert.values.dtypes import DType
    from wengert.values.typing import Array, Namespace, NumpyDType


def _row_ids_kernel(_: Namespace, splits: Array) -> Array:
    """The row of each value."""
    return np.repeat(np.arange(len(splits) - 1, dtype=splits.dtype), np.diff(splits))


def _places_kernel(_: Namespace, splits: Array, *, width: int | None) -> Array:
    """For each element of a dense matrix the index of its value; past the last for padding."""
    lengths = np.diff(splits)
    size = int(lengths.max(initial=0)) if width is None else width
    column = np.arange(size, dtype=splits.dtype)
    return np.where(column < lengths[:, None], splits[:-1, None] + column, splits[-1])


def _rows_kernel(_: Namespace, splits: Array, rows: Array) -> list[Any]:
    """The indices of the values of some rows, and the splits of these rows."""
    count = len(splits) - 1
    wrong = (rows < 0) | (rows >= count)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InvalidArgumentError(
            f"indices[{place}] = {rows[place]} is not in [0, {count}) [Op:GatherV2]"
        )
    first = splits[:-1][rows]
    lengths = splits[1:][rows] - first
    ends = np.append(0, np.cumsum(lengths))
    places = np.arange(ends[-1]) + np.repeat(first - ends[:-1], lengths)
    return [places.astype(splits.dtype), ends.astype(splits.dtype)]


def _cut_kernel(_: Namespace, splits: Array, *, cut: tuple[Any, Any, Any]) -> list[Any]:
    """The indices of the values in the same slice of every row, and the new splits."""
    key = slice(*cut)
    rows = zip(splits[:-1].tolist(), splits[1:].tolist(), strict=True)
    return _listed([np.arange(a, b)[key] for a, b in rows], splits.dtype)


def _listed(parts: list[Any], dtype: NumpyDType) -> list[Any]:
    ends = np.cumsum([0, *map(len, parts)])
    places = np.concatenate([np.zeros(0, np.int64), *parts])
    return [places.astype(dtype), ends.astype(dtype)]


def _range_kernel(_: Namespace, starts: Array, limits: Array, deltas: Array) -> list[Any]:
    """A row of numbers for each start and limit; and the row splits."""
    if not np.all(deltas):
        raise InvalidArgumentError("Requires delta != 0 [Op:RaggedRange]")
    each = np.broadcast_arrays(starts, limits, deltas)
    first, last, step = (np.atleast_1d(e) for e in each)
    lengths = _lengths(first, last, step)
    ends = np.append(0, np.cumsum(lengths))
    if starts.dtype.kind != "i":
        return [ends, _summed_up(first, step, lengths)]
    column = (np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)).astype(starts.dtype)
    return [ends, np.repeat(first, lengths) + column * np.repeat(step, lengths)]


def _lengths(first: Array, last: Array, step: Array) -> Array:
    """How many numbers lie from the first to before the last one."""
    if first.dtype.kind == "i":
        wide = object if _is_far(first, last) else np.int64
        first, last, step = (x.astype(wide) for x in (first, last, step))
        return np.maximum(-((first - last) // step), 0).astype(np.int64)
    count = np.ceil((last - first) / step)
    if not (count < _ENDLESS).all():
        raise InvalidArgumentError(
            "Requires ((limit - start) / delta) <= 9223372036854775807 [Op:RaggedRange]"
        )
    return np.maximum(count, 0).astype(np.int64)


_ENDLESS: Final = float(1 << 63)


def _is_far(first: Array, last: Array) -> bool:
    """Whether there are integers whose difference may be too large."""
    return first.dtype.itemsize == 8 and any(
        np.abs(x >> 1).max(initial=0) >> 61 for x in (first, last)
    )


def _summed_up(first: Array, step: Array, lengths: Array) -> Array:
    """The numbers of rows, each the one before it and a step, rounded as TensorFlow rounds them."""
    longest = int(lengths.max(initial=0))
    if len(lengths) * longest > _PADDED * (int(lengths.sum()) + len(lengths)):
        rows = zip(first[:, None], step[:, None], lengths[:, None], strict=True)
        return np.concatenate([_summed_up(*row) for row in rows])
    table = np.repeat(step[:, None], max(longest, 1), axis=1)
    table[:, 0] = first
    np.cumsum(table, axis=1, out=table)
    return table[np.arange(table.shape[1]) < lengths[:, None]]


_PADDED: Final = 8  # elements of a table for each number, beyond which rows are summed one by one


ROW_IDS: Row = op("RaggedRowIds", _row_ids_kernel, by_value=True)
PLACES: Row = op("RaggedPlaces", _places_kernel, by_value=True)
ROWS: Row = op("RaggedRows", _rows_kernel, many=True, by_value=True)
CUT: Row = op("RaggedCut", _cut_kernel, many=True, by_value=True)
RANGE: Row = op(
    "RaggedRange",
    _range_kernel,
    many=True,
    forms=lambda xs, attrs: [
        ((None,), np.dtype(np.int64)),
        ((None,), xs[0]._array.dtype),
    ],
)


def row_ids(splits: Tensor) -> Tensor:
    """The row of each value, from row splits."""
    found: Tensor = apply(ROW_IDS, (splits,))
    return found


def splits_of(ids: Tensor | RaggedTensor, count: int, dtype: DType) -> Tensor:
    """Row splits, from the row of each value."""
    lengths = unsorted_segment_sum(ones_like(cast(ids, dtype)), ids, count)
    return from_lengths(lengths)


def from_lengths(lengths: Tensor) -> Tensor:
    """Row splits, from row lengths."""
    nothing = np.zeros(1, lengths.dtype.as_numpy_dtype)
    return concat([nothing, cumsum(lengths)], 0)


def count_of_rows(splits: Tensor) -> int:
    """The number of rows that row splits describe; a term where only a run knows it."""
    return dims(splits)[0] - 1
