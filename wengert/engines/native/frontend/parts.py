"""The bodies of an operation, lowered: the condition and the body of a loop, the branches of a cond."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.engines.native.frontend.arrays import Base, Dims, Input, Repeat, Step, View
from wengert.engines.native.frontend.list_forms import ListForm
from wengert.engines.native.frontend.lowering import (
    Lowering,
    form_in_memory,
    known_shape,
    lowering_of,
)
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.execution.plan import Plan, effects
from wengert.graph.function_graph import FunctionGraph
from wengert.values.symbolic import SymbolicTensor


class Part:
    """A body: its lowering, and what its inputs stand for."""

    def __init__(
        self,
        graph: FunctionGraph,
        results: Sequence[SymbolicTensor],
        carried: Sequence[SymbolicTensor],
        fixed: dict[int, int],
        forms: dict[int, ListForm],
        taken: Sequence[SymbolicTensor] = (),
        changed: dict[int, int] | None = None,
    ) -> None:
        plan = Plan(results, graph.all_inputs, effects(graph))
        self.low = low = lowering_of(plan, forms)
        if plan.resources or any(type(item) is Step for item in low.items):
            raise NotLowered("a part of it is NumPy's")
        if any(type(item) is Repeat and item.has_rows for item in low.items):
            raise NotLowered("rows in a loop in a loop, for which Python would have to make room")
        self.results: list[Any] = list(results)
        self.numbers = list(plan.used().values())
        # The variables that are assigned, by their index among the constants: their index among
        # what is carried.
        self.changed = self._assigned(len(carried), fixed) if changed is None else changed
        # By arrays: indices of carried values, of the loop's constants, and of what it takes.
        self.variables = {fixed[id(x)] for x in low.cells.values()}
        self.fixed: dict[Base, int] = {}
        self.carried: dict[Base, int] = {}
        for base, x in low.cells.items():
            at = fixed[id(x)]
            if at in self.changed:
                self.carried[base] = self.changed[at]
            else:
                self.fixed[base] = at
        self.taken: dict[Base, int] = {}
        places = {id(x): at for at, x in enumerate(carried)}
        rows = {id(x): at for at, x in enumerate(taken)}
        for base, x in low.given.items():
            if id(x) in places:
                self.carried[base] = places[id(x)]
                low.cells[base] = x  # as a variable
            elif id(x) in rows:
                self.taken[base] = rows[id(x)]
            elif fixed[id(x)] not in self.variables:
                self.fixed[base] = fixed[id(x)]

    def _assigned(self, count: int, fixed: dict[int, int]) -> dict[int, int]:
        """What is assigned is carried, after so many other values."""
        cells = [x for x, _ in self.low.written.values()]
        there = {id(x) for x in self.low.cells.values()}
        for x, view in self.low.written.values():
            if id(x) not in there:  # it is assigned, and never read
                self.low.cells[Input(view.shape, view.kind)] = x
        found = {fixed[id(x)]: count + k for k, x in enumerate(cells)}
        if len(found) < len(cells):
            raise NotLowered("a variable under two names")
        return found

    def stored(self, x: SymbolicTensor) -> View:
        """A value of the part in memory."""
        return stored_in(self.low, x)

    def assign(self, carried: Sequence[SymbolicTensor], results: Sequence[SymbolicTensor]) -> None:
        """Let the carried values get their new ones at the end, as variables do."""
        inputs = {at: base for base, at in self.carried.items()}
        for x, view in list(self.low.written.values()):
            self._write(x, self.low.stored(view))
        for at, (x, y) in enumerate(zip(carried, results, strict=True)):
            view = self.stored(y)
            if view.shape != shape_in(self.low, x):
                raise NotLowered("a value changes its shape")
            if view.base is inputs.get(at):
                continue  # it stays what it is
            self._write(x, view)

    def _write(self, x: SymbolicTensor, view: View) -> None:
        if type(view.base) is Input:  # which may be written over before it is read
            view = self.low.copied(view)
        self.low.written[id(x)] = x, view

    def check(self, fixed: dict[int, View]) -> None:
        """Check that what is outside has the form for which the body was made."""
        for base, at in self.fixed.items():
            if fixed[at].shape != base.shape or fixed[at].kind != base.kind:
                raise NotLowered("a value of another form than the body was made for")


def fixed_in(
    low: Lowering, parts: Sequence[Part], constants: Sequence[SymbolicTensor]
) -> dict[int, View]:
    """What bodies use of what is outside, in memory, by its index; of a variable, what it is now."""
    variables = {at for part in parts for at in part.variables}
    used = {at for part in parts for at in part.fixed.values()}
    found = {
        at: low.now(constants[at]) if at in variables else stored_in(low, constants[at])
        for at in sorted(used)
    }
    for part in parts:
        part.check(found)
    return found


def stored_in(low: Lowering, x: SymbolicTensor) -> View:
    """A value in memory."""
    view = low.lists.get(id(x)) if id(x) in low.forms else low.memory(x)
    if view is None or 0 in view.shape:
        raise NotLowered("no array of numbers, or an empty one")
    return low.stored(view)


def shape_in(low: Lowering, x: SymbolicTensor) -> Dims:
    """The shape of a value in memory; of a list, that of its rows."""
    form = low.forms.get(id(x)) or form_in_memory(x)
    return known_shape(x) if form is None else form[0]
