"""RowPartition: which values are in which row, without the values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wengert.ops.arrays.creation import range_, zeros
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import concat
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int64
from wengert.values.shapes import TensorShape

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.tensor import Tensor
    from wengert.values.typing import DTypeLike, IntLike, TensorLike


class RowPartition(Composite):
    """A division of a sequence of values into rows.

    >>> p = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    >>> p.row_splits().numpy().tolist(), p.value_rowids().numpy().tolist()
    ([0, 2, 2, 3], [0, 0, 2])
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: RaggedTensor) -> None:
        self._rows = rows  # its values are not used

    @classmethod
    def of(cls, row_splits: Tensor, uniform: int | None = None) -> RowPartition:
        """From row splits that are known to be right."""
        return cls(RaggedTensor._of(row_splits, row_splits, uniform))

    @classmethod
    def from_row_splits(
        cls, row_splits: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Row i has the values from row_splits[i] to row_splits[i + 1]."""
        splits = convert(row_splits, hint=int64 if dtype is None else as_dtype(dtype))
        values = zeros(splits[-1:] if validate else [0])
        return cls.of(RaggedTensor.from_row_splits(values, splits, validate=validate).row_splits)

    @classmethod
    def from_row_lengths(
        cls,
        row_lengths: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike = int64,
    ) -> RowPartition:
        """Row i has row_lengths[i] values."""
        lengths = convert(row_lengths, hint=as_dtype(dtype or dtype_hint))
        return cls.of(RaggedTensor.from_row_lengths([], lengths, validate=False).row_splits)

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: TensorLike,
        nrows: IntLike | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike = int64,
    ) -> RowPartition:
        """Value i is in row value_rowids[i]; the row ids ascend."""
        ids = convert(value_rowids, hint=as_dtype(dtype or dtype_hint))
        return cls.of(RaggedTensor.from_value_rowids(ids, ids, nrows, validate=validate).row_splits)

    @classmethod
    def from_row_starts(
        cls,
        row_starts: TensorLike,
        nvals: IntLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
    ) -> RowPartition:
        """Row i begins with value row_starts[i]; the last ends with the last value."""
        starts = convert(row_starts, hint=as_dtype(dtype or int64))
        ends = concat([starts, [convert(nvals, starts.dtype)]], 0)
        return cls.from_row_splits(ends, validate, dtype)

    @classmethod
    def from_row_limits(
        cls, row_limits: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Row i ends before value row_limits[i]."""
        limits = convert(row_limits, hint=as_dtype(dtype or int64))
        return cls.from_row_splits(concat([zeros([1], limits.dtype), limits], 0), validate, dtype)

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: IntLike,
        nvals: IntLike | None = None,
        nrows: IntLike | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
    ) -> RowPartition:
        """All rows have the same number of values."""
        if nvals is None and nrows is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        length = convert(uniform_row_length, hint=as_dtype(dtype or int64))
        count = length * nrows if nvals is None else convert(nvals, length.dtype)
        rows = RaggedTensor.from_uniform_row_length(zeros([count]), length, nrows, validate)
        return cls.of(rows.row_splits, rows._uniform)

    # ---- what it says ------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of splits, lengths and row ids."""
        return self._rows.row_splits.dtype

    def row_splits(self) -> Tensor:
        """Where each row begins and ends."""
        return self._rows.row_splits

    def row_lengths(self) -> Tensor:
        """The number of values of each row."""
        return self._rows.row_lengths()  # type: ignore[no-any-return]

    def value_rowids(self) -> Tensor:
        """The row of each value."""
        return self._rows.value_rowids()

    def row_starts(self) -> Tensor:
        """Where each row begins."""
        return self._rows.row_starts()

    def row_limits(self) -> Tensor:
        """Where each row ends."""
        return self._rows.row_limits()

    def nrows(self) -> Tensor:
        """The number of rows."""
        return self._rows.nrows()

    def nvals(self) -> Tensor:
        """The number of values in all rows."""
        return self.row_splits()[-1]

    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows, if it is known to be the same; None otherwise."""
        return self._rows.uniform_row_length

    def offsets_in_rows(self) -> Tensor:
        """The place of each value in its row."""
        rows = self.value_rowids()
        return range_(self.nvals()) - gather(self.row_starts(), rows)

    def is_uniform(self) -> bool:
        """Whether it is known that all rows are of one length."""
        return self._rows._uniform is not None

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows as a Python integer; None if it is not known."""
        return self._rows._uniform

    @property
    def static_nrows(self) -> int | None:
        """The number of rows as a Python integer; None if it is not known."""
        splits: TensorShape = self.row_splits().shape
        return None if splits.rank is None or splits[0] is None else splits[0] - 1

    @property
    def static_nvals(self) -> int | None:
        """The number of values as a Python integer; None if it is not known."""
        if hasattr(self.row_splits(), "numpy"):
            return int(self.row_splits()[-1])
        count, length = self.static_nrows, self._rows._uniform
        return None if count is None or length is None else count * length

    def with_dtype(self, dtype: DTypeLike) -> RowPartition:
        """The same rows with splits of int32 or int64."""
        return RowPartition(self._rows.with_row_splits_dtype(dtype))

    def _parts(self) -> list[Any]:
        return [self.row_splits()]

    def _with_parts(self, tensors: Iterator[Any]) -> RowPartition:
        return RowPartition.of(next(tensors), self._rows._uniform)

    def __repr__(self) -> str:
        if self.is_uniform():
            return f"tf.RowPartition(nrows={self.static_nrows}, uniform_row_length={self._rows._uniform})"
        return f"tf.RowPartition(row_splits={self.row_splits()!r})"
