"""Sizes that come with what is fed.

A size belongs to the tensor on which it was first seen: often a placeholder from which a result was computed. Where
that result is fed, its sizes are known, and the placeholder need not be fed for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wengert.execution.plan import Plan
from wengert.inference.measured_inputs import measured_inputs
from wengert.values.sizes import Size, key_of
from wengert.values.symbolic import SymbolicTensor, is_certain

if TYPE_CHECKING:
    from wengert.values.typing import Array


class Measured(NamedTuple):
    """A tensor of which a plan takes sizes alone: each a number, or that of a fed value's axis."""

    tensor: SymbolicTensor
    sizes: list[Any]

    def stand_in(self, fed: Sequence[Array]) -> Array:
        """An array of those sizes."""
        shape = [s if isinstance(s, int) else fed[s[0]].shape[s[1]] for s in self.sizes]
        return np.broadcast_to(np.zeros((), self.tensor._array.dtype), shape)


def measured_by_feeds(plan: Plan) -> list[Measured]:
    """The tensors of which the steps of a plan take sizes alone, where fed results tell these."""
    places = _places(plan.feeds)
    if not places:
        return []
    alone: dict[int, SymbolicTensor] = {}
    others = {id(x) for x in [*plan.fetches, *plan.feeds]}
    for op in plan.steps:
        measured = measured_inputs(op.row)
        for at, x in enumerate(op.inputs):
            if at in measured or op.row.by_shape:
                alone[id(x)] = x
            else:
                others.add(id(x))
    found = [_measured(x, places) for key, x in alone.items() if key not in others]
    return [one for one in found if one is not None]


def _places(feeds: Sequence[SymbolicTensor]) -> dict[Any, tuple[int, int]]:
    """Which feed and axis has a size, of the results among the feeds."""
    return {
        key_of(size): (at, axis)
        for at, x in enumerate(feeds)
        if x.op.inputs and x.shape.rank is not None
        for axis, size in enumerate(x._array.shape)
        if type(size) is Size
    }


def _measured(x: SymbolicTensor, places: dict[Any, tuple[int, int]]) -> Measured | None:
    """How the sizes of a tensor follow; None if they do not, or need not."""
    if x.shape.rank is None or is_certain(x._array.shape):
        return None
    sizes = [places.get(key_of(n)) if type(n) is Size else int(n) for n in x._array.shape]
    return None if None in sizes else Measured(x, sizes)
