"""Branches in graphs, lowered whole: each is a plan of its own, of which one runs.

Values of a branch that its gradient uses are results, too: where another branch was chosen, they are
what happens to lie in memory, and nothing reads them.
"""

from __future__ import annotations

from collections.abc import Sequence

from wengert.engines.native.frontend.arrays import Choice, Dims, View, whole
from wengert.engines.native.frontend.list_forms import ListForm
from wengert.engines.native.frontend.lowering import WHOLE, Lowering, kind_of, known_shape
from wengert.engines.native.frontend.parts import Part, fixed_in
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.operation import Operation
from wengert.ops.control.cond import Branches


class InsideBranches:
    """The branches of an operation, lowered; of their results, those in `used`."""

    def __init__(
        self, branches: Branches, op: Operation, used: set[int], forms: dict[int, ListForm]
    ) -> None:
        self.outputs = [at for at, y in enumerate(op.outputs) if id(y) in used]
        self.parts = []
        # For each branch the indices of the outputs that it gives, and the values.
        self.given: list[dict[int, View]] = []
        for branch, (body, places) in enumerate(zip(branches.bodies, branches.places, strict=True)):
            wanted = {at: at for at in self.outputs if at < branches.count}
            for at in self.outputs[len(wanted) :]:
                owner, place = branches.more[at - branches.count]
                if owner == branch:
                    wanted[at] = place
            inputs = dict(zip(map(id, body.graph.captured_inputs), places, strict=True))
            results = [body.results[place] for place in wanted.values()]
            part = Part(body.graph, results, (), inputs, forms)
            if part.changed:
                raise NotLowered("a branch that assigns")
            self.parts.append(part)
            self.given.append(dict(zip(wanted, map(part.stored, results), strict=True)))

    def lowered(self, low: Lowering, op: Operation) -> Sequence[View | None]:
        """The results of the branch that is chosen."""
        index = low.views.get(id(op.inputs[0]))
        if index is None or index.size != 1 or index.kind not in ("b1", "i4", "i8"):
            raise NotLowered("an index that is no single number")
        fixed = fixed_in(low, self.parts, op.inputs[1:])
        choice = Choice(
            self, low.stored(index), fixed, [self._form(low, op, k) for k in self.outputs], op
        )
        low.items.append(choice)
        found: list[View | None] = [None] * len(op.outputs)
        for at, base in zip(self.outputs, choice.results, strict=True):
            y = op.outputs[at]
            if id(y) in low.forms:
                low.lists[id(y)] = whole(base)
            else:
                found[at] = whole(base)
        return found

    def _form(self, low: Lowering, op: Operation, at: int) -> tuple[Dims, str]:
        """The form of a result, which is the same in all branches that give it."""
        y = op.outputs[at]
        form = low.forms.get(id(y))
        shape, kind = (known_shape(y), kind_of(y)) if form is None else form[:2]
        views = [given[at] for given in self.given if at in given]
        if kind is None or any(v.shape != shape or v.kind != kind for v in views):
            raise NotLowered("results of several forms")
        return shape, kind


WHOLE["If"] = WHOLE["Case"] = Branches, InsideBranches
