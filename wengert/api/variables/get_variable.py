"""tf.compat.v1.get_variable: variables that are created once and found again by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.variable_scope import get_variable_scope, graph_of_variables
from wengert.api.variables.variable_store import VariableStore, one_of_graph

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, ShapeLike


def get_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Callable[..., Any] | None = None,
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
    """Get the variable of this name in the current scope, or create it; see `reuse`.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.variable_scope("layer"):
    ...     w = v1.get_variable("w", [2], initializer=v1.ones_initializer())
    >>> w.name, w.shape
    ('layer/w:0', TensorShape([2]))
    """
    return get_variable_scope().get_variable(
        variable_store(),
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Callable[..., Any] | None = None,
    trainable: bool = False,
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
    """Get or create a local variable, which is neither trained nor saved.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     count = v1.get_local_variable("count", [], initializer=v1.zeros_initializer())
    ...     v1.local_variables() == [count], v1.global_variables(), count.trainable
    (True, [], False)
    """
    return get_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=False,
        collections=[*(collections or []), GraphKeys.LOCAL_VARIABLES],
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def variable_store() -> VariableStore:
    """The variables of the default graph, by name."""
    return one_of_graph(graph_of_variables(), "__variable_store", VariableStore)


def no_regularizer(_: object) -> None:
    """A regularizer that adds nothing, to override that of a scope.

    >>> tf.compat.v1.no_regularizer(tf.constant(1.0))
    """
    return
