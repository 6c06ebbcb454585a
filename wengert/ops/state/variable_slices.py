"""Parts of variables, which can be assigned: v[1:3].assign(values)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import EllipsisType
from typing import Any
from weakref import ref

from wengert.ops.arrays.creation import range_, shape, size
from wengert.ops.arrays.indexing import getitem
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_update
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.tensor import PARTS, Tensor


def part_of_variable(variable: Variable, key: Any) -> Tensor:
    """A part of a variable's value; its `assign` changes the variable there."""
    part = getitem(variable, key)
    at = id(part)
    PARTS[at] = ref(part, lambda _: PARTS.pop(at, None)), partial(_assign, variable, key)
    return part


def _assign(
    variable: Variable,
    key: int | Sequence[int | EllipsisType | slice] | slice,
    value: float | Sequence[float],
    name: str | None = None,
) -> Any:
    """The variable with new values at a key."""
    now = variable.read_value()
    places = getitem(reshape(range_(size(now)), shape(now)), key)
    given = broadcast_to(convert(value, hint=variable.dtype), shape(places))
    changed = tensor_scatter_nd_update(
        reshape(now, (-1,)), reshape(places, (-1, 1)), reshape(given, (-1,))
    )
    return variable.assign(reshape(changed, shape(now)), name=name)
