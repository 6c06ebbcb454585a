"""Loops and branches again, made for inputs of which more is known than when they were traced.

A function of unknown sizes is replayed for those of a call; what its loops and branches run is
replayed for them, too, so that engines know all sizes inside. And a loop is replayed once it is known
between what its counters lie: then x[i : i + 4] has four elements, where it cannot be cut at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wengert.core.context import activate, current_graph
from wengert.execution.replay import replay
from wengert.graph.function_graph import FunctionGraph
from wengert.inference.deferred_calls import has_sizes_by_value
from wengert.inference.list_elements import (
    UNKNOWN,
    Elements,
    elements_known,
    is_list,
    joined,
    note_elements,
)
from wengert.inference.shape_inference import common_form, form_of
from wengert.inference.symbolic_integers import is_single_integer, known_bounds, note_bounds
from wengert.ops.control.trip_counts import counters
from wengert.values.sizes import Bounds
from wengert.values.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from wengert.ops.control.cond import Branches
    from wengert.ops.control.while_op import Loop, Stack

# How often a loop is tried for fewer known sizes: each time the body gave something else than it
# was given.
MOST_TRIES: Final = 4


class _Given(NamedTuple):
    """What is known of a value on its way into a body."""

    shape: Any
    dtype: Any
    elements: Elements
    bounds: Bounds | None = None  # of what differs in each iteration

    def into(self, graph: FunctionGraph, like: SymbolicTensor) -> SymbolicTensor:
        """An input of a body for such a value."""
        x = graph.input(self.shape, self.dtype, like.op.name)
        if is_list(x):
            note_elements(x, self.elements)
        if self.bounds is not None:
            note_bounds(x, self.bounds)
        return x


def _given(x: Any) -> _Given:
    return _Given(*form_of(x), elements_known(x) if is_list(x) else UNKNOWN)


def _both(a: _Given, b: _Given) -> _Given:
    form = common_form([(a.shape, a.dtype), (b.shape, b.dtype)])
    return _Given(*form, joined(a.elements, b.elements))


def says_more(values: Iterable[Any], inputs: Iterable[SymbolicTensor]) -> bool:
    """Whether values are known better than what they enter a body as."""
    pairs = zip(values, inputs, strict=True)
    return any(type(v) is SymbolicTensor and _given(v) != _given(x) for v, x in pairs)


# ---- loops --------------------------------------------------------------------------------------


def loop_again(loop: Loop, inputs: Sequence[Any]) -> Loop | None:
    """The loop for what is known of its inputs in the graph under construction; None if no more is."""
    n, s = len(loop.carried), len(loop.taken)
    carried, stacks, constants = inputs[:n], inputs[n : n + s], inputs[n + s :]
    before = [*loop.carried, *[x for x, _ in loop.same]]
    now = [*carried, *[constants[at] for _, at in loop.same]]
    taken = [_element(x, t.inside) for x, t in zip(stacks, loop.taken, strict=True)]
    known = [t != _element_before(x.inside) for t, x in zip(taken, loop.taken, strict=True)]
    bounds = counters(inputs, loop)
    more = says_more(now, before) or _tells_sizes(loop.body, now[n:], before[n:])
    if not any(known) and not _are_more(bounds, loop) and not more:
        return None
    entering = [_given(x) for x in carried]
    for _ in range(MOST_TRIES):
        made = _Body(loop, entering, taken, constants, bounds)
        after = [_both(a, _given(y)) for a, y in zip(entering, made.results, strict=True)]
        if after == entering:
            return made.loop()
        entering = after
    return None


def loop_counted(loop: Loop, inputs: Sequence[Any]) -> Loop:
    """A loop that was just traced: again if the places of its counters tell sizes."""
    bounds = counters(inputs, loop)
    if not _are_more(bounds, loop):
        return loop
    n, s = len(loop.carried), len(loop.taken)
    entering = [_given(x) for x in loop.carried]
    taken = [_element_before(t.inside) for t in loop.taken]
    made = _Body(loop, entering, taken, inputs[n + s :], bounds)
    return made.loop()


def _are_more(bounds: dict[int, Bounds], loop: Loop) -> bool:
    """Whether more is known of carried integers than in the body, and sizes in there wait for values."""
    are_new = any(known_bounds(loop.carried[at]) != b for at, b in bounds.items())
    return are_new and _waits_for_values(loop.body)


def _tells_sizes(graph: FunctionGraph, values: Sequence[Any], inputs: Sequence[Any]) -> bool:
    """Whether sizes in a graph wait for integers between whose bounds it is known now what lies."""
    pairs = [(v, x) for v, x in zip(values, inputs, strict=True) if type(v) is SymbolicTensor]
    told = any(known_bounds(v) not in (None, known_bounds(x)) for v, x in pairs)
    return told and _waits_for_values(graph)


def _waits_for_values(graph: FunctionGraph) -> bool:
    """Whether a size in a graph, or in one that it runs, follows from the value of an integer."""
    return any(
        any(map(_waits_for_values, op.row.graphs)) if op.row.graphs else has_sizes_by_value(op)
        for op in graph.operations
    )


def _element(stack: Any, inside: SymbolicTensor) -> _Given:
    """What is known of the elements of a stack."""
    own = _element_before(inside)
    known = elements_known(stack) if is_list(stack) else UNKNOWN
    if isinstance(known.shape, Elements):
        return own._replace(elements=known.shape)
    if known.bounds is not None and is_single_integer(inside):
        own = own._replace(bounds=known.bounds)
    return own._replace(shape=known.shape) if type(known.shape) is tuple else own


def _element_before(inside: SymbolicTensor) -> _Given:
    """What was known of an element so far."""
    return _given(inside)._replace(bounds=known_bounds(inside))


class _Body:
    """The body of a loop for carried values, elements and constants of some forms."""

    def __init__(
        self,
        loop: Loop,
        entering: Sequence[_Given],
        taken: Sequence[_Given],
        constants: Sequence[Any],
        bounds: dict[int, Bounds],
    ) -> None:
        self._loop, self._entering, self._constants = loop, entering, constants
        graph = self._graph = _alike(loop.body)
        inside = [t.inside for t in loop.taken]
        with activate((), graph):
            pairs = zip(entering, loop.carried, strict=True)
            self.carried = [given.into(graph, x) for given, x in pairs]
            for at, known in bounds.items():
                note_bounds(self.carried[at], known)
            self.taken = [given.into(graph, x) for given, x in zip(taken, inside, strict=True)]
            values = {id(x): constants[at] for x, at in loop.same}
            values |= dict(zip(map(id, loop.carried), self.carried, strict=True))
            values |= dict(zip(map(id, inside), self.taken, strict=True))
            wanted = [*loop.results, *[e.inside for e in loop.emitted]]
            found = replay(loop.body, wanted, [values[id(x)] for x in loop.body.all_inputs], True)
            found = [graph.entered(y) for y in found]
        self.results, self.emitted = found[: len(entering)], found[len(entering) :]

    def loop(self) -> Loop:
        """A loop of this body."""
        old = self._loop
        condition = None if old.condition is None else self._condition(old.condition)
        taken = _stacks(old.taken, self.taken)
        emitted = _stacks(old.emitted, self.emitted)
        return type(old)(self._graph, self.carried, self.results, condition, taken, emitted)

    def _condition(self, general: FunctionGraph) -> FunctionGraph:
        graph, count = _alike(general), len(self._entering)
        with activate((), graph):
            pairs = zip(self._entering, general.all_inputs[:count], strict=True)
            given = [entering.into(graph, x) for entering, x in pairs]
            fixed = [self._constants[at] for at in self._loop.condition_places]
            found = replay(general, general.outputs, [*given, *fixed], True)
            graph.outputs = [graph.entered(y) for y in found]
        return graph


def _stacks(stacks: Sequence[Stack], inside: Sequence[SymbolicTensor]) -> list[Stack]:
    return [stack._replace(inside=x) for stack, x in zip(stacks, inside, strict=True)]


def _alike(general: FunctionGraph) -> FunctionGraph:
    graph = FunctionGraph(general.name, current_graph())
    graph.is_control_flow_graph = general.is_control_flow_graph
    return graph


# ---- branches -----------------------------------------------------------------------------------


def _is_told_more(body: FunctionGraph, values: Sequence[Any]) -> bool:
    return says_more(values, body.all_inputs) or _tells_sizes(body, values, body.all_inputs)


def branches_again(branches: Branches, values: Sequence[Any]) -> Branches | None:
    """The branches for what is known of their inputs; None if it is no more than when they were made."""
    pairs = list(zip(branches.bodies, branches.places, strict=True))
    if not any(_is_told_more(b.graph, [values[i] for i in at]) for b, at in pairs):
        return None
    graphs, results = [], []
    for body, at in pairs:
        graph = _alike(body.graph)
        with activate((), graph):
            found = replay(body.graph, body.results, [values[i] for i in at], True)
            results.append([graph.entered(y) for y in found])
        graph.outputs = results[-1][: branches.count]
        graphs.append(graph)
    made = type(branches)(graphs)
    for body, found in zip(made.bodies, results, strict=True):
        body.results = found
    made.is_choice = branches.is_choice
    made.more = list(branches.more)
    return made
