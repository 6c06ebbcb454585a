"""Indexing of ragged tensors: rows, slices of rows, the same slice of every row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.indexing import integer_index
from wengert.ops.ragged.places import CUT, ROWS, count_of_rows
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.values.convert import convert

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, TensorLike


@deferrable
def getitem(self: RaggedTensor, key: Any) -> Any:
    """r[i], r[a:b], r[i, j], r[:, a:b]."""
    parts = tuple(key) if isinstance(key, (tuple, list)) else (key,)
    if Ellipsis in [p for p in parts if p is Ellipsis]:
        rank = self.flat_values.shape.rank
        if rank is None:
            raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
        parts = _without_ellipsis(parts, self.ragged_rank + rank)
    return _picked(self, parts)


def _without_ellipsis(parts: tuple[Any, ...], rank: int) -> tuple[Any, ...]:
    at = [p is Ellipsis for p in parts].index(True)
    others = sum(p is not None for p in parts) - 1  # a new axis takes none of those there are
    return (*parts[:at], *[slice(None)] * (rank - others), *parts[at + 1 :])


def _picked(r: Any, parts: tuple[Any, ...]) -> Any:
    if not parts:
        return r
    if not isinstance(r, RaggedTensor):
        return r[parts]
    first, *rest = parts
    if isinstance(first, slice):
        return _cut(_rows(r, first), tuple(rest))
    if first is None:
        return _cut(as_one_row(r), tuple(rest))
    return _picked(_row(r, int(integer_index(first))), tuple(rest))


def as_one_row(r: RaggedTensor) -> RaggedTensor:
    """The ragged tensor with an axis before all others."""
    count = count_of_rows(r.row_splits)
    return RaggedTensor._of(r, convert([0, count], r.row_splits.dtype), count)


def _row(r: RaggedTensor, index: int) -> Any:
    count = count_of_rows(r.row_splits)
    if index >= count:
        raise IndexError(f"Row key {index} out of bounds")
    if index < -count:
        raise InvalidArgumentError(
            f"slice index {index} of dimension 0 out of bounds. [Op:StridedSlice]"
        )
    at = index % count
    begin, end = int(r.row_splits[at]), int(r.row_splits[at + 1])
    return r.values[begin:end]


def _rows(r: RaggedTensor, key: slice) -> RaggedTensor:
    if key == slice(None):
        return r
    rows = np.arange(count_of_rows(r.row_splits))[_plain(key)]
    return take_rows(r, rows)


def take_rows(r: RaggedTensor, rows: Tensor | Array) -> RaggedTensor:
    """Some rows, in any order."""
    places, splits = apply(ROWS, (r.row_splits, convert(rows)))
    return RaggedTensor._of(take(r.values, places), splits, r._uniform)


def take(values: TensorLike, places: Tensor) -> Tensor | RaggedTensor:
    """Some values, which may be rows."""
    return take_rows(values, places) if isinstance(values, RaggedTensor) else gather(values, places)


def _cut(r: RaggedTensor, rest: tuple[Any, ...]) -> RaggedTensor:
    """The same slice of every row."""
    if not rest:
        return r
    first, *deeper = rest
    if not isinstance(first, slice):
        if r._uniform is None:
            raise ValueError("Cannot index into an inner ragged dimension.")
        raise NotImplementedError("Indexing every row: use r.to_tensor()[:, i].")
    if first != slice(None):
        cut = _plain(first)
        attrs = {"cut": (cut.start, cut.stop, cut.step)}
        places, splits = apply(CUT, (r.row_splits,), attrs)
        r = RaggedTensor._of(take(r.values, places), splits)
    inner = r.values
    if not deeper:
        return r
    if isinstance(inner, RaggedTensor):
        return r.with_values(_cut(inner, tuple(deeper)))
    return r.with_values(inner[tuple([slice(None), *deeper])])


def _plain(key: slice) -> slice:
    return slice(
        *[p if p is None else int(integer_index(p)) for p in (key.start, key.stop, key.step)]
    )
