"""Strategies over one device: what runs on every replica runs once, and a reduction has one value to reduce."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.distribute.values import InputContext, ValueContext, ValueFunction
from wengert.host.context_manager import context_manager
from wengert.ops.reductions.reductions import reduce_mean, reduce_sum
from wengert.values import nest
from wengert.values.convert import convert


class ReduceOp(enum.Enum):
    """How the values of several replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"


class _Now(threading.local):
    """The strategy whose scope a thread is in, and whether a replica of it is running."""

    strategy: Strategy | None = None
    in_replica = False


_now: Final = _Now()


class StrategyExtended:
    """What strategies have for those who write libraries."""

    worker_devices: tuple[str, ...] = ("/device:CPU:0",)
    parameter_devices: tuple[str, ...] = ("/device:CPU:0",)
    experimental_between_graph = False
    should_checkpoint = True
    should_save_summary = True
    experimental_require_static_shapes = False
    _use_merge_call_value = True

    def _use_merge_call(self) -> bool:
        return self._use_merge_call_value

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: Any = None,
        group: bool = True,
    ) -> Any:
        """Call `fn(var, ...)`, which changes a variable."""
        return fn(var, *args, **(kwargs or {}))

    def reduce_to(
        self, reduce_op: Any, value: Any, destinations: object, options: object = None
    ) -> Any:
        """The value of the one replica."""
        return value

    def batch_reduce_to(
        self, reduce_op: Any, pairs: Sequence[Any], options: object = None
    ) -> list[Any]:
        """The values of the one replica."""
        return [value for value, _ in pairs]

    def value_container(self, value: Any) -> Any:
        """The variable that holds a value: itself."""
        return value

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable belongs to the strategy."""
        return True

    @context_manager
    def colocate_vars_with(self, colocate_with_variable: object) -> tuple[None, Callable[[], None]]:
        """A context; there is one device."""
        return None, lambda: None


class Strategy:
    """Where variables are and where steps run: on the one device that there is.

    >>> strategy = tf.distribute.get_strategy()
    >>> strategy.num_replicas_in_sync, strategy.run(lambda x: x + 1, (2,))
    (1, 3)
    """

    def __init__(self, extended: StrategyExtended | None = None) -> None:
        self.extended = extended or StrategyExtended()

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas: one."""
        return 1

    @context_manager
    def scope(self) -> tuple[Strategy, Callable[[], None]]:
        """A context in which this is the strategy."""
        before, _now.strategy = _now.strategy, self
        return self, lambda: setattr(_now, "strategy", before)

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: object = None
    ) -> Any:
        """Call a function on every replica; returns what the one gives."""
        strategy, inside = _now.strategy, _now.in_replica
        _now.strategy, _now.in_replica = self, True
        try:
            return fn(*args, **(kwargs or {}))
        finally:
            _now.strategy, _now.in_replica = strategy, inside

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """One value of those of all replicas; with an axis, of the elements along it as well."""
        if axis is None:
            return value
        mean = ReduceOp(str(getattr(reduce_op, "value", reduce_op)).upper()) is ReduceOp.MEAN
        function = reduce_mean if mean else reduce_sum
        return nest.map_structure(lambda v: function(convert(v), axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas here: one."""
        return (value,)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas, joined: that of the one."""
        return value

    def experimental_distribute_dataset(self, dataset: Any, options: object = None) -> Any:
        """The batches for the one replica: all of them."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[Any], Any], options: object = None
    ) -> Any:
        """The batches that a function makes for the one process."""
        return dataset_fn(InputContext())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: ValueFunction) -> Any:
        """The value that a function makes for the one replica."""
        return value_fn(ValueContext())


class OneDeviceStrategy(Strategy):
    """Everything on one device."""

    def __init__(self, device: str = "/cpu:0") -> None:
        self.device = device
        super().__init__()


class MirroredStrategy(Strategy):
    """A replica on each of several devices; there is one device here, so there is one replica."""

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: object = None
    ) -> None:
        given = list(devices or ["/cpu:0"])
        if len(given) > 1:
            raise ValueError(
                f"There is one device in this process, not {len(given)} ({', '.join(given)}): a mirrored "
                "strategy has one replica here."
            )
        super().__init__()


def _of_many(name: str, what: str) -> type[Strategy]:
    """The class of strategies for what there is not, by which libraries ask."""

    def refuse(self: Strategy, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"tf.distribute.{name} is for {what}, and there is one process with one device here: "
            "tf.distribute.MirroredStrategy() and OneDeviceStrategy() run on it."
        )

    text = f"A strategy for {what}: an error, as there is one process with one device."
    return type(name, (Strategy,), {"__init__": refuse, "__doc__": text})


MultiWorkerMirroredStrategy: Final = _of_many("MultiWorkerMirroredStrategy", "several machines")
ParameterServerStrategy: Final = _of_many("ParameterServerStrategy", "several machines")
TPUStrategy: Final = _of_many("TPUStrategy", "TPUs")


class ReplicaContext:
    """What a function that runs on a replica may ask."""

    replica_id_in_sync_group = 0
    num_replicas_in_sync = 1

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """Call a function once for all replicas."""
        inside, _now.in_replica = _now.in_replica, False
        try:
            return merge_fn(self.strategy, *args, **(kwargs or {}))
        finally:
            _now.in_replica = inside

    def all_reduce(self, reduce_op: Any, value: Any, options: object = None) -> Any:
        """The sum or mean over all replicas: the value of the one."""
        return value

    def all_gather(self, value: Any, axis: int, options: object = None) -> Any:
        """The values of all replicas, joined: that of the one."""
        return value

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of the replica."""
        return ("/device:CPU:0",)


_DEFAULT: Final = Strategy()


def get_strategy() -> Strategy:
    """The strategy in whose scope this is; otherwise the default one."""
    return _now.strategy or _DEFAULT


def has_strategy() -> bool:
    """Whether this is in the scope of a strategy other than the default one."""
    return get_strategy() is not _DEFAULT


def get_replica_context() -> ReplicaContext | None:
    """The context of the replica that is running; None where functions for all replicas run."""
    if in_cross_replica_context():
        return None
    return ReplicaContext(get_strategy())


def in_cross_replica_context() -> bool:
    """Whether this is in the scope of a strategy, and no replica of it is running."""
    return has_strategy() and not _now.in_replica


def maybe_merge_call(fn: Callable[..., Any], strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
    """Call `fn(strategy, ...)`, once for all replicas."""
    return fn(strategy, *args, **kwargs)


def strategy_supports_no_merge_call() -> bool:
    """Whether updates need no call for all replicas: there is one."""
    return True
