"""Branches: tf.cond, tf.case and tf.switch_case.

In eager mode the chosen function is called. In a graph each branch becomes a subgraph, its body,
and one operation runs the body that is chosen. Its gradient is an operation of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from wengert.core.batch import Batched
from wengert.core.context import current_graph
from wengert.core.reverse import asked_of, conjugate
from wengert.core.row import Attrs, Row
from wengert.errors import InvalidArgumentError, LeakedTensorError
from wengert.execution.derived_graphs import PulledBack, Pushforward
from wengert.execution.plan import has_effects, runs_once
from wengert.execution.replay import replay
from wengert.execution.subgraph import Subgraph
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.graph.tracing import traced_body, tracing
from wengert.host.locks import COMPILING
from wengert.inference.list_elements import Elements, elements_known, joined
from wengert.inference.public_functions import typed
from wengert.inference.shape_inference import common_form, form_of
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.shaping import squeeze
from wengert.ops.control.branch_parts import parts_in_common
from wengert.ops.control.by_example import by_example
from wengert.ops.control.known_sizes import branches_again
from wengert.ops.math.arithmetic import add_n
from wengert.ops.math.comparison import equal, less_equal, where
from wengert.ops.math.elementwise import cast
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import bool_, int32, int64
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.state.cell import Cell
    from wengert.values.typing import Array, IntLike, Namespace, TensorLike
    from wengert.values.value import Value


class Branches:
    """The bodies of an operation that runs one of them, and how its inputs reach them."""

    def __init__(
        self, graphs: Sequence[FunctionGraph], meant: Sequence[dict[int, Any]] = ()
    ) -> None:
        # What the branches use. A branch has a place of its own for each of its inputs.
        self.inputs: list[Any] = []
        self.bodies = [Subgraph(g, g.outputs) for g in graphs]
        self.count = len(graphs[0].outputs)
        # For each branch the indices of its inputs among those of the operation. A captured value
        # may be replaced by another (`meant`), by its id.
        self.places = [
            self._places([names.get(id(v), v) for v in g.captured])
            for g, names in zip(graphs, meant or [{}] * len(graphs), strict=True)
        ]
        self.is_choice = len(graphs) == 2  # by a condition, not by an index
        # Results beyond those that all branches have: (branch, index of a result of its body).
        self.more: list[tuple[int, int]] = []

    def _places(self, values: Sequence[Value]) -> list[int]:
        """Where the inputs of a branch are: what it has twice is there twice, as it has two gradients."""
        found: list[int] = []
        for value in values:
            same = (at for at, known in enumerate(self.inputs) if known is value)
            at = next((at for at in same if at not in found), len(self.inputs))
            if at == len(self.inputs):
                self.inputs.append(value)
            found.append(at)
        return found

    def chosen(self, index: int) -> int:
        """The branch that an index chooses: the last one if it is out of range."""
        return index if 0 <= index < len(self.bodies) else len(self.bodies) - 1

    def run(
        self, xp: Namespace, index: IntLike, *values: Variable | Array | Cell | None
    ) -> list[Any]:
        """Run the chosen branch; intermediate results of the others are None."""
        chosen, asked = self.chosen(int(index)), list(self.more)  # before another asks for more
        results = self.bodies[chosen].run_on([values[at] for at in self.places[chosen]])
        more = [results[at] if branch == chosen else None for branch, at in asked]
        return [*results[: self.count], *more]

    def handed_out(self, op: Any, branch: int, tensors: Sequence[SymbolicTensor]) -> list[Any]:
        """Make values inside a branch results of the operation."""
        with COMPILING:
            results = self.bodies[branch].results
            known = {id(results[at]) for b, at in self.more if b == branch}
            new = [t for t in tensors if id(t) not in known]
            for tensor in new:
                results.append(tensor)  # first: another thread may run what `more` names
                self.more.append((branch, len(results) - 1))
            if new:
                op.graph.extended(op, [form_of(t) for t in new])
            at = {id(results[a]): i for i, (b, a) in enumerate(self.more) if b == branch}
            return [op.outputs[self.count + at[id(t)]] for t in tensors]

    # ---- as an operation ---------------------------------------------------------------------

    def added(
        self,
        index: TensorLike,
        values: Sequence[Any],
        known: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> list[Any]:
        """Add the operation to the graph under construction; its results."""
        graph = current_graph()
        given = [index, *values]
        xs = [graph.entered(x) for x in given]
        if known is None:
            outs = [[form_of(y) for y in b.graph.outputs] for b in self.bodies]
            known = [common_form(column) for column in zip(*outs, strict=True)]
            known += [form_of(self.bodies[b].results[at]) for b, at in self.more]
        op = graph.add(self._row(), xs, {}, name, known)
        graph.add_control_inputs(op, control_inputs(graph, [b.graph for b in self.bodies]))
        return graph.told(op, given)  # type: ignore[no-any-return]

    def _row(self) -> Row:
        graphs = [b.graph for b in self.bodies]
        kind = "If" if self.is_choice else "Case"
        return Row(
            kind,
            never_run,
            type=type_of(kind, graphs),
            step=self.run,
            joint=by_example(self._joint),
            joint_jvp=self._joint_jvp,
            inline=self._inline,
            many=True,
            fills=False,
            effects=any(has_effects(g) for g in graphs),
            graphs=graphs,
            bodies=self,
        )

    def _inline(self, inputs: Sequence[Any], attrs: Attrs) -> list[Any]:
        index, *values = inputs
        if current_graph() is not None:
            better = branches_again(self, values)
            if better is not None:
                return better.added(index, better.inputs)
            return again(self).added(index, values)
        if isinstance(index, Batched):
            found = [self._carried_out(b, values) for b in range(len(self.bodies))]
            return self._by_example(index, found)
        chosen = self.chosen(int(index))
        results = self._carried_out(chosen, values)
        more = [results[at] if branch == chosen else None for branch, at in self.more]
        return [*results[: self.count], *more]

    def elements(self, op: Operation, index: int) -> Elements:
        """What is known of a list among the results."""
        if index >= self.count:
            branch, at = self.more[index - self.count]
            return elements_known(self.bodies[branch].results[at])
        return reduce(joined, [elements_known(b.results[index]) for b in self.bodies])

    def _carried_out(self, branch: int, values: Sequence[Any]) -> list[Any]:
        body = self.bodies[branch]
        return replay(body.graph, body.results, [values[at] for at in self.places[branch]])

    def _by_example(self, index: Any, found: Sequence[Sequence[Any]]) -> list[Any]:
        """The results, in a batch, of each example's chosen branch: all branches are run."""
        results = list(found[-1][: self.count])
        for branch, others in enumerate(found[:-1]):
            results = [
                where(index == branch, mine, other)
                for mine, other in zip(others[: self.count], results, strict=True)
            ]
        return [*results, *[found[branch][at] for branch, at in self.more]]

    def _joint(
        self, gs: Sequence[Tensor | None], ys: Sequence[Tensor], xs: Sequence[Tensor], attrs: Attrs
    ) -> list[Any]:
        index, *values = xs
        plain = [conjugate(g) for g in gs]
        pulled = branch_gradients(self, ys[0].op, plain, index, values, asked_of(xs)[1:])
        return [None, *[conjugate(g) for g in pulled]]

    def _joint_jvp(self, ts: Any, ys: Any, xs: Any, attrs: Attrs) -> list[Any]:
        index, *values = xs
        return branch_tangents(self, ys, ts[1:], index, values)


def type_of(kind: str, graphs: Sequence[FunctionGraph]) -> str:
    """The type of an operation with bodies: it is stateful if they touch a state, or draw."""
    reads = any(isinstance(v, Variable) for g in graphs for v in g.captured)
    return kind if reads or any(map(runs_once, graphs)) else f"Stateless{kind}"


def control_inputs(graph: Any, bodies: Sequence[FunctionGraph]) -> list[Operation]:
    """The operations of a graph that must run before a body does; others are left to those around."""
    asked = {id(op): op for body in bodies for op in body.control_from_outside}
    if graph.is_function:
        graph.control_from_outside += [op for op in asked.values() if op.graph is not graph]
    return [op for op in asked.values() if op.graph is graph]


def again(branches: Branches) -> Branches:
    """The same branches for another operation, which may get further results of its own."""
    copy = Branches([b.graph for b in branches.bodies])
    copy.places = branches.places
    copy.bodies = [Subgraph(b.graph, b.results) for b in branches.bodies]
    copy.more = list(branches.more)
    copy.is_choice = branches.is_choice
    return copy


def never_run(_: Namespace, *values: Array, **attrs: object) -> Array:
    """The kernel of operations that plans run themselves: raises TypeError."""
    raise TypeError("Branches and loops are run by plans.")


# ---- the gradient -----------------------------------------------------------------------------


def branch_gradients(
    branches: Branches,
    op: Operation,
    gs: Sequence[Any],
    index: Tensor,
    xs: Sequence[Any],
    asked: Sequence[bool],
) -> list[Any]:
    """The gradients of what the branches use: an operation that runs the chosen one's gradient."""
    wanted = [i for i, x in enumerate(xs) if asked[i] and x.dtype.is_differentiable]
    pulls = [_pulled(branches, b, op, gs, wanted) for b in range(len(branches.bodies))]
    there = [i for k, i in enumerate(wanted) if any(p.gradients[k] is not None for p in pulls)]
    unused = _used_by_unused(branches, gs, [i for i in wanted if i not in there])
    if not there:
        return [bound.zeros_like(x) if i in unused else None for i, x in enumerate(xs)]
    parts = {i: parts_in_common(pulls, wanted.index(i), xs[i]) for i in there}
    for b, pull in enumerate(pulls):
        found = dict(zip(wanted, pull.gradients, strict=True))
        pull.graph.outputs = []
        for i, taken in parts.items():
            if taken is None:
                pull.graph.outputs.append(pull.output(found[i], xs[i]))
            else:
                pull.graph.outputs += taken.of_branch(b, pull, xs[i])
    meant = [_meanings(branches, b, op, pull, xs) for b, pull in enumerate(pulls)]
    gradient = Branches([p.graph for p in pulls], meant)
    gradient.is_choice = branches.is_choice
    results = iter(gradient.added(index, gradient.inputs))
    pulled = {
        i: next(results) if taken is None else taken.put_together(results, xs[i])
        for i, taken in parts.items()
    }
    pulled |= {i: bound.zeros_like(xs[i]) for i in unused}
    return [pulled.get(i) for i in range(len(xs))]


def _used_by_unused(branches: Branches, gs: Sequence[Any], wanted: Sequence[int]) -> set[int]:
    """Of these inputs, those of results that nothing uses: they have zeros for a gradient, not None, in TensorFlow."""
    found: set[int] = set()
    of = gs[: branches.count]
    if not wanted or all(g is None for g in of) or all(g is not None for g in of):
        return found
    for branch, body in enumerate(branches.bodies):
        ys = [
            y
            for y, g in zip(body.graph.outputs, of, strict=True)
            if g is None and y.dtype.is_differentiable
        ]
        inside = dict(zip(branches.places[branch], body.graph.captured_inputs, strict=True))
        pull = PulledBack(body.graph, ys, [inside.get(i) for i in wanted], ys)
        found |= {i for i, g in zip(wanted, pull.gradients, strict=True) if g is not None}
    return found


def _pulled(
    branches: Branches, branch: int, op: Operation, gs: Sequence[Any], wanted: Sequence[int]
) -> PulledBack:
    body = branches.bodies[branch]
    pairs = list(zip(body.graph.outputs, gs[: branches.count], strict=True))
    pairs += [
        (body.results[at], g)
        for (b, at), g in zip(branches.more, gs[branches.count :], strict=False)
        if b == branch
    ]
    of = [(y, g) for y, g in pairs if g is not None]
    inside = dict(zip(branches.places[branch], body.graph.captured_inputs, strict=True))
    asked = [inside.get(i) for i in wanted]
    return PulledBack(body.graph, [y for y, _ in of], asked, [g for _, g in of])


def _meanings(
    branches: Branches,
    branch: int,
    op: Operation,
    pull: PulledBack | Pushforward,
    xs: Sequence[Any],
) -> dict[int, Any]:
    """The values that the derivative of a branch captured, as values outside of the operation."""
    graph = branches.bodies[branch].graph
    places = branches.places[branch]
    known = {id(t): xs[at] for at, t in zip(places, graph.captured_inputs, strict=True)}
    inner = [
        v
        for v in pull.graph.captured
        if id(v) not in known and isinstance(v, SymbolicTensor) and v.op.graph is graph
    ]
    handed = branches.handed_out(op, branch, inner)
    return known | {id(t): y for t, y in zip(inner, handed, strict=True)}


# ---- the tangents -----------------------------------------------------------------------------


def branch_tangents(
    branches: Branches, ys: Sequence[Any], ts: Sequence[Any], index: Any, xs: Sequence[Any]
) -> list[Any]:
    """The tangents of the results: an operation that runs the chosen branch's tangents."""
    if not ys:
        return []
    moving = [i for i, t in enumerate(ts) if t is not None]
    pushes = [_pushed(branches, b, len(ys), moving, ts) for b in range(len(branches.bodies))]
    there = [k for k in range(len(ys)) if any(p.tangents[k] is not None for p in pushes)]
    if not there:
        return [None] * len(ys)
    shared = [k for k in there if k < branches.count]
    for push, body in zip(pushes, branches.bodies, strict=True):
        push.graph.outputs = [push.output(push.tangents[k], body.results[k]) for k in shared]
    meant = [_meanings(branches, b, ys[0].op, push, xs) for b, push in enumerate(pushes)]
    tangents = Branches([p.graph for p in pushes], meant)
    tangents.is_choice = branches.is_choice
    for k in there[len(shared) :]:  # of a value of one branch; the others have none
        branch, _ = branches.more[k - branches.count]
        results = tangents.bodies[branch].results
        tangents.more.append((branch, len(results)))
        results.append(pushes[branch].output(pushes[branch].tangents[k], None))
    results = tangents.added(index, tangents.inputs, [form_of(ys[k]) for k in there])
    found = dict(zip(there, results, strict=True))
    return [found.get(k) for k in range(len(ys))]


def _pushed(
    branches: Branches, branch: int, count: int, moving: Sequence[int], ts: Sequence[Any]
) -> Pushforward:
    body = branches.bodies[branch]
    inside = dict(zip(branches.places[branch], body.graph.captured_inputs, strict=True))
    used = [i for i in moving if i in inside]
    more = [body.results[at] for b, at in branches.more[: count - branches.count] if b == branch]
    push = Pushforward(
        body.graph, [*body.graph.outputs, *more], [inside[i] for i in used], [ts[i] for i in used]
    )
    found = iter(push.tangents[branches.count :])
    others = branches.more[: count - branches.count]
    push.tangents = [
        *push.tangents[: branches.count],
        *[next(found) if b == branch else None for b, _ in others],
    ]
    return push


# ---- public functions -------------------------------------------------------------------------


@typed
def cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Call `true_fn` or `false_fn`, depending on `pred`; in a graph, when the graph runs.

    >>> x = tf.constant(3.0)
    >>> tf.cond(x > 2.0, lambda: x * x, lambda: -x).numpy()
    np.float32(9.0)
    """
    if not callable(true_fn):
        raise TypeError("'true_fn' must be callable.")
    if not callable(false_fn):
        raise TypeError("'false_fn' must be callable.")
    if current_graph() is None:
        chosen = bool(pred) if isinstance(pred, (int, float, str)) else convert(pred, hint=bool_)
        if isinstance(chosen, Batched):
            return _chosen_by_example(chosen, _as_returned(true_fn()), _as_returned(false_fn()))
        return (true_fn if chosen else false_fn)()
    if isinstance(pred, bool):
        raise TypeError(
            "pred must not be a Python bool", pred, "Write `if` where the condition is known."
        )
    with current_graph().names.scoped(name or "cond") as scope:
        truth = must_be_truth(_scalar(pred, "pred"), "pred", "cond/switch_pred", "Switch")
        index = 1 - cast(truth, int32)
        return _branched("cond", scope, index, [true_fn, false_fn], ("true_fn", "false_fn"))


def _chosen_by_example(chosen: Any, one: Any, other: Any) -> Any:
    """In a batch both branches are run, and each example takes its branch's results."""
    nest.assert_same_structure(one, other)
    return nest.map_structure(lambda a, b: where(chosen, a, b), one, other)


def _called_by_example(index: Tensor, functions: Sequence[Callable[[], Any]]) -> Any:
    """The same for the branch at an index."""
    *others, result = [_as_returned(function()) for function in functions]
    for at, one in enumerate(others):
        result = _chosen_by_example(equal(index, at), one, result)
    return result


@typed
def switch_case(
    branch_index: TensorLike, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Any:
    """Call the function at an index; an index out of range calls the default.

    >>> tf.switch_case(tf.constant(1), [lambda: 10, lambda: 20])
    20
    """
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    functions = _indexed(branch_fns)
    numbers = [i for i, _ in functions]
    if sorted(numbers) != list(range(len(numbers))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(numbers)}) but found "
            f"{{{','.join(map(str, sorted(numbers)))}}}"
        )
    chosen = [f for _, f in sorted(functions, key=lambda pair: pair[0])]
    if default is not None:
        chosen.append(default)
    for f in chosen:
        if not callable(f):
            raise TypeError(f"`branch_fns` must be callables, got {f!r}")
    index = convert(branch_index)
    if not index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {index.dtype!r}")
    if current_graph() is not None and index.dtype is not int32:
        raise TypeError(
            f"Input 'branch_index' of 'StatelessCase' Op has type {index.dtype.name} that does not "
            "match expected type of int32."
        )
    index = cast(index, int32)
    if current_graph() is None:
        if isinstance(index, Batched):
            return _called_by_example(index, chosen)
        at = int(index)
        return chosen[at if 0 <= at < len(chosen) else -1]()
    names = [f"branch {i}" for i in range(len(chosen))]
    graph = current_graph()
    with graph.names.scoped(name or "switch_case"), graph.names.scoped("indexed_case") as scope:
        which = _scalar(index, "branch_index")
        return _branched("switch_case", scope, which, chosen, names)


def _indexed(branch_fns: Sequence[Callable[..., Any]]) -> list[tuple[int, Any]]:
    if isinstance(branch_fns, dict):
        return list(branch_fns.items())
    if not isinstance(branch_fns, (list, tuple)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    return [f if isinstance(f, tuple) else (i, f) for i, f in enumerate(branch_fns)]


@typed
def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Call the function paired with the first true condition; the default if none is true.

    >>> x = tf.constant(3)
    >>> tf.case([(x < 2, lambda: 1), (x < 4, lambda: 2)], default=lambda: 3)
    2
    """
    pairs = _pairs(pred_fn_pairs)
    preds = [p for p, _ in pairs]
    if exclusive and current_graph() is None:
        _check_exclusive(preds)
    if default is None:
        default = _nothing_true([p for p, _ in pairs[:-1]], *pairs.pop())
    if not callable(default):
        raise TypeError("The default must be callable.")
    result = default
    for pred, function in reversed(pairs):
        result = _link(pred, function, result)
    graph = current_graph()
    if graph is None:
        return result()
    with graph.names.scoped(name or "case"):
        found = result()
        if not exclusive:
            return found
        return _provided(found, less_equal(_count(preds), 1), _SEVERAL_TRUE)


def _pairs(pred_fn_pairs: Any) -> list[tuple[Any, Any]]:
    """The conditions and functions of tf.case, checked."""
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise TypeError(
            f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}"
        )
    found = []
    for pair in pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        given, function = pair
        pred = given.deref() if hasattr(given, "deref") else given
        if isinstance(pred, Tensor) and pred.dtype is not bool_:
            raise TypeError(f"pred must be Tensor of type bool: {pred!r}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred!r} must be callable.")
        found.append((pred, function))
    return found


def _link(pred: Tensor, function: Callable[[], Any], rest: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: cond(pred, function, rest)


def _check_exclusive(preds: Sequence[Any]) -> None:
    if sum(bool(p) for p in preds) > 1:
        raise InvalidArgumentError(_SEVERAL_TRUE)


_SEVERAL_TRUE: Final = "Input error: exclusive=True: more than 1 conditions evaluated as True:"


def _count(preds: Sequence[Any]) -> Tensor:
    return add_n([cast(_scalar(p, "A condition"), int32) for p in preds])


def _nothing_true(others: Any, pred: Any, function: Callable[[], Any]) -> Callable[[], Any]:
    """The last function with a check of its condition: without a default, one must hold."""

    def last() -> Any:
        if current_graph() is None:
            bound.provided(None, pred, _NONE_TRUE)
            return function()
        return _provided(function(), pred, _NONE_TRUE)

    return last


_NONE_TRUE: Final = "Input error: None of conditions evaluated as True:"


def _provided(returned: Any, condition: Any, message: str) -> Any:
    """Results of a graph that fail to be computed unless a condition holds."""
    return nest.map_structure(
        lambda v: v if v is None else bound.provided(convert(v), condition, message), returned
    )


# ---- helpers -----------------------------------------------------------------------------------


def _scalar(value: TensorLike, what: str) -> Tensor:
    tensor = convert(value)
    if any(size not in (None, 1) for size in tensor.shape._dims or ()):
        raise ValueError(f"{what} must be a scalar, got shape {tensor.shape}.")
    return tensor if tensor.shape.rank == 0 else squeeze(tensor)


def must_be_truth(value: Tensor, what: str, node: str, operation: str) -> Tensor:
    """What a graph branches on or loops by: nothing but a truth value."""
    if value.dtype is not bool_:
        raise InvalidArgumentError(
            f"Input '{what}' passed {value.dtype.spoken} expected bool while building NodeDef "
            f"'{node}' using Op<name={operation}>. Compare it with something, for example x != 0."
        )
    return value


def _as_returned(result: TensorLike) -> Any:
    """A result as a graph would return it: every leaf a tensor."""
    return nest.map_structure(
        lambda v: v if v is None or isinstance(v, Composite) else convert(identity(v)), result
    )


def _branched(
    who: str,
    scope: str,
    index: Tensor,
    functions: Sequence[Callable[[], Any]],
    names: Sequence[str],
) -> Any:
    outer = current_graph()
    made: list[tuple[FunctionGraph, Any]] = []
    for at, (name, function) in enumerate(zip(names, functions, strict=True)):
        done = at == 0 if who == "cond" else at
        made.append(_traced(scope, name, _with_values(function, done), outer, made))
    graphs = [graph for graph, _ in made]
    leaves = [nest.flatten(returned) for _, returned in made]
    _check_slices(who, leaves)
    if _match_indices(graphs, leaves):
        made = [(graph, nest.with_tensors(there, graph.outputs)) for graph, there in made]
    structure = made[0][1]
    for graph, (_, other), name in zip(graphs, made, names, strict=True):
        _check_alike(who, names[0], graphs[0], structure, name, graph, other)
    there = [y is not None for y in graphs[0].outputs]
    for graph in graphs:
        graph.outputs = [y for y in graph.outputs if y is not None]
    branches = Branches(graphs)
    branches.is_choice = who == "cond"
    results = iter(branches.added(index, branches.inputs, name=scope))
    if not there:
        return outer.operations[-1]
    return nest.with_tensors(structure, [next(results) if t else None for t in there])


def _with_values(function: Callable[[], Any], done: int) -> Callable[[], Any]:
    """A branch that gives a value for an operation, which is to run: which branch it was."""

    def value_of(leaf: Any) -> Any:
        if not isinstance(leaf, Operation):
            return leaf
        with leaf.graph.control_dependencies([leaf]):
            return identity(convert(done))

    def branch() -> Any:
        returned = function()
        operations = any(isinstance(leaf, Operation) for leaf in nest.flatten(returned))
        return nest.map_structure(value_of, returned) if operations else returned

    return branch


def _traced(
    scope: str,
    name: str,
    function: Callable[[], Any],
    outer: Any,
    before: Sequence[tuple[FunctionGraph, Any]],
) -> tuple[FunctionGraph, Any]:
    """A branch, which may not use what another one made."""
    try:
        return traced_body(name, function, outer, lambda graph: (), scope)
    except LeakedTensorError as error:
        leaked: Any = error.tensor
        others = [g for g, _ in before if leaked is not None and leaked.graph is g]
        if not others:
            raise
        raise ValueError(
            f"Tensor {leaked.name} in {others[0].name} is accessed from {name}. {error}"
        ) from error


def _check_slices(who: str, returned: Sequence[Sequence[Any]]) -> None:
    """Check that a result is IndexedSlices in each branch or in none."""
    for at, leaves in enumerate(zip(*returned, strict=False)):
        if len({isinstance(leaf, IndexedSlices) for leaf in leaves}) > 1:
            raise TypeError(
                f"Cannot reconcile tf.{who} {at}-th outputs:\n  branches returned: {leaves}"
            )


def _match_indices(graphs: Sequence[FunctionGraph], returned: Sequence[Sequence[Any]]) -> bool:
    """Let IndexedSlices have indices in int64 in all branches, where some do and others do not; whether there are any."""
    changed = False
    before = [0] * len(graphs)  # the outputs of each branch that stand for earlier leaves
    for leaves in zip(*returned, strict=False):
        if len({x.indices.dtype for x in leaves if isinstance(x, IndexedSlices)}) > 1:
            changed = True
            for graph, at in zip(graphs, before, strict=True):
                with tracing(graph):
                    wide: Any = cast(graph.outputs[at + 1], int64)
                    graph.outputs[at + 1] = wide
        counts = [len(x._parts()) if isinstance(x, Composite) else 1 for x in leaves]
        before = [at + count for at, count in zip(before, counts, strict=True)]
    return changed


def _check_alike(
    who: str,
    first: str,
    a: FunctionGraph,
    structure: Value,
    name: str,
    b: FunctionGraph,
    other: Value,
) -> None:
    """Check that all branches return the same structure, with the same dtypes."""
    kinds = [None if y is None else y.dtype.name for y in a.outputs]
    others = [None if y is None else y.dtype.name for y in b.outputs]
    same = kinds == others
    if same:
        try:
            nest.assert_same_structure(structure, other, expand_composites=True)
        except (TypeError, ValueError):
            same = False
    if not same:
        raise TypeError(
            f"{first} and {name} arguments to tf.{who} must have the same number, type, and "
            f"overall structure of return values. {first} returned {structure!r} ({kinds}), "
            f"{name} returned {other!r} ({others})."
        )
