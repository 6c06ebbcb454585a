"""What is expected in examples: how the values of a feature become tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from wengert.values.dtypes import int32


class VarLenFeature(NamedTuple):
    """Any number of values, as a sparse tensor.

    >>> tf.io.VarLenFeature(tf.int64).dtype
    tf.int64
    """

    dtype: Any


class FixedLenFeature(NamedTuple):
    """As many values as a shape has places, as a dense tensor; the default where the feature is missing.

    >>> tf.io.FixedLenFeature([2], tf.float32).shape
    [2]
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """Any number of pieces of one shape, as a dense tensor that is padded in batches.

    >>> tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True).allow_missing
    True
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A sparse tensor, whose places and values are two features.

    >>> tf.io.SparseFeature("at", "values", tf.float32, size=100).size
    100
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class RowSplits(NamedTuple):
    """The ends of rows are a feature."""

    key: str


class RowLengths(NamedTuple):
    """The lengths of rows are a feature."""

    key: str


class RowStarts(NamedTuple):
    """The beginnings of rows are a feature."""

    key: str


class RowLimits(NamedTuple):
    """The ends of rows are a feature, without the zero before them."""

    key: str


class ValueRowIds(NamedTuple):
    """The rows of values are a feature."""

    key: str


class UniformRowLength(NamedTuple):
    """All rows have one length."""

    length: int


_PARTITIONS = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)


class _RaggedFeature(NamedTuple):
    dtype: Any
    value_key: str | None = None
    partitions: Sequence[Any] = ()
    row_splits_dtype: Any = int32
    validate: bool = False


class RaggedFeature(_RaggedFeature):
    """Any number of values, as a ragged tensor; the rows within an example are features of their own.

    >>> tf.io.RaggedFeature(tf.int64, "words").value_key
    'words'
    """

    __slots__ = ()

    RowSplits = RowSplits
    RowLengths = RowLengths
    RowStarts = RowStarts
    RowLimits = RowLimits
    ValueRowIds = ValueRowIds
    UniformRowLength = UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = int32,
        validate: bool = False,
    ) -> RaggedFeature:
        """A feature whose partitions are checked."""
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"value_key must be a string; got {value_key!r}")
        if isinstance(partitions, _PARTITIONS):
            partitions = (partitions,)
        for part in partitions:
            if not isinstance(part, _PARTITIONS):
                raise TypeError(
                    f"partitions must be a list of partition objects (RaggedFeature.RowSplits, ...); got {part!r}"
                )
        return super().__new__(cls, dtype, value_key, tuple(partitions), row_splits_dtype, validate)
