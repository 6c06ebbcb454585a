"""Branches in graphs, lowered whole: each is a plan of its own, of which one runs.

Values of a branch that its gradient uses are results, too: where another branch was chosen, they are
what happens to lie in memory, and nothing reads them.
"""

from __future__ import annotations

from collections.abc import Sequence

from wengert.engines.native.frontend.arrays import Choice, Dims, Input, View, whole
from wengert.engines.native.frontend.list_forms import ListForm
from wengert.engines.native.frontend.lowering import WHOLE, Lowering, form_in_memory
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
        assigned: list[dict[int, View]] = []
        for branch, (body, places) in enumerate(zip(branches.bodies, branches.places, strict=True)):
            wanted = {at: at for at in self.outputs if at < branches.count}
            for at in self.outputs[len(wanted) :]:
                owner, place = branches.more[at - branches.count]
                if owner == branch:
                    wanted[at] = place
            inputs = dict(zip(map(id, body.graph.captured_inputs), places, strict=True))
            results = [body.results[place] for place in wanted.values()]
            part = Part(body.graph, results, (), inputs, forms, changed={})
            self.parts.append(part)
            self.given.append(dict(zip(wanted, map(part.stored, results), strict=True)))
            assigned.append({inputs[id(x)]: view for x, view in part.low.written.values()})
        # The variables that some branch assigns, by their index among the inputs; they are results, too.
        self.changed = sorted({at for found in assigned for at in found})
        for part, given, found in zip(self.parts, self.given, assigned, strict=True):
            for at in self.changed:
                given[_result_of(at)] = self._assigned(part, found.get(at), at, assigned)

    def _assigned(
        self, part: Part, view: View | None, at: int, assigned: Sequence[dict[int, View]]
    ) -> View:
        """The value of a variable after a branch: what it was, if the branch does not assign it."""
        if view is None:
            like = next(found[at] for found in assigned if at in found)
            base = Input(like.shape, like.kind)
            part.fixed[base] = at
            part.variables.add(at)
            view = whole(base)
        view = part.low.stored(view)
        part.low.written = {}
        part.results.append(view)
        return view

    @property
    def keys(self) -> list[int]:
        """What each of the results is, as in `given`."""
        return [*self.outputs, *map(_result_of, self.changed)]

    def lowered(self, low: Lowering, op: Operation) -> Sequence[View | None]:
        """The results of the branch that is chosen."""
        index = low.views.get(id(op.inputs[0]))
        if index is None or index.size != 1 or index.kind not in ("b1", "i4", "i8"):
            raise NotLowered("an index that is no single number")
        fixed = fixed_in(low, self.parts, op.inputs[1:])
        forms = [self._form(low, op, k) for k in self.outputs]
        forms += [self._form_of_given(_result_of(at)) for at in self.changed]
        choice = Choice(self, low.stored(index), fixed, forms, op)
        low.items.append(choice)
        for at, base in zip(self.changed, choice.results[len(self.outputs) :], strict=True):
            low.changed_to(op.inputs[1 + at], whole(base))
        found: list[View | None] = [None] * len(op.outputs)
        for at, base in zip(self.outputs, choice.results, strict=False):
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
        found = self._form_of_given(at)
        if found != (form_in_memory(y) if form is None else form[:2]):
            raise NotLowered("results of several forms")
        return found

    def _form_of_given(self, at: int) -> tuple[Dims, str]:
        """The form of what branches give."""
        views = [given[at] for given in self.given if at in given]
        if any((v.shape, v.kind) != (views[0].shape, views[0].kind) for v in views):
            raise NotLowered("results of several forms")
        return views[0].shape, views[0].kind


def _result_of(at: int) -> int:
    """Stands for the value of a variable, by its index among the inputs: no index of an output."""
    return -1 - at


WHOLE["If"] = WHOLE["Case"] = Branches, InsideBranches
