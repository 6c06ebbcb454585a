"""Eager execution or graph mode: which of the two a thread is in."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from wengert.core.context import (
    activate,
    current_graph,
    made_in,
    start_threads_with,
    thread,
)
from wengert.core.scope import entered
from wengert.graph.devices import DeviceSpec
from wengert.graph.graph import Graph, defaults
from wengert.host.context_manager import Change, context_manager, enter

if TYPE_CHECKING:
    pass


class _Global:
    """The graph that is the default where none was made the default."""

    graph: Graph | None = None


def executing_eagerly() -> bool:
    """Whether execution is eager: operations run immediately.

    >>> tf.executing_eagerly()
    True
    >>> with tf.Graph().as_default():
    ...     tf.executing_eagerly()
    False
    """
    return current_graph() is None


def inside_function() -> bool:
    """Whether the body of a tf.function is being traced.

    >>> tf.inside_function()
    False
    """
    graph = current_graph()
    return graph is not None and graph.is_function


def get_default_graph() -> Graph:
    """The default graph: operations are added to it, or would be if execution were not eager.

    >>> with tf.Graph().as_default() as g:
    ...     tf.compat.v1.get_default_graph() is g
    True
    """
    graph = current_graph()
    if graph is not None:
        return graph  # type: ignore[no-any-return]
    return _Global.graph or _new_default()


def _new_default() -> Graph:
    graph = _Global.graph = Graph()
    graph.stands_for_eager = True
    return graph


def has_default_graph() -> bool:
    """Whether operations are added to a graph.

    >>> tf.compat.v1.has_default_graph()
    False
    """
    return current_graph() is not None


def in_nested_graph() -> bool:
    """Whether a program made a graph of its own the default one."""
    graph = current_graph()
    return graph is not None and graph is not _Global.graph


def reset_default_graph() -> None:
    """Start with a new, empty default graph. Not allowed inside `with graph.as_default()`.

    >>> tf.compat.v1.reset_default_graph()
    >>> tf.compat.v1.get_default_graph().get_operations()
    []
    """
    if in_nested_graph():
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    was_default = current_graph() is not None
    new = _new_default()
    if was_default:
        start_threads_with(new)


def disable_eager_execution() -> None:
    """Switch to graph mode: from now on every thread adds operations to the default graph.

    >>> tf.compat.v1.disable_eager_execution()
    >>> tf.constant(1.0, name="c").graph is tf.compat.v1.get_default_graph()
    True
    >>> tf.compat.v1.enable_eager_execution()
    """
    if current_graph() is None:
        start_threads_with(get_default_graph())


def enable_eager_execution(
    config: object = None, device_policy: object = None, execution_mode: object = None
) -> None:
    """Switch to eager execution: from now on operations run immediately.

    >>> tf.compat.v1.enable_eager_execution()
    >>> tf.executing_eagerly()
    True
    """
    graph = current_graph()
    if graph is not None and graph is not _Global.graph:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    start_threads_with(None)


@context_manager
def init_scope() -> Change:
    """Leave all functions that are being traced, for example to create variables.

    >>> @tf.function
    ... def f():
    ...     with tf.init_scope():
    ...         print(tf.executing_eagerly())
    >>> f()
    True
    """
    graph = current_graph()
    while graph is not None and graph.is_function:
        graph = graph.outer_graph
    change = activate((), graph)
    if graph is None:
        return enter(change)
    _, leave = enter(change)
    _, back = enter(graph.control_dependencies(None))

    def undo() -> None:
        back()
        leave()

    return None, undo


class name_scope:
    """Prefix the names of operations created inside with the scope's name.

    >>> with tf.Graph().as_default(), tf.name_scope("layer"):
    ...     print(tf.constant(1.0, name="c").name)
    layer/c:0
    """

    def __init__(
        self,
        name: str | None,
        default_name: str | None = None,
        values: object = None,
        skip_on_eager: bool = True,
    ) -> None:
        if name is not None and not isinstance(name, str):
            raise ValueError(f"name for name_scope must be a string, got {name!r}.")
        self._name = name if name is not None else default_name
        self._is_nameless = self._name is None and values is not None
        self._anew = False
        self._contexts: list[Any] = []

    @classmethod
    def of_module(cls, scope: str) -> name_scope:
        """A scope that has its name already; each time that it is entered is one of its own."""
        made = cls(scope)
        made._anew = True
        return made

    @property
    def name(self) -> str | None:
        """The name that was given."""
        return self._name

    def __enter__(self) -> str:
        graph = current_graph()
        if self._is_nameless and graph is not None:
            raise ValueError("At least one of name (None) and default_name (None) must be given.")
        if graph is None:
            names = made_in(entered(thread.context.scope, self._name, self._anew))
        else:
            names = graph.names.opened(self._name, self._anew)
        scope: str = names.__enter__()
        self._contexts.append(names)
        return scope

    def __exit__(self, *error: BaseException) -> None:
        self._contexts.pop().__exit__(*error)


def get_default_session() -> Any:
    """The innermost default session of this thread; None if there is none."""
    return defaults.sessions[-1] if defaults.sessions else None


def control_dependencies(control_inputs: Any) -> Any:
    """Make the operations created inside run after these; in eager execution they already have.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0)
    ...     with tf.control_dependencies([v.assign(2.0)]):
    ...         after = v.read_value()
    ...     print(tf.compat.v1.Session().run(after))
    2.0
    """
    graph = current_graph()
    if graph is None:
        return nullcontext()
    return graph.control_dependencies(control_inputs)


def device(device_name: object) -> Any:
    """Record a device for the operations created inside. There is only one.

    >>> with tf.device("/CPU:0"):
    ...     x = tf.constant(1.0)
    """
    graph = current_graph()
    if graph is None and callable(device_name):
        raise RuntimeError(
            "tf.device does not support functions when eager execution is enabled: give it a name, as in "
            "tf.device('/CPU:0')."
        )
    if graph is None and isinstance(device_name, str):
        DeviceSpec.from_string(device_name)  # raises if it is none
    return nullcontext() if graph is None else graph.device(device_name)


def colocate_with(op: object, ignore_existing: bool = False) -> Any:
    """Operations inside note that they belong with another. There is only one device.

    >>> with tf.compat.v1.colocate_with(tf.constant(1.0)):
    ...     x = tf.constant(1.0)
    """
    graph = current_graph()
    at = getattr(op, "op", op)
    return nullcontext() if graph is None else graph.colocate_with(at, ignore_existing)
