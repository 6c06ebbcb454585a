"""Loops in graphs, lowered whole: the condition and the body are plans of their own.

What a loop carries stays in one array for each value, from the first iteration to the last. What it
emits in every iteration becomes the rows of an array. A loop whose body needs NumPy, or whose values
change their shapes, is left to NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence

from wengert.engines.native.frontend.arrays import Repeat, Rows, Tally, View, whole
from wengert.engines.native.frontend.list_forms import ListForm
from wengert.engines.native.frontend.lowering import WHOLE, Lowering, kind_of, known_shape
from wengert.engines.native.frontend.parts import Part, fixed_in, shape_in, stored_in
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.ops.control.while_op import Loop
from wengert.values.symbolic import SymbolicTensor


class Inside:
    """A loop's condition and body, lowered; of what it emits, those in `used`."""

    def __init__(
        self,
        loop: Loop,
        op: Operation,
        used: set[int],
        forms: dict[int, ListForm],
    ) -> None:
        self.loop = loop
        self.forms = forms
        count = len(loop.carried)
        pairs = list(zip(loop.emitted, op.outputs[count:], strict=True))
        self.emits = [(e, y) for e, y in pairs if id(y) in used]
        if loop.condition is not None and any(e.backward for e, _ in self.emits):
            raise NotLowered("the first row belongs to the last iteration, which is not known")
        if any(id(e.inside) in forms or kind_of(e.inside) is None for e, _ in self.emits):
            raise NotLowered("a list for each iteration")
        if (loop.condition is None) is not bool(loop.taken):
            raise NotLowered("a loop without an end, or with two")
        self.body = Part(
            loop.body,
            [*loop.results, *[e.inside for e, _ in self.emits]],
            loop.carried,
            {id(x): at for x, at in loop.same},
            forms,
            [t.inside for t in loop.taken],
        )
        self.condition = None if loop.condition is None else self._condition(loop.condition)
        # What is written in each iteration is in memory, which ends the lowering of the body.
        self.emitted = [self.body.stored(e.inside) for e, _ in self.emits]
        self.body.assign(loop.carried, loop.results)

    def _condition(self, graph: FunctionGraph) -> Part:
        count = len(self.loop.carried)
        given, captured = graph.all_inputs[:count], graph.all_inputs[count:]
        pairs = zip(captured, self.loop._condition_places, strict=True)
        found = Part(graph, graph.outputs, given, {id(x): at for x, at in pairs}, self.forms)
        go = found.stored(graph.outputs[0])
        if go.kind != "b1" or go.size != 1 or found.low.checks:
            raise NotLowered("the condition is no truth value")
        return found

    @property
    def parts(self) -> list[Part]:
        return [self.body] if self.condition is None else [self.condition, self.body]

    def lowered(self, low: Lowering, op: Operation) -> Sequence[View | None]:
        """The final values of what the loop carries; what it emits is known as rows."""
        n, s = len(self.loop.carried), len(self.loop.taken)
        initial = [stored_in(low, x) for x in op.inputs[:n]]
        for view, x in zip(initial, self.loop.carried, strict=True):
            if view.shape != shape_in(low, x):
                raise NotLowered("a value changes its shape")
        pairs = zip(op.inputs[n : n + s], self.loop.taken, strict=True)
        taken = [_rows(low, x, t.inside) for x, t in pairs]
        loop = Repeat(self, initial, fixed_in(low, self.parts, op.inputs[n + s :]), taken, op)
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


WHOLE["While"] = Loop, Inside
