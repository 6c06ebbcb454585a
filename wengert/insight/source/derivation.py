"""The value and the gradient of a function as one graph, and what the program calls its values."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.core.context import activate, also_listening, announce, apply_overrides
from wengert.core.dispatch import apply
from wengert.core.recorder import Recorder
from wengert.core.row import Attrs, Row
from wengert.errors import TapeError
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.host.syntax import parsed
from wengert.host.user_frames import replay_at, replayed_place
from wengert.insight.explain.backward import backward
from wengert.insight.explain.history import History
from wengert.insight.journal import Step, operations_behind, step_of
from wengert.insight.program_text import Program, line_text, names_of_sources
from wengert.ops.math.arithmetic import add_n
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import key_of
from wengert.values.value import Key, Value


class Derivation(NamedTuple):
    """A graph with a value and its gradients."""

    graph: FunctionGraph
    given: list[Any]  # what the inputs stand for: values, or tensors of another graph
    inputs: list[SymbolicTensor]
    names: list[str]  # of the inputs
    value: SymbolicTensor
    gradients: list[SymbolicTensor | None]
    forward: int  # how many operations compute the value; the others go back
    lines: dict[int, str]  # by the id of an operation: the line of the program
    cotangents: dict[int, Key]  # by the id of a tensor: of which value it is the cotangent
    called: dict[Key, str]  # what the program calls values

    def results(self) -> list[tuple[str, SymbolicTensor]]:
        """The value, and the gradients that there are, by their names."""
        named = [(f"d{n}", g) for n, g in zip(self.names, self.gradients, strict=True)]
        return [("value", self.value), *[(n, g) for n, g in named if g is not None]]

    def outside(self) -> dict[int, str]:
        """What the program calls its inputs and the values from outside, by the ids of their tensors."""
        found = {id(x): n for x, n in zip(self.inputs, self.names, strict=True)}
        for value, inside in self.graph.captures:
            own = getattr(value, "name", None)
            found[id(inside)] = (
                own.partition(":")[0] if isinstance(own, str) and own else "constant"
            )
        return found


class _Lines(Recorder):
    """Notes the line of each operation that is added."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.lines: dict[int, str] = {}

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        results = tuple(result) if row.many else (result,)
        made = results[0].op if results and isinstance(results[0], SymbolicTensor) else None
        line = replayed_place() or (made.place if made is not None else "")
        self.steps.append(Step(row, tuple(inputs), attrs, results, line))
        if made is not None:
            self.lines[id(made)] = line


def derived(f: Callable[..., Any], xs: Sequence[Any]) -> Derivation:
    """Trace a function, and go back through what it does; the arguments say shapes and dtypes."""
    given, names, call = _arrays_of(f, xs)
    graph = FunctionGraph("source")
    listener = _Lines()
    with activate((), graph):
        inputs = [graph.input_like(x, n) for x, n in zip(given, names, strict=True)]
        with also_listening(listener):
            returned = call(inputs)
        value = graph.entered(convert(_single(f, returned)))
    return _with_gradients(graph, given, inputs, names, value, listener)


_FIXED: Final = (int, str, bytes, type(None))


def _arrays_of(
    f: Callable[..., Any], xs: Sequence[Any]
) -> tuple[list[Any], list[str], Callable[[Sequence[Any]], Any]]:
    """The arguments that are arrays, their names, and the function of these.

    Integers and strings of Python's stay what they are, as in a tf.function.
    """
    for name, x in zip(names_of_parameters(f, len(xs)), xs, strict=True):
        if isinstance(x, (dict, set)) or (isinstance(x, (list, tuple)) and _is_structure(x)):
            raise TypeError(
                f"An argument is an array here, and {name} is a {type(x).__name__} of several. Give a function "
                "of single arrays: lambda a, b: f({'a': a, 'b': b}, ...)."
            )
    places = [i for i, x in enumerate(xs) if not isinstance(x, _FIXED)]
    names = names_of_parameters(f, len(xs))

    def call(inputs: Sequence[Any]) -> Any:
        whole = list(xs)
        for i, x in zip(places, inputs, strict=True):
            whole[i] = x
        return f(*whole)

    if not places:
        raise TypeError(
            "A derivation is by arrays, and none is given: f(x) needs an x, such as tf.constant(1.0)."
        )
    given = [xs[i] if isinstance(xs[i], Value) else convert(xs[i]) for i in places]
    return given, [names[i] for i in places], call


def _is_structure(x: Any) -> bool:
    """Whether a list is a list of values rather than one array."""
    return any(isinstance(v, (Value, np.ndarray, dict)) for v in x)


def _single(f: Callable[..., Any], returned: Any) -> Any:
    results = nest.flatten(returned)
    if len(results) == 1 and results[0] is not None:
        return results[0]
    name = getattr(f, "__name__", "the function")
    raise TypeError(
        f"{name} returned {len(results) if returned is not None else 'no'} values, and a derivation is of one: "
        "return their sum, or ask once for each."
    )


def rederived(
    steps: Sequence[Step], y: Any, xs: Sequence[Any], written: Sequence[str]
) -> Derivation:
    """The same of operations that a journal noted, of sources that are written as expressions.

    Of several targets the value is the sum of all their elements, as its gradient is what a tape gives.
    """
    expressions = [*written, *[""] * len(xs)]
    names = [n if n.isidentifier() else f"x{i}" for i, n in enumerate(expressions[: len(xs)])]
    graph = FunctionGraph("source")
    listener = _Lines()
    ys = [v for v in nest.flatten(y) if v.dtype.is_differentiable] or nest.flatten(y)[:1]
    used = _behind(steps, {key_of(v) for v in ys})
    with activate((), graph):
        inputs = [graph.input_like(x, n) for x, n in zip(xs, names, strict=True)]
        known: dict[Key, Any] = {key_of(x): i for x, i in zip(xs, inputs, strict=True)}
        with also_listening(listener):
            given = set(known)
            for number in sorted(used):
                _again(graph, steps[number], known, given)
            value = graph.entered(_sum_of_all([known.get(v._key, v) for v in ys]))
    return _with_gradients(graph, list(xs), inputs, names, value, listener)


def _behind(steps: Sequence[Step], keys: set[Key]) -> frozenset[int]:
    """The steps that compute values: also what a custom gradient is put around."""
    _, used = History(steps).up(keys)
    first: dict[Key, int] = {}
    for number, step in enumerate(steps):
        for y in step.results:
            first.setdefault(y._key, number)
    for number in sorted(used):
        inside = {y._key for y in steps[number].results if first[y._key] < number}
        if inside:
            used = used | _behind(steps[:number], inside)
    return used


def _sum_of_all(ys: Sequence[Any]) -> Any:
    if len(ys) == 1:
        return ys[0]
    return add_n([cast(reduce_sum(y), ys[0].dtype) for y in ys])


def derived_of_tape(
    tape: Any, target: Any, sources: Any, frame: FrameType, method: str
) -> Derivation:
    """The same of what a tape noted, for a method that the frame calls."""
    if tape._journal is None:
        raise TapeError(
            f"tape.{method} needs a tape that noted what was computed: make it with source_lines=True, or let it "
            "begin in the function that calls `tape.source` or `tape.explain`."
        )
    program = Program(frame)
    text = program.arguments((method,), ("y", "xs"))[1]
    text = text or program.arguments((method,), ("target", "sources"))[1]
    xs = [nest.itself(x) for x in nest.flatten(sources)]
    written = names_of_sources(text, sources, len(xs))
    if isinstance(sources, dict) and len(sources) == len(xs):
        written = [str(key) for key in sorted(sources)]  # names, where the keys are some
    return rederived(list(tape._journal.steps), target, xs, written)


def _again(graph: FunctionGraph, step: Step, known: dict[Key, Any], given: set[Key]) -> None:
    """Add an operation to the graph, for what stands for its inputs, under the name that it had."""
    if all(y._key in given for y in step.results):
        return  # a source
    before = replay_at(step.line)
    try:
        inputs = [known.get(getattr(x, "_key", None), x) for x in step.inputs]
        scope, _, name = step.name.rpartition("/")
        inside = [known.get(y._key) for y in step.results]
        with graph.names.scoped(f"{scope}/" if scope else None):
            if any(y is None for y in inside):
                made = apply(step.row, inputs, step.attrs, name or None)
            else:
                made = announce(
                    step.row, inputs, step.attrs, inside if step.row.many else inside[0]
                )
    finally:
        replay_at(before)
    for y, new in zip(step.results, made if step.row.many else [made], strict=True):
        known[y._key] = new


def _with_gradients(
    graph: FunctionGraph,
    given: list[Any],
    inputs: list[SymbolicTensor],
    names: list[str],
    value: SymbolicTensor,
    listener: _Lines,
) -> Derivation:
    history = History([step_of(op, listener.lines.get(id(op), "")) for op in graph.operations])
    forward = len(graph.operations)
    down, made = history.down({x._key for x in inputs})
    up, used = history.up({value._key})
    on_way = made & used if value.dtype.is_differentiable else set()
    with activate((), graph), apply_overrides(None):
        way = backward(history, on_way, down & up, value)
        gradients = [
            None if g is None else bound.to_dense(g)
            for g in map(way.left.get, [x._key for x in inputs])
        ]
    ends = {id(op): step.line for op, step in zip(graph.operations, history.steps, strict=False)}
    cotangents: dict[int, Key] = {}
    for back in way.backs:
        for y, g in zip(back.step.results, back.came, strict=True):
            if isinstance(g, SymbolicTensor):
                cotangents[id(g)] = y._key
        lines = dict.fromkeys(operations_behind(back.goes.values(), ends), back.step.line)
        ends |= lines
    cotangents |= {id(g): x._key for x, g in zip(inputs, gradients, strict=True) if g is not None}
    called = names_of_results(graph.operations[:forward], ends)
    called |= {x._key: n for x, n in zip(inputs, names, strict=True)}
    return Derivation(
        graph, given, inputs, names, value, gradients, forward, ends, cotangents, called
    )


def names_of_parameters(f: Callable[..., Any], count: int) -> list[str]:
    """What a function calls its first arguments."""
    try:
        named = [
            p.name
            for p in inspect.signature(f).parameters.values()
            if p.kind <= p.POSITIONAL_OR_KEYWORD
        ]
    except (TypeError, ValueError):
        named = []
    return named[:count] + [f"x{i}" for i in range(len(named), count)]


def names_of_results(operations: Sequence[Operation], lines: dict[int, str]) -> dict[Key, str]:
    """The last operation of a line gives the value that the line gives a name to."""
    last: dict[str, Operation] = {}
    for op in operations:
        if op.outputs and op.inputs:
            last[lines.get(id(op), op.place)] = op
    found = {}
    for place, op in last.items():
        names = _assigned(line_text(place))
        if len(names) == len(op.outputs) or (op.row.graphs and len(names) <= len(op.outputs)):
            found.update({y._key: n for y, n in zip(op.outputs, names, strict=False)})
    return found


def _assigned(text: str) -> list[str]:
    """The names that a line gives values to."""
    try:
        (statement,) = parsed(text).body
    except (SyntaxError, ValueError):
        return []
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target = statement.targets[0]
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return (
        [p.id for p in parts if isinstance(p, ast.Name)]
        if all(isinstance(p, ast.Name) for p in parts)
        else []
    )
