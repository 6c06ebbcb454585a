"""A plan for values of one kind each: compiled by JAX for each combination of their shapes, and called.

A step that changes variables is given the memory of their old values for the new ones, so that it never
holds both. A check that failed leaves the old ones in it, for the reference that raises the error. What
reads a variable meanwhile finds the new value where the step returned it, and comes again.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.core.context import activate
from wengert.engines.xla.asked import checking
from wengert.engines.xla.backend import called_wide, jax, jnp
from wengert.engines.xla.groups import everywhere, mesh_of
from wengert.engines.xla.layouts import (
    Used,
    array_of_cell,
    fetched,
    for_all_processes,
    hold_cell,
    hold_next_cell,
    kept_so,
    layout_of,
    layouts_of,
    owned,
    whole_everywhere,
)
from wengert.engines.xla.meetings import begin, is_of_all, share_threads
from wengert.engines.xla.placement import device_of, on
from wengert.engines.xla.replicas import ReplicaTrace
from wengert.engines.xla.rooms import Answers, Rooms
from wengert.engines.xla.rows import handed
from wengert.engines.xla.stand_ins import TracedCell, TracedStream
from wengert.engines.xla.tracing import Trace
from wengert.execution.plan import Plan
from wengert.graph.operation import Operation
from wengert.ops.random.philox import LONG
from wengert.values.on_device import OnDevice, Step
from wengert.values.symbolic import is_certain
from wengert.values.tensor import TensorList

# The kinds of values.
ARRAY: Final = "array"
CELL: Final = "cell"  # a variable that lives on the device
OTHER_CELL: Final = "other cell"  # one whose array is NumPy's
EMPTY: Final = "empty cell"
STREAM: Final = "stream"
LIST: Final = "list"
BLANK: Final = "list of unwritten elements"

# The first runs on values of a form are given copies of variables. Python of JAX's runs behind such a
# step, for it is compiled or looked up, and an interrupt there would lose what the step returned.
COLD: Final = 2
ALWAYS_COLD: Final = -sys.maxsize  # so many runs more


class Compiled:
    """A plan for values of one kind each; JAX compiles it for each combination of shapes."""

    def __init__(
        self,
        plan: Plan,
        inner: Sequence[Operation],
        kinds: Sequence[Any],
        places: Sequence[int],
        known: dict[int, Any],
        rooms: Rooms,
    ) -> None:
        self._plan = plan
        self._known = {at: np.array(value) for at, value in known.items()}
        self._inner = inner
        self._rooms = rooms
        self._kinds = kinds
        self._sources = places
        own = [at for at, place in enumerate(places) if at == place and at not in known]
        self._cells = [at for at in own if kinds[at] in (CELL, OTHER_CELL, EMPTY, STREAM)]
        self.has_several_cells = len(self._cells) > 1
        self._given = [at for at in own if at not in self._cells]
        changed = set(plan.changed())  # the locks of these are held
        away = [at for at in self._cells if kinds[at] is CELL and at in changed]
        self._away = away  # those whose memory is given to the step
        self._kept = [at for at in self._cells if at not in away]
        self._places = [self._cells.index(at) for at in away]
        self._errors: list[Exception] = []
        self._answers = Answers(self._errors)
        self._numbers = itertools.count()
        self._is_numbered = False  # whether its runs are: what Python answers in them is kept
        self.calls_back = False
        self.called_back: set[str] = set()
        self._device = device_of(plan)
        mesh = mesh_of(plan)  # of replicas
        self._everywhere: Any = None if mesh is None else everywhere(mesh)  # where variables lie
        # Whether arrays are all that is given, as they are.
        self._is_plain = set(kinds) == {ARRAY} and not known and self._device is None
        self._is_plain &= mesh is None
        self._laid_out: dict[Any, Any] = {}  # the functions for what lies on several devices
        self._function = self._compiled_anew()
        self._is_fixed = all(is_certain(x._array.shape) for x in plan.feeds)
        self._runs: dict[Any, int] = {}  # how many there were on values of a form

    def are_apart(self, values: Sequence[Any]) -> bool:
        """Whether variables are given once each."""
        return len({id(values[at]) for at in self._cells}) == len(self._cells)

    # ---- while JAX traces ----------------------------------------------------------------------

    def _traced(
        self, given: Sequence[Any], kept: Sequence[Any], away: Sequence[Any], run_number: Any = None
    ) -> Any:
        """The values of the cells, None of those that are as before; the fetches; what went wrong, if anything can."""
        made: dict[int, Any] = dict(self._known)
        order, arrays = [*self._given, *self._kept, *self._away], [*given, *kept, *away]
        for at, value in zip(order, arrays, strict=True):
            made[at] = self._stand_in(self._kinds[at], value)
        cells = [made[at] for at in self._cells]
        values = [made[place] for place in self._sources]
        count = len(self._plan.given)
        held = {id(op): v for op, v in zip(self._inner, values[count:], strict=True)}
        trace = self._trace(cells, held)
        trace.run_number, trace.answers = run_number, self._answers
        with activate((), None), checking(trace.check):
            results = trace.run(self._plan, values[:count])
        if self._everywhere is not None and trace.calls_back:
            raise _ApartError
        self.calls_back |= trace.calls_back
        self._is_plain &= not trace.calls_back
        self.called_back |= trace.called_back
        lacking = None if isinstance(trace.lacking, np.ndarray) else trace.lacking
        if run_number is None and trace.has_effects and lacking is not None:
            raise _NumberNeededError
        wrong = None if trace.lost is np.False_ else (trace.failed, lacking)
        after = [
            self._returned(cell, trace) if at in self._away else _changed(cell)
            for at, cell in zip(self._cells, cells, strict=True)
        ]
        if self._everywhere is not None:
            after = [kept_so(v, self._everywhere, v) for v in after]
        # JAX gives memory to the first result that fits.
        return list(map(_strong, after)), [_strong(handed(v)) for v in results], wrong

    def _compiled_anew(self) -> Any:
        """The function for arrays on one device; JAX would find the old one for the same method."""
        self._laid_out.clear()
        return jax.jit(lambda *given: self._traced(*given), donate_argnums=2)

    def _trace(self, cells: Sequence[Any], held: dict[int, Any]) -> Trace:
        kind = Trace if self._everywhere is None else ReplicaTrace
        return kind(cells, self._errors, self._rooms, held)

    def _returned(self, cell: Any, trace: Trace) -> Any:
        """The value of a variable whose memory was given away: the old one, if anything went wrong."""
        old, new = cell.before, cell._array
        if trace.calls_back or np.shape(new) != old.shape:
            raise _KeepAllError
        is_sure = new is old or trace.lost is np.False_
        return new if is_sure else jnp.where(trace.lost, old, new)

    def _stand_in(self, kind: Any, value: Any) -> Any:
        if kind in (CELL, OTHER_CELL, EMPTY):
            return TracedCell(value)
        if kind is STREAM:
            return TracedStream(*value)
        return TensorList([None] * kind[1]) if type(kind) is tuple else value

    def _on_mesh(self, layouts: Sequence[Any]) -> Any:
        """The function for values that lie so: variables keep their layouts."""
        key = tuple(layouts)
        if key not in self._laid_out:
            everywhere = whole_everywhere(layouts)
            order = [*self._given, *self._kept, *self._away]

            def traced(given: Any, kept: Any, away: Any, number: Any) -> Any:
                after, results, wrong = self._traced(given, kept, away, number)
                lain = dict(zip(order, layouts, strict=True))
                before = dict(zip(order, [*given, *kept, *away], strict=True))
                pairs = zip(self._cells, after, strict=True)
                after = [kept_so(value, lain[at], before[at]) for at, value in pairs]
                return after, everywhere(results), everywhere(wrong)

            self._laid_out[key] = jax.jit(traced, donate_argnums=2)
        return self._laid_out[key]

    # ---- a run -----------------------------------------------------------------------------------

    def __call__(self, values: Sequence[Any]) -> list[Any] | None:
        """The fetches, on the device; None if a check failed."""
        if self._is_plain and not Used.layouts:
            after, results, wrong = self._quickly(values)
            if wrong is None and self._is_plain:
                return results  # type: ignore[no-any-return]
        else:
            after, results, wrong = self._with_room(values)
        if self._errors:
            error = self._errors[0]
            self._errors.clear()
            raise error
        has_failed = wrong is not None and bool(np.asarray(wrong[0]))
        self._hold(values, after, has_failed)
        return None if has_failed else results

    def _quickly(self, values: Sequence[Any]) -> Any:
        """A run on arrays alone."""
        try:
            found = called_wide(self._function, values, [], (), None)  # as `_step` hands them over
        except _NumberNeededError:
            return self._with_room(values)
        if self.calls_back:  # as came out when it was compiled
            _wait(found)
        return self._with_room(values) if _is_lacking(found[2]) else found

    def _with_room(self, values: Sequence[Any]) -> Any:
        """A run, made again until there is room for what loops keep."""
        number = np.int64(next(self._numbers)) if self._is_numbered else None
        try:
            while True:
                self._answers.begin(number)
                after, results, wrong = self._step(values, number)
                if not _is_lacking(wrong):
                    return after, results, wrong
                self._hold(values, after, is_lost=True)
                self._errors.clear()  # of values that mean nothing
                self._rooms.grow(np.asarray(wrong[1]).tolist())
                self._function = self._compiled_anew()
        except _NumberNeededError:
            self._is_numbered, self._is_plain = True, False
            return self._with_room(values)
        finally:
            self._answers.end(number)

    def _hold(self, values: Sequence[Any], after: Sequence[Any], is_lost: bool) -> None:
        """Let variables have their new values; the old ones, which some returned, if they are lost."""
        for at, value in zip(self._cells, after, strict=True):
            if value is None:
                continue
            if at in self._away:
                hold_next_cell(values[at], OnDevice(value))
            elif not is_lost:
                _write(self._kinds[at], values[at], value)

    def _step(self, values: Sequence[Any], number: Any = None) -> Any:
        """A run with variables, which other threads may change meanwhile."""
        given = [handed(values[at]) for at in self._given]
        while True:
            kept = [_of_cell(self._kinds[at], values[at]) for at in self._kept]
            try:
                if self._away:
                    return self._with_away(values, given, kept, number)
                return self._run(given, kept, number=number)
            except _KeepAllError:
                self._away, self._kept = [], self._cells
                self._laid_out.clear()
            except _ApartError:
                self._everywhere = None

    def _with_away(
        self, values: Sequence[Any], given: Sequence[Any], kept: Sequence[Any], number: Any
    ) -> Any:
        """A run that is given the memory of variables."""
        held = [owned(values[at]) for at in self._away]
        shapes = () if self._is_fixed else tuple(map(np.shape, given))
        form = *shapes, *map(type, given), *map(type, kept)
        count = self._runs.get(form, 0)
        if count < COLD:
            copies = [called_wide(h.array.copy) for h in held]
            try:
                found = self._run(given, kept, copies, number=number)
            except (_NumberNeededError, _KeepAllError, _ApartError):
                raise
            except BaseException:  # JAX leaves what was interrupted to its Python for good
                self._runs[form] = ALWAYS_COLD
                raise
            self._runs[form] = count + 1
            return found
        step = Step(held, self._places, values[self._away[0]]._lock)
        try:
            return self._run(given, kept, step.alone(), step.returned, number)
        except BaseException:
            step.undo(held)
            raise

    def _run(
        self,
        given: Sequence[Any],
        kept: Sequence[Any] = (),
        away: Sequence[Any] = (),
        returned: list[Any] | None = None,
        number: Any = None,
    ) -> Any:
        """What the function returns; it is in the list before anything else can happen."""
        function, returned = self._function, [] if returned is None else returned
        waits = False
        if self._everywhere is not None:
            kept, away = ([self._laid(x) for x in part] for part in (kept, away))
            waits |= share_threads(self._everywhere.mesh)
        if Used.layouts:
            layouts = layouts_of([*given, *kept, *away])
            if layouts is not None:
                function = self._on_mesh(layouts)
                mesh = next(x.mesh for x in layouts if x is not None)
                waits |= share_threads(mesh)
                if jax.process_count() > 1:
                    if is_of_all(mesh):
                        begin()
                    given, kept, away = [
                        list(map(for_all_processes, x)) for x in (given, kept, away)
                    ]
        if self._device is None and not self.calls_back:
            called_wide(returned.extend, map(function, (given,), (kept,), (away,), (number,)))
            if waits or self.calls_back:  # which may have come out when it was compiled
                _wait(returned)
        else:
            called_wide(self._waiting, function, (given, kept, away, number), returned)
        return returned[0]

    def _laid(self, value: Any) -> Any:
        """A variable's value, on all devices of the replicas."""
        if not isinstance(value, jax.Array) or layout_of(value) is not None:
            return value
        return called_wide(jax.device_put, value, self._everywhere)

    def _waiting(self, function: Any, given: Any, returned: list[Any]) -> None:
        """A run on a device that was named, or one that calls Python back."""
        with on(self._device):
            returned.append(function(*given))
            if self.calls_back:
                _wait(returned)


def _is_lacking(wrong: Any) -> bool:
    """Whether a loop had no room for all of its iterations."""
    return wrong is not None and wrong[1] is not None and bool(np.any(wrong[1]))


def _wait(results: Any) -> None:
    """Wait for a run, and for Python that it calls."""
    jax.block_until_ready(results)
    jax.effects_barrier()


class _KeepAllError(Exception):
    """The memory of variables cannot be given to the step."""


class _NumberNeededError(Exception):
    """Python is called for its effects, in a run that may be made again."""


class _ApartError(Exception):
    """Replicas are computed on one device: devices that wait for each other must not wait for Python."""


def _changed(cell: Any) -> Any:
    """The new value of a cell; None if it is as before."""
    if isinstance(cell, TracedStream):
        return None if isinstance(cell.taken, np.generic) and cell.taken == 0 else cell.taken
    return None if cell._array is cell.before else cell._array


def _strong(value: Any) -> Any:
    """An array whose dtype does not give way, as that of Python's numbers does in JAX."""
    is_weak = isinstance(value, jax.Array) and value.aval.weak_type
    return jax.lax.convert_element_type(value, value.dtype) if is_weak else value


def _of_cell(kind: Any, cell: Any) -> Any:
    if kind is CELL:
        return array_of_cell(cell)
    if kind is OTHER_CELL:
        return cell._array
    if kind is STREAM:
        state = cell.kept()
        halves = np.array([state.counter & LONG, state.counter >> 64], np.uint64)
        return halves, np.uint64(state.key)
    return None


def _write(kind: Any, cell: Any, value: Any) -> None:
    if kind is STREAM:
        cell.reserve(int(np.asarray(value)))
    else:
        with cell._lock:
            if kind is CELL:
                hold_cell(cell, OnDevice(value))
            else:
                cell._array = fetched(value)
