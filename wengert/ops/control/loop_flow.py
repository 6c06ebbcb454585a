"""What a derivative needs of a loop: what depends on what it is asked for, and what never changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wengert.core.context import thread
from wengert.execution.plan import is_only_a_function
from wengert.graph.graph_builder import CONST
from wengert.inference.list_elements import is_list
from wengert.ops.control.loop_parts import taken_from
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.graph.function_graph import FunctionGraph
    from wengert.graph.operation import Operation
    from wengert.ops.control.while_op import Loop


def flowing(loop: Loop, asked: Sequence[bool]) -> list[bool]:
    """Which carried values depend on what is asked for: through others no gradient needs to flow."""
    can = [x.dtype.is_differentiable for x in loop.carried]
    if thread.context.sweeping is not None:  # an override may lead through what has no derivative
        return can
    n, s = len(loop.carried), len(loop.taken)
    depends = {id(x) for x, a in zip(loop.carried, asked, strict=False) if a}
    depends |= {id(t.inside) for t, a in zip(loop.taken, asked[n:], strict=False) if a}
    depends |= {id(x) for x, at in loop.same if asked[n + s + at]}
    count = -1
    while count < len(depends):  # until another iteration adds nothing
        count = len(depends)
        for op in loop.body.operations:
            if op.row.differentiable and any(id(x) in depends for x in op.inputs):
                depends.update(map(id, op.outputs))
        pairs = zip(loop.carried, loop.results, strict=True)
        depends.update([id(x) for x, y in pairs if id(y) in depends])
    return [c and id(x) in depends for c, x in zip(can, loop.carried, strict=True)]


def unchanging(loop: Loop, op: Operation) -> set[int]:
    """The ids of what is the same in all iterations, and can be computed even if there is none."""
    found = {id(x) for x, _ in loop.same}
    runs = (loop.count(op) or 0) > 0
    for inner in loop.body.operations:
        if inner.row is CONST:
            is_same = not inner.control_inputs
        else:
            is_same = bool(inner.inputs) and all(id(x) in found for x in inner.inputs)
            is_same = is_same and is_only_a_function(inner) and (runs or _cannot_fail(inner))
        if is_same:
            found.update(map(id, inner.outputs))
    return found


def only_shapes_of(graph: FunctionGraph, ends: Sequence[SymbolicTensor]) -> list[SymbolicTensor]:
    """The captured values of which a graph reads the shape alone, where that is known: what x[i] is a part of."""
    read = {id(x) for x in ends}
    for op in graph.operations:
        shaped = taken_from(op)
        read.update(id(x) for k, x in enumerate(op.inputs) if k != shaped and not op.row.by_shape)
    pairs = zip(graph.captured, graph.captured_inputs, strict=True)
    return [v for v, inside in pairs if id(inside) not in read and _is_array_of_known_shape(inside)]


def _is_array_of_known_shape(x: object) -> bool:
    return type(x) is SymbolicTensor and not is_list(x) and is_certain(dims(x))


def _cannot_fail(op: Operation) -> bool:
    """Whether an operation gives something for all values: no index, no matrix without an inverse."""
    if any(not y.dtype.is_differentiable for y in op.outputs):
        return False
    is_linear = type(op.row.linear) is tuple and len(op.row.linear) == len(op.inputs)
    return op.row.elementwise or is_linear or op.row.name in ("MatMul", "BatchMatMulV2")
