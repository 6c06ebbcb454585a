"""Bodies: pieces of graph that another operation runs, and their gradients.

The branches of a cond, the body of a loop and a traced function are function graphs. A body runs
such a graph; `pulled_back` differentiates it: a second graph, which takes cotangents and whatever
values of the first it needs. The first then has to hand those values out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.core.batch import Batcher
from wengert.core.context import activate, current_graph, thread, to_graph
from wengert.core.dispatch import apply
from wengert.core.forward import Accumulator
from wengert.core.reverse import conjugate, joint_gradients
from wengert.core.row import Attrs, Row
from wengert.engines.numpy_engine import shapes_of
from wengert.engines.plan import RESOURCES, Plan
from wengert.engines.select import Settings, compile_plan, engine_of
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.graph_builder import CONST
from wengert.graph.graph_reverse import pull_back_through_graph
from wengert.graph.operation import Operation
from wengert.ops.state.cells import new_resource
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import TensorList, wrap


class Body:
    """A function graph, compiled for some of its tensors when it is first run."""

    def __init__(self, graph: FunctionGraph, results: Sequence[SymbolicTensor]) -> None:
        self.graph = graph
        self.results = list(results)
        self._compiled: Any = None
        self._resources: list[Operation] = []
        self._open: _BySize | None = None  # where sizes are known only when it runs
        # What there was of the graph, the engine and the results when it was compiled.
        self._changes = self._choices = self._count = -1

    def run_on(self, values: Sequence[Any]) -> list[Any]:
        """The results, for values of `graph.all_inputs`."""
        run = self.current
        if self._open is not None:
            body = self._open.body_for(values)
            if body is not None:
                return body.run_on(values)  # type: ignore[no-any-return]
        if not self._resources:
            return run(values)  # type: ignore[no-any-return]
        cells = self.graph.cells
        held = [cells.get(op) or cells.setdefault(op, new_resource(op)) for op in self._resources]
        return run([*values, *held])  # type: ignore[no-any-return]

    @property
    def current(self) -> Any:
        """The plan as it would run now."""
        same = self._changes == self.graph.changes and self._choices == Settings.changes
        return self._compiled if same and self._count == len(self.results) else self.compiled()

    def compiled(self) -> Any:
        """The plan, made anew if the graph or the engine changed."""
        found = self.graph.changes, Settings.changes, len(self.results)
        plan = Plan(self.results, self.graph.all_inputs, effects(self.graph))
        self._resources = plan.resources
        engine = engine_of(self.graph, "native")
        self._open = _BySize(self) if engine == "native" and _is_open(plan) else None
        self._compiled = compile_plan(plan, "numpy" if self._open is not None else engine)
        # Last of all: another thread may ask meanwhile.
        self._changes, self._choices, self._count = found
        return self._compiled


# For so many combinations of sizes a graph is compiled; for others it is interpreted.
MOST_SIZES: Final = 8


def _is_open(plan: Plan) -> bool:
    """Whether a graph depends on sizes that only a call brings, and on nothing that it keeps."""
    if plan.resources or all(is_certain(x._array.shape) for x in plan.given):
        return False
    return not any(op.row.stateful or op.row.users for op in plan.steps)


class _BySize:
    """A graph for each combination of sizes that calls bring."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._made: dict[Any, Any] = {}

    def body_for(self, values: Sequence[Any]) -> Any:
        """What computes the results for values of these sizes; None: the graph itself."""
        key = shapes_of(values)
        found = self._made.get(key, False)
        if found is False:
            found = self._made_for(values) if len(self._made) < MOST_SIZES else None
            if found is not None or len(self._made) < MOST_SIZES:
                self._made[key] = found
        return found

    def _made_for(self, values: Sequence[Any]) -> Any:
        try:
            return _Sized(self._body, values)
        except Exception:  # noqa: BLE001  # what is wrong, the graph itself says when it runs
            return None


class _Sized:
    """A graph carried out once more, where all sizes are known."""

    def __init__(self, body: Body, values: Sequence[Any]) -> None:
        graph = FunctionGraph(body.graph.name, body.graph.outer_graph)
        graph.engine = body.graph.chosen_engine
        self._arrays = [isinstance(v, (np.ndarray, np.generic)) for v in values]
        with activate((), graph):
            given = [
                graph.input(list(v.shape), v.dtype) if is_array else _variable(v)
                for v, is_array in zip(values, self._arrays, strict=True)
            ]
            found = replay(body.graph, body.results, given)
            outputs = [graph.entered(y) for y in found]
        self._inner = Body(graph, outputs)

    def run_on(self, values: Sequence[Any]) -> list[Any]:
        arrays = [v for v, is_array in zip(values, self._arrays, strict=True) if is_array]
        held = [given_value(v) for v in self._inner.graph.captured]
        return self._inner.run_on([*arrays, *held])


def _variable(value: Any) -> Variable:
    if not isinstance(value, Variable):
        raise TypeError(f"{value!r} is neither an array nor a variable")
    return value


def effects(graph: FunctionGraph) -> list[Operation]:
    """The operations that run although nobody asks for their results."""
    return [op for op in graph.operations if op.row.effects]


def has_effects(graph: FunctionGraph) -> bool:
    return bool(effects(graph))


def traced_body(
    name: str, function: Callable[..., Any], outer: Any, arguments: Callable[[FunctionGraph], Any]
) -> tuple[FunctionGraph, Any]:
    """Build the graph of a function; `arguments(graph)` makes what it is called with.

    The outputs of the graph are the leaves of what the function returns, as tensors. The second
    result is the structure of that.
    """
    graph = FunctionGraph(name, outer)
    with activate((), graph):
        returned = function(*arguments(graph))
        graph.outputs = [as_output(graph, leaf) for leaf in leaves_of(returned)]
    return graph, returned


def leaves_of(structure: Any) -> list[Any]:
    """The tensors of a structure; a composite value gives its parts."""
    found: list[Any] = []
    for leaf in nest.flatten(structure):
        found += leaf._flat_tensors() if hasattr(leaf, "_flat_tensors") else [leaf]
    return found


def with_leaves(structure: Any, tensors: Sequence[Any]) -> Any:
    """The structure with other tensors."""
    given = iter(tensors)
    leaves = [
        leaf._from_flat_tensors(given) if hasattr(leaf, "_flat_tensors") else next(given)
        for leaf in nest.flatten(structure)
    ]
    if not nest.is_nested(structure):
        return leaves[0]
    return nest.pack_sequence_as(structure, leaves)


def as_output(graph: FunctionGraph, leaf: Any) -> Any:
    """A result as a tensor of the graph. None and operations have no value."""
    if leaf is None or isinstance(leaf, Operation):
        return None
    return graph.entered(convert(leaf))


class GradientGraph(FunctionGraph):
    """The graph of the gradient of a body. It may use values of the body, and of anything else."""

    def _is_inside(self, graph: Any) -> bool:
        return True


class PulledBack:
    """The gradient of a body, as a graph in which `gradients` has a tensor or None for each input.

    The cotangents are `seeds`, or inputs of the graph. What else it needs of the body it captures.
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
            with self.graph.names.scoped("gradients"):  # not in the scopes it goes back through
                pulled = iter(pull_back_through_graph(of, gs, sources))
            found = [None if x is None else next(pulled) for x in wanted]
            self.gradients = [bound.to_dense(g) for g in found] if dense else found

    def output(self, gradient: Any, like: Any) -> SymbolicTensor:
        """A gradient as an output of the graph; zeros where there is none."""
        with activate((), self.graph):
            return self.graph.entered(bound.zeros_like(like) if gradient is None else gradient)


class Pushforward:
    """The tangents of a body's results, as a graph; `tangents` has None where there is none.

    The tangents of some inputs are `given`: values from around, or inputs of the graph. What else
    it needs of the body it captures.
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
        accumulator = Accumulator()
        with activate((), self.graph):
            ts = [self.graph.entered(t) for t in given]
        for x, t in zip(moving, ts, strict=True):
            accumulator.watch(x, t)
        with activate((accumulator,), self.graph):
            for op in Plan(results, body.all_inputs).order:
                result = list(op.outputs) if op.row.many else op.outputs[0]
                accumulator.record(op.row, op.inputs, op.attrs, result)
            self.tangents = [accumulator.tangent(y) for y in results]

    def output(self, tangent: Any, like: Any) -> SymbolicTensor:
        """A tangent as an output of the graph; zeros where there is none."""
        with activate((), self.graph):
            return self.graph.entered(bound.zeros_like(like) if tangent is None else tangent)


def differentiable(tensors: Sequence[Any]) -> list[Any]:
    return [x for x in tensors if x is not None and x.dtype.is_differentiable]


def given_value(value: Any) -> Any:
    """A value for a plan: of a tensor its array, of a variable the variable, which is a cell."""
    return value if isinstance(value, Variable) else value._array


# ---- once more, elsewhere ---------------------------------------------------------------------


def replay(
    graph: FunctionGraph, results: Sequence[SymbolicTensor], values: Sequence[Any]
) -> list[Any]:
    """Carry out the operations of a graph once more, through the door, for other inputs."""
    replay = _Replay(graph.all_inputs, values)
    replay.carry_out(Plan(results, graph.all_inputs, effects(graph)).order)
    return [replay.known[id(y)] for y in results]


def replay_between(
    operations: Sequence[Operation], known: dict[int, Any], result: SymbolicTensor
) -> Any:
    """Carry out some operations once more, with other values for some tensors."""
    replay = _Replay((), ())
    replay.known.update(known)
    replay.carry_out(operations)
    return replay.known[id(result)]


class _Replay:
    """What stands elsewhere for the tensors of a graph."""

    def __init__(self, tensors: Sequence[SymbolicTensor], values: Sequence[Any]) -> None:
        self._tensors = list(tensors)
        self.known = {id(x): v for x, v in zip(tensors, values, strict=True)}

    def carry_out(self, operations: Sequence[Operation]) -> None:
        for op in operations:
            made = self._again(op, [self.known.get(id(x), x) for x in op.inputs])
            self._tensors += op.outputs
            self.known.update({id(y): value for y, value in zip(op.outputs, made, strict=False)})

    def value_of(self, x: SymbolicTensor) -> Any:
        """What stands for a tensor, of which the results may not have needed anything so far."""
        if id(x) not in self.known:
            self.carry_out(Plan([x], self._tensors).order)
        return self.known[id(x)]

    def _again(self, op: Operation, inputs: list[Any]) -> Sequence[Any]:
        if op.row is CONST:
            return [to_graph(wrap(op.attrs["value"]))]
        if op.row.name in RESOURCES and current_graph() is not None:
            return [apply(op.row, (), op.attrs)]
        if op.row.name in RESOURCES:
            return [op.graph.cells.setdefault(op, new_resource(op))]
        if op.row.closes:
            return apply(self._closed(op), inputs, op.attrs)  # type: ignore[no-any-return]
        carry_out = op.row.inline
        if carry_out is None and any(isinstance(x, TensorList) for x in inputs):
            return [inputs[0].zeros() if op.row.by_shape else inputs[0]]
        made = apply(op.row, inputs, op.attrs) if carry_out is None else carry_out(inputs, op.attrs)
        return made if op.row.many else [made]

    def _closed(self, op: Operation) -> Row:
        """The row of an operation whose gradient uses tensors of the graph in which it was made.

        The gradient is traced there and then carried out here.
        """

        def joint(gs: Any, ys: Any, xs: Any, attrs: Attrs) -> list[Any]:
            graph = GradientGraph(f"{op.name}_grad", op.graph)
            with activate((), graph):
                inside = [None if g is None else graph.input_like(g) for g in gs]
                plain = [conjugate(g) for g in inside]
                pulled = joint_gradients(op.row, op.attrs, op.inputs, op.outputs, plain)
                pulled = [conjugate(bound.to_dense(p)) for p in pulled]
                outputs = [graph.entered(p) for p in pulled if p is not None]
            around = [self._around(v, op.graph) for v in graph.captured]
            given = [g for g in gs if g is not None]
            found = iter(replay(graph, outputs, [*given, *around]))
            return [None if p is None else next(found) for p in pulled]

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
            closes=True,
        )

    def _around(self, value: Any, graph: Any) -> Any:
        """What stands for a value that the gradient of an operation of a graph uses."""
        if isinstance(value, SymbolicTensor) and value.op.graph is graph:
            return self.value_of(value)
        return self.known.get(id(value), value)


def by_example(joint: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """A joint rule that adds operations to a graph; for a batch, once for each example."""

    def rule(gs: Any, ys: Any, xs: Any, attrs: Attrs) -> list[Any]:
        batcher = thread.context.interpreter
        if not isinstance(batcher, Batcher):
            return joint(gs, ys, xs, attrs)
        with batcher.outside(*thread.context.recorders):
            columns = [_examples(values, batcher) for values in (gs, ys, xs)]
            pulled = [joint(*one, attrs) for one in zip(*columns, strict=True)]
            stacked = [
                None if part[0] is None else bound.join_examples(list(part))
                for part in zip(*pulled, strict=True)
            ]
        return [None if g is None else batcher.lift(g) for g in stacked]

    return rule


def _examples(values: Sequence[Any], batcher: Batcher) -> list[list[Any]]:
    """Of each example of a batch the values."""
    columns = [
        bound.part_examples(v._full, batcher.size) if batcher.holds(v) else [v] * batcher.size
        for v in values
    ]
    return [list(row) for row in zip(*columns, strict=True)]
