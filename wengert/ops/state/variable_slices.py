"""Parts of variables, which can be assigned: v[1:3].assign(values)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import EllipsisType
from typing import TYPE_CHECKING, TypeAlias
from weakref import ref

from wengert.ops.arrays.creation import range_, shape, size
from wengert.ops.arrays.indexing import getitem
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_update
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.tensor import PARTS, Tensor

if TYPE_CHECKING:
    from wengert.graph.operation import Operation
    from wengert.values.typing import TensorLike

    Place: TypeAlias = TensorLike | EllipsisType | slice | None
    Key: TypeAlias = Place | Sequence[Place]


def part_of_variable(variable: Variable, key: Key) -> Tensor:
    """A part of a variable's value; its `assign` changes the variable there."""
    part = getitem(variable, key)
    at = id(part)
    PARTS[at] = ref(part, lambda _: PARTS.pop(at, None)), partial(_assign, variable, key)
    return part


def _assign(
    variable: Variable,
    key: Key,
    value: TensorLike,
    name: str | None = None,
) -> Variable | Operation:
    """The variable with new values at a key; in a graph, the operation that assigns them."""
    now = variable.read_value()
    places = getitem(reshape(range_(size(now)), shape(now)), key)
    given = broadcast_to(convert(value, hint=variable.dtype), shape(places))
    changed = tensor_scatter_nd_update(
        reshape(now, (-1,)), reshape(places, (-1, 1)), reshape(given, (-1,))
    )
    assigned: Variable | Operation = variable.assign(reshape(changed, shape(now)), name=name)
    return assigned
