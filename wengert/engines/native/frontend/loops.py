"""Loops in graphs, lowered whole: the condition and the body are plans of their own.

What a loop carries stays in one array for each value, from the first iteration to the last. What it
emits in every iteration becomes the rows of an array. A loop whose body needs NumPy, or whose values
change their shapes, is left to NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence

from wengert.engines.native.frontend.arrays import Repeat, Rows, Tally, View, whole
from wengert.engines.native.frontend.list_forms import ListForm
from wengert.engines.native.frontend.lowering import WHOLE, Lowering, form_in_memory
from wengert.engines.native.frontend.parts import Part, fixed_in, shape_in, stored_in
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.execution.plan import effects
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.ops.control.trip_counts import trips
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
        if (loop.condition is None) is not bool(loop.taken):
            raise NotLowered("a loop without an end, or with two")
        if loop.condition is not None and effects(loop.condition):
            raise NotLowered("the condition does more than tell")
        self.count = self._count(op, forms)
        if self.count is None:
            if loop.condition is not None and any(e.backward for e, _ in self.emits):
                raise NotLowered("the first row belongs to the last iteration, which is not known")
            if any(
                id(e.inside) in forms or form_in_memory(e.inside) is None for e, _ in self.emits
            ):
                raise NotLowered("a list for each iteration")
        self.body = Part(
            loop.body,
            [*loop.results, *[e.inside for e, _ in self.emits]],
            loop.carried,
            {id(x): at for x, at in loop.same},
            forms,
            [t.inside for t in loop.taken],
        )
        is_counted = loop.condition is None or self.count is not None
        self.condition = None if is_counted else self._condition(loop.condition)
        # What is written in each iteration is in memory, which ends the lowering of the body.
        self.emitted = [self.body.stored(e.inside) for e, _ in self.emits]
        self.body.assign(loop.carried, loop.results)

    def _count(self, op: Operation, forms: dict[int, ListForm]) -> int | None:
        """The number of iterations, if all that the loop takes and emits are arrays of that length."""
        n, s = len(self.loop.carried), len(self.loop.taken)
        lists = [*op.inputs[n : n + s], *[y for _, y in self.emits]]
        if any(id(x) not in forms for x in lists):
            return None
        counts = {forms[id(x)].shape[0] for x in lists}
        if self.loop.condition is not None:
            counts.add(trips(op, self.loop) or 0)
        (count,) = counts if len(counts) == 1 else (0,)
        return count or None

    def _condition(self, graph: FunctionGraph | None) -> Part:
        assert graph is not None
        count = len(self.loop.carried)
        given, captured = graph.all_inputs[:count], graph.all_inputs[count:]
        pairs = zip(captured, self.loop.condition_places, strict=True)
        places = {id(x): at for x, at in pairs}
        found = Part(graph, graph.outputs, given, places, self.forms, changed=self.body.changed)
        go = found.stored(graph.outputs[0])
        if go.kind != "b1" or go.size != 1 or found.low.checks or found.low.written:
            raise NotLowered("the condition is no truth value")
        return found

    @property
    def parts(self) -> list[Part]:
        return [self.body] if self.condition is None else [self.condition, self.body]

    def lowered(self, low: Lowering, op: Operation) -> Sequence[View | None]:
        """The final values of what the loop carries; what it emits is known as rows."""
        n, s = len(self.loop.carried), len(self.loop.taken)
        initial = [stored_in(low, x) for x in op.inputs[:n]]
        constants = op.inputs[n + s :]
        for view, x in zip(initial, self.loop.carried, strict=True):
            if view.shape != shape_in(low, x):
                raise NotLowered("a value changes its shape")
        pairs = zip(op.inputs[n : n + s], self.loop.taken, strict=True)
        taken = [self._taken(low, x, t.inside) for x, t in pairs]
        fixed = fixed_in(low, self.parts, constants)
        initial += [low.stored(low.now(constants[at])) for at in self.body.changed]
        loop = Repeat(self, initial, fixed, taken, op, self.count)
        for at, k in self.body.changed.items():
            low.changed_to(constants[at], whole(loop.results[k]))
        makers = [rows.loop for rows in taken if isinstance(rows, Rows)]
        loop.after += [maker for maker in makers if maker is not None]
        low.items.append(loop)
        for made, (emit, y) in zip(loop.emitted, self.emits, strict=True):
            low.seen_as(emit.inside, made)
            if isinstance(made, Rows):
                low.rows[id(y)] = made
            else:
                low.lists[id(y)] = whole(made)
        for base, x, y in zip(loop.results, self.loop.carried, op.outputs, strict=False):
            if id(x) in low.forms:
                low.lists[id(y)] = whole(base)
        found = [
            None if id(x) in low.forms else whole(base)
            for base, x in zip(loop.results, self.loop.carried, strict=False)
        ]
        return [*found, *[None] * len(self.loop.emitted)]

    def _taken(self, low: Lowering, x: SymbolicTensor, inside: SymbolicTensor) -> Rows | View:
        """What is taken in each iteration: of an array, or of a list."""
        return _rows(low, x, inside) if self.count is None else stored_in(low, x)


def _rows(low: Lowering, x: SymbolicTensor, inside: SymbolicTensor) -> Rows:
    """What a loop takes, if it is another loop's or given to the plan."""
    form = form_in_memory(inside)
    if form is None or 0 in form[0]:
        raise NotLowered("the elements are no arrays of numbers")
    found = low.rows.get(id(x))
    if found is None:
        if all(x is not given for given in low.plan.given):
            raise NotLowered("a list that NumPy makes")
        found = low.rows[id(x)] = Rows(*form, Tally(), x)
        low.seen_as(inside, found)
    if (found.shape, found.kind) != form:
        raise NotLowered("elements of another form than the loop was made for")
    return found


WHOLE["While"] = Loop, Inside
