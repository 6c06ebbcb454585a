"""Gradients of what branches take parts of: rows, which are put in their places outside of the branches.

The gradient of a branch that takes x[i] is an array of zeros around a row; where the branches stand in a
loop, that takes as long in each iteration as the array is large. So a branch gives the rows, and which
they are, and a branch that takes nothing rows of zeros. The loop then does with them what it does with
all rows (loop_parts.py).
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wengert.core.context import activate
from wengert.core.dispatch import apply
from wengert.ops.arrays.gathered_parts import from_the_front
from wengert.ops.arrays.gathering import GATHER_GRAD
from wengert.ops.control.loop_parts import Part, parted
from wengert.ops.math.elementwise import cast
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.dtypes import int64
from wengert.values.symbolic import is_certain
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.execution.derived_graphs import PulledBack
    from wengert.values.symbolic import SymbolicTensor


MANY: Final = 8  # parts, of which a branch rather gives the whole


class Form(NamedTuple):
    """What parts must have in common to be the results of one operation."""

    rows: Any
    indices: Any
    axis: int


class Parts:
    """The parts of an array's gradient in each branch: places for them, which a branch fills or leaves empty."""

    def __init__(self, branches: Sequence[Sequence[Part]]) -> None:
        forms = [Counter(map(_form, parts)) for parts in branches]
        self._places = list(reduce(operator.or_, forms).elements())
        self._branches = branches

    def of_branch(self, branch: int, pull: PulledBack, x: Any) -> list[SymbolicTensor]:
        """Rows and indices for all places, as outputs of the gradient of a branch."""
        left = list(self._branches[branch])
        found: list[SymbolicTensor] = []
        with activate((), pull.graph):
            for form in self._places:
                part = next((part for part in left if _form(part) == form), None)
                if part is None:
                    rows: Any = bound.blank(x, form.rows)
                    index: Any = bound.blank(convert(0, int64), form.indices)
                else:
                    left.remove(part)
                    rows, index = part.rows, cast(part.indices[0], int64)
                found += [pull.graph.entered(rows), pull.graph.entered(index)]
        return found

    def put_together(self, results: Iterator[Any], x: Any) -> Tensor:
        """The gradient, from the rows and the indices of the branch that runs."""
        return reduce(
            bound.add, [_put(form, next(results), next(results), x) for form in self._places]
        )


def _put(form: Form, rows: Any, index: Any, x: Any) -> Tensor:
    index = from_the_front(index, dims(x)[form.axis])
    attrs = {"axis": form.axis, "batch_dims": 0, "shape": dims(x)}
    found: Tensor = apply(GATHER_GRAD, (rows, index), attrs)
    return found


def parts_in_common(pulls: Sequence[PulledBack], place: int, x: Any) -> Parts | None:
    """The parts of a gradient in the branches; None if one of them has it as a whole, or sizes are not known."""
    if not is_certain(dims(x)):
        return None
    found: list[list[Part]] = []
    for pull in pulls:
        with activate((), pull.graph):
            wholes, parts = parted(pull.gradients[place], x, 1)
        if wholes or len(parts) > MANY or not all(map(_is_simple, parts)):
            return None
        found.append(parts)
    return Parts(found)


def _is_simple(part: Part) -> bool:
    """Whether it lies along one axis, as what a gather takes."""
    if len(part.axes) != 1 or not is_certain(dims(part.rows)):
        return False
    return not dims(part.indices[0]) or part.at == part.axes[0]


def _form(part: Part) -> Form:
    return Form(dims(part.rows), dims(part.indices[0]), part.axes[0])
