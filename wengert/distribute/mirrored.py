"""A replica on each of several devices of this process.

The replicas' programs go into one graph: what they compute is what TensorFlow's replicas do, on any engine, and
uneven batches are nothing special. The XLA engine has all devices work at once where their operations are alike.
"""

from __future__ import annotations

import functools
import itertools
import re
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.api.function.function import Function
from wengert.api.session.devices import list_logical_devices
from wengert.core.context import current_graph, thread
from wengert.core.row import Row
from wengert.distribute.batches import DistributedDataset, joined
from wengert.distribute.strategy import (
    ReplicaContext,
    Strategy,
    StrategyExtended,
    as_replica,
    get_strategy,
    is_mean,
)
from wengert.distribute.taking_turns import Turn, run_all
from wengert.distribute.values import (
    DistributedValues,
    InputContext,
    ValueContext,
    ValueFunction,
    local,
    together,
)
from wengert.host.context_manager import context_manager, enter
from wengert.host.locks import load_module
from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.joining import concat, split, stack
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_sum
from wengert.state.creators import variable_creator_scope
from wengert.state.replicas import current
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices

_DEVICE: Final = re.compile(r"(?:.*/)?(?:device:)?([a-z]+)(?::(\d+|\*))?", re.IGNORECASE)


class MirroredStrategy(Strategy):
    """A replica on each of several devices: by default on all that there are.

    With one device there is one replica. A processor is divided into several by
    `tf.config.set_logical_device_configuration`.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> strategy.num_replicas_in_sync
    1
    """

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: object = None
    ) -> None:
        self._devices = _checked(None if devices is None else list(devices))
        extended = StrategyExtended()
        extended.worker_devices = extended.parameter_devices = tuple(self._devices)
        super().__init__(extended)
        self._functions: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas: one for each device."""
        return len(self._devices)

    @property
    def _is_one(self) -> bool:
        return len(self._devices) == 1

    @context_manager
    def scope(self) -> tuple[Strategy, Callable[[], None]]:
        """A context in which this is the strategy: variables that replicas make in it are made once."""
        _, leave_scope = enter(as_replica(None, self))
        if self._is_one:
            return self, leave_scope
        creators = variable_creator_scope(_made_once)
        creators.__enter__()

        def undo() -> None:
            creators.__exit__(None, None, None)
            leave_scope()

        return self, undo

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: object = None
    ) -> Any:
        """Call a function on every replica, with its own of what is distributed; returns what all give."""
        if self._is_one:
            return super().run(fn, args, kwargs)
        if isinstance(fn, Function) and current_graph() is None:
            return self._in_function(fn)(args, kwargs or {})
        function = _python(fn)

        def replica(turn: Turn) -> Any:
            with as_replica(MirroredContext(self, turn)):
                return function(*local(args, turn.at), **local(kwargs or {}, turn.at))

        return together(run_all([replica] * len(self._devices), self._devices))

    def _in_function(self, fn: Function) -> Function:
        """A function that is traced with all replicas in it, where the replicas' own was to be traced."""
        if fn not in self._functions:
            inner = fn.python_function
            engine, owner = fn._engine, weakref.ref(self)

            def run(args: Any, kwargs: Any) -> Any:
                return owner().run(inner, args, kwargs)  # type: ignore[union-attr]

            self._functions[fn] = Function(run, name=fn.name, engine=engine)
        return self._functions[fn]

    # ---- of all replicas -------------------------------------------------------------------------

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """One value of those of all replicas; with an axis, of the elements along it as well."""
        mean = is_mean(reduce_op)
        if self._is_one:
            return super().reduce(reduce_op, value, axis)
        return nest.map_structure(lambda v: self._reduced(mean, v, axis), value)

    def _reduced(self, mean: bool, value: Any, axis: int | None) -> Any:
        if not isinstance(value, DistributedValues):
            return self._reduced_same(mean, value, axis)
        parts: list[Any] = list(map(convert, value.values))
        count: Any = len(parts)
        if axis is not None:
            count = _total([shape(p)[axis] for p in parts])
            parts = [reduce_sum(p, axis) for p in parts]
        total = _total(parts)
        return total / cast(count, total.dtype) if mean else total

    def _reduced_same(self, mean: bool, value: Any, axis: int | None) -> Any:
        """Of a value that all replicas have in common."""
        if axis is not None:
            return super().reduce("MEAN" if mean else "SUM", value, axis)
        if mean or (isinstance(value, (int, float)) and value == 0):
            return value
        raise ValueError(
            f"A non-DistributedValues value {value} cannot be reduced with the given reduce op "
            "ReduceOp.SUM: it is one value, and not one of each replica. Let strategy.run return it."
        )

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas."""
        if nest.is_nested(value) and not self._is_one:
            return tuple([local(value, at) for at in range(len(self._devices))])
        return value.values if isinstance(value, DistributedValues) else (value,)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas, joined along an axis."""
        return nest.map_structure(
            lambda v: concat(list(v.values), axis) if isinstance(v, DistributedValues) else v, value
        )

    # ---- data ------------------------------------------------------------------------------------

    def experimental_distribute_dataset(self, dataset: Any, options: object = None) -> Any:
        """The batches, each divided among the replicas in parts as even as can be."""
        count = len(self._devices)
        return dataset if self._is_one else DistributedDataset(dataset, range(count), count)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[Any], Any], options: object = None
    ) -> Any:
        """The batches that a function makes, one for each replica, as many a step as there are replicas."""
        count = len(self._devices)
        dataset = dataset_fn(InputContext(1, 0, count))
        return dataset if self._is_one else _Dealt(dataset, count)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: ValueFunction) -> Any:
        """The values that a function makes, one for each replica."""
        count = len(self._devices)
        values = [value_fn(ValueContext(at, count)) for at in range(count)]
        return values[0] if self._is_one else DistributedValues(values)


def _checked(devices: list[str] | None) -> list[str]:
    """The names of the devices, which must be there."""
    there = [d.name for d in list_logical_devices()]
    if devices is None:
        others = [name for name in there if "CPU" not in name]
        return others or there
    if not devices:
        raise ValueError(
            "A mirrored strategy needs a device at least: leave `devices` out for all."
        )
    found = [_named(name) for name in devices]
    if len(found) == 1:
        return found  # the one that is there stands for it, as elsewhere
    for given, name in zip(devices, found, strict=True):
        if name not in there:
            raise ValueError(
                f"There is no device '{given}': there is {', '.join(there)}. A processor is divided into "
                "several at the beginning of a program, by tf.config.set_logical_device_configuration."
            )
        if found.count(name) > 1:
            raise ValueError(f"The device '{given}' is given twice: each has one replica.")
    return found


def _named(name: Any) -> str:
    match = _DEVICE.fullmatch(str(name))
    if match is None:
        raise ValueError(f"{name!r} is no name of a device: 'CPU:0', or '/device:CPU:0'.")
    return f"/device:{match[1].upper()}:{match[2] or 0}"


def _python(fn: Any) -> Callable[..., Any]:
    """The function that replicas run: in a graph its branches and loops take tensors."""
    if isinstance(fn, Function):
        fn = fn.python_function
    if current_graph() is None:
        return fn  # type: ignore[no-any-return]
    made: Callable[..., Any] = load_module("wengert.api.autograph.calls").converted(fn)
    return made


def _total(values: Sequence[Any]) -> Any:
    return functools.reduce(lambda a, b: a + b, map(convert, values))


def _made_once(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
    """A variable that all replicas make together: it is one."""
    strategy = get_strategy()
    context = current.context
    if context is None or context.strategy is not strategy:
        return next_creator(**kwargs)
    return context.merge_call(lambda _: next_creator(**kwargs))


class _Dealt:
    """The batches of a dataset, dealt to the replicas one after the other."""

    def __init__(self, dataset: Any, count: int) -> None:
        self._dataset, self._count = dataset, count

    @property
    def element_spec(self) -> Any:
        """The specs of the batches."""
        return self._dataset.element_spec

    def __iter__(self) -> Any:
        batches = iter(self._dataset)
        while True:
            dealt = list(itertools.islice(batches, self._count))
            if len(dealt) < self._count:
                return
            yield joined(dealt)

    def _in_rounds(self) -> tuple[Any, Any]:
        """For loops of functions: as many batches as there are replicas are a window."""
        has_next, window = self._dataset.window(self._count, drop_remainder=True)._in_rounds()

        return has_next, lambda: nest.map_structure(self._column, window())

    def _column(self, batches: Any) -> DistributedValues:
        """A part of the batches of all replicas."""
        one = iter(batches)
        return DistributedValues([one.get_next() for _ in range(self._count)])


# ---- in a replica ---------------------------------------------------------------------------------


class MirroredContext(ReplicaContext):
    """What one of several replicas may ask: where it asks for the others' values, it waits for them."""

    def __init__(self, strategy: MirroredStrategy, turn: Turn) -> None:
        super().__init__(strategy, turn.at)
        self._turn = turn

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of the replica."""
        return (self.strategy.extended.worker_devices[self._turn.at],)

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """Call a function once for all replicas, with the values of all of them."""
        strategy, count = self.strategy, self.num_replicas_in_sync

        def once(brought: Sequence[Any]) -> list[Any]:
            given, named = together([b[0] for b in brought]), together([b[1] for b in brought])
            with as_replica(None, strategy):
                found = merge_fn(strategy, *given, **named)
            return [local(found, at) for at in range(count)]

        return self._turn.meet("merge_call", once, (tuple(args), dict(kwargs or {})))

    def all_reduce(self, reduce_op: Any, value: Any, options: object = None) -> Any:
        """The sum or mean over all replicas. Its gradient is that of what all of them compute."""
        mean = is_mean(reduce_op)
        flat = [v if isinstance(v, IndexedSlices) else convert(v) for v in nest.flatten(value)]

        def once(brought: Sequence[Any]) -> list[Any]:
            found = [_reduced(mean, values) for values in zip(*brought, strict=True)]
            return [found] * len(brought)

        found = self._turn.meet(f"all_reduce of {len(flat)}", once, flat)
        results = [self._noted(mean, x, y) for x, y in zip(flat, found, strict=True)]
        return nest.pack_sequence_as(value, results)

    def _noted(self, mean: bool, x: Any, y: Any) -> Any:
        """What was reduced, for the tapes of this replica."""
        if isinstance(x, IndexedSlices):
            return y
        again = "MEAN" if mean else "SUM"
        row = Row(
            "AllReduce", lambda _, a: a, vjp=(lambda g, y, x: self.all_reduce(again, g),), saves=""
        )
        return self._recorded(row, x, y)

    def all_gather(self, value: Any, axis: int, options: object = None) -> Any:
        """The values of all replicas, joined along an axis."""
        flat = list(map(convert, nest.flatten(value)))

        def once(brought: Sequence[Any]) -> list[Any]:
            columns = list(zip(*brought, strict=True))
            found = [concat(list(v), axis) for v in columns]
            sizes = [[shape(v)[axis] for v in column] for column in columns]
            return [(found, sizes)] * len(brought)

        found, sizes = self._turn.meet(f"all_gather of {len(flat)}", once, flat)
        given = zip(flat, found, sizes, strict=True)
        results = [self._gathered(x, y, of_all, axis) for x, y, of_all in given]
        return nest.pack_sequence_as(value, results)

    def _gathered(self, x: Any, y: Any, sizes: Sequence[Any], axis: int) -> Any:
        """What was gathered, for the tapes of this replica: its part is what all replicas send back there."""
        at = self._turn.at

        def back(g: Any, y: Any, x: Any) -> Any:
            return split(self.all_reduce("SUM", g), stack(sizes), axis)[at]

        return self._recorded(Row("AllGather", lambda _, a: a, vjp=(back,), saves=""), x, y)

    def _recorded(self, row: Row, x: Any, y: Any) -> Any:
        """The result, as the tapes of this replica see it; those around have seen how it was made."""
        own = [r for r in thread.context.recorders if r not in self._turn.outer]
        for recorder in own:
            recorder.record(row, [x], {}, y)
        return y


def _reduced(mean: bool, values: Sequence[Any]) -> Any:
    if all(isinstance(v, IndexedSlices) for v in values):
        rows = concat([v.values for v in values], 0)
        indices = concat([v.indices for v in values], 0)
        scale = 1.0 / len(values) if mean else 1.0
        return IndexedSlices(rows * scale if mean else rows, indices, values[0].dims)
    total = _total(values)
    return total / cast(len(values), total.dtype) if mean else total
