"""A plan that XLA runs: what is handed over, compiled for each form of it, and handed back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.core.context import activate
from wengert.engines.numpy_engine import NumpyPlan
from wengert.engines.xla import all_versions as _versions  # noqa: F401  # fills tables
from wengert.engines.xla.backend import jax, wide
from wengert.engines.xla.layouts import (
    Used,
    cell_array,
    copy_of,
    fetched,
    for_all_processes,
    kept,
    layout_of,
    layouts_of,
    of_variable,
    remember,
    whole_everywhere,
)
from wengert.engines.xla.placement import device_of, on
from wengert.engines.xla.rows import Rows, as_list, as_rows, register
from wengert.engines.xla.traced import checking
from wengert.engines.xla.tracing import (
    AskReferenceError,
    Trace,
    TracedCell,
    TracedStream,
    ValueNeededError,
)
from wengert.errors import UnimplementedError
from wengert.execution.engine_registry import Runnable
from wengert.execution.plan import Plan
from wengert.graph.operation import Operation
from wengert.ops.random.philox import LONG
from wengert.ops.random.seeds import Stream
from wengert.state.cell import is_resource, new_resource
from wengert.state.on_device import hold
from wengert.state.variable import Variable
from wengert.values.tensor import TensorList

MOST_KNOWN: Final = 4096  # elements of an array whose value a plan may be compiled for
MOST_VALUES: Final = 256  # for which a plan is compiled


class XlaPlan(Runnable):
    """A plan that can be called: `compiled(values of plan.given)` gives the fetches."""

    def __init__(self, plan: Plan) -> None:
        register()
        self.plan = plan
        self._compiled: dict[Any, _Compiled] = {}
        # The types of values that are usual, and what runs for them: found in 1 us, not in 20.
        self._usual: tuple[list[type], _Compiled] | None = None
        self._known: set[int] = set()  # the given whose values are known when it is compiled
        self._inner = inner_resources(plan)  # those that bodies of loops and branches hold
        self._reference: NumpyPlan | None = None

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The fetches, for values of `plan.given`."""
        if self._usual is not None and _are_usual(values, self._usual[0]):
            results = self._usual[1](values)
            return self.reference(values) if results is None else results
        given = values
        if self._inner:
            values = [*values, *[resource_of(op) for op in self._inner]]
        kinds = tuple([_kind(self.plan, at, v) for at, v in enumerate(values)])
        first: dict[int, int] = {}
        places = tuple([first.setdefault(id(v), at) for at, v in enumerate(values)])
        results = self._run(values, kinds, places)
        return self.reference(given) if results is None else results

    def _run(self, values: Sequence[Any], kinds: Any, places: Any) -> list[Any] | None:
        known = {at: values[at] for at in self._known if kinds[at] is ARRAY}
        key = kinds, places, tuple([(v.shape, v.tobytes()) for v in known.values()])
        found = self._compiled.get(key)
        if found is not None:
            return found(values)
        found = _Compiled(self.plan, self._inner, kinds, places, known)
        try:
            results = found(values)
        except AskReferenceError:
            return None
        except ValueNeededError as error:
            more = self._asked_by(error.op, values, kinds) - self._known
            if not more or len(self._compiled) >= MOST_VALUES:
                raise
            self._known |= more
            return self._run(values, kinds, places)
        self._compiled[key] = found
        self._usual = None
        if (
            not self._known
            and not self._inner
            and set(kinds) <= {ARRAY, CELL}
            and _is_plain(values)
        ):
            self._usual = list(map(type, values)), found
        return results

    def _asked_by(self, op: Any, values: Sequence[Any], kinds: Any) -> set[int]:
        """The indices of small arrays of integers that an operation of the plan depends on."""
        places = {id(x): at for at, x in enumerate(self.plan.given)}
        found: set[int] = set()
        waiting, seen = [*op.inputs], set[int]()
        while waiting:
            x = waiting.pop()
            at = places.get(id(x))
            if id(x) in seen:
                continue
            seen.add(id(x))
            if at is None:
                waiting += x.op.inputs
            elif (
                kinds[at] is ARRAY
                and values[at].dtype.kind in "iub"
                and values[at].size <= MOST_KNOWN
            ):
                found.add(at)
        return found

    @property
    def called_back(self) -> set[str]:
        """The rows that NumPy computes, called back from compiled code."""
        return {name for made in self._compiled.values() for name in made.called_back}

    def reference(self, values: Sequence[Any]) -> list[Any]:
        """What NumPy computes: the error where a check failed."""
        if self._reference is None:
            self._reference = NumpyPlan(self.plan)
        return self._reference(values)


def inner_resources(plan: Plan) -> list[Operation]:
    """The generators and other resources of the bodies that a plan runs."""
    found: dict[int, Operation] = {}
    waiting = list(plan.steps)
    while waiting:
        for graph in waiting.pop().row.graphs:
            for op in graph.operations:
                if is_resource(op):
                    found[id(op)] = op
                waiting.append(op)
    return list(found.values())


def resource_of(op: Operation) -> Any:
    """The resource that a graph keeps for an operation."""
    cells = op.graph.cells
    return cells.get(op) or cells.setdefault(op, new_resource(op))


def _is_plain(values: Sequence[Any]) -> bool:
    """Whether values are arrays and eager variables, each of them once."""
    plain = all(isinstance(v, (np.ndarray, np.generic, Variable)) for v in values)
    return plain and all(type(v) is not np.ndarray or not v.dtype.hasobject for v in values)


def _are_usual(values: Sequence[Any], types: Sequence[type]) -> bool:
    """Whether values are arrays and variables as before, each of them once."""
    return list(map(type, values)) == types and len(set(map(id, values))) == len(types)


ARRAY: Final = "array"
CELL: Final = "cell"
EMPTY: Final = "empty cell"
STREAM: Final = "stream"
LIST: Final = "list"
BLANK: Final = "list of unwritten elements"


def _kind(plan: Plan, at: int, value: Any) -> Any:
    """How a value is handed over."""
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.hasobject:
            raise _not_taken(plan, at, value)
        return ARRAY
    if isinstance(value, Variable):
        return CELL
    if isinstance(value, Stream):
        return STREAM
    if isinstance(value, TensorList):
        return LIST if any(v is not None for v in value) else (BLANK, len(value))
    if (hasattr(value, "_lock") and hasattr(value, "put_back")) or hasattr(value, "assign"):
        return CELL if getattr(value, "initialized", True) else EMPTY
    if value is None:
        return None
    raise _not_taken(plan, at, value)


def _not_taken(plan: Plan, at: int, value: Any) -> UnimplementedError:
    x = plan.given[at]
    what = getattr(value, "dtype", type(value).__name__)
    return UnimplementedError(
        f"XLA takes numbers, variables and lists of them, and no {what}: {x!r}, made at "
        f"{x.op.place}. Leave the graph to another engine: tf.function(engine='native')."
    )


class _Compiled:
    """A plan for values of one kind each; JAX compiles it for each combination of shapes."""

    def __init__(
        self,
        plan: Plan,
        inner: Sequence[Operation],
        kinds: Sequence[Any],
        places: Sequence[int],
        known: dict[int, Any],
    ) -> None:
        self._plan = plan
        self._known = {at: np.array(value) for at, value in known.items()}
        self._inner = inner
        self._kinds = kinds
        self._places = places
        own = [at for at, place in enumerate(places) if at == place]
        self._own = [at for at in own if at not in known]
        self._cells = [at for at in self._own if kinds[at] in (CELL, EMPTY, STREAM)]
        self._errors: list[Exception] = []
        self._written: list[int] = []  # of the cells, in their order; known after tracing
        self._fixed: dict[int, Any] = {}  # fetches that are no arrays
        self._checks = self._calls_back = False
        self.called_back: set[str] = set()
        self._device = device_of(plan)
        self._function = jax.jit(self._traced)
        self._laid_out: dict[Any, Any] = {}  # the functions for what lies on several devices

    # ---- while JAX traces ----------------------------------------------------------------------

    def _traced(self, given: Sequence[Any]) -> Any:
        made: dict[int, Any] = dict(self._known)
        for at, value in zip(self._own, given, strict=True):
            made[at] = self._stand_in(self._kinds[at], value)
        cells = [made[at] for at in self._cells]
        values = [made[place] for place in self._places]
        count = len(self._plan.given)
        held = {id(op): v for op, v in zip(self._inner, values[count:], strict=True)}
        trace = Trace(cells, self._errors, held)
        with activate((), None), checking(trace.check):
            results = trace.run(self._plan, values[:count])
        self._checks |= trace.failed is not np.False_
        self._calls_back |= trace.calls_back
        self.called_back |= trace.called_back
        after = [c._array if isinstance(c, TracedCell) else c.taken for c in cells]
        self._written = [i for i, c in enumerate(cells) if _is_changed(c)]
        results = list(map(as_rows, results))
        self._fixed = {
            i: v for i, v in enumerate(results) if v is None or isinstance(v, TensorList)
        }
        results = [None if i in self._fixed else v for i, v in enumerate(results)]
        return results, [after[i] for i in self._written], trace.failed if self._checks else None

    def _stand_in(self, kind: Any, value: Any) -> Any:
        if kind in (CELL, EMPTY):
            return TracedCell(value)
        if kind is STREAM:
            return TracedStream(*value)
        return TensorList([None] * kind[1]) if type(kind) is tuple else value

    def _on_mesh(self, layouts: Sequence[Any], cells: Sequence[Any]) -> Any:
        """The function for values that lie so: variables keep their layouts."""
        own = [of_variable(cell) for cell in cells]
        key = tuple(layouts), tuple(own)
        if key not in self._laid_out:
            everywhere = whole_everywhere(layouts)

            def traced(given: Sequence[Any]) -> Any:
                before = dict(zip(self._own, given, strict=True))
                results, after, failed = self._traced(given)
                after = [
                    kept(value, own[i], np.shape(before[self._cells[i]]))
                    for i, value in zip(self._written, after, strict=True)
                ]
                return everywhere(results), after, everywhere(failed)

            self._laid_out[key] = jax.jit(traced)
        return self._laid_out[key]

    # ---- a run -----------------------------------------------------------------------------------

    def __call__(self, values: Sequence[Any]) -> list[Any] | None:
        """The fetches; None if a check failed."""
        given = [_handed_over(self._kinds[at], values[at]) for at in self._own]
        layouts = layouts_of(given)
        function = self._function
        if layouts is not None:
            function = self._on_mesh(layouts, [values[at] for at in self._cells])
            if jax.process_count() > 1:
                given = list(map(for_all_processes, given))
        with wide(), on(self._device):
            results, after, failed = function(given)
            if self._calls_back:
                jax.block_until_ready((results, after, failed))
                jax.effects_barrier()
        if self._errors:
            error = self._errors[0]
            self._errors.clear()
            raise error
        if self._checks and failed:
            return None
        for i, value in zip(self._written, after, strict=True):
            _write(values[self._cells[i]], value)
        found = list(map(_handed_back, results))
        for i, value in self._fixed.items():
            found[i] = value
        return found


def _is_changed(cell: Any) -> bool:
    if isinstance(cell, TracedStream):
        return not (isinstance(cell.taken, np.generic) and cell.taken == 0)
    return cell._array is not cell.before


def _handed_over(kind: Any, value: Any) -> Any:
    if kind is ARRAY:
        found = copy_of(value) if Used.layouts else None
        return value if found is None else found
    if kind is CELL:
        return cell_array(value)
    if kind is LIST:
        return as_rows(value)
    if kind is STREAM:
        state = value.kept()
        halves = np.array([state.counter & LONG, state.counter >> 64], np.uint64)
        return halves, np.uint64(state.key)
    return None


def _handed_back(value: Any) -> Any:
    if isinstance(value, Rows):
        return as_list(value)
    if value is None:
        return None
    array = fetched(value)
    if Used.layouts and layout_of(value) is not None:
        remember(array, value)
    return array


def _write(cell: Any, value: Any) -> None:
    if isinstance(cell, Stream):
        cell.reserve(int(value))
    else:
        with cell._lock:
            if not hold(cell, value, fetched):
                cell._array = fetched(value)
