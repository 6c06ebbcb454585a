"""Replays a graph, operation by operation, for other inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.core.context import (
    activate,
    current_graph,
    current_scope,
    made_in,
    outside_of_map,
    to_graph,
)
from wengert.core.dispatch import apply
from wengert.core.reverse import conjugate, joint_gradients
from wengert.core.row import Attrs, Row
from wengert.core.scope import Scope
from wengert.execution.derived_graphs import GradientGraph, arranged, parts_of
from wengert.execution.plan import Plan, effects
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.graph_builder import CONST
from wengert.graph.operation import Operation
from wengert.host.user_frames import replay_at, replayed_place
from wengert.inference.symbolic_integers import known_value
from wengert.state.cell import is_resource, new_resource
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import TensorList, wrap


def replay(
    graph: FunctionGraph,
    results: Sequence[SymbolicTensor],
    values: Sequence[Any],
    shares: bool = False,
) -> list[Any]:
    """Run the operations of a graph again, through the door, for other inputs.

    In another form of the same graph it `shares` the resources: generators go on where they were.
    """
    replay = Replay(graph.all_inputs, values, shares)
    with outside_of_map():  # what is in the graph has the gradients that it was made with
        replay.carry_out(Plan(results, graph.all_inputs, effects(graph)).order)
    return [replay.known[id(y)] for y in results]


def replay_part(
    results: Sequence[SymbolicTensor],
    feeds: Sequence[SymbolicTensor],
    values: Sequence[Any],
    also: Sequence[Operation] = (),
) -> list[Any]:
    """Run those operations of a graph again that results and other operations need, feeds replaced by values.

    What a session knows without running it, or of which it needs the shape alone, does not run here either:
    in the graph of a function it would, where it may raise.
    """
    plan = Plan(results, feeds, also)
    replay = Replay(feeds, values)
    replay.known.update({key: to_graph(wrap(value)) for key, value in plan.used().items()})
    runs = {id(op) for op in [*plan.resources, *plan.steps]}
    replay.carry_out([op for op in plan.order if id(op) in runs])
    return [replay.known[id(y)] for y in results]


def replay_between(
    operations: Sequence[Operation], known: dict[int, Any], result: SymbolicTensor
) -> Any:
    """Run some operations again, with other values for some tensors."""
    replay = Replay((), ())
    replay.known.update(known)
    replay.carry_out(operations)
    return replay.known[id(result)]


def _holds(condition: Any) -> bool:
    """Whether a condition is true whatever comes: one on sizes, that are known in this form of a graph."""
    found = known_value(condition)
    return found is not None and bool(np.all(found))


def _state(op: Operation, made: Sequence[Any]) -> None:
    """State what is said of the results' shapes by `set_shape`; raises where they are known to have others here."""
    for y, value in zip(op.outputs, made, strict=False):
        if id(y) in op.graph.stated and type(value) is SymbolicTensor:
            value.set_shape(y.shape)


class Replay:
    """The values that replace the tensors of a graph in a replay."""

    def __init__(
        self, tensors: Sequence[SymbolicTensor], values: Sequence[Any], shares: bool = False
    ) -> None:
        self._shares = shares
        self._here = current_scope()
        self._scopes: dict[int, tuple[Scope, Scope]] = {}  # by the ids of the first
        self._tensors = list(tensors)
        self.known = {id(x): v for x, v in zip(tensors, values, strict=True)}

    def carry_out(self, operations: Sequence[Operation]) -> None:
        """Run operations again, of which what they use is known."""
        before = replayed_place()
        try:
            for op in operations:
                replay_at(op.place)
                inputs = [self.known.get(id(x), x) for x in op.inputs]
                if op.scope is None:
                    made = self.made_again(op, inputs)
                else:
                    with made_in(self._scope(op.scope)):
                        made = self.made_again(op, inputs)
                self._tensors += op.outputs
                if op.graph.stated:
                    _state(op, made)
                self.known.update(
                    {id(y): value for y, value in zip(op.outputs, made, strict=False)}
                )
        finally:
            replay_at(before)

    def value_of(self, x: SymbolicTensor) -> Any:
        """The value that replaces a tensor; replays what it depends on, if need be."""
        if id(x) not in self.known:
            self.carry_out(Plan([x], self._tensors).order)
        return self.known[id(x)]

    def _scope(self, scope: Scope) -> Scope:
        """The entry of a name scope in this call of the graph, which is one of its own."""
        if id(scope) not in self._scopes:
            around = self._here if scope.around is None else self._scope(scope.around)
            self._scopes[id(scope)] = scope, scope.made_again(self._here or "", around)
        return self._scopes[id(scope)][1]

    def made_again(self, op: Operation, inputs: list[Any]) -> Sequence[Any]:
        """The results of an operation for other inputs."""
        if op.row is CONST:
            return [to_graph(wrap(op.attrs["value"]))]
        if is_resource(op) and current_graph() is not None:
            handle = apply(op.row, (), op.attrs)
            if self._shares:
                cell = op.graph.cells.setdefault(op, new_resource(op))
                handle.op.graph.cells[handle.op] = cell
            return [handle]
        if is_resource(op):
            return [op.graph.cells.setdefault(op, new_resource(op))]
        if op.row.closes:
            return apply(self.row_of(op), inputs, op.attrs, op.name)  # type: ignore[no-any-return]
        if op.type == "Assert" and _holds(inputs[0]):
            return []
        carry_out = op.row.inline
        if carry_out is None and any(isinstance(x, TensorList) for x in inputs):
            return [inputs[0].zeros() if op.row.by_shape else inputs[0]]
        if carry_out is None:
            made = apply(op.row, inputs, op.attrs, op.name)
        else:
            made = carry_out(inputs, op.attrs)
        return made if op.row.many else [made]

    def row_of(self, op: Operation) -> Row:
        """The row of an operation, for these values: also where its gradient closes over tensors of its graph."""
        return self._closed(op) if op.row.closes else op.row

    def _closed(self, op: Operation) -> Row:
        """The row of an operation whose gradient closes over tensors of its graph.

        The gradient is traced in that graph and then replayed here.
        """

        def joint(gs: Any, ys: Any, xs: Any, attrs: Attrs) -> list[Any]:
            graph = GradientGraph(f"{op.name}_grad", op.graph)
            with activate((), graph):
                made = map(graph.input_like, parts_of(gs))
                inside = [arranged(g, made, y) for g, y in zip(gs, op.outputs, strict=True)]
                plain = [conjugate(g) for g in inside]
                pulled = joint_gradients(op.row, op.attrs, op.inputs, op.outputs, plain)
                pulled = [conjugate(p) for p in pulled]
                outputs = [graph.entered(p) for p in parts_of(pulled)]
            around = [self._around(v, op.graph) for v in graph.captured]
            found = iter(replay(graph, outputs, [*parts_of(gs), *around]))
            return [arranged(p, found, x) for p, x in zip(pulled, xs, strict=True)]

        joint.__wrapped__ = op.row.joint  # type: ignore[attr-defined]  # errors name the user's rule
        row = op.row
        return Row(
            row.name,
            row.kernel,
            joint=joint,
            joint_jvp=row.joint_jvp,
            shape=row.shape,
            dtype=row.dtype,
            many=True,
            users=True,
            passes_slices=row.passes_slices,
            closes=True,
        )

    def _around(self, value: Any, graph: Any) -> Any:
        """The value that replaces one that the gradient of an operation uses."""
        if isinstance(value, SymbolicTensor) and value.op.graph is graph:
            return self.value_of(value)
        return self.known.get(id(value), value)
