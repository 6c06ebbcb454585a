"""Variables by their handles, which a graph from a file and raw operations have."""

from __future__ import annotations

from typing import Any

from wengert.core.context import activate
from wengert.core.dispatch import apply
from wengert.ops.arrays.identity import READ
from wengert.values.symbolic import SymbolicTensor


def variable_of_handle(handle: SymbolicTensor) -> Any:
    """The variable of a handle, if it is in one of the collections of its graph, or captured; otherwise None."""
    while handle.op.type == "Identity":
        handle = handle.op.inputs[0]
    outside = handle.graph.outside_of(handle)  # where a function captured it
    if outside is not None:
        is_handle = isinstance(outside, SymbolicTensor)
        return variable_of_handle(outside) if is_handle else outside
    collections = handle.graph.collections.values()
    known = (v for values in collections for v in values)
    return next((v for v in known if getattr(v, "handle", None) is handle), None)


def value_of_handle(handle: SymbolicTensor) -> SymbolicTensor:
    """The tensor that reads the variable of a handle: what a session fetches for it."""
    variable, graph = variable_of_handle(handle), handle.graph
    found: SymbolicTensor
    if variable is not None:
        found = variable._as_graph_element()
        return found
    reads = (op for op in graph.get_operations() if op.row is READ and op.inputs[0] is handle)
    there = next(reads, None)
    if there is not None:
        found = there.outputs[0]
        return found
    with activate((), graph), graph.reopened():
        found = apply(READ, (handle,))
    return found
