"""A plan that XLA runs: compiled for each kind of values, and the values handed over and back."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.numpy_engine import NumpyPlan
from wengert.engines.xla.backend import called_wide, jax, jnp
from wengert.engines.xla.compiled import (
    ARRAY,
    BLANK,
    CELL,
    EMPTY,
    LIST,
    OTHER_CELL,
    STREAM,
    Compiled,
)
from wengert.engines.xla.operations import all_versions as _versions  # noqa: F401  # fills tables
from wengert.engines.xla.rooms import Rooms, inner_operations
from wengert.engines.xla.rows import fetched_list, is_list, register
from wengert.engines.xla.tracing import AskReferenceError, ValueNeededError
from wengert.errors import UnimplementedError
from wengert.execution.engine_registry import Runnable
from wengert.execution.plan import Plan
from wengert.graph.operation import Operation
from wengert.ops.random.seeds import Stream
from wengert.state.cell import Cell, Resource, is_resource, new_resource
from wengert.state.variable import Variable
from wengert.values.dtypes import VARIANT
from wengert.values.on_device import Settings, array_of, can_be_held, put
from wengert.values.tensor import Tensor, TensorList, wrap, wrap_on_device

MOST_KNOWN: Final = 4096  # elements of an array whose value a plan may be compiled for
MOST_VALUES: Final = 256  # for which a plan is compiled


class XlaPlan(Runnable):
    """A plan that can be called: `compiled(values of plan.given)` gives the fetches."""

    on_device = True

    def __init__(self, plan: Plan) -> None:
        register()
        Settings.tensors = True
        self.plan = plan
        self._compiled: dict[Any, Compiled] = {}
        # By the types of values that are usual: found in 1 us, not in 20.
        self._usual: dict[tuple[type, ...], Compiled] = {}
        self._known: set[int] = set()  # the given whose values are known when it is compiled
        self._parts: _Parts | None = None  # if it cannot be compiled as a whole
        self._inner = inner_resources(plan)  # those that bodies of loops and branches hold
        self._rooms = Rooms(plan)
        self._reference: NumpyPlan | None = None
        self._on_device = type(jnp.zeros(()))  # JAX's arrays are of one class

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The fetches, for values of `plan.given`."""
        return list(map(_fetched, self.results(values)))

    def from_tensors(self, given: Sequence[Any]) -> list[Any]:
        """The same from tensors to tensors; what is on the device stays there."""
        values = [_of_tensor(x) if type(x) is Tensor else _of_other(x) for x in given]
        kind = self._on_device
        return [
            wrap_on_device(v) if type(v) is kind else _as_tensor(v) for v in self.results(values)
        ]

    def results(self, values: Sequence[Any]) -> Sequence[Any]:
        """The fetches as they are on the device, or as NumPy gives them."""
        if self._parts is not None:
            return self._parts(values)
        compiled = self._usual.get(tuple(map(type, values)))
        if compiled is None or (compiled.has_several_cells and not compiled.are_apart(values)):
            results = self._looked_up(values)
        else:
            results = compiled(values)
        return self.reference(values) if results is None else results

    def _looked_up(self, values: Sequence[Any]) -> Any:
        given = values
        if self._inner:
            values = [*values, *[resource_of(op) for op in self._inner]]
        kinds = tuple([_kind(self.plan, at, v) for at, v in enumerate(values)])
        # What changes may be given twice; arrays are looked at one by one.
        cells = {at for at, kind in enumerate(kinds) if kind is not ARRAY}
        first: dict[int, int] = {}
        places = [first.setdefault(id(v), at) if at in cells else at for at, v in enumerate(values)]
        results, compiled = self._run(values, kinds, tuple(places))
        is_usual = set(kinds) <= {ARRAY, CELL}
        is_usual = is_usual and not self._known and not self._inner
        if compiled is not None and is_usual and compiled.are_apart(values):
            self._usual[tuple(map(type, given))] = compiled
        return results

    def _run(self, values: Sequence[Any], kinds: Any, places: Any) -> tuple[Any, Compiled | None]:
        """The results, None if NumPy is to find them, and what gave them."""
        known = {at: np.asarray(values[at]) for at in self._known if kinds[at] is ARRAY}
        key = kinds, places, tuple([(v.shape, v.tobytes()) for v in known.values()])
        found = self._compiled.get(key)
        if found is not None:
            return found(values), found
        found = Compiled(self.plan, self._inner, kinds, places, known, self._rooms)
        try:
            results = found(values)
        except AskReferenceError:
            return None, None
        except ValueNeededError as error:
            if error.op in self.plan.steps and error.op.row.users:
                self._parts = _Parts(self.plan, error.op)
                return self._parts(values[: len(self.plan.given)]), None
            more = self._asked_by(error.op, values, kinds) - self._known
            if not more or len(self._compiled) >= MOST_VALUES:
                raise
            self._known |= more
            self._usual.clear()
            return self._run(values, kinds, places)
        self._compiled[key] = found
        return results, found

    def _asked_by(self, op: Any, values: Sequence[Any], kinds: Any) -> set[int]:
        """The indices of small arrays of integers that an operation of the plan depends on."""
        places = {id(x): at for at, x in enumerate(self.plan.given)}
        found: set[int] = set()
        waiting, seen = [*op.inputs], set[int]()
        while waiting:
            x = waiting.pop()
            at = places.get(id(x))
            if id(x) in seen:
                continue
            seen.add(id(x))
            if at is None:
                waiting += x.op.inputs
            elif (
                kinds[at] is ARRAY
                and values[at].dtype.kind in "iub"
                and values[at].size <= MOST_KNOWN
            ):
                found.add(at)
        return found

    @property
    def called_back(self) -> set[str]:
        """The rows that NumPy computes, called back from compiled code."""
        return {name for made in self._compiled.values() for name in made.called_back}

    def reference(self, values: Sequence[Any]) -> list[Any]:
        """What NumPy computes: the error where a check failed."""
        if self._reference is None:
            self._reference = NumpyPlan(self.plan)
        return self._reference([np.asarray(v) if isinstance(v, jax.Array) else v for v in values])


# ---- in parts --------------------------------------------------------------------------------------
# A plan is cut where Python gives a value whose shape nobody stated.


class _Parts:
    """A plan before an operation, the operation, which is run as it stands, and the rest."""

    def __init__(self, plan: Plan, op: Operation) -> None:
        at = next(i for i, step in enumerate(plan.steps) if step is op)
        before, after = plan.steps[:at], plan.steps[at + 1 :]
        wanted = [*[x for step in [op, *after] for x in step.inputs], *plan.fetches]
        needed = {id(x) for x in wanted}
        made = [y for step in before for y in step.outputs if id(y) in needed]
        self._first = XlaPlan(_part(plan, before, plan.feeds, made)) if before else None
        self._between = NumpyPlan(_part(plan, [op], [*plan.feeds, *made], op.outputs))
        self._rest = XlaPlan(_part(plan, after, [*plan.feeds, *made, *op.outputs], plan.fetches))
        self._feeds = len(plan.feeds)

    def __call__(self, values: Sequence[Any]) -> Sequence[Any]:
        """The fetches, as the last part gives them."""
        fed, resources = list(values[: self._feeds]), values[self._feeds :]
        if self._first is not None:
            fed += map(_handed_on, self._first.results(values))
        found = self._between([*map(_fetched, fed), *resources])
        results: Sequence[Any] = self._rest.results([*fed, *found, *resources])
        return results


def _part(plan: Plan, steps: Sequence[Any], feeds: Sequence[Any], fetches: Sequence[Any]) -> Plan:
    """Some steps of a plan, as a plan that is given what others made."""
    part = copy.copy(plan)
    part.steps, part.feeds, part.fetches = list(steps), list(feeds), list(fetches)
    return part


def _handed_on(value: Any) -> Any:
    """A result of one part as the next one takes it: lists come back as they are."""
    return fetched_list(value) if is_list(value) else value


# ---- what is handed in -----------------------------------------------------------------------------


def inner_resources(plan: Plan) -> list[Operation]:
    """The generators and other resources of the bodies that a plan runs."""
    outer = set(map(id, plan.steps))
    inside = [op for op in inner_operations(plan) if id(op) not in outer]
    return list({id(op): op for op in inside if is_resource(op)}.values())


def resource_of(op: Operation) -> Any:
    """The resource that a graph keeps for an operation."""
    cells = op.graph.cells
    return cells.get(op) or cells.setdefault(op, new_resource(op))


def _kind(plan: Plan, at: int, value: Any) -> Any:
    """How a value is handed over."""
    if isinstance(value, (np.ndarray, np.generic, jax.Array)):
        if value.dtype.hasobject:
            raise _not_taken(plan, at, value)
        return ARRAY
    if can_be_held(value) or type(value) is Cell:
        return CELL if getattr(value, "initialized", True) else EMPTY
    if isinstance(value, Stream):
        return STREAM
    if isinstance(value, Resource):
        raise _not_taken(plan, at, value)
    if isinstance(value, TensorList):
        is_told = value.held is not None or any(v is not None for v in value)
        return LIST if is_told else (BLANK, len(value))
    if (
        isinstance(value, Variable)
        or (hasattr(value, "_lock") and hasattr(value, "put_back"))
        or hasattr(value, "assign")
    ):
        return OTHER_CELL if getattr(value, "initialized", True) else EMPTY
    if value is None:
        return None
    raise _not_taken(plan, at, value)


def _not_taken(plan: Plan, at: int, value: Any) -> UnimplementedError:
    x = plan.given[at]
    if isinstance(value, Resource):
        what = value.what
    else:
        dtype = getattr(value, "dtype", type(value).__name__)
        what = "dataset" if dtype == VARIANT else dtype
    return UnimplementedError(
        f"XLA takes numbers, variables and lists of them, and no {what}: {x!r}, made at "
        f"{x.op.place}. Leave the graph to another engine: tf.function(engine='native')."
    )


# ---- what is handed over, and back ---------------------------------------------------------------

_SEEN: Final = "_handed_over"


def _of_tensor(tensor: Any) -> Any:
    """What a plan is handed of a tensor; one that comes again is put on the device."""
    held = array_of(tensor)
    if held is not None:
        return held
    array, own = tensor._array, tensor.__dict__
    if _SEEN not in own:
        own[_SEEN] = True
    elif type(array) is np.ndarray and not array.dtype.hasobject:
        put(tensor, called_wide(jnp.array, array))
    return array


def _of_other(value: Any) -> Any:
    """Variables and resources are handed over themselves."""
    return value._array if isinstance(value, Tensor) else value


def _fetched(value: Any) -> Any:
    if is_list(value):
        return fetched_list(value)
    return Settings.fetch(value) if isinstance(value, jax.Array) else value


def _as_tensor(value: Any) -> Any:
    return wrap(fetched_list(value) if is_list(value) else value)
