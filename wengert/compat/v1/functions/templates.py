"""tf.compat.v1.make_template: functions whose calls share the variables of the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.api.session.modes import name_scope
from wengert.api.variables.eager_store import EagerVariableStore
from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.scope_values import VariableScope
from wengert.api.variables.variable_scope import variable_scope
from wengert.core.context import current_graph


class Template:
    """A function together with the scope that its variables are in."""

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        unique_name: str | None,
        custom_getter: Callable[..., Any] | None,
        fixed: dict[str, Any],
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._name = name
        self._func = func
        self._unique_name = unique_name
        self._getter = custom_getter
        self._fixed = fixed
        self._scope: VariableScope | None = None
        self._store = EagerVariableStore() if current_graph() is None else None
        self._called = False

    def open_scope(self) -> None:
        """Choose the scope now, and not at the first call."""
        with variable_scope(self._unique_name, self._name, custom_getter=self._getter) as scope:
            self._scope = scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function: the first time variables are made, later they are found again."""
        if self._store is not None and current_graph() is None:
            with self._store.as_default():
                return self._within(args, kwargs)
        return self._within(args, kwargs)

    def _within(self, args: Any, kwargs: Any) -> Any:
        if self._scope is None:
            self.open_scope()
            assert self._scope is not None
            inside = name_scope(self._scope.original_name_scope)
            with variable_scope(self._scope, auxiliary_name_scope=False), inside:
                return self._first(args, kwargs)
        with variable_scope(self._scope, reuse=True if self._called else None):
            return self._later(args, kwargs) if self._called else self._first(args, kwargs)

    def _first(self, args: Any, kwargs: Any) -> Any:
        result = self._func(*args, **{**self._fixed, **kwargs})
        self._called = True
        return result

    def _later(self, args: Any, kwargs: Any) -> Any:
        before = {id(v) for v in self._made()}
        result = self._func(*args, **{**self._fixed, **kwargs})
        new = [v for v in self._made() if id(v) not in before]
        if new:
            raise ValueError(
                "Trainable variable created when calling a template after the first time, perhaps "
                f"you used tf.Variable when you meant tf.get_variable: {new}"
            )
        return result

    def _made(self) -> list[Any]:
        graph = current_graph()
        return [] if graph is None else graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    # ---- what it consists of ---------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name that was asked for."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of the variables; None before the first call."""
        return self._scope

    var_scope = variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of that scope."""
        return None if self._scope is None else self._scope.name

    def _collected(self, key: str) -> list[Any]:
        graph = current_graph()
        if self._store is not None or graph is None or self._scope is None:
            kept = [] if self._store is None else self._store.variables()
            return [v for v in kept if v.trainable or key != GraphKeys.TRAINABLE_VARIABLES]
        found: list[Any] = graph.get_collection(key, f"{self._scope.name}/")
        return found

    @property
    def global_variables(self) -> list[Any]:
        """The variables of the function that are not local."""
        return self._collected(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The local variables of the function."""
        return [] if self._store is not None else self._collected(GraphKeys.LOCAL_VARIABLES)

    @property
    def variables(self) -> list[Any]:
        """All variables of the function."""
        return [*self.global_variables, *self.local_variables]

    weights = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that are trained."""
        return self._collected(GraphKeys.TRAINABLE_VARIABLES)

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables that are not trained."""
        trained = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trained]

    non_trainable_weights = non_trainable_variables


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Template:
    """A function whose calls share the variables that the first call creates.

    >>> def layer(x):
    ...     return x * tf.compat.v1.get_variable("w", initializer=2.0)
    >>> with tf.Graph().as_default():
    ...     shared = tf.compat.v1.make_template("layer", layer)
    ...     y = shared(1.0) + shared(2.0)
    ...     print(len(tf.compat.v1.trainable_variables()))
    1
    """
    if unique_name_ and current_graph() is None:
        raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
    made = Template(name_, func_, unique_name_, custom_getter_, kwargs)
    if create_scope_now_:
        made.open_scope()
    return made
