"""Batches divided among replicas: in the order of the examples, in parts as even as can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wengert.distribute.values import DistributedValues
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.creation import shape
from wengert.ops.math.arithmetic import minimum
from wengert.values import nest
from wengert.values.tensor import Tensor


def part_of(batch: Any, at: int, count: int) -> Any:
    """The part of one of `count` replicas of a batch, nested as the batch is."""
    return nest.map_structure(lambda x: _rows(x, at, count), batch)


def _rows(x: Tensor, at: int, count: int) -> Any:
    if x.shape.rank == 0:
        raise InvalidArgumentError(
            f"A batch is divided among {count} replicas along its first axis, and {x!r} has none: "
            "call dataset.batch(size) first."
        )
    size = None if x.shape.rank is None else x.shape[0]
    if size is not None:
        small, more = divmod(size, count)
        start = at * small + min(at, more)
        return x[start : start + small + (at < more)]
    rows = shape(x)[0]
    each, rest = rows // count, rows % count
    begin, end = (each * i + minimum(i, rest) for i in (at, at + 1))
    return x[begin:end]


class DistributedDataset:
    """The batches of a dataset, each divided among the replicas: see `experimental_distribute_dataset`."""

    def __init__(self, dataset: Any, parts: range, count: int) -> None:
        self._dataset = dataset
        self._parts, self._count = parts, count
        self._divided = dataset.map(
            lambda *batch: tuple(
                part_of(batch[0] if len(batch) == 1 else batch, at, count) for at in parts
            )
        )

    @property
    def element_spec(self) -> Any:
        """The specs of the batches, before they are divided."""
        return self._dataset.element_spec

    @property
    def cardinality(self) -> Any:
        """How many batches there are."""
        return self._dataset.cardinality()

    def __len__(self) -> int:
        return len(self._dataset)

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(iter(self._divided))

    def _in_rounds(self) -> tuple[Any, Any]:
        return iter(self)._in_rounds()


class DistributedIterator:
    """The batches for several replicas, one after the other."""

    def __init__(self, parts: Any) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return joined(next(self._parts))

    def get_next(self) -> Any:
        """The next batch."""
        return next(self)

    def _in_rounds(self) -> tuple[Any, Any]:
        """For loops of functions, as an iterator of a dataset has it."""
        has_next, next_parts = self._parts._in_rounds()
        return has_next, lambda: joined(next_parts())


def joined(parts: Sequence[Any]) -> Any:
    """The parts of a batch, nested as the batch is."""
    flat = zip(*map(nest.flatten, parts), strict=True)
    return nest.pack_sequence_as(parts[0], [DistributedValues(leaves) for leaves in flat])
