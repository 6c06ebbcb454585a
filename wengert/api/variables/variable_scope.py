"""tf.compat.v1.variable_scope: the current scope, and entering scopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar

from wengert.api.session.modes import get_default_graph
from wengert.api.session.modes import name_scope as entered_name_scope
from wengert.api.variables.scope_values import VariableScope
from wengert.api.variables.variable_store import AUTO_REUSE, one_of_graph
from wengert.core.context import current_graph
from wengert.host.thread_state import ThreadState
from wengert.state.variable import around_functions

if TYPE_CHECKING:
    from wengert.api.variables.variable_store import Reuse
    from wengert.graph.function_graph import FunctionGraph
    from wengert.graph.graph import Graph
    from wengert.values.typing import DTypeLike


class _Scopes(ThreadState):
    """The variable scope that a thread is in, and how often each was entered by a default name.

    Each thread begins at the root: what one has entered is not for the variables of another.
    """

    current: VariableScope
    counts: dict[str, int]
    first: ClassVar = {"current": lambda: VariableScope(False), "counts": dict}

    def unique(self, prefix: str) -> str:
        """A name within the current scope that no scope has."""
        full = f"{self.current.name}/{prefix}" if self.current.name else prefix
        if not self.counts.get(full):
            return prefix
        number = 1
        while self.counts.get(f"{full}_{number}"):
            number += 1
        return f"{prefix}_{number}"

    def opened(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def close_inner(self, name: str) -> None:
        """Within a scope that is entered again, default names start over."""
        for known in self.counts:
            if not name or known.startswith(f"{name}/"):
                self.counts[known] = 0


def _scopes() -> _Scopes:
    return one_of_graph(graph_of_variables(), "__varscope", _Scopes)


def graph_of_variables() -> FunctionGraph | Graph:
    """The graph that keeps scopes and variables: functions share those of the graph around them."""
    graph = current_graph()
    return around_functions(graph) or graph or get_default_graph()


def get_variable_scope() -> VariableScope:
    """The current variable scope.

    >>> with tf.Graph().as_default(), tf.compat.v1.variable_scope("a"):
    ...     tf.compat.v1.get_variable_scope().name
    'a'
    """
    return _scopes().current


class variable_scope:
    """Prefix the names of the variables and operations created inside with the scope's name.

    A scope that is entered again finds the variables that were made in it, where `reuse` is True
    or `tf.compat.v1.AUTO_REUSE`.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     with v1.variable_scope("layer"):
    ...         w = v1.get_variable("w", [2, 3])
    ...     with v1.variable_scope("layer", reuse=True):
    ...         same = v1.get_variable("w", [2, 3])
    ...         c = tf.constant(1.0, name="c")
    >>> w.name, same is w, c.name
    ('layer/w:0', True, 'layer_1/c:0')
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: object = None,
        initializer: Any = None,
        regularizer: Callable[..., Any] | None = None,
        caching_device: object = None,
        partitioner: object = None,
        custom_getter: Callable[..., Any] | None = None,
        reuse: Reuse = None,
        dtype: DTypeLike | None = None,
        use_resource: bool | None = None,
        constraint: Callable[..., Any] | None = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if reuse is False:
            reuse = None
        if not (reuse is None or reuse is True or reuse is AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if reuse and name_or_scope is None:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope}"
            )
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._reuse = reuse
        self._auxiliary = auxiliary_name_scope
        self._changes = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._entries: list[tuple[Any, VariableScope]] = []

    def __enter__(self) -> VariableScope:
        context = self._entered()
        scope: VariableScope = context.__enter__()
        self._entries.append((context, scope))
        return scope

    def __exit__(self, *error: BaseException) -> None:
        context, scope = self._entries[-1]
        if _scopes().current is not scope:
            raise RuntimeError(
                f"Improper nesting of variable_scope: {scope.name!r} is left within "
                f"{_scopes().current.name!r}."
            )
        self._entries.pop()
        context.__exit__(*error)

    @contextmanager
    def _entered(self) -> Iterator[VariableScope]:
        scopes = _scopes()
        before = scopes.current
        counts = dict(scopes.counts)
        named = self._name_or_scope
        if named is None:
            named = scopes.unique(str(self._default_name))
        asked = named if self._name_or_scope is not None else str(self._default_name)
        with self._names(asked) as name_scope:
            scope = self._new(before, named, name_scope)
            scopes.close_inner(scope.name)
            if not isinstance(named, VariableScope):
                scopes.opened(scope.name)
            scopes.current = scope
            try:
                yield scope
            finally:
                scopes.current = before
                inner = f"{scope.name}/"
                kept = {k: n for k, n in scopes.counts.items() if not k.startswith(inner)}
                scopes.counts = kept | {k: n for k, n in counts.items() if k.startswith(inner)}

    def _names(self, named: str | VariableScope) -> Any:
        """The name scope of the operations inside."""
        if not self._auxiliary:
            graph = current_graph()
            here = graph.get_name_scope() if graph is not None else ""
            return nullcontext(f"{here}/" if here else "")
        if isinstance(named, VariableScope):
            last = named.name.rpartition("/")[2]
            return entered_name_scope(last) if last else nullcontext("")
        return entered_name_scope(named) if named else nullcontext("")

    def _new(
        self, before: VariableScope, named: str | VariableScope, name_scope: str
    ) -> VariableScope:
        reuse = self._reuse
        if isinstance(named, VariableScope):
            return named._within(
                {**self._changes, "reuse": named.reuse if reuse is None else reuse}
            )
        full = f"{before.name}/{named}" if before.name else named
        changes = {"reuse": reuse or before.reuse, "name": full, "name_scope": name_scope}
        return before._within({**self._changes, **changes})


@contextmanager
def variable_op_scope(
    values: object,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Callable[..., Any] | None = None,
    caching_device: object = None,
    partitioner: object = None,
    custom_getter: Callable[..., Any] | None = None,
    reuse: Reuse = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Callable[..., Any] | None = None,
) -> Iterator[VariableScope]:
    """`variable_scope` with `values` as the first argument.

    >>> with tf.Graph().as_default(), tf.compat.v1.variable_op_scope([], None, "dense") as scope:
    ...     scope.name
    'dense'
    """
    with variable_scope(
        name_or_scope,
        default_name=default_name,
        values=values,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        reuse=reuse,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
    ) as scope:
        yield scope
