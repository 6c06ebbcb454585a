"""What row partitions must be: checked at once where they are known, else when the graph runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.context import current_graph
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.inference.symbolic_integers import integers_of
from wengert.ops.math.comparison import equal, greater_equal, logical_and
from wengert.ops.ragged.places import count_of_rows
from wengert.ops.reductions.reductions import reduce_all
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.sizes import Size
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.ops.ragged.tensor import RaggedTensor
    from wengert.values.typing import Array


def known_length(rows: Tensor | RaggedTensor) -> int:
    """The number of values; a term where only a run knows it."""
    splits = getattr(rows, "row_splits", None)
    return int(dims(rows)[0]) if splits is None else count_of_rows(splits)


@deferrable
def length_of(rows: Tensor | RaggedTensor, like: Tensor) -> Tensor:
    """The number of values, as an array of one element and of the dtype of another."""
    return convert([known_length(rows)], like.dtype)


def checked_splits(rows: Tensor | RaggedTensor, splits: Tensor) -> Tensor:
    """The splits, after a check that they fit the values, at run time if need be."""
    splits.shape.assert_has_rank(1)
    known = known_splits(splits)
    if known is None:
        if isinstance(splits, SymbolicTensor):
            return bound.provided(splits, _fit(splits, rows), _FITS)
        return splits
    if not len(known):
        raise InvalidArgumentError(f"{_INVALID}: row_splits must not be empty.")
    if known[0] != 0:
        raise InvalidArgumentError(f"{_INVALID}: row_splits begins with {known[0]}, not with 0.")
    if (np.diff(known) < 0).any():
        raise InvalidArgumentError(f"{_INVALID}: row_splits {known.tolist()} falls.")
    size = rows.shape[0] if rows.shape.rank else None
    if size is not None and size != known[-1]:
        raise InvalidArgumentError(
            f"{_INVALID}: row_splits ends with {known[-1]}, but there are {size} values."
        )
    if size is None and current_graph() is not None:
        return bound.provided(splits, equal(splits[-1], length_of(rows, splits)[0]), _FITS)
    return splits


def known_splits(splits: Tensor) -> Array | None:
    """The splits, if they are known statically and are the same for all examples of a batch."""
    if isinstance(splits, SymbolicTensor):
        found = integers_of(splits)
        if found is None or any(type(v) is Size for v in found.ravel().tolist()):
            return None
        return found.astype(np.int64)
    return np.asarray(splits) if isinstance(splits._array, (np.ndarray, np.generic)) else None


def _fit(splits: Tensor, rows: Tensor | RaggedTensor) -> Tensor:
    """Whether splits begin with 0, never fall, and end with the number of values."""
    ends = logical_and(equal(splits[0], 0), equal(splits[-1], length_of(rows, splits)[0]))
    return logical_and(ends, reduce_all(greater_equal(splits[1:], splits[:-1])))


# ---- row ids ----------------------------------------------------------------------------------


def checked_row_ids(rows: Tensor | RaggedTensor, ids: Tensor, nrows: Any, validate: bool) -> Tensor:
    """The row of each value, after a check that they ascend and that there are so many rows."""
    ids.shape.assert_has_rank(1)
    known = known_splits(ids)
    if nrows is not None:
        _check_count(nrows, known)
    if not validate:
        return ids
    if known is None:
        return _provided(ids) if isinstance(ids, SymbolicTensor) else ids
    size = rows.shape[0] if rows.shape.rank else None
    if rows.shape.rank == 0 or size not in (None, len(known)):
        raise InvalidArgumentError(
            f"{_INVALID}: there are {len(known)} value_rowids for values of shape {rows.shape}."
        )
    if (known < 0).any() or (np.diff(known) < 0).any():
        raise InvalidArgumentError(
            f"{_INVALID}: value_rowids {known.tolist()} must not be negative, and must ascend."
        )
    return ids


def _check_count(nrows: Any, ids: Array | None) -> None:
    """The number of rows: one number, and more than the last row id."""
    count = convert(nrows)
    count.shape.assert_has_rank(0)
    known = known_splits(count)
    if known is None:
        return
    if known < 0:
        raise ValueError(f"Expected nrows >= 0; got {known}")
    if ids is not None and ids.size and known <= ids[-1]:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={known}, value_rowids[-1]={ids[-1]}"
        )


def _provided(ids: Tensor) -> Tensor:
    ascending = logical_and(
        reduce_all(greater_equal(ids[1:], ids[:-1])), reduce_all(greater_equal(ids, 0))
    )
    text = f"{_INVALID}: value_rowids must not be negative, and must ascend."
    found: Tensor = bound.provided(ids, ascending, text)
    return found


_INVALID = "Arguments to _from_row_partition do not form a valid RaggedTensor"
_FITS = f"{_INVALID}: row_splits must begin with 0, never fall, and end with the number of values."
