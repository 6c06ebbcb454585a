"""Reverse mode over a graph: its operations as records, for the same sweep that tapes use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.core.context import thread
from wengert.core.reverse import Cotangents, sweep, through
from wengert.graph.operation import Operation
from wengert.graph.order import in_order
from wengert.overrides.gradient_ops import Entry, Whole, records_of
from wengert.overrides.override import Overrides
from wengert.values.bound_ops import bound
from wengert.values.symbolic import SymbolicTensor
from wengert.values.value import Key


def pull_back_through_graph(
    ys: Sequence[SymbolicTensor],
    seeds: Sequence[Any],
    xs: Sequence[Any],
    stopped: Sequence[Any] = (),
    outward: bool = False,
) -> list[Any]:
    """The cotangents of `xs`, from those of `ys`; None where nothing connects them.

    Nothing flows back through the values in `stopped` to what they were computed from. `outward`:
    it flows on through what a function or the body of a loop uses from around it.
    """
    wanted = {x._key for x in xs}
    cut = {x._key for x in stopped}
    overrides = thread.context.sweeping
    between = operations_between(ys, wanted, cut, overrides, outward)
    entries = [entry_of(op, cut) for op in between]
    if overrides is not None:
        followed = through([(e.keys, e.outs) for e in entries], wanted)
        entries = overrides.applied(entries, {y._key for y in ys}, Whole(followed))
    cotangents: Cotangents = {}
    for y, seed in zip(ys, seeds, strict=True):
        before = cotangents.get(y._key)
        cotangents[y._key] = seed if before is None else bound.add(before, seed)
    needed = wanted.union(*[e.outs for e in entries])
    found = sweep(records_of(entries), False, cotangents, needed, wanted, True)
    return [found.get(x._key) for x in xs]


def operations_between(
    ys: Sequence[SymbolicTensor],
    wanted: set[Key],
    cut: set[Key],
    overrides: Overrides | None = None,
    outward: bool = False,
) -> list[Operation]:
    """The operations on a path from a wanted value to a target, in an order in which they can run.

    Of an overridden name scope all operations are included, even those off these paths.
    """
    if not ys:
        return []
    graphs = _with_those_around(ys[0].op.graph) if outward else [ys[0].op.graph]
    brought = _brought_from_around(graphs[1:])
    reached: set[int] = set()
    waiting = [y.op for y in ys if y._key not in cut]
    while waiting:
        op = waiting.pop()
        if id(op) not in reached:
            reached.add(id(op))
            waiting += [x.op for x in op.inputs if x._key not in cut]
            waiting += [x.op for x in brought.get(id(op), ()) if x._key not in cut]
    depends = set(wanted)
    between = []
    for op in [op for graph in graphs for op in _in_order(graph, reached)]:
        if not op.inputs:
            continue
        if overrides is None:
            passes, whole = op.row.differentiable, False
        else:
            passes, whole = overrides.passes(op), overrides.holds(op)
        flows = passes and any(x._key in depends for x in op.inputs)
        if flows or whole:
            between.append(op)
        if flows:
            depends.update(y._key for y in op.outputs if y._key not in cut)
    return between


def _in_order(graph: Any, reached: set[int]) -> list[Operation]:
    return in_order([op for op in graph.operations if id(op) in reached])


def _with_those_around(graph: Any) -> list[Any]:
    """A graph, preceded by the graphs that contain it."""
    graphs = [graph]
    while graphs[0].outer_graph is not None:
        graphs.insert(0, graphs[0].outer_graph)
    return graphs


def _brought_from_around(graphs: Sequence[Any]) -> dict[int, tuple[SymbolicTensor, ...]]:
    """The values that the placeholders of functions and loop bodies stand for.

    A value and its placeholder share a key, so that cotangents need no translation.
    """
    return {
        id(inside.op): (value,)
        for graph in graphs
        for value, inside in graph.captures
        if isinstance(value, SymbolicTensor)
    }


def entry_of(op: Operation, cut: set[Key]) -> Entry:
    """An operation of a graph, as sweeps and overrides see it."""
    # What is cut gets another key: no cotangent arrives under it.
    outs = tuple([Key() if y._key in cut else y._key for y in op.outputs])
    y: Any = list(op.outputs) if op.row.many else op.outputs[0]
    keys = tuple([x._key for x in op.inputs])
    return Entry(op.row, op.attrs, keys, op.inputs, outs, y, op.name, op, op.scope)
