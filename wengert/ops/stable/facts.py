"""How values were computed: what the patterns look at.

In a graph the operation that computed a value tells it. Eagerly it is remembered for as long as the
value lives; what the value was computed from lives as long, as on a tape.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.core.context import thread
from wengert.core.row import NO_ATTRS, Attrs, Row
from wengert.core.table import TABLE
from wengert.graph.graph_builder import CONST
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import Tensor, dims


class Fact(NamedTuple):
    """A value is `kind` of `of`: the exponential of x, one plus x, the sum of the exponentials of x."""

    kind: str
    of: Any
    attrs: Attrs = NO_ATTRS
    also: Any = None  # the second operand


# Functions of one value, by the type of the operation.
_FUNCTIONS: Final = {
    "Exp": "exp", "Expm1": "expm1", "Neg": "negative", "Square": "square", "Log": "log",
    "Cos": "cos", "Erf": "erf", "Erfc": "erfc", "StableTanh": "tanh", "StableSigmoid": "sigmoid",
    "StableSoftmax": "softmax", "ReadVariableOp": "read",
}  # fmt: skip


class Facts:
    """What is known of how values were computed."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], Fact]] = {}

    def note(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        """Remember how a value was computed, if a pattern may begin with it."""
        if type(result) is SymbolicTensor or not is_own(row):
            return
        fact = self._read(row, inputs, attrs)
        if fact is not None:
            at, known = id(result), self._known
            known[at] = weakref.ref(result, lambda _: known.pop(at, None)), fact

    def of(self, value: Any, *kinds: str) -> Fact | None:
        """How a value was computed, if that is of one of these kinds and known to all recorders."""
        if type(value) is SymbolicTensor:
            op = value.op
            fact = self._read(op.row, op.inputs, op.attrs) if is_own(op.row) else None
        else:
            there, fact = self._known.get(id(value), (None, None))
            fact = fact if there is not None and there() is value else None
        if fact is None or fact.kind not in kinds:
            return None
        inputs = [fact.of] if fact.also is None else [fact.of, fact.also]
        return fact if _followed_alike(value, inputs) else None

    def are_one(self, a: Any, b: Any) -> bool:
        """Whether two values are the same one. A variable is read anew each time."""
        if a is b:
            return True
        if type(a) is SymbolicTensor and type(b) is SymbolicTensor:
            unchanged = a.op.graph is b.op.graph and _assigns_nothing(a.op.graph)
        else:
            unchanged = a._array is b._array
        one, other = self.of(a, "read"), self.of(b, "read")
        return unchanged and one is not None and other is not None and one.of is other.of

    def _read(self, row: Row, inputs: Sequence[Any], attrs: Attrs) -> Fact | None:
        if not inputs or inputs[0]._array.dtype.kind not in "fV":
            return None
        kind = _FUNCTIONS.get(row.name)
        if kind is not None:
            return Fact(kind, inputs[0], attrs)
        reader = _READERS.get(row.name)
        return None if reader is None else reader(self, inputs, attrs)

    # ---- readers -----------------------------------------------------------------------------

    def _sum(self, inputs: Sequence[Any], attrs: Attrs) -> Fact | None:
        """The sum of exponentials."""
        exponential = self.of(inputs[0], "exp")
        if exponential is None or not attrs["axis"]:
            return None
        return Fact("sum_exp", exponential.of, attrs)

    def _spread(self, inputs: Sequence[Any], attrs: Attrs) -> Fact | None:
        """A sum of exponentials, with the axes that were summed put back: as keepdims does."""
        total = self.of(inputs[0], "sum_exp")
        if total is None or total.attrs["keepdims"] or not _are_known(inputs[0], total.of):
            return None
        axes = {a % len(dims(total.of)) for a in _as_tuple(total.attrs["axis"])}
        kept = tuple([1 if i in axes else n for i, n in enumerate(dims(total.of))])
        made = _with_new_axes(tuple(dims(inputs[0])), attrs)
        return total._replace(attrs={**total.attrs, "keepdims": True}) if made == kept else None

    def _plus(self, inputs: Sequence[Any], attrs: Attrs) -> Fact | None:
        """One plus a value, or the sum of two squares."""
        a, b = inputs
        if is_number(a, 1.0, b):
            return Fact("one_plus", b)
        if is_number(b, 1.0, a):
            return Fact("one_plus", a)
        x, y = self.of(a, "square"), self.of(b, "square")
        return Fact("squares", x.of, NO_ATTRS, y.of) if x is not None and y is not None else None

    def _minus(self, inputs: Sequence[Any], attrs: Attrs) -> Fact | None:
        """One minus a value."""
        return Fact("one_minus", inputs[1]) if is_number(inputs[0], 1.0, inputs[1]) else None

    def _times(self, inputs: Sequence[Any], attrs: Attrs) -> Fact | None:
        return Fact("square", inputs[0]) if self.are_one(*inputs) else None

    def _power(self, inputs: Sequence[Any], attrs: Attrs) -> Fact | None:
        return Fact("square", inputs[0]) if is_number(inputs[1], 2.0, inputs[0]) else None


_READERS: Final[dict[str, Callable[[Facts, Sequence[Any], Attrs], Fact | None]]] = {
    "Sum": Facts._sum,
    "Reshape": Facts._spread,
    "ExpandDims": Facts._spread,
    "StridedSlice": Facts._spread,
    "AddV2": Facts._plus,
    "Sub": Facts._minus,
    "Mul": Facts._times,
    "Pow": Facts._power,
}


def _as_tuple(axis: Any) -> tuple[int, ...]:
    return tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)


def _are_known(*values: Any) -> bool:
    return all(is_certain(dims(v)) for v in values)


def _with_new_axes(shape: tuple[int, ...], attrs: Attrs) -> tuple[int, ...] | None:
    """The shape that a reshape gives, or an index that takes everything and adds axes; else None."""
    if "shape" in attrs:
        return tuple(attrs["shape"])
    if "axis" in attrs:
        wider: tuple[int, ...] = np.expand_dims(np.broadcast_to(0, shape), attrs["axis"]).shape
        return wider
    key = attrs["key"] if isinstance(attrs["key"], tuple) else (attrs["key"],)
    if not all(k is None or k is Ellipsis or k == slice(None) for k in key):
        return None
    found: tuple[int, ...] = np.broadcast_to(0, shape)[key].shape
    return found


def _assigns_nothing(graph: Any) -> bool:
    return not any(op.row.effects for op in graph.operations)


def is_own(row: Row) -> bool:
    """Whether an operation has the rule that it has in the table, and will keep it."""
    context = thread.context
    if TABLE.get(row.name) is not row or row.name in context.overrides:
        return False
    return context.building is None or row.name not in context.building.overrides


def is_number(value: Any, number: float, other: Any) -> bool:
    """Whether a value is nothing but this number, and does not change the shape of the other one."""
    if type(value) is SymbolicTensor:
        array = value.op.attrs["value"] if value.op.row is CONST else None
        array = getattr(array, "_array", array)
    elif type(value) is Tensor and thread.context.building is None:
        array = value._array  # in a graph it would be a value from outside, which a tape may follow
    else:
        return False
    if array is None or np.size(array) != 1 or np.ravel(array)[0] != number:
        return False
    return not _is_followed(value) and (np.ndim(array) == 0 or np.ndim(array) <= len(dims(other)))


def _is_followed(value: Any) -> bool:
    return any(recorder.follows([value]) for recorder in thread.context.recorders)


def _followed_alike(value: Any, inputs: Sequence[Any]) -> bool:
    """Whether each recorder follows a value for the sake of its inputs alone.

    Where it follows the value itself, or does not know that it came of them, the value is where
    derivatives begin or end.
    """
    recorders = thread.context.recorders
    return all(r.follows([value]) == r.follows(inputs) for r in recorders)
