"""The registry of engines, and which of them computes a graph.

An engine turns a plan into a callable. Engines register themselves by name; lower layers know none
of them. Third-party engines are registered by `wengert.extend.register_engine`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.execution.description import Description, numpy_step
from wengert.execution.plan import Plan
from wengert.graph.operation import Operation
from wengert.host.locks import COMPILING, InOrder
from wengert.host.malloc import raise_thresholds

Check = Callable[[Operation, Sequence[Any]], None]  # called with an operation and its results
Run = Callable[[Sequence[Any]], list[Any]]


class Runnable:
    """A plan that can be called, the base class of what engines return."""

    plan: Plan
    # Whether values stay on a device, for which there is `from_tensors`.
    on_device: bool = False

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The fetches, for values of `plan.given`: arrays, and cells of variables."""
        raise NotImplementedError

    def from_tensors(self, given: Sequence[Any]) -> list[Any]:
        """The fetches as tensors, for tensors and variables."""
        raise NotImplementedError

    @property
    def fresh(self) -> Sequence[bool]:
        """For each fetch, whether nothing else refers to its array, so that it can be returned."""
        return [False] * len(self.plan.fetches)

    def describe(self, name: str) -> Description:
        """A description of what a run does, for inspection."""
        return Description(name, type(self).__name__, [numpy_step(op) for op in self.plan.steps], 0)


class Engine:
    """Computes plans; the base class of all engines."""

    # Whether a graph with symbolic sizes is compiled for each combination of them.
    compiles_sizes: bool = False

    def accelerators(self) -> list[str]:
        """The types of the devices that it computes on besides the processor: "GPU", "TPU"."""
        return []

    def compile(self, plan: Plan) -> Runnable | None:
        """The plan, ready to run; None to decline, so that NumPy computes it."""
        raise NotImplementedError

    def compile_checked(self, plan: Plan, check: Check) -> Runnable | None:
        """The same, but calling `check` with each operation and its results; None to decline."""
        return None


_ENGINES: Final[dict[str, Engine]] = {}
REFERENCE: Final = "numpy"  # the fallback of the other engines


class Settings:
    """The settings of this process."""

    engine: str | None = None  # None: functions are compiled, and sessions when they have run often
    check: Check | None = None
    changes: int = 0  # a counter of changes


def register_engine(name: str, engine: Engine) -> None:
    """Let `tf.config.set_engine(name)` choose an engine.

    >>> from wengert import extend
    >>> class Loudly(extend.Engine):
    ...     def compile(self, plan):
    ...         print(f"{len(plan.steps)} steps")
    >>> extend.register_engine("loudly", Loudly())
    >>> tf.config.set_engine("loudly")
    >>> tf.function(lambda x: tf.exp(x) + 1.0)(tf.constant(0.0)).numpy()
    2 steps
    np.float32(2.0)
    >>> tf.config.set_engine(None)
    """
    _ENGINES[name] = engine
    Settings.changes += 1


def set_engine(engine: str | None) -> None:
    """Choose the engine that computes graphs, those of functions and of sessions.

    "native" compiles them, "numpy" interprets them. None restores the default: functions are
    compiled, and what a session has run often. A function's `jit_compile` takes precedence. With "numpy"
    large arrays outside of graphs are computed by NumPy alone, too.

    >>> tf.config.set_engine("numpy")
    >>> tf.config.get_engine()
    'numpy'
    >>> tf.config.set_engine(None)
    """
    Settings.engine = checked_engine(engine)
    Settings.changes += 1


def checked_engine(engine: str | None) -> str | None:
    """The name of an engine, or None; an error that lists the engines if there is none of it."""
    if engine is not None and engine not in _ENGINES:
        raise ValueError(f"There is no engine {engine!r}: choose one of {', '.join(_ENGINES)}.")
    return engine


def get_engine() -> str | None:
    """The engine that was chosen with set_engine; None if none was."""
    return Settings.engine


def accelerators() -> list[str]:
    """The types of the devices of the chosen engine besides the processor."""
    return [] if Settings.engine is None else _ENGINES[Settings.engine].accelerators()


def set_check(check: Check | None) -> None:
    """Call a function with every operation of graphs and its results; None to stop."""
    Settings.check = check
    Settings.changes += 1


def engine_of(graph: Any, otherwise: str) -> str:
    """The engine for a graph: its own choice, the process's, or a default."""
    own: str | None = graph.chosen_engine
    return own or Settings.engine or otherwise


def compiles_sizes(engine: str) -> bool:
    """Whether an engine compiles a graph for each combination of sizes."""
    return _ENGINES[engine].compiles_sizes


def compile_plan(plan: Plan, engine: str) -> Runnable:
    """A plan that can be called. While it runs it holds the locks of the variables it changes."""
    raise_thresholds()
    run, changed = _compiled(plan, engine), plan.changed()
    return _Holding(run, changed) if changed else run


def _compiled(plan: Plan, engine: str) -> Runnable:
    for name in (engine, REFERENCE) if not plan.may_be_dead else (REFERENCE,):
        there, check = _ENGINES[name], Settings.check
        if check is not None:  # what the plan knows has been computed already
            for op in plan.folded:
                check(op, [plan.known[id(y)] for y in op.outputs])
        with COMPILING:
            run = there.compile(plan) if check is None else there.compile_checked(plan, check)
        if run is not None:
            return run
    raise NotImplementedError(f"The engine {REFERENCE!r} computes every plan.")


class _Holding(Runnable):
    """A plan that changes variables."""

    def __init__(self, inner: Runnable, changed: Sequence[int]) -> None:
        self.inner = inner
        self.plan = inner.plan
        self._changed = changed
        self._cells: list[int] | None = None  # the indices of those that are variables
        self._locks = InOrder()
        self.on_device = inner.on_device

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        return self._holding(self.inner, values)

    def from_tensors(self, given: Sequence[Any]) -> list[Any]:
        return self._holding(self.inner.from_tensors, given)

    def _holding(self, run: Run, values: Sequence[Any]) -> list[Any]:
        cells = self._cells
        if cells is None:
            cells = self._cells = [i for i in self._changed if hasattr(values[i], "_lock")]
        if len(cells) == 1:
            with values[cells[0]]._lock:
                return run(values)
        return self._locks.holding([values[i] for i in cells], run, values)

    @property
    def fresh(self) -> Sequence[bool]:
        return self.inner.fresh

    def describe(self, name: str) -> Description:
        return self.inner.describe(name)
