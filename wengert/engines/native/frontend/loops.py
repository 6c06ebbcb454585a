"""Loops in graphs, lowered whole: the condition and the body are plans of their own.

What a loop carries stays in one array for each value, from the first iteration to the last. What it
emits in every iteration becomes the rows of an array. A loop whose body needs NumPy, or whose values
change their shapes, is left to NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence

from wengert.engines.native.frontend.arrays import (
    Base,
    Dims,
    Input,
    Repeat,
    Rows,
    Step,
    Tally,
    View,
    whole,
)
from wengert.engines.native.frontend.list_forms import ListForm, loop_of
from wengert.engines.native.frontend.lowering import WHOLE, Lowering, kind_of, known_shape
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.execution.plan import Plan, effects
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.ops.control.while_op import Loop
from wengert.values.symbolic import SymbolicTensor


class Part:
    """The condition or the body of a loop: its lowering, and what its inputs stand for."""

    def __init__(
        self,
        graph: FunctionGraph,
        results: Sequence[SymbolicTensor],
        carried: Sequence[SymbolicTensor],
        fixed: dict[int, int],
        forms: dict[int, ListForm],
        taken: Sequence[SymbolicTensor] = (),
    ) -> None:
        plan = Plan(results, graph.all_inputs, effects(graph))
        self.low = low = Lowering(plan, forms)
        if plan.resources or low.written or any(type(item) is Step for item in low.items):
            raise NotLowered("a part of the loop is NumPy's")
        if any(type(item) is Repeat and item.tally is not None for item in low.items):
            raise NotLowered("rows in a loop in a loop, for which Python would have to make room")
        self.results = list(results)
        self.numbers = list(plan.used().values())
        # By arrays: indices of carried values, of the loop's constants, and of what it takes.
        self.variables = {fixed[id(x)] for x in low.cells.values()}
        self.fixed: dict[Base, int] = {base: fixed[id(x)] for base, x in low.cells.items()}
        self.carried: dict[Base, int] = {}
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

    def stored(self, x: SymbolicTensor) -> View:
        """A value of the part in memory."""
        return _stored(self.low, x)

    def assign(self, carried: Sequence[SymbolicTensor], results: Sequence[SymbolicTensor]) -> None:
        """Let the carried values get their new ones at the end, as variables do."""
        inputs = {at: base for base, at in self.carried.items()}
        for at, (x, y) in enumerate(zip(carried, results, strict=True)):
            view = self.stored(y)
            if view.shape != _shape_of(self.low, x):
                raise NotLowered("a value changes its shape")
            if view.base is inputs.get(at):
                continue  # it stays what it is
            if type(view.base) is Input:  # which may be written over before it is read
                view = self.low.copied(view)
            self.low.written[id(x)] = x, view


class Inside:
    """A loop's condition and body, lowered; of what it emits, those in `used`."""

    def __init__(
        self,
        loop: Loop,
        used: set[int],
        outputs: Sequence[SymbolicTensor],
        forms: dict[int, ListForm],
    ) -> None:
        self.loop = loop
        self.forms = forms
        count = len(loop.carried)
        pairs = list(zip(loop.emitted, outputs[count:], strict=True))
        self.emits = [(e, y) for e, y in pairs if id(y) in used]
        if loop.condition is not None and any(e.backward for e, _ in self.emits):
            raise NotLowered("the first row belongs to the last iteration, which is not known")
        if any(id(e.inside) in forms or kind_of(e.inside) is None for e, _ in self.emits):
            raise NotLowered("a list for each iteration")
        if loop.condition is None and not loop.taken:
            raise NotLowered("a loop without an end")
        self.body = Part(
            loop.body,
            [*loop.results, *[e.inside for e, _ in self.emits]],
            loop.carried,
            {id(x): at for x, at in loop.same},
            forms,
            [t.inside for t in loop.taken],
        )
        self.goes_on: View | None = None
        self.condition = None if loop.condition is None else self._condition(loop.condition)
        # What is written in each iteration is in memory, which ends the lowering of the body.
        self.emitted = [self.body.stored(e.inside) for e, _ in self.emits]
        self.body.assign(loop.carried, loop.results)

    def _condition(self, graph: FunctionGraph) -> Part:
        count = len(self.loop.carried)
        given, captured = graph.all_inputs[:count], graph.all_inputs[count:]
        pairs = zip(captured, self.loop._condition_places, strict=True)
        found = Part(graph, graph.outputs, given, {id(x): at for x, at in pairs}, self.forms)
        self.goes_on = go = found.stored(graph.outputs[0])
        if go.kind != "b1" or go.size != 1 or found.low.checks:
            raise NotLowered("the condition is no truth value")
        return found

    @property
    def parts(self) -> list[Part]:
        return [self.body] if self.condition is None else [self.condition, self.body]

    def lowered(self, low: Lowering, op: Operation) -> Sequence[View | None]:
        """The final values of what the loop carries; what it emits is known as rows."""
        n, s = len(self.loop.carried), len(self.loop.taken)
        initial = [_stored(low, x) for x in op.inputs[:n]]
        for view, x in zip(initial, self.loop.carried, strict=True):
            if view.shape != _shape_of(low, x):
                raise NotLowered("a value changes its shape")
        pairs = zip(op.inputs[n : n + s], self.loop.taken, strict=True)
        taken = [_rows(low, x, t.inside) for x, t in pairs]
        loop = Repeat(self, initial, self._fixed(low, op.inputs[n + s :]), taken, op)
        loop.after += [rows.loop for rows in taken if rows.loop is not None]
        low.items.append(loop)
        for rows, (_, y) in zip(loop.emitted, self.emits, strict=True):
            low.rows[id(y)] = rows
        for base, x, y in zip(loop.results, self.loop.carried, op.outputs, strict=False):
            if id(x) in low.forms:
                low.lists[id(y)] = whole(base)
        found = [
            None if id(x) in low.forms else whole(base)
            for base, x in zip(loop.results, self.loop.carried, strict=True)
        ]
        return [*found, *[None] * len(self.loop.emitted)]

    def _fixed(self, low: Lowering, constants: Sequence[SymbolicTensor]) -> dict[int, View]:
        used = {base: at for part in self.parts for base, at in part.fixed.items()}
        variables = {at for part in self.parts for at in part.variables}
        found = {
            at: low.now(constants[at]) if at in variables else _stored(low, constants[at])
            for at in sorted(set(used.values()))
        }
        for base, at in used.items():
            if found[at].shape != base.shape or found[at].kind != base.kind:
                raise NotLowered("a value of another form than the loop was made for")
        return found


def _stored(low: Lowering, x: SymbolicTensor) -> View:
    """A value in memory."""
    view = low.lists.get(id(x)) if id(x) in low.forms else low.views.get(id(x))
    if view is None or 0 in view.shape:
        raise NotLowered("no array of numbers, or an empty one")
    return low.stored(view)


def _rows(low: Lowering, x: SymbolicTensor, inside: SymbolicTensor) -> Rows:
    """What a loop takes, if it is another loop's or given to the plan."""
    kind = kind_of(inside)
    if kind is None or 0 in known_shape(inside):
        raise NotLowered("the elements are no arrays of numbers")
    found = low.rows.get(id(x))
    if found is None:
        if all(x is not given for given in low.plan.given):
            raise NotLowered("a list that NumPy makes")
        found = low.rows[id(x)] = Rows(inside._array.shape, kind, Tally(), x)
    if found.shape != inside._array.shape or found.kind != kind:
        raise NotLowered("elements of another form than the loop was made for")
    return found


def _shape_of(low: Lowering, x: SymbolicTensor) -> Dims:
    """The shape of a value; of a list, that of its rows."""
    form = low.forms.get(id(x))
    return known_shape(x) if form is None else form.shape


def _inside(op: Operation, used: set[int], forms: dict[int, ListForm]) -> Inside | None:
    """The parts of a loop, if all of it can be compiled."""
    loop = loop_of(op)
    if loop is None or op.row.effects:
        return None
    try:
        return Inside(loop, used, op.outputs, forms)
    except NotLowered:
        return None


WHOLE["While"] = _inside
