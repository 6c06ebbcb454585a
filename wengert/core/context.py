"""The state of a thread: its active recorders, and the active interpreter.

Recorders (tapes, forward accumulators) are notified of every operation. An interpreter (a batch, a
graph under construction) carries out operations in place of the kernels. The machine knows none of
them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, TypeVar

from wengert.core.compiled import machine
from wengert.core.recorder import GraphInterpreter, Interpreter, Recorder
from wengert.core.row import NO_ATTRS, Attrs, Row
from wengert.core.scope import Scope
from wengert.host.context_manager import Change, context_manager, enter
from wengert.host.fp_errors import quiet_context
from wengert.host.thread_state import ThreadState


class _Start:
    """The interpreter of a new thread: none, or a graph where execution is not eager; and its overrides."""

    interpreter: GraphInterpreter | None = None
    overrides: ClassVar[dict[str, Any]] = {}


def threads_start_eagerly() -> bool:
    """Whether a new thread executes eagerly."""
    return _Start.interpreter is None


def start_threads_with(interpreter: GraphInterpreter | None) -> None:
    """Make it the interpreter of this thread, and of new ones."""
    _Start.interpreter = interpreter
    install(thread.context.recorders, interpreter)


class Context:
    """The state of one thread. Only `install` changes it."""

    __slots__ = (
        "building",
        "interpreter",
        "listeners",
        "overrides",
        "quiet_context",
        "recorders",
        "run_quietly",
        "scope",
        "sweeping",
    )

    def __init__(self) -> None:
        self.recorders: tuple[Recorder, ...] = ()
        self.interpreter: Interpreter | None = _Start.interpreter
        # The graph under construction, if the interpreter is one.
        self.building: GraphInterpreter | None = _Start.interpreter
        # The overrides of the gradient that is being taken.
        self.sweeping: Any = None
        # The name scope of eager operations.
        self.scope: Scope | None = None
        # Rules that replace those of some operation types, as recorders see them.
        self.overrides: dict[str, Any] = _Start.overrides
        # The recorders to notify; None while an interpreter is active, so that the door needs to
        # look at one attribute only.
        self.listeners: tuple[Recorder, ...] | None = () if _Start.interpreter is None else None
        self.quiet_context = quiet_context()
        self.run_quietly = self.quiet_context.run


class Thread(ThreadState):
    """`thread.context` is the state of the current thread."""

    context: Context
    first: ClassVar = {"context": Context}


class ThreadInC:
    """The same, kept where the C finds it."""

    if machine is not None:
        machine.setup(Context=Context)
        context: Context = property(machine.context)  # type: ignore[assignment]


thread: Final = Thread() if machine is None else ThreadInC()


def install(recorders: tuple[Recorder, ...], interpreter: Interpreter | None) -> None:
    """Set the recorders and the interpreter of this thread."""
    now = thread.context
    now.recorders, now.interpreter = recorders, interpreter
    if interpreter is not None:
        now.building, now.listeners = interpreter.building, None
        return
    now.building = None
    now.listeners = listeners() if now.overrides or now.scope else recorders


def of_thread() -> tuple[Any, ...]:
    """The state of this thread, for `adopt` in another one."""
    now = thread.context
    return now.recorders, now.interpreter, now.sweeping, now.scope, now.overrides


def adopt(state: tuple[Any, ...]) -> None:
    """Go on in this thread with the state of another one, which waits meanwhile."""
    now = thread.context
    recorders, interpreter, now.sweeping, now.scope, now.overrides = state
    install(recorders, interpreter)


class activate:
    """Use these recorders and this interpreter, then restore the previous ones.

    A class, which takes a third of the time: a batch enters one at every operation.
    """

    __slots__ = ("_before", "_state")

    def __init__(self, recorders: tuple[Recorder, ...], interpreter: Interpreter | None) -> None:
        self._state = recorders, interpreter

    def __enter__(self) -> None:
        now = thread.context
        self._before = now.recorders, now.interpreter, now.building, now.listeners
        install(*self._state)

    def __exit__(self, *error: object) -> None:
        now = thread.context
        now.recorders, now.interpreter, now.building, now.listeners = self._before


def current_graph() -> Any:
    """The graph under construction in this thread, or None."""
    return thread.context.building


def graph_around() -> Any:
    """The same, also where a batch within the graph takes the operations first."""
    active: Any = thread.context.interpreter
    while active is not None and active.building is None:
        active = getattr(active, "outer", None)  # guesses belong to no graph
    return None if active is None else active.building


def is_followed(values: Sequence[Any]) -> bool:
    """Whether a recorder, of this thread or around its batches, would note an operation on them."""
    recorders: Sequence[Recorder] = thread.context.recorders
    active: Any = thread.context.interpreter
    while not any(r.follows_all or r.follows(values) for r in recorders):
        if active is None:
            return False
        if getattr(active, "follows_all", False):
            return True
        recorders = getattr(active, "outer_recorders", ())
        active = getattr(active, "outer", None)
    return True


# ---- notifying the recorders --------------------------------------------------------------------


class _Noting(Recorder):
    """Notifies recorders of operations, with the overrides in force and the name scope.

    All other notifications reach the recorders directly.
    """

    def __init__(
        self, recorders: tuple[Recorder, ...], overrides: dict[str, Any], scope: Scope | None
    ) -> None:
        self._recorders = recorders
        self._overrides = overrides
        self._scope = scope

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        replaced = self._overrides.get(row.name)
        if replaced is not None:
            row = replaced(row)
        for recorder in self._recorders:
            recorder.record(row, inputs, attrs, result)
            if self._scope and not recorder.computes:
                recorder.within(self._scope, inputs, result)

    def follows(self, values: Sequence[Any]) -> bool:
        return any(recorder.follows(values) for recorder in self._recorders)


def listeners() -> tuple[Recorder, ...]:
    """The recorders to notify of an operation."""
    context = thread.context
    if (any(context.overrides) or context.scope) and context.recorders:
        return (_Noting(context.recorders, context.overrides, context.scope),)
    return context.recorders


def current_scope() -> Scope | None:
    """The name scope that the program has entered."""
    graph = current_graph()
    return thread.context.scope if graph is None else graph.names.entry


@context_manager
def made_in(scope: Scope | None) -> tuple[str, Callable[[], None]]:
    """Record the operations inside as part of a name scope; in a graph their names stay as they are."""
    graph, before, name = current_graph(), current_scope(), str(scope or "")
    if graph is None:
        _put("scope", scope)
        return name, lambda: _put("scope", before)
    graph.names.entry = scope
    return name, lambda: setattr(graph.names, "entry", before)


@context_manager
def override_rows(rules: dict[str, Any]) -> Change:
    """Replace the rows of some operation types by what `rules[type](row)` gives, when recorded."""
    before = thread.context.overrides
    _put("overrides", before | rules)
    return None, lambda: _put("overrides", before)


def override_rows_from_now_on(rules: dict[str, Any]) -> None:
    """The same without an end, also in threads that are yet to start; None ends it."""
    _Start.overrides = _changed(_Start.overrides, rules)
    _put("overrides", _changed(thread.context.overrides, rules))


def _changed(before: dict[str, Any], rules: dict[str, Any]) -> dict[str, Any]:
    return {name: rule for name, rule in (before | rules).items() if rule is not None}


def _put(name: str, value: Any) -> None:
    """Set an attribute of the context, and update the listeners accordingly."""
    context = thread.context
    setattr(context, name, value)
    install(context.recorders, context.interpreter)


_ON_TOP: Final = (
    " "  # among the overrides, by which traces are cached: a name that no operation has
)


@context_manager
def put_on_top(layer: Callable[[Any], Interpreter]) -> Change:
    """Let `layer(interpreter)` take the operations of the block, also where it traces a graph."""
    before = thread.context.interpreter
    _, leave = enter(override_rows({_ON_TOP: layer}))
    install(thread.context.recorders, layer(before))

    def undo() -> None:
        install(thread.context.recorders, before)
        leave()

    return None, undo


def with_top(active: Interpreter) -> Interpreter:
    """What takes the operations of a graph, or of a batch, that the program builds in this block."""
    layer = thread.context.overrides.get(_ON_TOP)
    found: Interpreter = active if layer is None else layer(active)
    return found


def active_rules() -> Any:
    """The replacement rules in force, as part of a cache key; None if there are none."""
    rules = _rules()
    return frozenset(rules.items()) if rules else None


def rules_within() -> Any:
    """The same of those that hold in what is traced now: a graph's own map does not."""
    context = thread.context
    passed_on = {} if context.building is None else context.building.passed_on
    rules = context.overrides | passed_on
    return frozenset(rules.items()) if rules else None


def is_replaced(*types: str) -> bool:
    """Whether one of these types of operations is given another gradient where it is made now."""
    rules = _rules()
    return bool(rules) and not rules.keys().isdisjoint(types)


def replacement(kind: str) -> Any:
    """What replaces the rows of a type where an operation is made now, or None."""
    return _rules().get(kind)


@context_manager
def own_gradients() -> Change:
    """Operations made inside keep their gradients, whatever a map around says.

    It is for functions that have a gradient of their own in TensorFlow: a map does not reach what is in them.
    """
    around, graph = thread.context.overrides, current_graph()
    of_graph = None if graph is None else graph.overrides
    # What stands under names that no operation has is no gradient, and stays in force.
    _put("overrides", {name: rule for name, rule in around.items() if not name.strip()})
    if graph is not None:
        graph.overrides = {}

    def undo() -> None:
        _put("overrides", around)
        if graph is not None:
            graph.overrides = of_graph

    return None, undo


@context_manager
def outside_of_map() -> Change:
    """Operations made inside do not have the gradients of the map of the graph that they go into."""
    graph = current_graph()
    if graph is None:
        return None, lambda: None
    of_graph, graph.overrides = graph.overrides, graph.passed_on
    return None, lambda: setattr(graph, "overrides", of_graph)


def _rules() -> dict[str, Any]:
    context = thread.context
    if context.building is None or not context.building.overrides:
        return context.overrides
    return context.overrides | context.building.overrides


class apply_overrides:
    """Gradients taken inside, also within rules, use these overrides; if `must`, all must match."""

    __slots__ = ("_before", "_must", "_overrides")

    def __init__(self, overrides: Any, must: bool = True) -> None:
        self._overrides = overrides
        self._must = must

    def __enter__(self) -> None:
        context = thread.context
        self._before = context.sweeping
        if self._overrides is not None:
            context.sweeping = self._overrides

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        thread.context.sweeping = self._before
        if self._overrides is not None and self._must and kind is None:
            self._overrides.check()


def announce(row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> Any:
    """Announce an operation that was carried out by other means; returns its results as seen from outside."""
    context = thread.context
    if context.interpreter is not None:
        return context.interpreter.announce(row, inputs, attrs, result)
    note(row, inputs, attrs, result)
    return result


def note(row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
    """Notify the recorders of an operation, bypassing the interpreter."""
    if thread.context.recorders:
        for recorder in listeners():
            recorder.record(row, inputs, attrs, result)


def made_from(row: Row, inputs: Sequence[Any], result: Any) -> Any:
    """Notify the recorders of a result that the values of tensors gave, and no operation; returns it."""
    if listeners():
        note(row, inputs, NO_ATTRS, result)
    return result


def note_access(variable: Any) -> None:
    """Notify recorders and interpreter that a variable is being read."""
    context = thread.context
    for recorder in context.recorders:
        recorder.accessed(variable)
    if context.interpreter is not None:
        context.interpreter.accessed(variable)


# ---- active recorders ---------------------------------------------------------------------------


def start(recorder: Recorder) -> None:
    """Activate a recorder in this thread."""
    context = thread.context
    now = context.recorders
    at = len(now)
    if not recorder.computes:
        while at and now[at - 1].computes:
            at -= 1
    _notify(context, (*now[:at], recorder, *now[at:]) if now else (recorder,))


def stop(recorder: Recorder) -> None:
    """Deactivate a recorder."""
    context = thread.context
    now = context.recorders
    alone = len(now) == 1 and now[0] is recorder
    _notify(context, () if alone else tuple([r for r in now if r is not recorder]))


def _notify(context: Context, recorders: tuple[Recorder, ...]) -> None:
    """Set the recorders of a thread's state; the interpreter stays."""
    context.recorders = recorders
    if context.interpreter is not None:
        context.listeners = None
    else:
        context.listeners = listeners() if context.overrides or context.scope else recorders


class listening:
    """Notify only these recorders of what happens inside; a class, as `activate` is."""

    __slots__ = ("_before", "_recorders")

    def __init__(self, *recorders: Recorder) -> None:
        self._recorders = recorders

    def __enter__(self) -> None:
        context = thread.context
        self._before = context.recorders
        _notify(context, self._recorders)

    def __exit__(self, *error: object) -> None:
        _notify(thread.context, self._before)


@context_manager
def also_listening(recorder: Recorder) -> Change:
    """Notify this recorder, too, of what happens inside."""
    start(recorder)
    return None, lambda: stop(recorder)


Value = TypeVar("Value")


def to_graph(tensor: Value) -> Value:
    """A tensor made of plain values; a graph makes a constant of it."""
    graph = thread.context.building
    return tensor if graph is None else graph.constant(tensor)


# ---- public functions ---------------------------------------------------------------------------


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function that a graph may defer until the shapes are known."""
    graph = thread.context.building
    if graph is None:
        return function(*args, **kwargs)
    return graph.call(function, args, kwargs)
