"""Graphs derived from a graph: of its gradients, and of its tangents.

The gradient of a graph is a second one, which takes cotangents and those values of the first that
it needs. The first then has to return these values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from wengert.core.context import activate
from wengert.execution.plan import Plan
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.graph_reverse import pull_back_through_graph
from wengert.graph.tracing import note_accesses
from wengert.overrides.switches import inner_accumulator
from wengert.values.bound_ops import bound
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import dims


class GradientGraph(FunctionGraph):
    """The graph of the gradient of a body. It may use values of the body, and of anything else."""

    def _is_inside(self, graph: Any) -> bool:
        return True

    def _meant(self, value: Any) -> Any:
        return _as_inside(self.outer_graph, value)


def _as_inside(body: Any, value: Any) -> Any:
    """A value of outside as a body has it, if the body captured it.

    A user's gradient that was traced in the body may refer to the one, and its operations do to the
    other: the derivative of the derivative must know that they are the same.
    """
    if not isinstance(body, FunctionGraph):
        return value
    # The body has it under the name that the graph around it has, unless it is of no graph.
    for meant in (_as_inside(body.outer_graph, value), value):
        known = body._captures.get(id(meant))
        if known is not None and known[0] is meant:
            return known[1]
    return value


class PulledBack:
    """The gradient of a body, as a graph; `gradients` has a tensor or None for each input.

    The cotangents are `seeds`, or inputs of the graph. Other values of the body are captured.
    """

    def __init__(
        self,
        body: FunctionGraph,
        of: Sequence[SymbolicTensor],
        wanted: Sequence[SymbolicTensor | None],
        seeds: Sequence[Any] | None = None,
        dense: bool = True,
    ) -> None:
        self.graph = GradientGraph(f"{body.name}_grad", body)
        with activate((), self.graph):
            if seeds is None:
                gs = [self.graph.input_like(y, "grad") for y in of]
            else:
                gs = [self.graph.entered(g) for g in seeds]
            sources = [x for x in wanted if x is not None]
            with self.graph.names.scoped("gradients"):  # not in the scopes of the operations
                pulled = iter(pull_back_through_graph(of, gs, sources))
            found = [None if x is None else next(pulled) for x in wanted]
            self.gradients = [bound.to_dense(g) for g in found] if dense else found
        note_accesses(self.graph)

    def output(self, gradient: Any, like: Any) -> SymbolicTensor:
        """A gradient as an output of the graph; zeros where there is none."""
        with activate((), self.graph):
            found = bound.zeros_like(like) if gradient is None else bound.to_dense(gradient)
            return self.graph.entered(found)


class Pushforward:
    """The tangents of a body's results, as a graph; `tangents` has None where there is none.

    The tangents of some inputs are `given`: outer values, or inputs of the graph. Other values of
    the body are captured.
    """

    def __init__(
        self,
        body: FunctionGraph,
        results: Sequence[SymbolicTensor],
        moving: Sequence[SymbolicTensor],
        given: Sequence[Any],
        graph: GradientGraph | None = None,
    ) -> None:
        self.graph = graph or GradientGraph(f"{body.name}_jvp", body)
        accumulator = inner_accumulator()
        with activate((), self.graph):
            ts = [self.graph.entered(t) for t in given]
        for x, t in zip(moving, ts, strict=True):
            accumulator.watch(x, t)
        with activate((accumulator,), self.graph):
            for op in Plan(results, body.all_inputs).order:
                result = list(op.outputs) if op.row.many else op.outputs[0]
                accumulator.record(op.row, op.inputs, op.attrs, result)
            self.tangents = [accumulator.tangent(y) for y in results]
        note_accesses(self.graph)

    def output(self, tangent: Any, like: Any) -> SymbolicTensor:
        """A tangent as an output of the graph; zeros where there is none."""
        with activate((), self.graph):
            return self.graph.entered(bound.zeros_like(like) if tangent is None else tangent)


def differentiable(tensors: Sequence[Any]) -> list[Any]:
    """The tensors among these that can have a gradient."""
    return [x for x in tensors if x is not None and x.dtype.is_differentiable]


# ---- gradients, which may be slices -------------------------------------------------------------


def parts_of(gradients: Iterable[Any]) -> list[Any]:
    """The tensors of gradients, of which there may be none: two of each that is slices."""
    found: list[Any] = []
    for g in gradients:
        if g is not None:
            found += [g.values, g.indices] if isinstance(g, IndexedSlices) else [g]
    return found


def arranged(like: Any, parts: Iterator[Any], x: Any) -> Any:
    """A gradient of the kind of another one, for a value, from the next of the parts."""
    if like is None:
        return None
    if isinstance(like, IndexedSlices):
        return IndexedSlices(next(parts), next(parts), dims(x))
    return next(parts)
