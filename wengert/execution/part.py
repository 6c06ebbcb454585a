"""A part of a graph as a graph of its own, which engines compile for the sizes of what is fed.

A session's graph says little of sizes: placeholders take batches of any size. The part that some fetches
need is therefore replayed, with feeds and the handles of variables as its inputs, and treated as the graph
of a function is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wengert.core.context import activate
from wengert.core.table import is_users
from wengert.execution.engine_registry import Runnable
from wengert.execution.plan import Plan, given_value
from wengert.execution.replay import replay_part
from wengert.execution.subgraph import Subgraph
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.values.symbolic import is_certain

# The resources that a part can be given: what others hold has sizes that no feed tells.
_GIVEN: Final = ("VarHandleOp", "RandomStream")


def is_open(plan: Plan) -> bool:
    """Whether sizes are known only when something is fed, and then all of them."""
    if all(is_certain(x._array.shape) for x in plan.feeds) or plan.may_be_dead:
        return False
    told = all(op.row.name in _GIVEN for op in plan.resources)
    return told and not any(is_users(op.row) and not op.row.closes for op in plan.steps)


class Part(Runnable):
    """The fetches of a plan, of which an engine computes each combination of sizes."""

    def __init__(self, plan: Plan, also: Sequence[Operation], engine: str) -> None:
        self.plan = plan
        graph = FunctionGraph("run")
        graph.engine = engine
        with activate((), graph):
            inputs = [graph.input_like(x) for x in plan.given]
            found = replay_part(plan.fetches, plan.given, inputs, also)
            outputs = [graph.entered(y) for y in found]
        self._subgraph = Subgraph(graph, outputs)
        self._constants = list(map(given_value, graph.captured))

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The fetches, for values of `plan.given`."""
        return self._subgraph.run_on([*values, *self._constants])
