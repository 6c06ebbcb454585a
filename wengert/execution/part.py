"""A part of a graph as a graph of its own, which engines compile for the sizes of what comes in.

A session's graph says little of sizes: placeholders and datasets bring batches of any size. The part that some
fetches need is therefore replayed, with feeds, elements and the handles of variables as its inputs, and
treated as the graph of a function is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wengert.core.context import activate
from wengert.core.table import is_users
from wengert.errors import FailedPreconditionError
from wengert.execution.engine_registry import REFERENCE, Runnable, compile_plan
from wengert.execution.plan import Plan, given_value
from wengert.execution.replay import replay_part
from wengert.execution.subgraph import Subgraph
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.values.symbolic import SymbolicTensor, is_certain

# The resources that a part can be given: what others hold has sizes that nothing tells.
_GIVEN: Final = ("VarHandleOp", "RandomStream")
_ELEMENT: Final = "IteratorGetNext"  # brings the next elements of datasets
_DEFAULT: Final = "PlaceholderWithDefault"  # brings a constant, of a size that is not told


def part_of(
    plan: Plan, also: Sequence[Operation], engine: str, feeds_results: bool = False
) -> Runnable | None:
    """The fetches of a plan, and operations that are to run also, compiled for each combination of sizes.

    None if all sizes are known before, or if not all follow from what comes in. A result that is fed may have
    other sizes than the graph computes for it.
    """
    elements = [y for op in plan.steps if _brings(op, plan) for y in op.outputs]
    also = [op for op in also if not _brings(op, plan)]
    inner = Plan(plan.fetches, [*plan.feeds, *elements], also)
    if inner.may_be_dead or all(is_certain(x._array.shape) for x in inner.feeds):
        return None
    if not all(op.row.name in _GIVEN for op in inner.resources):
        return None
    if any(is_users(op.row) and not op.row.closes for op in inner.steps):
        return None
    part = _Part(inner, also, engine, None if feeds_results else compile_plan(inner, REFERENCE))
    return _Fed(plan, elements, part) if elements else part


def _brings(op: Operation, plan: Plan) -> bool:
    """Whether an operation gives the next elements of a dataset, or a default, and waits for nothing."""
    if op.control_inputs:
        return False
    if op.row.name == _DEFAULT:
        return all(id(x) in plan.known for x in op.inputs)
    handles = {id(handle) for handle in plan.resources}
    return op.row.name == _ELEMENT and all(id(x.op) in handles for x in op.inputs)


class _Part(Runnable):
    """A plan as the graph of a function of what is given to it.

    Where that cannot be made for some sizes, or a variable has no value, the plan itself raises the error, which
    says at which operation. What the plan only waits for are results here, as nobody waits in a function: it may
    draw random numbers, or raise.
    """

    def __init__(
        self, plan: Plan, also: Sequence[Operation], engine: str, itself: Runnable | None
    ) -> None:
        self.plan, self._itself = plan, itself
        graph = FunctionGraph("run")
        graph.engine = engine
        with activate((), graph):
            inputs = [graph.input_like(x) for x in plan.given]
            wanted = [*plan.fetches, *plan.waited_for()]
            found = replay_part(wanted, plan.given, inputs, also)
            outputs = [graph.entered(y) for y in found]
        self._subgraph = Subgraph(graph, outputs, sizes_may_differ=itself is None)
        self._constants = list(map(given_value, graph.captured))

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The fetches, for values of `plan.given`."""
        return self._results(values)[: len(self.plan.fetches)]

    def _results(self, values: Sequence[Any]) -> list[Any]:
        itself, given = self._itself, [*values, *self._constants]
        if itself is None:
            return self._subgraph.run_on(given)
        try:
            return self._subgraph.run_on(given, lambda _: itself(values))
        except FailedPreconditionError as error:
            if error.op is not None:
                raise
            return itself(values)


class _Fed(Runnable):
    """A plan whose part is given the next elements of datasets, and defaults."""

    def __init__(self, plan: Plan, elements: Sequence[SymbolicTensor], part: Runnable) -> None:
        self.plan, self._part = plan, part
        self._elements = compile_plan(Plan(elements), REFERENCE)
        places = {id(x): at for at, x in enumerate(plan.given)}
        self._handles = [places[id(x)] for x in self._elements.plan.given]
        feeds = len(plan.feeds)
        self._fed = slice(feeds)
        self._rest = [places[id(x)] for x in part.plan.given[feeds + len(elements) :]]

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The fetches, for values of `plan.given`."""
        elements = self._elements([values[at] for at in self._handles])
        return self._part([*values[self._fed], *elements, *[values[at] for at in self._rest]])
