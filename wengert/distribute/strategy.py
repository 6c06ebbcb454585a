"""What strategies have in common, and those over one device, where a reduction has one value to reduce."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.distribute.values import InputContext, ValueContext, ValueFunction, local
from wengert.host.context_manager import context_manager
from wengert.ops.reductions.reductions import reduce_mean, reduce_sum
from wengert.state.replicas import current, enter_as, run_as
from wengert.values import nest
from wengert.values.convert import convert


class ReduceOp(enum.Enum):
    """How the values of several replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"


CPU: Final = "/device:CPU:0"


@context_manager
def as_replica(
    replica: ReplicaContext | None, strategy: Strategy | None = None
) -> tuple[None, Callable[[], None]]:
    """A context in which a replica runs; with None, what is done once for all replicas of a strategy."""
    before = enter_as(_said(strategy if replica is None else replica.strategy), replica)
    replica_before = run_as(replica if replica is not None and replica.has_others else None)

    def undo() -> None:
        enter_as(*before)
        run_as(replica_before)

    return None, undo


def is_mean(reduce_op: Any) -> bool:
    """Whether a mean is asked for: by a ReduceOp, or by its name."""
    name = str(getattr(reduce_op, "value", reduce_op)).upper()
    if name not in ReduceOp.__members__:
        raise ValueError(f'A reduction is "SUM" or "MEAN", not {reduce_op!r}.')
    return name == "MEAN"


class StrategyExtended:
    """What strategies have for those who write libraries."""

    worker_devices: tuple[str, ...] = (CPU,)
    parameter_devices: tuple[str, ...] = (CPU,)
    experimental_between_graph = False
    should_checkpoint = True
    should_save_summary = True
    experimental_require_static_shapes = False
    _use_merge_call_value = True

    def __init__(self) -> None:
        self._strategy: Any = None

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
        """Call `fn(var, ...)`, which changes a variable, with what is the same on all replicas."""
        return fn(var, *local(args, 0), **local(kwargs or {}, 0))

    def reduce_to(
        self, reduce_op: Any, value: Any, destinations: object, options: object = None
    ) -> Any:
        """One value of those of all replicas."""
        return self._strategy.reduce(reduce_op, value)

    def batch_reduce_to(
        self, reduce_op: Any, pairs: Sequence[Any], options: object = None
    ) -> list[Any]:
        """One value for each of several, of those of all replicas."""
        return [self._strategy.reduce(reduce_op, value) for value, _ in pairs]

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
    """Where variables are and where steps run; this one has one device.

    >>> strategy = tf.distribute.get_strategy()
    >>> strategy.num_replicas_in_sync, strategy.run(lambda x: x + 1, (2,))
    (1, 3)
    """

    def __init__(self, extended: StrategyExtended | None = None) -> None:
        self.extended = extended or StrategyExtended()
        self.extended._strategy = self

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return 1

    @context_manager
    def scope(self) -> tuple[Strategy, Callable[[], None]]:
        """A context in which this is the strategy."""
        before = enter_as(_said(self), current.replica)

        def undo() -> None:
            enter_as(*before)

        return self, undo

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: object = None
    ) -> Any:
        """Call a function on every replica; returns what the one gives."""
        with as_replica(ReplicaContext(self)):
            return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """One value of those of all replicas; with an axis, of the elements along it as well."""
        function = reduce_mean if is_mean(reduce_op) else reduce_sum
        if axis is None:
            return value
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


def _of_many(name: str, what: str) -> type[Strategy]:
    """The class of strategies for what there is not, by which libraries ask."""

    def refuse(self: Strategy, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"tf.distribute.{name} is for {what}, which there are not here: tf.distribute.MirroredStrategy "
            "runs on the devices of a process, MultiWorkerMirroredStrategy in several processes."
        )

    text = f"A strategy for {what}: an error, as there are none."
    return type(name, (Strategy,), {"__init__": refuse, "__doc__": text})


ParameterServerStrategy: Final = _of_many("ParameterServerStrategy", "parameter servers")
TPUStrategy: Final = _of_many("TPUStrategy", "TPUs")


class ReplicaContext:
    """What a function that runs on a replica may ask."""

    def __init__(self, strategy: Strategy, replica: int = 0) -> None:
        self.strategy = strategy
        self.replica_id_in_sync_group = replica

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self.strategy.num_replicas_in_sync

    @property
    def has_others(self) -> bool:
        """Whether variables and optimizers have to meet other replicas."""
        return self.num_replicas_in_sync > 1

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """Call a function once for all replicas."""
        with as_replica(None, self.strategy):
            return merge_fn(self.strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any, options: object = None) -> Any:
        """The sum or mean over all replicas: the value of the one."""
        return value

    def all_gather(self, value: Any, axis: int, options: object = None) -> Any:
        """The values of all replicas, joined: that of the one."""
        return value

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of the replica."""
        return (self.strategy.extended.worker_devices[0],)

    # ---- what variables and optimizers ask -------------------------------------------------------

    def assigned(self, variable: Any, method: str, value: Any, read_value: bool = True) -> Any:
        """Change a variable, once, by what its `aggregation` makes of the values of all replicas."""
        how = getattr(variable.aggregation, "name", "NONE")
        late = getattr(variable.synchronization, "name", "") == "ON_READ"
        if how == "NONE":
            raise ValueError(
                "You must specify an aggregation method to update a MirroredVariable in Replica Context. "
                "You can do so by passing an explicit value for argument `aggregation` to tf.Variable(..): "
                f"'{variable.name}' has none. e.g. `tf.Variable(..., aggregation=tf.VariableAggregation.SUM)`"
            )
        if late and how == "SUM" and method == "assign":
            raise NotImplementedError(
                f"'{variable.name}' is summed when it is read, and is assigned in a replica: replicas have no "
                "values of their own here. Use assign_add, or assign it outside of strategy.run."
            )
        given = convert(value, hint=variable.dtype)
        if how in ("SUM", "MEAN"):
            given = self.all_reduce(how, given)
        elif self.replica_id_in_sync_group:
            given = given * 0  # and the sum is the first one's
        if how.startswith("ONLY_FIRST"):
            given = self.all_reduce("SUM", given)
        return self.merge_call(
            lambda _, total: getattr(variable, method)(local(total, 0), read_value=read_value),
            (given,),
        )

    def applied(self, pairs: Sequence[Any], update: Callable[[list[Any]], Any]) -> Any:
        """Update variables, once, by the sums of the gradients of all replicas."""
        given = [g for g, _ in pairs if g is not None]
        summed = iter(self.all_reduce("SUM", given) if given else [])
        total = [(None if g is None else next(summed), v) for g, v in pairs]
        return self.merge_call(lambda _: update(total))


_DEFAULT: Final = Strategy()


def _said(strategy: Strategy | None) -> Strategy | None:
    """A strategy, unless it is the one that there is where none was chosen."""
    return None if strategy is _DEFAULT else strategy


def get_strategy() -> Strategy:
    """The strategy in whose scope this is; otherwise the default one."""
    return current.strategy or _DEFAULT


def has_strategy() -> bool:
    """Whether this is in the scope of a strategy other than the default one."""
    return get_strategy() is not _DEFAULT


def get_replica_context() -> ReplicaContext | None:
    """The context of the replica that is running; None where functions for all replicas run."""
    if in_cross_replica_context():
        return None
    return current.replica or ReplicaContext(get_strategy())


def in_cross_replica_context() -> bool:
    """Whether this is in the scope of a strategy, and no replica of it is running."""
    return has_strategy() and current.replica is None


def maybe_merge_call(fn: Callable[..., Any], strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
    """Call `fn(strategy, ...)`, once for all replicas."""
    if current.context is not None:
        return current.context.merge_call(fn, args, kwargs)
    return fn(strategy, *args, **kwargs)


def strategy_supports_no_merge_call() -> bool:
    """Whether updates need no call for all replicas, as there is one."""
    return get_strategy().num_replicas_in_sync == 1
