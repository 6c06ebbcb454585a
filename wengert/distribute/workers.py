"""A replica in each of several processes, which run the same program; on any engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from wengert.core.context import current_graph
from wengert.distribute import processes
from wengert.distribute.batches import part_of
from wengert.distribute.strategy import (
    ReplicaContext,
    Strategy,
    StrategyExtended,
    as_replica,
    is_mean,
)
from wengert.distribute.values import InputContext, ValueContext, ValueFunction
from wengert.host.context_manager import context_manager, enter
from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import reshape
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_sum
from wengert.state.creators import variable_creator_scope
from wengert.state.replicas import run_as
from wengert.values import nest
from wengert.values.convert import convert


class MultiWorkerMirroredStrategy(Strategy):
    """A replica in each of several processes, on one machine or on many.

    The processes are started by `wengert launch -n 4 program.py`, or have TF_CONFIG in their environment.
    Alone, a process is the one replica.

    >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
    >>> strategy.num_replicas_in_sync
    1
    """

    def __init__(
        self, cluster_resolver: object = None, communication_options: object = None
    ) -> None:
        self._place = processes.place()
        if self._place.count > 1:
            processes.join(self._place)
        extended = StrategyExtended()
        extended.should_checkpoint = extended.should_save_summary = self.process_index == 0
        super().__init__(extended)

    @property
    def process_index(self) -> int:
        """The number of this process: the first, 0, writes what is written once."""
        return self._place.index

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas: one for each process."""
        return self._place.count

    @property
    def cluster_resolver(self) -> Any:
        """Which task of which cluster this process is."""
        return SimpleNamespace(task_type="worker", task_id=self._place.index, environment="")

    @context_manager
    def scope(self) -> tuple[Strategy, Callable[[], None]]:
        """A context in which this is the strategy: variables made in it begin with the first process's values."""
        _, leave_scope = enter(as_replica(None, self))
        if self._place.count == 1:
            return self, leave_scope
        _, leave_creators = enter(variable_creator_scope(_begun_alike))

        def undo() -> None:
            leave_creators()
            leave_scope()

        return self, undo

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: object = None
    ) -> Any:
        """Call a function on the replica of this process; returns what it gives."""
        with as_replica(WorkerContext(self, self._place.index)):
            return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """One value of those of all processes; with an axis, of the elements along it as well."""
        mean = is_mean(reduce_op)
        if self._place.count == 1:
            return super().reduce(reduce_op, value, axis)
        return nest.map_structure(lambda v: self._reduced(mean, convert(v), axis), value)

    def _reduced(self, mean: bool, value: Any, axis: int | None) -> Any:
        count: Any = self._place.count
        if axis is not None:
            count = processes.total(shape(value)[axis]) if mean else count
            value = reduce_sum(value, axis)
        found = processes.total(value)
        return found / cast(count, found.dtype) if mean else found

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all processes, joined along an axis."""
        return nest.map_structure(lambda v: self.gathered(convert(v), axis), value)

    def gathered(self, value: Any, axis: int) -> Any:
        """The values of all processes, which have one shape, joined."""
        index, count = self._place.index, self._place.count
        if count == 1:
            return value
        zero = value * 0
        rows = processes.total(stack([value if at == index else zero for at in range(count)]))
        return concat([rows[at] for at in range(count)], axis)

    # ---- data ------------------------------------------------------------------------------------

    def experimental_distribute_dataset(self, dataset: Any, options: object = None) -> Any:
        """Of each batch the part of this process; the parts are as even as can be.

        Every process makes the whole batches, in the same order: a shuffle needs a seed.
        """
        index, count = self._place.index, self._place.count
        if count == 1:
            return dataset
        return dataset.map(
            lambda *batch: part_of(batch[0] if len(batch) == 1 else batch, index, count)
        )

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[Any], Any], options: object = None
    ) -> Any:
        """The batches that a function makes for this process."""
        count = self._place.count
        return dataset_fn(InputContext(count, self._place.index, count))

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: ValueFunction) -> Any:
        """The value that a function makes for the replica of this process."""
        return value_fn(ValueContext(self._place.index, self._place.count))


def _begun_alike(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
    """A variable with the initial value of the first process."""
    before = run_as(None)
    try:
        variable = next_creator(**kwargs)
        if current_graph() is None and variable.dtype.is_numeric:
            variable.assign(processes.of_first(variable.numpy()))
    finally:
        run_as(before)
    return variable


class WorkerContext(ReplicaContext):
    """What the replica of a process may ask: what is reduced goes to the other processes."""

    strategy: MultiWorkerMirroredStrategy

    def all_reduce(self, reduce_op: Any, value: Any, options: object = None) -> Any:
        """The sum or mean over all processes; values of one dtype travel together."""
        mean, count = is_mean(reduce_op), self.num_replicas_in_sync
        if count == 1:
            return value
        found = _summed([convert(v) for v in nest.flatten(value)])
        if mean:
            found = [y / cast(count, y.dtype) for y in found]
        return nest.pack_sequence_as(value, found)

    def all_gather(self, value: Any, axis: int, options: object = None) -> Any:
        """The values of all processes, joined along an axis."""
        return self.strategy.gather(value, axis)


def _summed(values: Sequence[Any]) -> list[Any]:
    """The sums of tensors over processes: those whose sizes are known in one message for each dtype."""
    found = list(values)
    together: dict[Any, list[int]] = {}
    for at, value in enumerate(values):
        if value.shape.is_fully_defined():
            together.setdefault(value.dtype, []).append(at)
        else:
            found[at] = processes.total(value)
    for places in together.values():
        flat = concat([reshape(values[at], [-1]) for at in places], 0)
        flat, start = processes.total(flat), 0
        for at in places:
            size = math.prod(values[at].shape.as_list())
            found[at] = reshape(flat[start : start + size], values[at].shape.as_list())
            start += size
    return found
