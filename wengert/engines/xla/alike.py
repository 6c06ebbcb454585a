"""Whether operations of several replicas are the same: those of the bodies of loops and branches, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.core.row import Row
from wengert.execution.subgraph import Subgraph
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.inference.deferred_calls import Place, plain_call_of
from wengert.ops.control.cond import Branches
from wengert.ops.control.effects import ASSERT
from wengert.ops.control.while_op import Loop
from wengert.state.cell import is_resource
from wengert.values import nest

Places = dict[int, tuple[int, int]]
_PLAIN = (int, float, bool, str, type(None), np.ndarray, np.generic)


def are_alike(first: Sequence[Operation], other: Sequence[Operation]) -> bool:
    """Whether two lists have the same operations, of what is theirs and of what is given; none has effects."""
    return not any(map(_has_effects, first)) and _places_of(first, other) is not None


def _has_effects(op: Operation) -> bool:
    """Whether an operation does more than give its results, draw, and check. What has none may run after anything."""
    row = op.row
    return bool((row.effects and row is not ASSERT) or row.users or row.closes)


def _places_of(first: Sequence[Operation], other: Sequence[Operation]) -> Places | None:
    """The places of the results of two lists, by their ids, if the lists are alike."""
    if len(first) != len(other):
        return None
    places: Places = {}
    for at, (a, b) in enumerate(zip(first, other, strict=True)):
        if not _same_rows(a.row, b.row) or not _same_attrs(a.attrs, b.attrs):
            return None
        if not _same_places(places, a.inputs, b.inputs) or len(a.outputs) != len(b.outputs):
            return None
        for k, (y, z) in enumerate(zip(a.outputs, b.outputs, strict=True)):
            places[id(y)] = places[id(z)] = at, k
    return places


def _same_places(places: Places, xs: Sequence[Any], ys: Sequence[Any]) -> bool:
    return [places.get(id(x)) for x in xs] == [places.get(id(y)) for y in ys]


# ---- rows, with the bodies that they run ------------------------------------------------------------


def _same_rows(a: Row, b: Row) -> bool:
    if isinstance(a.bodies, Loop) and isinstance(b.bodies, Loop):
        return a.type == b.type and _same_loops(a.bodies, b.bodies)
    if isinstance(a.bodies, Branches) and isinstance(b.bodies, Branches):
        return a.type == b.type and _same_branches(a.bodies, b.bodies)
    if a is b:
        return not a.graphs
    return _same_calls(a, b)


def _same_calls(a: Row, b: Row) -> bool:
    """Whether two calls that wait for sizes are those of one function with the same arguments."""
    first, other = plain_call_of(a), plain_call_of(b)
    if first is None or other is None or first.function is not other.function:
        return False
    ours, theirs = nest.flatten(first.args), nest.flatten(other.args)
    return len(ours) == len(theirs) and all(map(_same_arguments, ours, theirs))


def _same_arguments(a: Any, b: Any) -> bool:
    if type(a) is Place and type(b) is Place:
        return a.index == b.index and a.whole_shape == b.whole_shape
    return type(a) is type(b) and isinstance(a, _PLAIN) and _equal(a, b)


def _same_loops(a: Loop, b: Loop) -> bool:
    if (a.condition is None) != (b.condition is None) or a.condition_places != b.condition_places:
        return False
    if [at for _, at in a.same] != [at for _, at in b.same]:
        return False
    if [t.backward for t in (*a.taken, *a.emitted)] != [t.backward for t in (*b.taken, *b.emitted)]:
        return False
    if not _same_graphs(a.body, b.body, _ends(a), _ends(b)):
        return False
    if a.condition is None or b.condition is None:
        return True
    return _same_graphs(a.condition, b.condition, a.condition.outputs, b.condition.outputs)


def _ends(loop: Loop) -> list[Any]:
    """The values of a body by which it is tied to its loop."""
    stacks = [t.inside for t in (*loop.taken, *loop.emitted)]
    return [*loop.carried, *loop.results, *stacks, *[x for x, _ in loop.same]]


def _same_branches(a: Branches, b: Branches) -> bool:
    if (a.count, a.places, a.more, a.is_choice) != (b.count, b.places, b.more, b.is_choice):
        return False
    return len(a.bodies) == len(b.bodies) and all(map(_same_bodies, a.bodies, b.bodies))


def _same_bodies(a: Subgraph, b: Subgraph) -> bool:
    return _same_graphs(a.graph, b.graph, a.results, b.results)


def _same_graphs(
    a: FunctionGraph, b: FunctionGraph, ends: Sequence[Any], others: Sequence[Any]
) -> bool:
    """Whether two graphs have the same operations, inputs and ends; neither keeps anything of its own."""
    if any(is_resource(op) for op in a.operations):
        return False
    places = _places_of(a.operations, b.operations)
    if places is None or len(ends) != len(others):
        return False
    return _same_places(places, [*a.all_inputs, *ends], [*b.all_inputs, *others])


# ---- attributes -------------------------------------------------------------------------------------


def _same_attrs(a: Any, b: Any) -> bool:
    if a.keys() != b.keys():
        return False
    return all(x is b[k] or (type(x) is type(b[k]) and _equal(x, b[k])) for k, x in a.items())


def same_array(a: Any, b: Any) -> bool:
    """Whether two arrays are the same to the last bit."""
    return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, (np.ndarray, np.generic)):
        return same_array(a, b)
    try:
        return bool(a == b)
    except ValueError:
        return False
