"""Graphs for the sizes of a call whose forms say what other calls may bring.

A graph of unknown sizes is replayed for those of the call, and once for sizes that nobody has. Where the two
differ, a size is an OpenSize, so that engines can compile one code for all sizes
(values/open_size.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

import numpy as np

from wengert.graph.graph_builder import CONST
from wengert.graph.operation import Operation
from wengert.values.open_size import is_open, opened
from wengert.values.symbolic import Form, SymbolicTensor, is_certain

MOST: Final = 8  # different sizes; where there are more, none is open


def marks_of(inputs: Sequence[SymbolicTensor], values: Sequence[Any]) -> list[tuple[int, ...]]:
    """For each array the marks of its sizes: equal ones for equal unknown sizes.

    Sizes of 0 and 1 are as they are: code for them is another one. A mark is at most three times the
    size, as there are programs that make constants of these sizes, and equal for many sizes.
    """
    shapes = [v.shape if isinstance(v, (np.ndarray, np.generic)) else () for v in values]
    axes = [
        list(zip(shape, _unknown(x, len(shape)), strict=True))
        for x, shape in zip(inputs, shapes, strict=True)
    ]
    sizes = dict.fromkeys([n for each in axes for n, unknown in each if unknown and n > 1])
    if not 0 < len(sizes) <= MOST:
        return []
    marks: dict[int, int] = {}
    for n in sizes:
        marks[n] = _mark(n, marks.values())
    return [tuple([marks.get(n, n) if unknown else n for n, unknown in each]) for each in axes]


def _mark(size: int, taken: Collection[int]) -> int:
    """A number that is no multiple of what loops are cut by, and that no other size has."""
    step = 1 << size.bit_length() - 1
    mark = 3 * step - 1
    while mark in taken:
        mark += step // 4 + 1
    return mark


def _unknown(x: SymbolicTensor, rank: int) -> list[bool]:
    """For each axis of an input whether its size was not known when the graph was made."""
    sizes = x._array.shape
    if not isinstance(sizes, tuple) or len(sizes) != rank:  # of unknown rank, or a variable
        return [True] * rank
    return [type(size) is not int for size in sizes]


def stand_in(value: Any, shape: tuple[int, ...]) -> Any:
    """An array of that shape and the dtype of a value, which takes no memory."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    return np.broadcast_to(np.zeros((), value.dtype), shape)


def open_forms(graph: Any, other: Any) -> bool:
    """Open the forms of a graph where another one, of the same operations, has other sizes.

    False, and nothing is changed, if the operations are not the same.
    """
    pairs = list(_pairs(graph, other))
    if any(pair is None for pair in pairs):
        return False
    for op, twin in pairs:  # type: ignore[misc]
        if op.row is CONST and not _is_same(op.attrs["value"], twin.attrs["value"]):
            op.graph.open_constants[op] = twin.attrs["value"]
        for x, y in zip(op.outputs, twin.outputs, strict=True):
            shape = _opened(x._array.shape, y._array.shape)
            if shape is not None:
                x._array = Form(shape, x._array.dtype)
    return True


def open_values(order: Sequence[Operation], known: dict[int, Any]) -> dict[int, Any]:
    """Of the known values of a plan those that depend on open sizes, by the ids of their tensors.

    With what they would be at other sizes, if that is known.
    """
    found: dict[int, Any] = {}
    for op in order:
        if not any(id(y) in known for y in op.outputs):
            continue
        if op.row is CONST:
            if op in op.graph.open_constants:
                found[id(op.outputs[0])] = op.graph.open_constants[op]
        elif any(id(x) in found or has_open_form(x) for x in op.inputs):
            found.update(dict.fromkeys(map(id, op.outputs)))
    return found


def has_open_form(x: SymbolicTensor) -> bool:
    """Whether some size of a tensor is open."""
    shape = x._array.shape
    return isinstance(shape, tuple) and is_open(shape)


def _pairs(graph: Any, other: Any) -> Iterator[tuple[Operation, Operation] | None]:
    """The operations of two graphs, and of what these run, in pairs; None where they differ."""
    if len(graph.operations) != len(other.operations):
        yield None
        return
    for op, twin in zip(graph.operations, other.operations, strict=True):
        alike = op.row.name == twin.row.name and len(op.outputs) == len(twin.outputs)
        if not alike or len(op.row.graphs) != len(twin.row.graphs):
            yield None
            return
        yield op, twin
        for inner, second in zip(op.row.graphs, twin.row.graphs, strict=True):
            if inner is not second:
                yield from _pairs(inner, second)


def _is_same(value: Any, twin: Any) -> bool:
    return value is twin or (
        isinstance(value, (np.ndarray, np.generic))
        and isinstance(twin, (np.ndarray, np.generic))
        and value.shape == twin.shape
        and bool(np.array_equal(value, twin))
    )


def _opened(shape: Any, twin: Any) -> tuple[int, ...] | None:
    """The sizes of a shape, open where a twin has others; None if none is."""
    if not (is_certain(shape) and is_certain(twin)) or len(shape) != len(twin) or shape == twin:
        return None
    return tuple([opened(int(a), int(b)) for a, b in zip(shape, twin, strict=True)])
