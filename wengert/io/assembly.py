"""The values of features as arrays: one plan for each feature that is expected.

A plan makes arrays of the examples of a batch, or of one example, and composite values of the tensors of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.formats.examples import Feature
from wengert.io.features import (
    RowLengths,
    RowLimits,
    RowSplits,
    RowStarts,
    UniformRowLength,
    ValueRowIds,
)
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values.dtypes import as_dtype, int64
from wengert.values.shapes import TensorShape

INT64: Final = np.dtype(np.int64)
Examples = Sequence[dict[bytes, Feature]]
Forms = list[tuple[Any, Any]]


def values_in(example: dict[bytes, Feature], key: str, dtype: Any, at: int) -> Any:
    """The values of a feature of an example; None if it is missing."""
    found = example.get(key.encode())
    return None if found is None else of_kind(found, key, dtype, at)


def of_kind(found: Feature, key: str, dtype: Any, at: int) -> Any:
    """The values of a feature, which must be of a dtype; None if there is no list of values."""
    if found.kind is None:
        return None
    if found.kind != dtype.name:
        raise InvalidArgumentError(
            f"Key: {key}.  Data types don't match. Expected type: {dtype.spoken}, but example {at} has "
            f"{as_dtype(found.kind).spoken}."
        )
    made = np.empty(len(found.values), dtype.numpy_dtype)
    made[:] = found.values
    return made


class Plan:
    """How a feature becomes tensors."""

    def __init__(self, key: str, dtype: Any) -> None:
        self.key = key
        self.dtype = as_dtype(dtype)
        self.kind = self.dtype.numpy_dtype
        if self.dtype.name not in ("string", "float32", "int64"):
            raise InvalidArgumentError(
                f"The feature {key!r} must be of dtype tf.float32, tf.int64 or tf.string, got {self.dtype}."
            )

    def forms(self, single: bool, count: Any) -> Forms:
        """Shape and dtype of each array."""
        raise NotImplementedError

    def arrays(self, examples: Examples, single: bool) -> list[Any]:
        """The arrays of a batch, or of one example."""
        raise NotImplementedError

    def value(self, tensors: list[Any]) -> Any:
        """What the user gets."""
        return tensors[0]

    def each(self, examples: Examples) -> list[Any]:
        """The values of all examples; none where the feature is missing."""
        none = np.empty(0, self.kind)
        found = [values_in(e, self.key, self.dtype, i) for i, e in enumerate(examples)]
        return [none if values is None else values for values in found]


class Dense(Plan):
    """A shape that all examples have."""

    def __init__(self, key: str, dtype: Any, shape: Any, default: Any) -> None:
        super().__init__(key, dtype)
        known = TensorShape(shape)
        if not known.is_fully_defined():
            raise ValueError(
                f"First dimension of shape for feature {key} unknown. Consider using "
                "FixedLenSequenceFeature."
            )
        self.shape = tuple(known.as_list())
        self.default = None
        if default is not None:
            given = np.asarray(_array(default, self.dtype))
            if given.size != int(np.prod(self.shape)):
                raise InvalidArgumentError(
                    f"The default of feature {key} has shape {given.shape}, not {self.shape}."
                )
            self.default = given.reshape(self.shape)

    def forms(self, single: bool, count: Any) -> Forms:
        """Shape and dtype of the array."""
        return [(self.shape if single else (count, *self.shape), self.kind)]

    def arrays(self, examples: Examples, single: bool) -> list[Any]:
        """All examples, one behind the other."""
        made = np.empty((len(examples), *self.shape), self.kind)
        for at, example in enumerate(examples):
            values = values_in(example, self.key, self.dtype, at)
            if values is None:
                values = self._default(at)
            elif len(values) != int(np.prod(self.shape)):
                raise InvalidArgumentError(
                    f"Key: {self.key}, Index: {at}.  Number of {self.dtype.spoken} values != expected.  "
                    f"Values size: {len(values)} but output shape: {list(self.shape)}"
                )
            made[at] = values.reshape(self.shape)[()]
        return [made[0, ...] if single else made]

    def _default(self, at: int) -> Any:
        if self.default is None:
            raise InvalidArgumentError(
                f"Feature: {self.key} (data type: {self.dtype.spoken}) is required but could not be "
                f"found in example {at}."
            )
        return self.default


def _array(value: Any, dtype: Any) -> Any:
    if dtype.name == "string":
        given = np.asarray(value, object)
        flat = [v.encode() if isinstance(v, str) else v for v in given.ravel().tolist()]
        made = np.empty(len(flat), object)
        made[:] = flat
        return made.reshape(given.shape)
    return np.asarray(value, dtype.numpy_dtype)


class Sequence_(Plan):
    """Pieces of one shape; batches are padded."""

    def __init__(self, key: str, dtype: Any, shape: Any, default: Any) -> None:
        super().__init__(key, dtype)
        self.shape = tuple(TensorShape(shape).as_list())
        nothing: Any = b"" if self.dtype.name == "string" else 0
        self.padding = nothing if default is None else _array(default, self.dtype).reshape(-1)[0]

    def forms(self, single: bool, count: Any) -> Forms:
        """Shape and dtype of the array."""
        return [((None, *self.shape) if single else (count, None, *self.shape), self.kind)]

    def arrays(self, examples: Examples, single: bool) -> list[Any]:
        """All examples, as long as the longest."""
        size = int(np.prod(self.shape))
        rows = self.each(examples)
        for at, row in enumerate(rows):
            if len(row) % max(size, 1):
                raise InvalidArgumentError(
                    f"Key: {self.key}, Index: {at}.  Number of {self.dtype.spoken} values is not a "
                    f"multiple of stride length. Saw {len(row)} values but output shape is: "
                    f"{list(self.shape)}"
                )
        longest = max((len(row) // max(size, 1) for row in rows), default=0)
        made = np.full((len(rows), longest, *self.shape), self.padding, self.kind)
        for at, row in enumerate(rows):
            made[at].reshape(-1)[: len(row)] = row
        return [made[0] if single else made]


class Loose(Plan):
    """Any number of values, as a sparse tensor."""

    def forms(self, single: bool, count: Any) -> Forms:
        """Shapes and dtypes of coordinates, values and shape."""
        rank = 1 if single else 2
        return [((None, rank), INT64), ((None,), self.kind), ((rank,), INT64)]

    def arrays(self, examples: Examples, single: bool) -> list[Any]:
        """Coordinates, values and shape."""
        rows = self.each(examples)
        values = np.concatenate(rows) if rows else np.empty(0, self.kind)
        places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
        indices = np.array(places, np.int64).reshape(-1, 2)
        sizes = np.array([len(rows), max(map(len, rows), default=0)], np.int64)
        return [indices[:, 1:], values, sizes[1:]] if single else [indices, values, sizes]

    def value(self, tensors: list[Any]) -> Any:
        """A sparse tensor."""
        return SparseTensor._of(*tensors)


class Placed(Plan):
    """A sparse tensor, whose places are features, too."""

    def __init__(self, key: str, feature: Any) -> None:
        super().__init__(feature.value_key, feature.dtype)
        keys, sizes = feature.index_key, feature.size
        self.keys = list(keys) if isinstance(keys, (list, tuple)) else [keys]
        self.sizes = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
        if len(self.keys) != len(self.sizes):
            raise ValueError(f"index_key and size of the feature {key} have different lengths.")
        self.sorted = bool(feature.already_sorted)

    def forms(self, single: bool, count: Any) -> Forms:
        """Shapes and dtypes of coordinates, values and shape."""
        rank = len(self.sizes) + (not single)
        return [((None, rank), INT64), ((None,), self.kind), ((rank,), INT64)]

    def arrays(self, examples: Examples, single: bool) -> list[Any]:
        """Coordinates, values and shape."""
        rows = self.each(examples)
        columns = [Loose(key, int64).each(examples) for key in self.keys]
        for at, row in enumerate(rows):
            for column in columns:
                if len(column[at]) != len(row):
                    raise InvalidArgumentError(
                        f"Key: {self.key}: example {at} has {len(row)} values at {len(column[at])} places."
                    )
        numbers = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        parts = [numbers, *[np.concatenate(c) if c else np.empty(0, np.int64) for c in columns]]
        indices = np.column_stack(parts).astype(np.int64)
        values = np.concatenate(rows) if rows else np.empty(0, self.kind)
        if not self.sorted:
            order = np.lexsort(indices.T[::-1])
            indices, values = indices[order], values[order]
        sizes = np.array([len(rows), *self.sizes], np.int64)
        return [indices[:, 1:], values, sizes[1:]] if single else [indices, values, sizes]

    def value(self, tensors: list[Any]) -> Any:
        """A sparse tensor."""
        return SparseTensor._of(*tensors)


class Ragged(Plan):
    """A ragged tensor, whose rows within an example are features, too."""

    def __init__(self, key: str, feature: Any) -> None:
        super().__init__(key if feature.value_key is None else feature.value_key, feature.dtype)
        self.partitions = list(feature.partitions)
        self.splits = as_dtype(feature.row_splits_dtype).numpy_dtype

    def _levels(self, single: bool) -> list[int | None]:
        """For each level of rows its length, where it is the same for all."""
        own = [p.length if isinstance(p, UniformRowLength) else None for p in self.partitions]
        return own if single else [None, *own]

    def forms(self, single: bool, count: Any) -> Forms:
        """Shapes and dtypes of the values and of the splits of each level."""
        ends: Forms = [((None,), self.splits) for _ in self._levels(single)]
        if not single and isinstance(count, int):
            ends[0] = ((count + 1,), self.splits)
        return [((None,), self.kind), *ends]

    def arrays(self, examples: Examples, single: bool) -> list[Any]:
        """The values, and the splits of each level, the outermost first."""
        rows = self.each(examples)
        values = np.concatenate(rows) if rows else np.empty(0, self.kind)
        per_example = [
            self._lengths(e, len(row), at)
            for at, (e, row) in enumerate(zip(examples, rows, strict=True))
        ]
        levels = [
            np.concatenate([np.empty(0, np.int64), *column])
            for column in zip(*per_example, strict=True)
        ]
        if not single:
            tops = [
                lengths[0] if lengths else [len(row)]
                for lengths, row in zip(per_example, rows, strict=True)
            ]
            counts = [len(top) if self.partitions else top[0] for top in tops]
            levels = [np.array(counts, np.int64), *levels]
        ends = [np.concatenate([[0], np.cumsum(lengths)]).astype(self.splits) for lengths in levels]
        return [values, *ends]

    def _lengths(self, example: dict[bytes, Feature], count: int, at: int) -> list[Any]:
        """The lengths of the rows of each level, the outermost first."""
        found = []
        for partition in reversed(self.partitions):
            lengths = self._lengths_by(partition, example, count, at)
            if int(lengths.sum()) != count:
                raise InvalidArgumentError(
                    f"Key: {self.key}: the rows of example {at} have {int(lengths.sum())} values, "
                    f"and there are {count}."
                )
            found.append(lengths)
            count = len(lengths)
        return found[::-1]

    def _lengths_by(self, partition: Any, example: Any, count: int, at: int) -> Any:
        if isinstance(partition, UniformRowLength):
            rows = count // partition.length if partition.length else 0
            return np.full(rows, partition.length, np.int64)
        found = values_in(example, partition.key, int64, at)
        given = np.empty(0, np.int64) if found is None else found
        if isinstance(partition, RowLengths):
            return given
        if isinstance(partition, RowSplits):
            return np.diff(given)
        if isinstance(partition, RowStarts):
            return np.diff(np.append(given, count)) if len(given) else given
        if isinstance(partition, RowLimits):
            return np.diff(np.concatenate([[0], given]))
        assert isinstance(partition, ValueRowIds)
        return np.bincount(given, minlength=0).astype(np.int64) if len(given) else given

    def value(self, tensors: list[Any]) -> Any:
        """A ragged tensor; a vector if there are no rows."""
        values, *ends = tensors
        uniform = self._levels(len(ends) == len(self.partitions))
        for splits, length in zip(ends[::-1], uniform[::-1], strict=True):
            values = RaggedTensor._of(values, splits, length)
        return values
