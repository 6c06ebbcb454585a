"""The classes of values of several replicas, by which libraries ask. With one replica there are no such values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class DistributedValues:
    """A value for each of several replicas."""


class DistributedDataset:
    """Datasets for several replicas. A dataset for one is itself: see `experimental_distribute_dataset`."""


class DistributedIterator:
    """An iterator for several replicas."""


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
