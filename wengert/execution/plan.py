"""Plans: what has to run for some results, in which order, and when each value may be dropped.

A plan belongs to no engine. It holds the operations that the fetches need, what must be given to
them, and the lifetimes of the values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from wengert.graph.function_graph import FunctionGraph
from wengert.graph.graph_builder import CONST, VAR_HANDLE
from wengert.graph.operation import Operation
from wengert.graph.order import in_order
from wengert.host.direct_numpy import DIRECT
from wengert.host.fp_errors import quietly
from wengert.state.cell import is_resource
from wengert.state.variable import Variable
from wengert.values.dtypes import VARIANT
from wengert.values.symbolic import SymbolicTensor, is_certain


class Plan:
    """The operations for some fetches.

    `given` are the tensors whose values the caller passes: the feeds, and the handles of variables
    and other resources that live outside of the graph.
    """

    def __init__(
        self,
        fetches: Sequence[SymbolicTensor],
        feeds: Sequence[SymbolicTensor] = (),
        also: Iterable[Operation] = (),
    ) -> None:
        self.fetches = list(fetches)
        self.feeds = list(feeds)
        needed = in_order(_needed(self.fetches, {id(x) for x in feeds}, also))
        self.order = needed
        fed = {id(x) for x in feeds}
        handles = [op for op in needed if op.row is VAR_HANDLE or is_resource(op)]
        self.resources = [op for op in handles if id(op.outputs[0]) not in fed]
        # Whether some values may be on a way that is not taken, and must not be computed.
        self.may_be_dead = any(op.row.name == SWITCH for op in needed)
        # What is known before the plan runs: the values of some tensors, by id.
        self.known: dict[int, Any] = {}
        self.folded: list[Operation] = []  # what was carried out for that
        resources = {id(op) for op in handles}
        self.steps = [
            op for op in needed if id(op) not in resources and not self._is_known(op, fed)
        ]
        if any(op.row.by_shape and type(op.graph) is not FunctionGraph for op in self.folded):
            self._leave_out({id(op) for op in _needed(self.fetches, fed | self.known.keys(), also)})

    def _leave_out(self, needed: set[int]) -> None:
        """Leave out what a session would compute for its shape alone: it may be a value that nobody fed.

        A function has all its inputs, and what it computes may raise.
        """
        self.steps = [op for op in self.steps if id(op) in needed]
        self.resources = [op for op in self.resources if id(op) in needed]

    @property
    def given(self) -> list[SymbolicTensor]:
        """The tensors whose values the caller passes."""
        return [*self.feeds, *[op.outputs[0] for op in self.resources]]

    def _is_known(self, op: Operation, fed: set[int]) -> bool:
        """Whether an operation is a constant, or can be folded into one."""
        if self.may_be_dead and op.control_inputs:
            return False  # it may have to wait for what is dead
        if op.row is CONST:
            self.known[id(op.outputs[0])] = op.attrs["value"]
            return True
        if _is_empty(op) and not self.may_be_dead:
            y = op.outputs[0]
            self.known[id(y)] = np.empty(y._array.shape, y._array.dtype)
            return True
        if op.row.name in (SWITCH, MERGE):
            return False
        if not op.inputs or (not op.row.by_shape and id(op.inputs[0]) not in self.known):
            return False  # the common case
        values = [self._value(op, x, fed) for x in op.inputs]
        if any(v is None for v in values):
            return False
        found = _carried_out(op, values)
        self.known.update({id(y): v for y, v in zip(op.outputs, found, strict=False)})
        if not found or len(found) != len(op.outputs):
            return False
        self.folded.append(op)
        return True

    def _value(self, op: Operation, x: SymbolicTensor, fed: set[int]) -> Any:
        """A known input, or any array of its shape if only that matters."""
        form = x._array
        if (
            op.row.by_shape
            and not self.may_be_dead
            and is_certain(form.shape)
            and not form.dtype.hasobject
        ):
            return np.broadcast_to(np.zeros((), form.dtype), form.shape)
        return None if id(x) in fed else self.known.get(id(x))

    def changed(self) -> list[int]:
        """The indices in `given` of what may be variables that are updated from their old values.

        So are the streams from which loops and branches draw.

        If there is one, variables that are only replaced are included, too: another lock, taken
        while these are held, must have its place in their order. An input of operations with side
        effects may turn out at run time to be an array.
        """
        places = {id(x): i for i, x in enumerate(self.given)}
        changed: set[int] = set()
        read: set[int] = set()
        for op in self.steps:
            for k, x in enumerate(op.inputs):
                at = places.get(id(x))
                if at is not None:
                    if op.row.effects or (op.row.bodies is not None and x.op.row.name == _STREAM):
                        changed.add(at)
                    if k or op.row.name != _REPLACED:
                        read.add(at)
        return sorted(changed) if changed & read else []

    def used(self) -> dict[int, Any]:
        """The known values that steps and fetches use, in the order of first use."""
        known = self.known
        found = {id(x): known[id(x)] for op in self.steps for x in op.inputs if id(x) in known}
        return found | {id(x): known[id(x)] for x in self.fetches if id(x) in known}

    def waited_for(self) -> list[SymbolicTensor]:
        """The results of operations that run although nobody takes a result of theirs: others wait for them."""
        used = {id(x) for op in self.steps for x in op.inputs} | {id(x) for x in self.fetches}
        unused = [op for op in self.steps if used.isdisjoint(map(id, op.outputs))]
        return [y for op in unused for y in op.outputs if y._array.dtype is not VARIANT]

    def last_uses(self) -> dict[int, int]:
        """For each value the last step that uses it; fetched values live to the end."""
        last: dict[int, int] = {}
        for at, op in enumerate(self.steps):
            for x in op.inputs:
                last[id(x)] = at
        for x in self.fetches:
            last[id(x)] = len(self.steps)
        return last


def shapes_of(values: Sequence[Any]) -> tuple[Any, ...]:
    """The shapes of the arrays among a plan's values; the others are cells and lists."""
    return tuple([v.shape if isinstance(v, (np.ndarray, np.generic)) else None for v in values])


SWITCH: Final = "Switch"  # sends a value one of two ways: the other is dead
MERGE: Final = "Merge"  # takes the value that arrives
_SLICES: Final = ("StridedSlice", "Slice")
_STREAM: Final = "RandomStream"  # its state goes on, as a variable changes
_REPLACED: Final = "AssignVariableOp"  # whose first input is a variable that it does not read
LARGE: Final = 1 << 20  # bytes; larger results are not worth keeping


def _is_empty(op: Operation) -> bool:
    """Whether it is known that an operation, which cannot fail, gives an array without elements."""
    if op.row.name not in _SLICES:
        return False
    form = op.outputs[0]._array
    return (
        is_certain(form.shape)
        and 0 in form.shape
        and not form.dtype.hasobject
        and is_only_a_function(op)
    )


def is_only_a_function(op: Operation) -> bool:
    """Whether an operation gives the same results whenever it is carried out, and does nothing else."""
    row = op.row
    special = row.effects or row.stateful or row.step is not None or row.users or row.closes
    return not special and not op.control_inputs


def _carried_out(op: Operation, values: Sequence[Any]) -> list[Any]:
    """The results of an operation on constants, for constant folding; none if they may vary."""
    row = op.row
    if not is_only_a_function(op):
        return []
    if any(not is_certain(y._array.shape) or _bytes(y) > LARGE for y in op.outputs):
        return []
    try:
        found = quietly(row.kernel, DIRECT, *values, **op.attrs)
    except Exception:  # noqa: BLE001  # it fails at run time, if it runs at all
        return []
    return list(found) if row.many else [found]


def _bytes(tensor: SymbolicTensor) -> int:
    form = tensor._array
    return int(math.prod(form.shape) * form.dtype.itemsize)


def _needed(
    fetches: Sequence[SymbolicTensor], fed: set[int], also: Iterable[Operation]
) -> list[Operation]:
    """The operations that the fetches depend on, in no particular order."""
    found: dict[int, Operation] = {}
    waiting = [x.op for x in fetches if id(x) not in fed]
    waiting += also
    while waiting:
        op = waiting.pop()
        if id(op) in found:
            continue
        found[id(op)] = op
        waiting += [x.op for x in op.inputs if id(x) not in fed]
        waiting += [c for c in op.control_inputs if not _is_fed(c, fed)]
    return list(found.values())


def _is_fed(op: Operation, fed: set[int]) -> bool:
    """Whether all results of an operation are fed."""
    return bool(op.outputs) and all(id(y) in fed for y in op.outputs)


def effects(graph: FunctionGraph) -> list[Operation]:
    """What runs even if its results are not used: operations with side effects, and checks that may raise."""
    return [op for op in graph.operations if op.row.effects or _checks(op)]


def _checks(op: Operation) -> bool:
    """Whether it checks, or an operation in a branch, a loop or a function that it runs does."""
    return op.row.checks or any(map(has_checks, op.row.graphs))


def has_checks(graph: FunctionGraph) -> bool:
    """Whether a graph has operations that may raise where nobody reads their results."""
    return any(map(_checks, graph.operations))


def has_effects(graph: FunctionGraph) -> bool:
    """Whether a graph has operations with side effects."""
    return any(op.row.effects for op in graph.operations)


def runs_once(graph: FunctionGraph) -> bool:
    """Whether a second run would be another one: it assigns, draws, or calls what does."""
    return any(
        op.row.effects or op.row.stateful or any(map(runs_once, op.row.graphs))
        for op in graph.operations
    )


def given_value(value: Any) -> Any:
    """A value to pass to a plan: a tensor's array, or a variable itself, which is a cell."""
    return value if isinstance(value, Variable) else value._array
