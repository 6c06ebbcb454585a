"""Loops in graphs: one operation that runs a body repeatedly, and its gradient.

A loop carries values from one iteration to the next, uses loop-invariant constants, takes an
element of each of its stacks in every iteration, and emits values, which become stacks. The
gradient of a loop is a loop of the same kind: it takes what the first emitted, from the last
iteration to the first, and carries the cotangents. So there are gradients of every order.

The direction in which a stack is taken or emitted says how its elements correspond to iterations:
forward, the first element belongs to the first iteration; backward, the last one does.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.batch import Batched
from wengert.core.context import activate, current_graph
from wengert.core.reverse import asked_of, conjugate
from wengert.core.row import Attrs, Row
from wengert.errors import UnimplementedError
from wengert.execution.derived_graphs import GradientGraph, PulledBack, Pushforward
from wengert.execution.plan import has_checks, has_effects
from wengert.execution.replay import replay, replay_part
from wengert.execution.subgraph import Subgraph
from wengert.graph.function_graph import FunctionGraph
from wengert.host.locks import COMPILING
from wengert.inference.list_elements import Elements, elements_known, emitted_elements, joined
from wengert.inference.shape_inference import form_of
from wengert.ops.control.by_example import by_example, derived_by_example
from wengert.ops.control.cond import control_inputs, never_run, type_of
from wengert.ops.control.known_sizes import loop_again
from wengert.ops.control.loop_flow import flowing, only_shapes_of, unchanging
from wengert.ops.control.loop_parts import Part, parted, put_together
from wengert.ops.control.tensor_list import LIST, followed_elements
from wengert.ops.control.trip_counts import trips
from wengert.ops.math.comparison import where
from wengert.values.bound_ops import bound
from wengert.values.shapes import is_as_general
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, TensorList, dims

if TYPE_CHECKING:
    from wengert.graph.operation import Operation
    from wengert.state.variable import Variable
    from wengert.values.shapes import Dims
    from wengert.values.typing import Array, Namespace
    from wengert.values.value import Value


class Stack(NamedTuple):
    """A value of the body with an element for every iteration."""

    inside: SymbolicTensor
    backward: bool


class _Running(NamedTuple):
    """The body of a loop for the stacks that it emits."""

    body: Subgraph
    order: list[int]  # in which it takes carried values, elements and constants
    emitted: list[Stack]


class Loop:
    """The loop that an operation runs. Its inputs: carried values, stacks, constants."""

    def __init__(
        self,
        body: FunctionGraph,
        carried: Sequence[SymbolicTensor],
        results: Sequence[SymbolicTensor],
        condition: FunctionGraph | None,
        taken: Sequence[Stack] = (),
        emitted: Sequence[Stack] = (),
        meant: dict[int, Any] | None = None,
    ) -> None:
        self.body = body
        self.condition = condition
        self.carried = list(carried)  # the inputs of the body that change between iterations
        self.results = list(results)  # their values for the next iteration
        self.taken = list(taken)
        self.emitted = list(emitted)
        names = meant or {}
        self.constants: list[Any] = []
        given = {id(x) for x in (*self.carried, *[s.inside for s in self.taken])}
        # The loop-invariant inputs of the body, and the indices of their values.
        self.same = [
            (x, self._place(names.get(id(v), v)))
            for v, x in zip(body.captured, body.captured_inputs, strict=True)
            if id(x) not in given
        ]
        self.condition_places = (
            [] if condition is None else [self._place(v) for v in condition.captured]
        )
        self._running: _Running | None = None
        self.parallel_iterations = 10  # as was asked for; iterations run one after the other

    def _place(self, value: Value) -> int:
        for at, known in enumerate(self.constants):
            if known is value:
                return at
        self.constants.append(value)
        return len(self.constants) - 1

    # ---- running -----------------------------------------------------------------------------

    def run(self, xp: Namespace, *values: Variable | Array | TensorList) -> list[Any]:
        """Run the loop; the final carried values and the stacks that it emitted."""
        n, s = len(self.carried), len(self.taken)
        carried, stacks, constants = list(values[:n]), values[n : n + s], values[n + s :]
        runs = [
            stack[::-1] if t.backward else stack
            for t, stack in zip(self.taken, stacks, strict=True)
        ]
        body, order, emits = self._body()
        fixed = [constants[at] for _, at in self.same]
        emitted = [TensorList() for _ in emits]
        at = 0
        while self._goes_on(carried, constants, runs, at):
            given = [*carried, *[r[at] for r in runs], *fixed]
            found = body.run_on([given[i] for i in order])
            carried = found[:n]
            for stack, value in zip(emitted, found[n:], strict=True):
                stack.append(value)
            at += 1
        for e, stack in zip(emits, emitted, strict=True):
            if e.backward:
                stack.reverse()
        return [*carried, *emitted]

    def _body(self) -> _Running:
        """The body as it runs now; another thread may ask for more stacks meanwhile."""
        running = self._running
        if running is None or len(running.emitted) != len(self.emitted):
            emitted = list(self.emitted)
            body = Subgraph(self.body, [*self.results, *[e.inside for e in emitted]])
            ours = [*self.carried, *[t.inside for t in self.taken], *[x for x, _ in self.same]]
            at = {id(x): i for i, x in enumerate(ours)}
            order = [at[id(x)] for x in self.body.all_inputs]
            running = self._running = _Running(body, order, emitted)
        return running

    def _goes_on(
        self,
        carried: Sequence[Any],
        constants: Dims | Sequence[Variable | Array | TensorList],
        runs: Sequence[Any],
        at: int,
    ) -> bool:
        if self.condition is None:
            return at < len(runs[0])
        if not hasattr(self, "_test"):
            self._test = Subgraph(self.condition, self.condition.outputs)
        (go,) = self._test.run_on([*carried, *[constants[i] for i in self.condition_places]])
        return bool(go)

    # ---- as an operation ---------------------------------------------------------------------

    def added(
        self,
        initial: Sequence[Any],
        stacks: Sequence[Any],
        known: Any = None,
        name: str | None = None,
    ) -> list[Any]:
        """Add the operation to the graph under construction; its results."""
        return self._added(initial, stacks, self.constants, known, name)

    def _added(
        self,
        initial: Sequence[Any],
        stacks: Sequence[Any],
        constants: Sequence[Value],
        known: Any,
        name: str | None = None,
    ) -> list[Any]:
        graph = current_graph()
        given = [*initial, *stacks, *constants]
        xs = [graph.entered(x) for x in given]
        forms = known or [form_of(x) for x in self.carried]
        op = graph.add(self._row(), xs, {}, name, [*forms, *[LIST] * len(self.emitted)])
        graph.add_control_inputs(op, control_inputs(graph, self._graphs()))
        return graph.told(op, given)  # type: ignore[no-any-return]

    def _graphs(self) -> list[FunctionGraph]:
        return [self.body] if self.condition is None else [self.body, self.condition]

    def _row(self) -> Row:
        graphs = self._graphs()
        return Row(
            "While",
            never_run,
            type=type_of("While", graphs),
            step=self.run,
            joint=by_example(self._joint),
            joint_jvp=self._joint_jvp,
            inline=derived_by_example(self._inline) if self.condition is None else self._inline,
            many=True,
            fills=False,
            effects=any(has_effects(g) for g in graphs),
            checks=self.condition is not None and has_checks(self.condition),
            graphs=[self.body],
            bodies=self,
        )

    def _joint(
        self, gs: Sequence[Tensor | None], ys: Sequence[Tensor], xs: Sequence[Tensor], attrs: Attrs
    ) -> list[Any]:
        plain = [conjugate(g) for g in gs]
        pulled = loop_gradients(self, ys[0].op, plain, xs, ys, asked_of(xs))
        return [conjugate(g) for g in pulled]

    def _joint_jvp(
        self, ts: Sequence[Tensor | None], ys: Sequence[Tensor], xs: Sequence[Tensor], attrs: Attrs
    ) -> list[Any]:
        return loop_tangents(self, ys, ts, xs)

    def _inline(self, inputs: Sequence[Any], attrs: Attrs) -> list[Any]:
        """The loop again: as an operation in a graph, in Python in eager mode."""
        n, s = len(self.carried), len(self.taken)
        carried, stacks, constants = list(inputs[:n]), inputs[n : n + s], inputs[n + s :]
        if current_graph() is not None:
            again = loop_again(self, inputs)
            if again is not None:
                return again._added(carried, stacks, again.constants, None)
            return self._copy()._added(carried, stacks, constants, None)
        return self._in_python([followed_elements(x) for x in carried], stacks, constants)

    def elements(self, op: Operation, index: int) -> Elements:
        """What is known of a list among the results."""
        n = len(self.carried)
        if index >= n:
            known = emitted_elements(self.emitted[index - n].inside)
            return known._replace(length=self.count(op))
        return joined(elements_known(op.inputs[index]), elements_known(self.results[index]))

    def count(self, op: Operation) -> int | None:
        """How often the body runs, where that is known: once for each element of a stack that it takes."""
        if self.condition is not None:
            return trips(op, self)
        return elements_known(op.inputs[len(self.carried)]).length

    def _copy(self) -> Loop:
        copy = object.__new__(Loop)
        copy.__dict__.update(self.__dict__)
        copy.emitted = list(self.emitted)
        copy._running = None
        return copy

    def _in_python(
        self, carried: list[Any], stacks: Sequence[Any], constants: Sequence[Any]
    ) -> list[Any]:
        """The loop in Python, with its body replayed operation by operation."""
        if any(stack is UNEVEN for stack in stacks):
            raise UnimplementedError(UNEVEN_RUNS)
        pairs = zip(self.taken, map(followed_elements, stacks), strict=True)
        runs = [stack[::-1] if t.backward else stack for t, stack in pairs]
        wanted = [*self.results, *[e.inside for e in self.emitted]]
        known = {id(x): constants[at] for x, at in self.same}
        emitted = [TensorList() for _ in self.emitted]
        at, even = 0, True
        while True:
            goes_on, mask = self._decided(carried, constants, runs, at)
            if not goes_on:
                break
            known.update({id(x): v for x, v in zip(self.carried, carried, strict=True)})
            known.update({id(t.inside): r[at] for t, r in zip(self.taken, runs, strict=True)})
            found = replay(self.body, wanted, [known[id(x)] for x in self.body.all_inputs])
            after = found[: len(carried)]
            carried = after if mask is None else kept_where(mask, after, carried)
            even &= mask is None
            for stack, value in zip(emitted, found[len(after) :], strict=True):
                stack.append(value)
            at += 1
        for e, stack in zip(self.emitted, emitted, strict=True):
            if e.backward:
                stack.reverse()
        return [*carried, *(emitted if even else [UNEVEN] * len(emitted))]

    def _decided(
        self, carried: list[Any], constants: Sequence[Any], runs: Sequence[Any], at: int
    ) -> tuple[bool, Any]:
        """Whether the body runs again; and for which examples, if they differ."""
        if self.condition is None:
            return at < len(runs[0]), None
        given = [*carried, *[constants[i] for i in self.condition_places]]
        (go,) = replay(self.condition, self.condition.outputs, given)
        return loop_condition(go)


def loop_condition(go: Tensor) -> tuple[bool, Any]:
    """Whether a loop continues; and for which examples of a batch, if they differ."""
    if isinstance(go, Batched):
        return bool(np.any(np.asarray(go._full))), go
    return bool(go), None


def kept_where(mask: Tensor, after: list[Any], before: list[Any]) -> list[Any]:
    """The values after an iteration; examples whose loop has ended keep theirs."""
    if any(not isinstance(v, Tensor) for v in after):
        raise UnimplementedError(UNEVEN_RUNS)
    return [where(mask, a, b) for a, b in zip(after, before, strict=True)]


# Stands for an emitted stack if the number of iterations differs between the examples of a batch.
UNEVEN: Final = object()
UNEVEN_RUNS: Final = (
    "In a vectorized function the number of runs of a loop differs between the examples, while the "
    "loop is differentiated inside of the function or carries a TensorArray. Take the gradient "
    "outside, or call the function for each example."
)


# ---- the gradient -----------------------------------------------------------------------------


def loop_gradients(
    loop: Loop,
    op: Operation,
    gs: Sequence[Any],
    xs: Sequence[Any],
    ys: Sequence[Any],
    asked: Sequence[bool],
) -> list[Any]:
    """The gradients of the inputs: a loop over the same iterations, from the last to the first."""
    n, s = len(loop.carried), len(loop.taken)
    asked = [a and x.dtype.is_differentiable for a, x in zip(asked, xs, strict=True)]
    flows = flowing(loop, asked)
    constants = [(x, at) for x, at in loop.same if asked[n + s + at]]
    stacked = [i for i in range(s) if asked[n + i]]
    back = _Backward(loop, op, xs, gs[n:], flows, [x for x, _ in constants], stacked)
    initial = [
        bound.zeros_like(ys[i]) if gs[i] is None else gs[i] for i, flow in enumerate(flows) if flow
    ]
    places = [n + s + at for _, at in constants]
    totals = [bound.zeros_like(xs[places[k]]) for k in back.whole]
    results = iter(back.added([*initial, *totals], [g for g in gs[n:] if g is not None]))
    found: list[Any] = [None] * len(xs)

    def add(place: int, g: Any) -> None:
        found[place] = g if found[place] is None else bound.add(found[place], g)

    for i, flow in enumerate(flows):
        if flow:
            found[i] = next(results)
    for k in back.whole:
        add(places[k], next(results))
    for i in stacked:
        found[n + i] = next(results)
    for k, part in back.parts:
        x = xs[places[k]]
        add(places[k], put_together(part, [next(results) for _ in part.values], x))
    for place in places:
        if found[place] is None:
            found[place] = bound.zeros_like(xs[place])
    return found


class _Backward:
    """The loop that runs backward through another."""

    def __init__(
        self,
        loop: Loop,
        op: Operation,
        xs: Sequence[Any],
        stack_gs: Sequence[Any],
        flows: Sequence[bool],
        constants: Sequence[SymbolicTensor],
        stacked: Sequence[int],
    ) -> None:
        self._loop, self._op, self._xs = loop, op, xs
        flowing = [i for i, flow in enumerate(flows) if flow]
        results = [loop.results[i] for i in flowing]
        emitted = [e for e, g in zip(loop.emitted, stack_gs, strict=False) if g is not None]
        self._stack_form = [e.backward for e in emitted]
        taken = [loop.taken[i] for i in stacked]
        wanted = [
            *[loop.carried[i] for i in flowing],
            *constants,
            *[t.inside for t in taken],
        ]
        of = [*results, *[e.inside for e in emitted]]
        pull = PulledBack(loop.body, of, wanted, dense=False)
        graph = pull.graph
        n, m = len(flowing), len(constants)
        gs = graph.inputs[:n]
        self._element_gs = graph.inputs[n:]
        likes = [loop.carried[i] for i in flowing]
        next_gs = [pull.output(g, like) for g, like in zip(pull.gradients[:n], likes, strict=True)]
        # The constants, by their numbers, of whose gradients there are whole ones, and parts.
        self.whole: list[int] = []
        self.parts: list[tuple[int, Part]] = []
        totals, next_totals, count = [], [], loop.count(op)
        with activate((), graph):
            for k, (x, g) in enumerate(zip(constants, pull.gradients[n : n + m], strict=True)):
                wholes, parts = parted(g, x, count)
                self.parts += [(k, part) for part in parts]
                if wholes:
                    self.whole.append(k)
                    totals.append(graph.input_like(x, "total"))
                    next_totals.append(functools.reduce(bound.add, wholes, totals[-1]))
        stack_gs_inside = [
            pull.output(g, t.inside) for g, t in zip(pull.gradients[n + m :], taken, strict=True)
        ]
        self._graph = graph
        self._carried = [*gs, *totals]
        self._next = [*next_gs, *[graph.entered(t) for t in next_totals]]
        self._emitted = [
            Stack(g, not t.backward) for g, t in zip(stack_gs_inside, taken, strict=True)
        ]
        values = [v for _, part in self.parts for v in part.values]
        self._emitted += [Stack(graph.entered(v), False) for v in values]

    def added(self, initial: Sequence[Any], stack_gs: Sequence[Any]) -> list[Any]:
        graph = self._graph
        ends = [*self._next, *[e.inside for e in self._emitted]]
        saved = _Saved(self._loop, self._op, self._xs, graph, ends, backward=True)
        taken = [
            Stack(x, not backward)
            for x, backward in zip(self._element_gs, self._stack_form, strict=True)
        ]
        gradient = Loop(
            graph,
            self._carried,
            self._next,
            None,
            [*saved.taken, *taken],
            self._emitted,
            saved.fixed,
        )
        forms = [form_of(x) for x in initial]
        return gradient.added(initial, [*saved.stacks, *stack_gs], forms)


# ---- the tangents -----------------------------------------------------------------------------


def loop_tangents(loop: Loop, ys: Sequence[Any], ts: Sequence[Any], xs: Sequence[Any]) -> list[Any]:
    """The tangents of the results: a loop over the same iterations, in the same direction."""
    n, s = len(loop.carried), len(loop.taken)
    op = ys[0].op
    flowing = [i for i, x in enumerate(loop.carried) if x.dtype.is_differentiable]
    stacked = [i for i in range(s) if ts[n + i] is not None]
    constants = [(x, ts[n + s + at]) for x, at in loop.same if ts[n + s + at] is not None]
    emitted = loop.emitted[: len(ys) - n]
    graph = GradientGraph(f"{loop.body.name}_jvp", loop.body)
    with activate((), graph):
        carried = [graph.input_like(loop.carried[i], "tangent") for i in flowing]
        elements = [graph.input_like(loop.taken[i].inside, "tangent") for i in stacked]
        fixed_ts = [graph.entered(t) for _, t in constants]
    push = Pushforward(
        loop.body,
        [*[loop.results[i] for i in flowing], *[e.inside for e in emitted]],
        [
            *[loop.carried[i] for i in flowing],
            *[loop.taken[i].inside for i in stacked],
            *[x for x, _ in constants],
        ],
        [*carried, *elements, *fixed_ts],
        graph,
    )
    count = len(flowing)
    results = [
        push.output(t, loop.results[i]) for t, i in zip(push.tangents[:count], flowing, strict=True)
    ]
    moving = [
        (k, Stack(push.output(t, e.inside), e.backward))
        for k, (t, e) in enumerate(zip(push.tangents[count:], emitted, strict=True))
        if e.inside.dtype.is_differentiable
    ]
    taken = [Stack(x, loop.taken[i].backward) for x, i in zip(elements, stacked, strict=True)]
    ends = [*results, *[e.inside for _, e in moving]]
    saved = _Saved(loop, op, xs, graph, ends, backward=False)
    stacks = [*saved.stacks, *[ts[n + i] for i in stacked]]
    tangent = Loop(
        graph, carried, results, None, [*saved.taken, *taken], [e for _, e in moving], saved.fixed
    )
    initial = [bound.zeros_like(xs[i]) if ts[i] is None else ts[i] for i in flowing]
    pushed = tangent.added(initial, stacks, [form_of(ys[i]) for i in flowing])
    found: list[Any] = [None] * len(ys)
    for i, t in zip(flowing, pushed, strict=False):
        found[i] = t
    for (k, _), t in zip(moving, pushed[count:], strict=True):
        found[n + k] = t
    return found


# ---- shared by both ---------------------------------------------------------------------------


class _Saved:
    """The values inside a loop that its derivative uses, as stacks for the derivative's loop."""

    def __init__(
        self,
        loop: Loop,
        op: Operation,
        xs: Sequence[Any],
        graph: FunctionGraph,
        ends: Sequence[SymbolicTensor],
        backward: bool,
    ) -> None:
        # Loop-invariant values are taken from outside of the loop, as recorders know them.
        self.fixed = {id(x): xs[len(loop.carried) + len(loop.taken) + at] for x, at in loop.same}
        saved = [v for v in graph.captured if id(v) not in self.fixed and _is_of(v, loop.body)]
        # What each iteration computes of these alone is computed once, and not kept for each.
        same = unchanging(loop, op)
        again = [v for v in saved if id(v) in same]
        made = replay_part(again, [x for x, _ in loop.same], list(self.fixed.values()))
        self.fixed.update(zip(map(id, again), made, strict=True))
        shapes = [
            v
            for v in only_shapes_of(graph, ends)
            if id(v) not in self.fixed and _is_of(v, loop.body)
        ]
        self.fixed.update({id(v): bound.blank(v, dims(v)) for v in shapes})
        saved = [v for v in saved if id(v) not in self.fixed]
        if not saved:  # a loop needs a stack to count its iterations by
            saved = [*loop.carried, *[t.inside for t in loop.taken]][:1]
            graph.capture(saved[0])
        inside = dict(zip(map(id, graph.captured), graph.captured_inputs, strict=True))
        self.stacks = handed_out(loop, op, saved)
        self.taken = [Stack(inside[id(v)], backward) for v in saved]


def _is_of(value: Tensor, body: FunctionGraph) -> bool:
    return isinstance(value, SymbolicTensor) and value.op.graph is body


def handed_out(loop: Loop, op: Operation, tensors: Sequence[SymbolicTensor]) -> list[Any]:
    """Make values inside a loop results of the operation, as stacks over all iterations."""
    with COMPILING:
        known = {id(e.inside): i for i, e in enumerate(loop.emitted) if not e.backward}
        new = [t for t in tensors if id(t) not in known]
        for tensor in new:
            known[id(tensor)] = len(loop.emitted)
            loop.emitted.append(Stack(tensor, False))
        if new:
            op.graph.extended(op, [LIST for _ in new])
        return [op.outputs[len(loop.carried) + known[id(t)]] for t in tensors]


def check_shapes(carried: Sequence[Any], results: Sequence[Any], names: Sequence[str]) -> None:
    """Check that the body returns each carried value with the shape and dtype it had."""
    for before, after, name in zip(carried, results, names, strict=True):
        if before.dtype is not after.dtype:
            raise TypeError(
                f"Loop var {name} enters the loop with type {before.dtype} but has type "
                f"{after.dtype} after 1 iteration. Use tf.cast in the body."
            )
        if not is_as_general(before.shape, after.shape):
            raise ValueError(
                f"Input tensor `{name}` enters the loop with shape {before.shape}, but has shape "
                f"{after.shape} after one iteration. To allow the shape to vary across iterations, "
                "use the `shape_invariants` argument of tf.while_loop to specify a less-specific "
                "shape."
            )
