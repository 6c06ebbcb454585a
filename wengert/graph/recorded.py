"""An operation that a tape recorded, as one of a graph: for gradient functions that ask for its messages."""

from __future__ import annotations

from typing import Any

from wengert.core.context import activate
from wengert.core.row import Row
from wengert.core.table import find
from wengert.graph.graph import Graph
from wengert.graph.graph_builder import PLACEHOLDER
from wengert.graph.operation import Operation


def as_node(recorded: Any) -> Operation:
    """An operation of a graph of its own, with placeholders for its inputs."""
    graph = Graph()
    with activate((), graph):
        inputs = [
            graph.add(PLACEHOLDER, (), {"dtype": x.dtype, "shape": x.shape}, None, [_form_of(x)])
            for x in recorded.inputs
        ]
        row = find(recorded.type) or Row(recorded.type, _never_run)
        row = row.replace(gradient_type=recorded.gradient_type)
        results = [_form_of(y) for y in recorded.outputs]
        return graph.add(row, [op.outputs[0] for op in inputs], recorded.attrs, None, results)


def _form_of(x: Any) -> tuple[Any, Any]:
    shape = x.shape
    return None if shape.rank is None else tuple(shape), x.dtype.numpy_dtype


def _never_run(_: Any, *values: Any) -> Any:
    raise TypeError("A recorded operation is described, not run.")
