"""What a derivative costs, estimated from the operations of the function.

It counts floating-point operations and bytes that are read or written; a transcendental function
counts as ten. The estimate says which of two ways to a derivative is cheaper, not how many seconds
either takes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from wengert.derivatives.trail import Event
from wengert.ops.arrays.shaping import VIEWS
from wengert.values.dtypes import variant
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims, key_of
from wengert.values.value import Key


class Work(NamedTuple):
    """Floating-point operations, bytes, and operations of the table."""

    flops: float = 0.0
    bytes: float = 0.0
    operations: int = 0

    def plus(self, other: Work, times: float = 1.0) -> Work:
        """The sum with other work that is done that many times, as one batch."""
        return Work(
            self.flops + times * other.flops,
            self.bytes + times * other.bytes,
            self.operations + (other.operations if times else 0),
        )

    @property
    def weight(self) -> float:
        """One number for comparisons: nanoseconds on a processor of modest speed, mostly in cache."""
        return self.flops / 10.0 + self.bytes / 30.0 + 2000.0 * self.operations


class Estimate(NamedTuple):
    """The work of a function, and of one product of its Jacobian with a vector."""

    function: Work
    forward: Work
    reverse: Work


def estimate(events: Sequence[Event], sources: Sequence[Any]) -> Estimate:
    """What a function of these operations costs, and its derivatives by the sources."""
    followed: set[Key] = {key_of(x) for x in sources}
    function, forward, reverse = Work(), Work(), Work()
    for event in events:
        own = _work(event)
        function = function.plus(own)
        touched = sum(key_of(x) in followed for x in event.inputs)
        if touched and event.row.differentiable:
            followed |= {key_of(y) for y in event.results}
            push, pull = _products(event, own, touched)
            forward, reverse = forward.plus(push), reverse.plus(pull)
    return Estimate(function, forward, reverse)


def _products(event: Event, own: Work, touched: int) -> tuple[Work, Work]:
    """The work of one product, forward and in reverse."""
    row = event.row
    if row.graphs:
        return _scaled(own, 2.0), _scaled(own, 3.0)
    if row.linear:
        return _scaled(own, float(touched)), _scaled(own, float(touched))
    moved = _size(event.results) * _width(event)
    each = Work(2.0 * touched * _size(event.results), 3.0 * touched * moved, 2 * touched)
    if row.elementwise:
        return each, each
    return _scaled(own, 2.0), _scaled(own, 2.0)


def _scaled(work: Work, factor: float) -> Work:
    return Work(work.flops * factor, work.bytes * factor, round(work.operations * factor))


_FREE: Final = VIEWS | {"ReadVariableOp"}
_CHEAP: Final = frozenset(
    [
        "AddV2",
        "Sub",
        "Mul",
        "Neg",
        "Square",
        "Maximum",
        "Minimum",
        "SelectV2",
        "Relu",
        "Abs",
        "Cast",
        "Sign",
        "RealDiv",
        "Reciprocal",
        "AddN",
        "SquaredDifference",
        "ReluGrad",
        "TanhGrad",
        "SigmoidGrad",
        "ClipByValue",
    ]
)
_TRANSCENDENTAL: Final = 10.0


def _work(event: Event) -> Work:
    row = event.row
    if row.graphs:  # what a loop does once
        inner = [_work(_event_of(op)) for graph in row.graphs for op in graph.get_operations()]
        return Work(sum(w.flops for w in inner), sum(w.bytes for w in inner), len(inner))
    if row.name in _FREE:
        return Work(0.0, 0.0, 1)
    moved = (_size(event.inputs) + _size(event.results)) * _width(event)
    return Work(_flops(event), float(moved), 1)


def _event_of(op: Any) -> Event:
    return Event(op.row, tuple(op.inputs), op.attrs, tuple(op.outputs))


def _flops(event: Event) -> float:
    row, out = event.row, _size(event.results)
    if row.name in ("MatMul", "BatchMatMulV2"):
        inner = dims(event.inputs[0])[-2 if event.attrs["transpose_a"] else -1]
        return 2.0 * out * (int(inner) if is_certain((inner,)) else 1)
    if row.name == "Einsum":
        return _of_einsum(event)
    if row.name.startswith(("Conv", "DepthwiseConv")):
        return 2.0 * max(map(_elements, event.inputs)) * math.sqrt(_elements(event.inputs[1]))
    if row.elementwise:
        return out * (1.0 if row.name in _CHEAP else _TRANSCENDENTAL)
    return 0.0 if row.linear and row.name != "Sum" else float(_size(event.inputs))


def _of_einsum(event: Event) -> float:
    terms = event.attrs["equation"].partition("->")[0].split(",")
    sizes: dict[str, Any] = {}
    for term, x in zip(terms, event.inputs, strict=True):
        sizes.update(zip(term, dims(x), strict=True))
    return 2.0 * float(math.prod(s for s in sizes.values() if is_certain((s,))))


def _size(values: Sequence[Any]) -> int:
    return sum(map(_elements, values))


def _elements(value: Any) -> int:
    """How many elements a value has, if axes of unknown size count as one."""
    shape = getattr(getattr(value, "_array", None), "shape", ())
    return math.prod(shape) if is_certain(shape) else 1


def _width(event: Event) -> int:
    """Bytes of an element; lists of tensors have none."""
    dtype = event.results[0].dtype if event.results else None
    if dtype is None or dtype is variant or not dtype.is_differentiable:
        return 8
    return int(dtype.size)
