"""tensorflow.python.framework.auto_control_deps: effects of a graph in the order of the program."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from wengert.core.context import current_graph
from wengert.graph.operation import Operation
from wengert.ops.arrays.identity import identity
from wengert.values import nest
from wengert.values.dtypes import resource
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor

READS = frozenset(
    {"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarIsInitializedOp"}
)


def op_is_stateful(op: Operation) -> bool:
    """Whether an operation has an effect, or reads what has changed."""
    return bool(op.row.stateful or op.row.effects)


class AutomaticControlDependencies:
    """What is made in its block runs as the program reads: effects on one resource one by one."""

    def __init__(self) -> None:
        self._returned: list[SymbolicTensor] = []

    def mark_as_return(self, tensor: Any) -> Any:
        """The tensor, which will wait for all effects of the block."""

        def marked(x: Any) -> Any:
            if not isinstance(x, Tensor) or current_graph() is None:
                return x
            copy = identity(x)
            self._returned.append(copy)
            return copy

        return nest.map_structure(marked, tensor, expand_composites=True)

    def __enter__(self) -> AutomaticControlDependencies:
        self._graph = current_graph()
        self._before = 0 if self._graph is None else len(self._graph.operations)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._graph is None or kind is not None:
            return
        made = self._graph.operations[self._before :]
        _in_order(self._graph, made)
        effects = [op for op in made if op_is_stateful(op)]
        for tensor in self._returned:
            self._graph.add_control_inputs(tensor.op, [op for op in effects if op is not tensor.op])


def _in_order(graph: Any, made: list[Operation]) -> None:
    """Make each operation on a resource wait for the ones before; reads do not wait for reads."""
    changed: dict[int, Operation] = {}
    read: dict[int, list[Operation]] = {}
    for op in made:
        reads = op.type in READS
        for handle in {id(x): x for x in op.inputs if x.dtype == resource}:
            before = [changed[handle]] if handle in changed else []
            if reads:
                read.setdefault(handle, []).append(op)
            else:
                before += read.pop(handle, [])
                changed[handle] = op
            graph.add_control_inputs(op, [other for other in before if other is not op])


def automatic_control_dependencies(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose effects happen in the order of its program, all before it returns."""

    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with AutomaticControlDependencies() as block:
            return block.mark_as_return(f(*args, **kwargs))

    return wrapper
