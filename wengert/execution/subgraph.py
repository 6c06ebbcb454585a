"""Subgraphs: graphs that another operation or a call runs, differentiated as one operation.

The branches of a cond, the body of a loop and a traced function are subgraphs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from wengert.core.context import activate, active_rules, note, note_access, thread
from wengert.core.forward import Accumulator
from wengert.core.reverse import conjugate
from wengert.core.row import Attrs, Row
from wengert.errors import NoGradientError
from wengert.execution.by_size import BySize, depends_on_sizes
from wengert.execution.derived_graphs import PulledBack, arranged, differentiable, parts_of
from wengert.execution.description import Description
from wengert.execution.engine_registry import (
    REFERENCE,
    Run,
    Settings,
    compile_plan,
    compiles_sizes,
    engine_of,
)
from wengert.execution.plan import Plan, effects, given_value, runs_once
from wengert.execution.replay import replay
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.graph_reverse import operations_between
from wengert.graph.operation import Operation
from wengert.host.locks import TRACING
from wengert.overrides.switches import inner_accumulator, switches_inside
from wengert.state.cell import new_resource
from wengert.state.variable import Variable
from wengert.values.bound_ops import bound
from wengert.values.dtypes import VARIANT
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import wrap

Found = TypeVar("Found")
Wanted = tuple[bool, ...]  # for each input, whether its gradient may be requested


def derived_once(kept: dict[Any, Found], key: Hashable, derive: Callable[[], Found]) -> Found:
    """What is kept under a key; derived by one of the threads that ask for it at once.

    A derivation changes the graph that it is of: branches and loops in it hand out what the derivative needs.
    """
    found = kept.get(key)
    if found is None:
        with TRACING:
            found = kept.get(key)
            if found is None:
                found = kept[key] = derive()
    return found


class Subgraph:
    """A graph, and those of its tensors that are its results.

    `run_on` takes and returns arrays, using a plan that is compiled on its first run. A call takes
    and returns tensors. Under a tape the call returns, besides its results, the values that its
    gradient needs. That gradient is traced once, is called in the same way, and can be
    differentiated like any other.
    """

    def __init__(
        self,
        graph: FunctionGraph,
        results: Sequence[SymbolicTensor],
        sizes_may_differ: bool = False,
    ) -> None:
        self.graph = graph
        self.results = list(results)
        self._sizes_may_differ = sizes_may_differ  # from those that follow from others
        self._resources: list[Operation] = []
        self._open: BySize | None = None  # if it has symbolic sizes
        self.on_device = False  # whether values stay on a device, as of the last run
        # The versions of the graph and the engine, the number of results, and what was compiled then: in one, as
        # other threads compile as well.
        self._compiled: tuple[int, int, int, Any] = -1, -1, -1, None
        # By the inputs that are followed, the anticipated number of derivative orders, and the
        # overrides in force: those of the operations of the gradient.
        self._calls: dict[Any, tuple[Row, Subgraph]] = {}
        self._gradients: dict[Any, _Gradient] = {}
        # With the variables of the call that it was traced for.
        self._tangents: dict[Any, tuple[Subgraph, list[Variable | None]]] = {}
        self._once = -1, False  # the version of the graph, and whether it runs but once
        # The version of the graph, and which results have a gradient by some input.
        self._depends: tuple[int, list[bool]] = -1, []

    # ---- arrays ------------------------------------------------------------------------------

    def run_on(self, values: Sequence[Any], general: Run | None = None) -> list[Any]:
        """The results, for values of `graph.all_inputs`.

        For sizes that the graph is not made for, `general` computes them, or the graph as it is.
        """
        run = self.current
        if self._open is not None:
            return self._open.run_on(values, general or self._run_current)
        return self._run(run, values)

    def run_on_tensors(self, given: Sequence[Any]) -> list[Any]:
        """The results as tensors, for tensors and variables; on a device, if the engine has one."""
        run = self.current
        if run.on_device:
            found: list[Any] = (
                self._run(run.from_tensors, given) if self._resources else run.from_tensors(given)
            )
            return found
        return list(map(wrap, self.run_on(list(map(given_value, given)))))

    def _run_current(self, values: Sequence[Any]) -> list[Any]:
        return self._run(self.current, values)

    def _run(self, run: Any, values: Sequence[Any]) -> list[Any]:
        if not self._resources:
            return run(values)  # type: ignore[no-any-return]
        cells = self.graph.cells
        held = [cells.get(op) or cells.setdefault(op, new_resource(op)) for op in self._resources]
        return run([*values, *held])  # type: ignore[no-any-return]

    @property
    def current(self) -> Any:
        """The plan as it would run now."""
        changes, choices, count, compiled = self._compiled
        same = changes == self.graph.changes and choices == Settings.changes
        return compiled if same and count == len(self.results) else self._compile()

    def _compile(self) -> Any:
        """Compile the plan again, as the graph or the engine changed."""
        changes, choices, count = self.graph.changes, Settings.changes, len(self.results)
        plan = Plan(self.results, self.graph.all_inputs, effects(self.graph))
        self._resources = plan.resources
        engine = engine_of(self.graph, "native")
        is_open = compiles_sizes(engine) and depends_on_sizes(plan)
        self._open = BySize(self, self._sizes_may_differ) if is_open else None
        compiled = compile_plan(plan, REFERENCE if is_open else engine)
        self.on_device = compiled.on_device
        self._compiled = changes, choices, count, compiled  # last: other threads look at it
        return compiled

    def describe(self, name: str, values: Sequence[Any] | None = None) -> Description:
        """A description of what a run does: for values of `graph.all_inputs`, if they are given."""
        run = self.current
        if self._open is not None and values is not None:
            sized = self._open.describe(values, name)
            if sized is not None:
                return sized
        found: Description = run.describe(name)
        return found

    # ---- tensors -----------------------------------------------------------------------------

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The results as tensors, for tensors in place of `graph.all_inputs`."""
        for value in values:
            if isinstance(value, Variable):
                note_access(value)
        context, recorders = thread.context, thread.context.recorders
        in_graph = context.building is not None
        in_batch = context.interpreter is not None and not in_graph
        if in_batch or (in_graph and any(r.follows_all for r in recorders)):
            return replay(self.graph, self.results, values)
        if recorders:
            followed = tuple([any(r.follows((v,)) for r in recorders) for v in values])
            if any(followed):
                pushes = any(r.computes and r.follows(values) for r in recorders)
                if not (pushes and (in_graph or self._runs_once())):
                    return self._recorded(followed, len(recorders), values)
                return self._noting_reach(values, replay(self.graph, self.results, values))
            return self._noting_reach(values, self._carried_out(values))
        return self._carried_out(values)

    def _noting_reach(self, values: Sequence[Any], results: list[Any]) -> list[Any]:
        """The results of a call, of which accumulators are told that they were made of the values.

        A result that depends on none of the inputs was not; what is returned for gradients alone always was.
        """
        for recorder in thread.context.recorders:
            if isinstance(recorder, Accumulator) and recorder.has_reached(values):
                pairs = zip(results, self._depending(), strict=False)
                own = [y for y, depends in pairs if depends]
                recorder.reach(values, [*own, *results[len(self.results) :]])
        return results

    def _depending(self) -> list[bool]:
        """Which of the results have a gradient by some input, asked again when the graph changed."""
        version, known = self._depends
        if version != self.graph.changes or len(known) != len(self.results):
            inputs = {x._key for x in self.graph.all_inputs if x.dtype.is_differentiable}
            between = {id(op) for op in operations_between(self.results, inputs, set())}
            known = [y._key in inputs or id(y.op) in between for y in self.results]
            self._depends = self.graph.changes, known
        return known

    def _runs_once(self) -> bool:
        """Whether another run would be another one, asked again when the graph changed."""
        if self._once[0] != self.graph.changes:
            self._once = self.graph.changes, runs_once(self.graph)
        return self._once[1]

    def _carried_out(self, values: Sequence[Any]) -> list[Any]:
        """The results, which no recorder sees: by a plan, or as operations of the graph under construction."""
        graph = thread.context.building
        if graph is None:
            with activate((), None):
                return self.run_on_tensors(values)
        with activate((), thread.context.interpreter):
            return _of_one_call(replay(self.graph, self.results, values), values)

    # ---- under a tape ------------------------------------------------------------------------

    def _recorded(self, wanted: Wanted, orders: int, values: Sequence[Any]) -> list[Any]:
        row, longer = self._handing_out(wanted, orders)
        results = longer._carried_out(values)
        note(row, values, {}, results)
        return self._noting_reach(values, results)[: len(self.results)]

    def _handing_out(self, wanted: Wanted, orders: int) -> tuple[Row, Subgraph]:
        """A call that also returns what `orders` gradients need, to avoid a second run."""
        key = wanted, orders, active_rules()
        return derived_once(self._calls, key, lambda: self._new_call(wanted, orders))

    def _new_call(self, wanted: Wanted, orders: int) -> tuple[Row, Subgraph]:
        more: list[SymbolicTensor] = []
        for _ in range(orders):
            try:
                there = tuple(range(len(self.results) + len(more)))
                gradient = self.gradient(wanted, there, more)
            except NoGradientError:  # raised when the gradient is requested
                break
            needed = [*gradient.inner, *(gradient.unfollowed if orders > 1 else ())]
            new = [x for x in needed if all(x is not m for m in more)]
            if not new:
                break
            more += new
        return self._row(wanted, more), Subgraph(self.graph, [*self.results, *more])

    def gradient(
        self, wanted: Wanted, there: tuple[int, ...], more: Sequence[SymbolicTensor]
    ) -> _Gradient:
        """The gradient for cotangents of some of the outputs, and of the extra values returned."""
        overrides = thread.context.sweeping
        key = wanted, there, None if overrides is None else overrides.key, active_rules()

        def derive() -> _Gradient:
            results = [*self.results, *more]
            return _Gradient(self.graph, differentiable([results[i] for i in there]), wanted)

        found = derived_once(self._gradients, key, derive)
        if overrides is not None:
            overrides.matched |= found.matched
        return found

    def _row(self, wanted: Wanted, more: Sequence[SymbolicTensor]) -> Row:
        def joint(gs: Any, ys: Any, xs: Any, attrs: Attrs) -> list[Any]:
            pulled = self._pulled(wanted, [conjugate(bound.to_dense(g)) for g in gs], ys, xs, more)
            if thread.context.interpreter is not None and thread.context.building is None:
                pulled = list(map(bound.to_dense, pulled))  # examples of a batch are tensors
            return [conjugate(g) for g in pulled]

        def joint_jvp(ts: Any, ys: Any, xs: Any, attrs: Attrs) -> list[Any]:
            return self._pushed(ts, xs, more)

        return Row(
            "PartitionedCall",
            lambda _, *arrays: self.run_on(arrays),
            joint=joint,
            joint_jvp=joint_jvp,
            many=True,
            fills=False,
            graphs=[self.graph],
        )

    def _pulled(
        self, wanted: Wanted, gs: Any, ys: Any, xs: Any, more: Sequence[SymbolicTensor]
    ) -> list[Any]:
        """The gradients of the inputs."""
        count = len(self.results)
        # A list whose cotangent is zero is left out: its elements would be nothing, not zeros.
        there = tuple(
            [
                i
                for i, (g, y) in enumerate(zip(gs, ys, strict=True))
                if g is not None or (i < count and y._array.dtype is not VARIANT)
            ]
        )
        gradient = self.gradient(wanted, there, more)
        seeds = [
            bound.zeros_like(ys[i]) if gs[i] is None and ys[i].dtype.is_differentiable else gs[i]
            for i in there
        ]
        given = [g for g in seeds if g is not None]
        known = {id(x): v for x, v in zip(self.graph.all_inputs, xs, strict=True)}
        known.update({id(x): y for x, y in zip(more, ys[count:], strict=True)})
        missing = [x for x in gradient.inner if id(x) not in known]
        if missing:  # an order that was not anticipated: run again for what it needs
            again = Subgraph(self.graph, missing)(xs)
            known.update({id(x): v for x, v in zip(missing, again, strict=True)})
        return gradient(given, known, xs)

    # ---- forward -----------------------------------------------------------------------------

    def _pushed(self, ts: Any, xs: Any, more: Sequence[SymbolicTensor]) -> list[Any]:
        """The tangents of the results, by a graph that computes tangents."""
        there = tuple([t is not None for t in ts])
        key = (*there, tuple(map(id, more)), active_rules(), switches_inside())

        def derive() -> tuple[Subgraph, list[Variable | None]]:
            variables = [x if isinstance(x, Variable) else None for x in xs]
            return _carrying_tangents(self, there, xs, more), variables

        pushed, traced = derived_once(self._tangents, key, derive)
        given = [x for x in xs if not isinstance(x, Variable)] + [t for t in ts if t is not None]
        # A trace serves all variables of one form: these are in the places of those it was made with.
        now = {id(old): x for old, x in zip(traced, xs, strict=True) if old is not None}
        found = iter(pushed([*given, *[now.get(id(v), v) for v in pushed.graph.captured]]))
        return [next(found) if t else None for t in pushed.graph.there]


class _Gradient:
    """The traced gradient of a subgraph."""

    def __init__(self, graph: FunctionGraph, of: Sequence[SymbolicTensor], wanted: Wanted) -> None:
        asked = [
            x if w and x.dtype.is_differentiable else None
            for x, w in zip(graph.all_inputs, wanted, strict=True)
        ]
        overrides = thread.context.sweeping
        pull = PulledBack(graph, of, asked, dense=False)
        # Which of the overrides in force matched something in the graph.
        self.matched = set() if overrides is None else set(overrides.matched)
        self._graph = pull.graph
        self._gradients = pull.gradients
        outputs = [pull.graph.entered(p) for p in parts_of(pull.gradients)]
        own = {id(x): w for x, w in zip(graph.all_inputs, wanted, strict=True)}
        captured = [
            v
            for v in pull.graph.captured
            if isinstance(v, SymbolicTensor) and v.op.graph is graph and not own.get(id(v))
        ]
        # The inner values of the differentiated graph that the gradient needs.
        self.inner = [v for v in captured if id(v) not in own]
        # And inputs that no one follows. A call returns them, too, if its gradient has one: to that they are
        # results of the call, as all else that it takes from there, so that it is zero and not None.
        self.unfollowed = [v for v in captured if id(v) in own and v.dtype.is_differentiable]
        self._subgraph = Subgraph(pull.graph, outputs)

    def __call__(self, gs: Sequence[Any], known: dict[int, Any], xs: Sequence[Any]) -> list[Any]:
        values = [known.get(id(v), v) for v in self._graph.captured]
        found = iter(self._subgraph([*gs, *values]))
        return [arranged(g, found, x) for g, x in zip(self._gradients, xs, strict=True)]


def _may_be_zero(y: Any) -> bool:
    return y.dtype.is_differentiable and y._array.dtype is not VARIANT


def _of_one_call(results: list[Any], values: Sequence[Any]) -> list[Any]:
    """Results of which those without a cotangent have one of zeros, if another has one, as of any call.

    Lists are left out, as where the call is a record: without a cotangent they have nothing. An integer that was
    passed through is a result of the call, and no longer the argument.
    """
    at = [i for i, y in enumerate(results) if y is not None and _may_be_zero(y)]
    if len(at) > 1:
        for i, y in zip(at, bound.together([results[i] for i in at]), strict=True):
            results[i] = y
    given = {id(v) for v in values}
    return [bound.identity(y) if id(y) in given and _is_counting(y) else y for y in results]


def _is_counting(y: Any) -> bool:
    return isinstance(y, SymbolicTensor) and y._array.dtype.kind in "iub"


def _carrying_tangents(
    subgraph: Subgraph, there: Sequence[bool], xs: Sequence[Any], more: Sequence[SymbolicTensor]
) -> Subgraph:
    """A subgraph from inputs and tangents to the tangents of the results."""
    given = subgraph.graph
    graph = FunctionGraph(f"{given.name}_jvp", given.outer_graph)
    accumulator = inner_accumulator()
    inputs = given.all_inputs
    with activate((), graph):
        values = [
            v if isinstance(v, Variable) else graph.input_like(x)
            for x, v in zip(inputs, xs, strict=True)
        ]
        tangents = [
            graph.input_like(x, "tangent") if t else None
            for x, t in zip(inputs, there, strict=True)
        ]
    for value, tangent in zip(values, tangents, strict=True):
        if tangent is not None:
            accumulator.watch(value, tangent)
    with activate((accumulator,), graph):
        results = replay(given, [*subgraph.results, *more], values)
        found = [accumulator.tangent(y) for y in results]
    graph.there = [t is not None for t in found]
    return Subgraph(graph, [graph.entered(t) for t in found if t is not None])
