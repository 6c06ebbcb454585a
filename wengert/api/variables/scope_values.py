"""Variable scopes: the defaults of the variables created in a scope."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wengert.api.session.modes import get_default_graph
from wengert.api.session.modes import name_scope as entered_name_scope
from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.variable_store import AUTO_REUSE, VariableStore
from wengert.core.context import current_graph
from wengert.state.variable import around_functions
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, float32

if TYPE_CHECKING:
    from wengert.api.variables.variable_store import Reuse
    from wengert.values.dtypes import DType
    from wengert.values.typing import DTypeLike, ShapeLike, TensorLike


class VariableScope:
    """A variable scope: the name prefix of its variables, and their defaults.

    >>> with tf.Graph().as_default(), tf.compat.v1.variable_scope("layer") as scope:
    ...     scope.name, scope.original_name_scope, scope.reuse
    ('layer', 'layer/', False)
    """

    def __init__(
        self,
        reuse: Reuse,
        name: str = "",
        initializer: Any = None,
        regularizer: Callable[..., Any] | None = None,
        caching_device: object = None,
        partitioner: object = None,
        custom_getter: Callable[..., Any] | None = None,
        name_scope: str = "",
        dtype: DTypeLike = float32,
        use_resource: bool | None = None,
        constraint: Callable[..., Any] | None = None,
    ) -> None:
        eager = current_graph() is None
        if eager and caching_device is not None:
            raise NotImplementedError(
                "Caching devices is not yet supported when eager execution is enabled."
            )
        self._name = name
        self._name_scope = name_scope
        self._reuse = AUTO_REUSE if eager else reuse
        self._initializer = initializer
        self._regularizer = regularizer
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._dtype = as_dtype(dtype)
        self._use_resource = True if eager else use_resource
        self._constraint = constraint

    @property
    def name(self) -> str:
        """The full name of the scope."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope of operations when the scope was first entered."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """Whether variables of the scope are reused: True, False, None or `AUTO_REUSE`."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """The default initializer."""
        return self._initializer

    @property
    def dtype(self) -> DType:
        """The default dtype."""
        return self._dtype

    @property
    def use_resource(self) -> bool | None:
        """Whether variables are resource variables; None if it was not set."""
        return self._use_resource

    @property
    def regularizer(self) -> Any:
        """The default regularizer."""
        return self._regularizer

    @property
    def caching_device(self) -> Any:
        """The default caching device."""
        return self._caching_device

    @property
    def partitioner(self) -> Any:
        """The default partitioner."""
        return self._partitioner

    @property
    def custom_getter(self) -> Any:
        """The default custom getter."""
        return self._custom_getter

    @property
    def constraint(self) -> Any:
        """The default constraint."""
        return self._constraint

    def reuse_variables(self) -> None:
        """From now on, find existing variables instead of creating them."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Set the default initializer."""
        self._initializer = initializer

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Set the default dtype."""
        self._dtype = as_dtype(dtype)

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Set whether variables are resource variables; in eager mode they always are."""
        if current_graph() is None and not use_resource:
            raise ValueError(
                "When eager execution is enabled, use_resource cannot be set to false."
            )
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Callable[..., Any]) -> None:
        """Set the default regularizer."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: object) -> None:
        """Set the caching device; there is none in eager mode."""
        if current_graph() is None:
            raise NotImplementedError(
                "Caching devices are not yet supported when eager execution is enabled."
            )
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: object) -> None:
        """Set the default partitioner, which says into how many parts a variable is cut."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Callable[..., Any] | None) -> None:
        """Set the default custom getter."""
        self._custom_getter = custom_getter

    def get_collection(self, name: str) -> list[Any]:
        """The items of a collection whose names begin with the scope's."""
        scope = f"{self._name}/" if self._name else None
        return get_default_graph().get_collection(name, scope)

    def trainable_variables(self) -> list[Any]:
        """The trainable variables whose names begin with the scope's."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """The global variables whose names begin with the scope's."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """The local variables whose names begin with the scope's."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        var_store: VariableStore,
        name: str,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: Any = None,
        regularizer: Callable[..., Any] | None = None,
        reuse: Reuse = None,
        trainable: bool | None = None,
        collections: Iterable[str] | None = None,
        caching_device: object = None,
        partitioner: object = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Callable[..., Any] | None = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: object = None,
        aggregation: object = None,
    ) -> Any:
        """Get or create a variable in this scope, with its defaults for missing arguments."""
        full_name = "/".join(part for part in (self._name, name) if part)
        getter = self._custom_getter if custom_getter is None else custom_getter
        kind = _checked_dtype(self._dtype if dtype is None else as_dtype(dtype), dtype, initializer)
        with _no_name_scope():
            return var_store.get_variable(
                full_name,
                shape=shape,
                dtype=kind,
                initializer=self._initializer if initializer is None else initializer,
                regularizer=self._regularizer if regularizer is None else regularizer,
                reuse=_reuse_of(var_store, self._reuse if reuse is None else reuse),
                trainable=trainable,
                collections=collections,
                caching_device=self._caching_device if caching_device is None else caching_device,
                partitioner=self._partitioner if partitioner is None else partitioner,
                validate_shape=validate_shape,
                use_resource=self._use_resource if use_resource is None else use_resource,
                custom_getter=getter,
                constraint=self._constraint if constraint is None else constraint,
                synchronization=synchronization,
                aggregation=aggregation,
            )

    def _within(self, changes: dict[str, Any]) -> VariableScope:
        """A scope that has what this one has, but for the changes."""
        values = {name: getattr(self, f"_{name}") for name in _INHERITED}
        getter = changes.pop("custom_getter", None)
        given = {name: value for name, value in changes.items() if value is not None}
        if getter is not None:
            given["custom_getter"] = _one_in_other(self._custom_getter, getter)
        return VariableScope(**{**values, **given})


_INHERITED = (
    "reuse",
    "name",
    "name_scope",
    "initializer",
    "regularizer",
    "caching_device",
    "partitioner",
    "custom_getter",
    "dtype",
    "use_resource",
    "constraint",
)


def _reuse_of(store: VariableStore, reuse: Reuse) -> Any:
    """In eager mode only the store of a program keeps variables; otherwise there is nothing to reuse."""
    if current_graph() is not None:
        return reuse
    return AUTO_REUSE if store.keeps_eager else False


def _checked_dtype(dtype: DType, given: DTypeLike | None, initializer: TensorLike | None) -> DType:
    """An initial value has a dtype of its own, which an explicit one must agree with."""
    if given is None or initializer is None or callable(initializer):
        return dtype
    found = convert(initializer).dtype
    if found is not dtype:
        raise ValueError(
            f"Initializer type '{found.name}' and explicit dtype '{dtype.name}' don't match."
        )
    return dtype


def _one_in_other(
    outer: Callable[..., Any] | None, inner: Callable[..., Any]
) -> Callable[..., Any]:
    """The inner getter calls the outer one, which calls the getter that it is given."""
    if outer is None:
        return inner

    def both(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return inner(*args, getter=functools.partial(outer, getter), **kwargs)

    return both


@contextmanager
def _no_name_scope() -> Iterator[None]:
    """The name of a variable is complete, in a function as in the graph around it that keeps it."""
    graph = current_graph()
    if graph is None:
        with entered_name_scope(None):
            yield
        return
    keeper = around_functions(graph) or graph
    with graph.names.scoped(None), keeper.names.scoped(None):
        yield
