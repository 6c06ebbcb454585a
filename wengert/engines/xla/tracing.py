"""A plan evaluated while JAX traces: its steps become one function of `jax.numpy`.

Values that do not depend on what the caller gives stay NumPy's. A check that a kernel would make of
values becomes a flag: where it is raised, the caller runs the reference for the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import numpy as np

from wengert.core.context import activate
from wengert.core.dispatch import apply
from wengert.engines.numpy_engine import in_operation
from wengert.engines.xla import callbacks
from wengert.engines.xla.asked import NeedsNumbersError, answering
from wengert.engines.xla.backend import jax, jnp
from wengert.engines.xla.rebound import rebound
from wengert.engines.xla.rooms import Answers, Rooms
from wengert.engines.xla.rows import Rows, Unwritten
from wengert.engines.xla.stand_ins import TracedCell, TracedStream
from wengert.engines.xla.traced import XP, Traced, bare
from wengert.engines.xla.versions import CALLED_BACK, CHECKED, VERSIONS, WHOLE, Version
from wengert.errors import OpError, UnimplementedError
from wengert.execution.plan import Plan, effects, given_value
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.host.fp_errors import quietly
from wengert.inference.deferred_calls import DeferredCall, gradient_call_of, name_of, plain_call_of
from wengert.ops.arrays.gathered_parts import gathering
from wengert.ops.arrays.indexing import getitem
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import TensorList, wrap

CPU_ONLY: Final = frozenset(("Eig", "MatrixSquareRoot"))  # elsewhere XLA has no Schur form
MOST_WAITS: Final = 4  # calls that wait for sizes, within one another
UNKNOWN_SIZES: Final = "the sizes that it asks for are known only when it runs"
KNOWN: Final = (np.ndarray, np.generic, TensorList)


class Trace:
    """What a trace knows besides the values: variables, generators, and checks that may fail."""

    def __init__(
        self,
        cells: Sequence[Any],
        errors: list[Exception],
        rooms: Rooms,
        held: dict[int, Any] | None = None,
    ) -> None:
        self.held = held or {}  # what the bodies of loops and branches hold, by the operation's id
        self.rooms = rooms
        self.lacking: Any = rooms.none_lacking()  # how many iterations of loops had no room
        # A check failed, or there was no room: what follows is of no use. Loops end, which might never do so.
        self.lost: Any = np.False_
        self._plans: list[Plan] = []  # those that are being traced, from the outermost to this one
        self.cells = list(cells)  # TracedCell and TracedStream
        self.failed: Any = np.False_
        self.errors = errors  # those that callbacks raised
        self.run_number: Any = None  # where a run may be made again
        self.has_effects = False  # whether Python is called for its effects
        self.answers = Answers(errors)
        self.calls_back = False
        self._waited = 0
        self.called_back: set[str] = set()

    # ---- what the bodies of loops and branches pass on -----------------------------------------

    @property
    def state(self) -> list[Any]:
        """What a body may change: arrays of variables, blocks taken, whether a check failed, or a loop had no room."""
        held = [c._array if isinstance(c, TracedCell) else c.taken for c in self.cells]
        return [*held, self.failed, self.lost, self.lacking]

    @state.setter
    def state(self, state: Sequence[Any]) -> None:
        for cell, value in zip(self.cells, state, strict=False):
            if isinstance(cell, TracedCell):
                cell._array = value
            else:
                cell.taken = value
        self.failed, self.lost, self.lacking = state[-3:]

    @contextmanager
    def entered(self, state: Sequence[Any]) -> Iterator[None]:
        """Within it the state is a body's; then it is again what it was."""
        before = self.state
        self.state = state
        try:
            yield
        finally:
            self.state = before

    def check(self, failed: Any) -> None:
        """Note a truth value, or an array of them, that must not hold."""
        if is_known(failed) and not np.any(failed):
            return
        failed = jnp.any(failed)
        self.failed = jnp.logical_or(self.failed, failed)
        self.lost = jnp.logical_or(self.lost, failed)

    def check_room(self, op: Operation, count: Any, room: int) -> None:
        """Note how many iterations a loop has, if that is more than there is room for."""
        beyond = jnp.where(count > room, count, 0)
        none = jnp.asarray(self.rooms.none_lacking())
        self.note_lacking(none.at[self.rooms.place(op)].set(beyond))

    def note_lacking(self, lacking: Any) -> None:
        """Note for each loop how many iterations had no room."""
        self.lacking = jnp.maximum(self.lacking, lacking)
        self.lost = jnp.logical_or(self.lost, jnp.any(lacking > 0))

    # ---- steps ---------------------------------------------------------------------------------

    def run(self, plan: Plan, values: Sequence[Any]) -> list[Any]:
        """The fetches of a plan."""
        found = dict(zip(map(id, plan.given), values, strict=True)) | plan.known
        self._plans.append(plan)
        try:
            self.evaluate(plan, found)
        finally:
            self._plans.pop()
        return [found[id(x)] for x in plan.fetches]

    def evaluate(self, plan: Plan, found: dict[int, Any]) -> None:
        """Put the results of all steps among what is found, by the ids of tensors."""
        self.take(plan.steps, found)

    def take(self, steps: Sequence[Operation], found: dict[int, Any]) -> None:
        """The same of some steps."""
        for op in steps:
            results = self.step(op, [found[id(x)] for x in op.inputs])
            for y, value in zip(op.outputs, results, strict=False):
                found[id(y)] = value

    def body(self, plan: Plan, values: Sequence[Any]) -> list[Any]:
        """The fetches of the plan of a body."""
        return self.run(plan, [*values, *[self.held[id(op)] for op in plan.resources]])

    def within(self, other: Trace) -> None:
        """Trace what another trace is about to."""
        self._plans = list(other._plans)

    @property
    def used(self) -> set[int]:
        """The ids of what steps and fetches of the plan use."""
        plan = self._plans[-1]
        return {id(x) for op in plan.steps for x in op.inputs} | set(map(id, plan.fetches))

    @property
    def _may_not_run(self) -> bool:
        """Whether what is traced is in a branch or a loop: an error there is none unless it is reached."""
        return len(self._plans) > 1

    def step(self, op: Operation, inputs: Sequence[Any]) -> list[Any]:
        """The results of one operation."""
        row = op.row
        try:
            made = self.made(op, inputs)
        except UnimplementedError:
            raise
        except OpError as error:
            if self._may_not_run and (forms := _certain_forms(op)) is not None:
                self.check(np.True_)
                return [jnp.zeros(form.shape, form.dtype) for form in forms]
            raise type(error)(
                f"{error.message}\n\t [[node {op.name} (defined at {op.place})]]", op
            ) from error
        results = list(made) if row.many else [made]
        return [_of_dtype(y, value) for y, value in zip(op.outputs, results, strict=False)]

    def made(self, op: Operation, inputs: Sequence[Any]) -> Any:
        """What an operation gives, by the best way there is."""
        row, name = op.row, op.row.name
        own = VERSIONS.get(name)
        if name in CPU_ONLY and jax.default_backend() != "cpu":
            return self.call_back(op, inputs)
        if name in WHOLE:
            return WHOLE[name](self, op, inputs)
        if row.closes:  # passes on some of its inputs
            return row.kernel(None, *inputs)
        if not row.effects and not row.stateful and not row.users and all(map(is_known, inputs)):
            return self._known(op, inputs)
        if isinstance(row.inline, DeferredCall):
            return self._deferred(op, inputs)
        if own is not None:
            return self._by_version(own, op, inputs)
        if name in CALLED_BACK or row.effects or row.users:
            return self.call_back(op, inputs)
        if any(isinstance(x, Rows) for x in inputs):  # which no kernel knows
            raise cannot(op, "it takes a list, whose elements are known only when it runs")
        return self._by_kernel(op, inputs)

    def _deferred(self, op: Operation, inputs: Sequence[Any]) -> list[Any]:
        """What waited for the sizes, now that they are known."""
        if self._waited > MOST_WAITS:
            raise value_needed(op, UNKNOWN_SIZES)
        inline: Any = op.row.inline
        graph = FunctionGraph(op.name, None)
        with activate((), graph), gathering(_shape_taken(op)):
            given = _stand_ins(graph, inputs)
            outputs = [graph.entered(y) for y in inline(given, op.attrs)]
        plan = Plan(outputs, graph.all_inputs, effects(graph))
        traced = [v for v in inputs if not is_known(v)]
        self._waited += 1
        try:
            return self.body(plan, [*traced, *map(given_value, graph.captured)])
        except ValueNeededError:
            raise value_needed(op, UNKNOWN_SIZES) from None
        finally:
            self._waited -= 1

    def _by_version(self, own: Version, op: Operation, inputs: Sequence[Any]) -> Any:
        try:
            return own(*inputs, **op.attrs)
        except NeedsNumbersError as error:
            raise value_needed(op, str(error)) from None

    def _known(self, op: Operation, inputs: Sequence[Any]) -> Any:
        return quietly(op.row.step or op.row.kernel, np, *inputs, **op.attrs)

    def _by_kernel(self, op: Operation, inputs: Sequence[Any]) -> Any:
        """The kernel on what JAX traces; NumPy is called back where it asks for numbers."""
        kernel = rebound(op.row.step or op.row.kernel)
        state = self.state  # which a kernel that gives up may have changed
        try:
            with answering(op.row.name in CHECKED):
                return quietly(self._tried, kernel, op, inputs, state)
        except OpError:
            raise
        except Exception:  # noqa: BLE001  # what is wrong, if anything is, NumPy says
            self.state = state
            return self.call_back(op, inputs)

    def _tried(
        self, kernel: Callable[..., Any], op: Operation, inputs: Sequence[Any], state: Any
    ) -> Any:
        try:
            return bare(kernel(XP, *map(_seen, inputs), **op.attrs))
        except NeedsNumbersError:  # it may write into what is known
            self.state = state
            return bare(kernel(XP, *map(_all_seen, inputs), **op.attrs))

    # ---- callbacks -----------------------------------------------------------------------------

    def call_back(self, op: Operation, inputs: Sequence[Any]) -> Any:
        """The results of NumPy's kernel, called from compiled code."""
        if any(isinstance(x, TracedStream) for x in inputs):  # which NumPy has not
            raise value_needed(op, UNKNOWN_SIZES)
        forms = [_form_of(op, y, inputs) for y in op.outputs]
        found = self.called(op, op.row.step or op.row.kernel, forms, inputs)
        return found if op.row.many else found[0]

    def called(
        self, op: Operation, kernel: Callable[..., Any], forms: Sequence[Any], inputs: Sequence[Any]
    ) -> list[Any]:
        """The results of a function of NumPy's arrays; what is known is no argument of the call."""
        self.calls_back = True
        self.called_back.add(op.row.name)
        function = _guarded(self.errors, op, kernel, forms, inputs)
        given = [x for x in inputs if not is_known(x)]
        if op.row.effects or op.row.users or op.row.stateful:
            return self._called_for_effects(function, forms, given)
        return callbacks.called(function, forms, given, in_order=False)

    def _called_for_effects(
        self, function: Any, forms: Sequence[Any], given: Sequence[Any]
    ) -> list[Any]:
        self.has_effects = True
        if self.run_number is None:
            return callbacks.called(function, forms, given, in_order=True)

        def answered(run: Any, lost: Any, *arrays: Any) -> Any:
            if lost:
                return [np.zeros(f.shape, f.dtype) for f in forms]
            return self.answers.answer(int(run), partial(function, *arrays))

        return callbacks.called(
            answered, forms, [self.run_number, self.lost, *given], in_order=True
        )


def _shape_taken(op: Operation) -> Any:
    """The shape of x[key], of which an operation is the value or the gradient, if the graph knows it."""
    call, taken = plain_call_of(op.row), op.outputs[0]
    pulled = gradient_call_of(op.row)
    if pulled is not None and len(pulled.gs) == 1:
        call, taken = pulled.call, op.inputs[pulled.gs[0].index]
    shape = taken._array.shape
    is_known = call is not None and call.name == name_of(getitem) and is_certain(shape)
    return shape if is_known else None


def is_known(value: Any) -> bool:
    """Whether a value is known while tracing."""
    if isinstance(value, Unwritten):
        return False  # how many lists there are may not be
    if isinstance(value, TensorList):
        return all(v is None or is_known(v) for v in value)
    return isinstance(value, KNOWN)


def _seen(value: Any) -> Any:
    """A value as kernels see it."""
    return Traced(value) if isinstance(value, jax.Array) else value


def _all_seen(value: Any) -> Any:
    is_numbers = isinstance(value, np.ndarray) and value.dtype.kind in "fciubV"
    return Traced(jnp.asarray(value)) if is_numbers else _seen(value)


def _of_dtype(y: SymbolicTensor, value: Any) -> Any:
    """The value in the dtype that the graph says, which jax.numpy may not have kept."""
    dtype = y._array.dtype
    if isinstance(value, KNOWN) or not hasattr(value, "astype") or value.dtype == dtype:
        return value
    return value.astype(dtype)


def _form_of(op: Operation, y: SymbolicTensor, inputs: Sequence[Any]) -> Any:
    """Shape and dtype of a result that a callback gives."""
    form = y._array
    if not isinstance(form.dtype, np.dtype) or form.dtype.hasobject:
        raise cannot(op, f"its result is of dtype {y.dtype.name}")
    if is_certain(form.shape):
        return jax.ShapeDtypeStruct(form.shape, form.dtype)
    at = next(i for i, z in enumerate(op.outputs) if z is y)
    shape = _inferred(op, inputs)[at]
    if not is_certain(shape):
        raise value_needed(op, f"the shape of its result, {y.shape}, is known only when it runs")
    return jax.ShapeDtypeStruct(shape, form.dtype)


def _certain_forms(op: Operation) -> list[Any] | None:
    """The shapes and dtypes of the results, if the graph knows them all, and they are of numbers."""
    forms = [y._array for y in op.outputs]
    are_known = all(is_certain(f.shape) and isinstance(f.dtype, np.dtype) for f in forms)
    return forms if are_known and not any(f.dtype.hasobject for f in forms) else None


def _inferred(op: Operation, inputs: Sequence[Any]) -> list[Any]:
    """The shapes of the results, as the graph finds them now that those of the inputs are known."""
    graph = FunctionGraph(op.name, None)
    with activate((), graph):
        found = apply(op.row, _stand_ins(graph, inputs), op.attrs)
    return [y._array.shape for y in (found if op.row.many else [found])]


def _stand_ins(graph: FunctionGraph, inputs: Sequence[Any]) -> list[Any]:
    """Tensors of a graph for what is traced, and constants for what is known."""
    return [
        wrap(v) if is_known(v) else graph.input(list(v.shape), np.dtype(v.dtype)) for v in inputs
    ]


def _guarded(
    errors: list[Exception],
    op: Operation,
    kernel: Callable[..., Any],
    forms: Sequence[Any],
    inputs: Sequence[Any],
) -> Callable[..., Any]:
    """A function of NumPy's arrays; an error is kept for the caller, who raises it after the run."""
    known = [x if is_known(x) else None for x in inputs]

    def call(*arrays: Any) -> list[Any]:
        rest = iter(arrays)
        given = [next(rest) if x is None else x for x in known]
        try:
            with activate((), None):
                found = quietly(kernel, np, *given, **op.attrs)
            results = found if op.row.many else [found]
            return [np.asarray(r, f.dtype) for r, f in zip(results, forms, strict=True)]
        except Exception as error:  # noqa: BLE001  # raised by the caller
            errors.append(in_operation(op, error, list(map(wrap, given))))
            return [np.zeros(f.shape, f.dtype) for f in forms]

    return call


class AskReferenceError(Exception):
    """NumPy is asked for the error of the plan."""


class ValueNeededError(UnimplementedError):
    """An operation cannot be compiled unless values that are given are known."""


def value_needed(op: Operation, why: str) -> UnimplementedError:
    """The error that an operation asks for values that are known only when it runs."""
    return cannot(op, why, ValueNeededError)


def cannot(
    op: Operation, why: str, kind: type[UnimplementedError] = UnimplementedError
) -> UnimplementedError:
    """The error that XLA cannot compute an operation."""
    return kind(
        f"XLA cannot compute {op.type}: {why}. It is {op.name!r}, made at {op.place}. Leave the graph "
        f"to another engine: tf.function(engine='native'), or tf.config.set_engine(None).",
        op,
    )
