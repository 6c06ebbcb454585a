"""A function of one number as the operations that it is composed of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.core.context import activate
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.graph_builder import CONST
from wengert.insight.compare.spaces import Number, Space
from wengert.insight.journal import operations_behind
from wengert.state.variable import Variable
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.tensor import Tensor


class NotComposedError(ValueError):
    """A function does something that has no formula."""


# Whose kernels look at arrays, or are NumPy's: the function of the space by the type of the operation.
_CALLED: Final = {
    "Sigmoid": "sigmoid", "Softplus": "softplus", "Erf": "erf", "Erfc": "erfc", "Lgamma": "lgamma",
    "Digamma": "digamma", "SelectV2": "where", "Pow": "power", "Sign": "sign", "Abs": "abs",
}  # fmt: skip
_PASSED_ON: Final = frozenset(("Identity", "Cast", "Sum", "Mean", "Prod", "Max", "Min", "Reshape", "ReadVariableOp"))  # fmt: skip


class Composition:
    """A graph of operations on single numbers."""

    def __init__(self, f: Callable[[Any], Any]) -> None:
        self.graph = FunctionGraph("formula")
        with activate((), self.graph):
            self._x = self.graph.input([], np.dtype(np.float64), "x")
            returned = convert(f(self._x))
            self._y = self.graph.entered(returned)
        self._needed = operations_behind([self._y])

    def at(self, space: Space, value: Any) -> Any:
        """What the operations make of a value, in the numbers of a space."""
        known = {id(self._x): Number(space, value)}
        for outside, inside in self.graph.captures:
            known[id(inside)] = _constant(space, outside)
        for op in self.graph.operations:
            if id(op) in self._needed and id(op.outputs[0]) not in known:
                known[id(op.outputs[0])] = _computed(space, op, [known[id(x)] for x in op.inputs])
        return known[id(self._y)].value


def _constant(space: Space, value: Any) -> Number:
    array = value._array if isinstance(value, (Tensor, Variable)) else np.asarray(value)
    if np.size(array) != 1 or array.dtype.kind not in "fiub":
        raise NotComposedError(f"it uses an array of shape {list(np.shape(array))}")
    return Number(space, space.plain(np.ravel(array)[0]))


def _computed(space: Space, op: Any, inputs: list[Number]) -> Number:
    row = op.row
    if row is CONST:
        value = op.attrs["value"]
        return _constant(space, getattr(value, "_array", value))
    if any(dims not in ((), None) and np.prod(dims) != 1 for dims in _shapes(op)):
        raise NotComposedError(f"{row.name} works on an array")
    if row.name in _PASSED_ON and _keeps_numbers(op):
        return inputs[0]
    try:
        if row.name in _CALLED:
            made = getattr(space, _CALLED[row.name])(*inputs)
        else:
            made = row.kernel(space, *inputs, **op.attrs) if row.elementwise else None
    except (KeyError, TypeError, AttributeError) as error:  # a kernel that is NumPy's own
        raise NotComposedError(f"{row.name} has no formula") from error
    if not isinstance(made, Number):
        raise NotComposedError(f"{row.name} has no formula")
    return made


def _shapes(op: Any) -> list[Any]:
    return [x._array.shape for x in (*op.inputs[:1], *op.outputs)]


def _keeps_numbers(op: Any) -> bool:
    return op.row.name != "Cast" or dtypes.of_numpy(op.outputs[0]._array.dtype).is_floating
