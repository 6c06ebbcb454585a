"""Which engine computes a plan."""

from __future__ import annotations

import functools
import gc
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.engines.numpy_engine import NumpyPlan
from wengert.engines.plan import Plan
from wengert.host.locks import InOrder, load_module, new_lock
from wengert.host.user_frames import callers_depth

ENGINES: Final = ("numpy", "native")


class Settings:
    """What was asked for in this process."""

    engine: str | None = None  # None: functions are compiled, sessions interpreted
    threads: int | None = None  # None: as many as there are processors
    # Called with every operation and its results, where somebody wants to see them all.
    check: Any = None
    changes: int = 0  # how often the engine was chosen anew
    uncollected: bool = False  # whether the garbage collector waits for a plan to be made
    warned: Final[set[str]] = set()
    lock: Final = new_lock()


def set_engine(engine: str | None) -> None:
    """Choose what computes graphs, of functions and of sessions.

    "native" compiles them, "numpy" interprets them. None is how it is at the beginning: functions
    are compiled, sessions are interpreted. What a function was given as `jit_compile` goes before.
    With "numpy" large arrays outside of graphs, too, are computed by NumPy alone.

    >>> tf.config.set_engine("numpy")
    >>> tf.config.get_engine()
    'numpy'
    >>> tf.config.set_engine(None)
    """
    if engine is not None and engine not in ENGINES:
        raise ValueError(f"There is no engine {engine!r}: choose one of {', '.join(ENGINES)}.")
    Settings.engine = engine
    Settings.changes += 1


def set_check(check: Any) -> None:
    """Show every operation of graphs and its results to a function; None: no more."""
    Settings.check = check
    Settings.changes += 1


def get_engine() -> str | None:
    """The engine that was chosen with set_engine; None if none was."""
    return Settings.engine


def set_threads(count: int | None) -> None:
    """Let native plans use so many threads; None for as many as there are processors, at most 8.

    There are never more than processors. Fewer than before leave the others asleep.

    >>> tf.config.set_threads(1)
    >>> tf.config.get_threads()
    1
    >>> tf.config.set_threads(None)
    """
    if count is not None and (type(count) is not int or count < 1):
        raise ValueError(f"The number of threads must be a positive integer, got {count!r}.")
    Settings.threads = count
    get_threads()  # which says so if there are not so many
    for changed in when_threads_change:
        changed()


# Whoever keeps threads is told here.
when_threads_change: Final[list[Any]] = []


@functools.cache
def available() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def processors() -> int:
    """How many of them are used if nothing is said."""
    return min(available(), 8)


def get_threads() -> int:
    """How many threads native plans use.

    The environment variable OMP_NUM_THREADS says it, if set_threads did not. More than there are
    processors would wait for each other, and are not used.
    """
    asked = Settings.threads or _asked_by_environment()
    if asked is None:
        return processors()
    if asked > available():
        warn(f"Of {asked} threads that were asked for {available()} are used: so many processors there are.")  # fmt: skip
    return min(asked, available())


def _asked_by_environment() -> int | None:
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(asked) if asked.isdecimal() and int(asked) > 0 else None


# ---- plans ------------------------------------------------------------------------------------


def engine_of(graph: Any, otherwise: str) -> str:
    """The engine for a graph: its own choice, that of the process, or the usual one."""
    own: str | None = graph.chosen_engine
    return own or Settings.engine or otherwise


def compile_plan(plan: Plan, engine: str) -> Any:
    """A plan that can be called. While it runs it holds the locks of the variables it changes."""
    run, changed = _compiled(plan, engine), plan.changed()
    return _Holding(run, changed) if changed else run


def _compiled(plan: Plan, engine: str) -> Any:
    """What is checked in every operation is interpreted."""
    if Settings.check is not None:
        return NumpyPlan(plan, Settings.check)
    if engine == "native" and plan.steps:
        native = _native(plan)
        if native is not None:
            return native
    return NumpyPlan(plan)


def _native(plan: Plan) -> Any:
    """The plan as machine code; None if that cannot be, or would be NumPy's steps alone."""
    try:
        loading = load_module("wengert.engines.native.program.load")
        made = _uncollected(loading.load_or_build, plan)
    except ImportError as error:
        warn(f"The native engine needs llvmlite ({error}). Graphs are computed by NumPy instead.")
        return None
    except MemoryError:
        warn("There was no memory to compile a graph; it is computed by NumPy instead.")
        return None
    except Exception as error:  # noqa: BLE001  # said once, and NumPy computes it
        first = plan.steps[0]
        warn(
            f"A graph could not be compiled and is computed by NumPy instead "
            f"({type(error).__name__}: {error}; its first operation is {first.name}, made at "
            f"{first.place}). This is a mistake in Wengert: please report it."
        )
        return None
    return None if made is None else _Careful(made)


def describe(run: Any, name: str) -> Any:
    """What a compiled plan does, step by step."""
    run = run.inner if isinstance(run, _Holding) else run
    describing = load_module("wengert.engines.native.program.report")
    if isinstance(run, _Careful):
        return describing.described(run.running.native(), name)
    return describing.described_by_numpy(run.plan, name)


def _uncollected(make: Callable[[Plan], Any], plan: Plan) -> Any:
    """Without the garbage collector, which would look at all that is being made again and again."""
    if not gc.isenabled() and not Settings.uncollected:  # it is the user's choice
        return make(plan)
    try:
        try:
            Settings.uncollected = True
            gc.disable()
            return make(plan)
        finally:
            _collect_again()
    finally:  # also if the first was interrupted
        _collect_again()


def _collect_again() -> None:
    if Settings.uncollected:
        gc.enable()
        Settings.uncollected = False


if hasattr(os, "register_at_fork"):  # the thread that would do it is not in the child
    os.register_at_fork(after_in_child=_collect_again)


class _Holding:
    """A plan that changes variables."""

    def __init__(self, inner: Any, changed: Sequence[int]) -> None:
        self.inner = inner
        self.plan: Plan = inner.plan
        self.fresh: list[bool] = inner.fresh
        self._changed = changed
        self._cells: list[int] | None = None  # those of them that are variables
        self._locks = InOrder()

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        cells = self._cells
        if cells is None:
            cells = self._cells = [i for i in self._changed if hasattr(values[i], "_lock")]
        if len(cells) == 1:
            with values[cells[0]]._lock:
                return self.inner(values)  # type: ignore[no-any-return]
        return self._locks.holding([values[i] for i in cells], self.inner, values)


class _Careful:
    """A native plan that leaves the work to NumPy where there is no memory for its own way."""

    def __init__(self, running: Any) -> None:
        self.running = running
        self.plan: Plan = running.plan
        self.fresh: list[bool] = running.fresh

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        try:
            return self.running.run(values)  # type: ignore[no-any-return]
        except MemoryError:
            if not self.running.is_one_call:  # some of it has been done
                raise
            warn("There was no memory for a compiled graph; it is computed by NumPy instead.")
            return self.running.reference()(values)  # type: ignore[no-any-return]


def warn(message: str) -> None:
    with Settings.lock:
        if message in Settings.warned:
            return
        Settings.warned.add(message)
    warnings.warn(message, RuntimeWarning, stacklevel=callers_depth())
