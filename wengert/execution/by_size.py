"""Graphs with symbolic sizes, specialized for each combination of sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import activate
from wengert.execution.plan import Plan, given_value, shapes_of
from wengert.execution.replay import replay
from wengert.graph.function_graph import FunctionGraph
from wengert.state.variable import Variable
from wengert.values.symbolic import is_certain

if TYPE_CHECKING:
    from wengert.execution.description import Description
    from wengert.execution.subgraph import Subgraph

# A graph is compiled for so many combinations of sizes, and interpreted for others.
MOST_SIZES: Final = 8


def depends_on_sizes(plan: Plan) -> bool:
    """Whether a graph depends on sizes that are known only at a call, and is stateless."""
    if plan.resources or all(is_certain(x._array.shape) for x in plan.given):
        return False
    return not any(op.row.stateful or op.row.users for op in plan.steps)


class BySize:
    """A specialized graph for each combination of sizes that occurs in calls."""

    def __init__(self, subgraph: Subgraph) -> None:
        self._subgraph = subgraph
        self._made: dict[Any, Any] = {}

    def subgraph_for(self, values: Sequence[Any]) -> Any:
        """The subgraph for values of these sizes; None for the graph itself."""
        key = shapes_of(values)
        found = self._made.get(key, False)
        if found is False:
            found = self._made_for(values) if len(self._made) < MOST_SIZES else None
            if found is not None or len(self._made) < MOST_SIZES:
                self._made[key] = found
        return found

    def _made_for(self, values: Sequence[Any]) -> _Sized | None:
        try:
            return _Sized(self._subgraph, values)
        except Exception:  # noqa: BLE001  # running the graph itself raises the proper error
            return None


class _Sized:
    """A graph replayed with all sizes known."""

    def __init__(self, subgraph: Subgraph, values: Sequence[Any]) -> None:
        general = subgraph.graph
        graph = FunctionGraph(general.name, general.outer_graph)
        graph.engine = general.chosen_engine
        self._arrays = [isinstance(v, (np.ndarray, np.generic)) for v in values]
        with activate((), graph):
            given = [
                graph.input(list(v.shape), v.dtype) if is_array else _variable(v)
                for v, is_array in zip(values, self._arrays, strict=True)
            ]
            found = replay(general, subgraph.results, given)
            outputs = [graph.entered(y) for y in found]
        self._inner = type(subgraph)(graph, outputs)

    def run_on(self, values: Sequence[Any]) -> list[Any]:
        arrays = [v for v, is_array in zip(values, self._arrays, strict=True) if is_array]
        held = [given_value(v) for v in self._inner.graph.captured]
        return self._inner.run_on([*arrays, *held])

    def describe(self, name: str) -> Description:
        """A description of what a run does."""
        return self._inner.describe(name)


def _variable(value: Any) -> Variable:
    if not isinstance(value, Variable):
        raise TypeError(f"{value!r} is neither an array nor a variable")
    return value
