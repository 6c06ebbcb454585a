"""The values of several replicas, and what functions that make values and datasets for them are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wengert.values import nest
from wengert.values.composite import Composite
from wengert.values.tensor import Tensor


class DistributedValues(Composite):
    """A value for each of several replicas, as `Strategy.run` gives it."""

    __slots__ = ("_values",)

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, in the order of the replicas."""
        return self._values

    def _parts(self) -> list[Any]:
        return list(self._values)

    def _with_parts(self, tensors: Iterator[Any]) -> DistributedValues:
        return DistributedValues([next(tensors) for _ in self._values])

    def __repr__(self) -> str:
        lines = [f"  {at}: {value!r}" for at, value in enumerate(self._values)]
        return "\n".join(["PerReplica:{", *lines, "}"])


def local(structure: Any, replica: int) -> Any:
    """A structure with the replica's own in place of the values of several."""
    return nest.map_structure(
        lambda v: v.values[replica] if isinstance(v, DistributedValues) else v, structure
    )


def together(results: Sequence[Any]) -> Any:
    """One structure of the results of all replicas; an object that all of them have stays one, but for numbers."""
    first = results[0]
    if all(r is first for r in results) and not isinstance(first, (Tensor, int, float)):
        return first
    if not nest.is_nested(first):
        return DistributedValues(results)
    for result in results[1:]:
        nest.assert_same_structure(first, result)
    flat = zip(*map(nest.flatten, results), strict=True)
    return nest.pack_sequence_as(first, [together(leaves) for leaves in flat])


class InputContext:
    """What a function that makes datasets for one of several processes is told.

    >>> tf.distribute.InputContext().get_per_replica_batch_size(32)
    32
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The share of a batch for each replica."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync}."
            )
        return global_batch_size // self.num_replicas_in_sync


class ValueContext:
    """What a function that makes a value for one of several replicas is told."""

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


ValueFunction = Callable[[ValueContext], Any]
