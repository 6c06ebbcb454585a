"""Variables in tf.compat.v1: creating, initializing, changing and listing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.session.modes import get_default_graph
from wengert.api.variables import graph_variable
from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.variable_store import new_variable
from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.variable_scatter import ROWS
from wengert.ops.control.effects import no_op
from wengert.ops.state.assignments import is_variable_initialized
from wengert.state import variable as core
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.indexed_slices import IndexedSlices

# ---- creating ---------------------------------------------------------------------------------


class _Kind(core.Made, type):
    """Makes every variable an instance, regardless of how it was created."""

    def __call__(
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> Any:
        return new_variable(
            initial_value,
            trainable=trainable,
            collections=collections,
            validate_shape=validate_shape,
            name=name,
            dtype=None if dtype is None else as_dtype(dtype),
            constraint=constraint,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
            shape=shape,
            caching_device=caching_device,
            variable_def=variable_def,
            import_scope=import_scope,
        )

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, core.Variable)


if TYPE_CHECKING:
    _Made = core.Variable
else:
    _Made = object


class Variable(_Made, metaclass=_Kind):
    """tf.Variable with the arguments of version 1, in their order.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     v = v1.Variable(1.0, False, ["mine"], name="v")
    ...     v.name, v1.get_collection("mine") == [v], isinstance(v, v1.Variable)
    ('v:0', True, True)
    """

    from_proto = staticmethod(core.Variable.from_proto)

    if TYPE_CHECKING:  # as _Kind takes them

        def __init__(
            self,
            initial_value: Any = None,
            trainable: bool | None = None,
            collections: Any = None,
            validate_shape: bool = True,
            caching_device: Any = None,
            name: str | None = None,
            variable_def: Any = None,
            dtype: Any = None,
            expected_shape: Any = None,
            import_scope: Any = None,
            constraint: Any = None,
            use_resource: bool | None = None,
            synchronization: Any = None,
            aggregation: Any = None,
            shape: Any = None,
        ) -> None: ...


# ---- initializing -----------------------------------------------------------------------------


def variables_initializer(var_list: Any, name: str = "init") -> Any:
    """An operation that gives variables their initial values.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(2.0)
    ...     with tf.compat.v1.Session() as sess:
    ...         sess.run(tf.compat.v1.variables_initializer([v]))
    ...         print(sess.run(v))
    2.0
    """
    return graph_variable.variables_initializer(var_list, name)


def global_variables_initializer() -> Any:
    """An operation that gives all variables of the graph their initial values.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(2.0)
    ...     with tf.compat.v1.Session() as sess:
    ...         sess.run(tf.compat.v1.global_variables_initializer())
    ...         print(sess.run(v * 3.0))
    6.0
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """An operation that gives the local variables their initial values.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.local_variables_initializer().type)
    NoOp
    """
    return variables_initializer(local_variables())


initialize_variables = variables_initializer
initialize_all_variables = global_variables_initializer
initialize_local_variables = local_variables_initializer

_UNINITIALIZED: Row = op(
    "ReportUninitialized",
    lambda _, there, *, names: np.array(
        [n for n, is_there in zip(names, there, strict=True) if not is_there], object
    ),
    forms=lambda xs, attrs: [((None,), np.dtype(object))],
)


def report_uninitialized_variables(
    var_list: Any = None, name: str = "report_uninitialized_variables"
) -> Any:
    """The names of the uninitialized variables.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(2.0, name="v")
    ...     tf.compat.v1.Session().run(tf.compat.v1.report_uninitialized_variables()).tolist()
    [b'v']
    """
    found = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    names = [v.name.partition(":")[0].encode() for v in found]
    there = stack([is_variable_initialized(v) for v in found]) if found else convert([], as_dtype("bool"))  # fmt: skip
    return apply(_UNINITIALIZED, (there,), {"names": names}, name)


def assert_variables_initialized(var_list: Any = None) -> Any:
    """An operation that fails if a variable is uninitialized; None if there are no variables.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(2.0, name="v")
    ...     tf.compat.v1.Session().run(tf.compat.v1.assert_variables_initialized([v]))
    Traceback (most recent call last):
        ...
    wengert.errors.FailedPreconditionError: Attempting to use uninitialized value v: ...
    """
    found = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    if not found:
        return None
    graph = current_graph()
    if graph is None:
        return None
    with graph.control_dependencies([v.read_value() for v in found]):
        return no_op("assert_variables_initialized")


# ---- changing ---------------------------------------------------------------------------------


def assign(
    ref: Any,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Assign to a variable; the result has the new value.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0)
    ...     print(tf.compat.v1.Session().run(tf.compat.v1.assign(v, 2.0)))
    2.0
    """
    return ref.assign(value, name=name)


def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Add to a variable.

    >>> tf.compat.v1.assign_add(tf.Variable(1.0), 2.0).numpy()
    np.float32(3.0)
    """
    return ref.assign_add(value, name=name)


def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Subtract from a variable.

    >>> tf.compat.v1.assign_sub(tf.Variable(1.0), 2.0).numpy()
    np.float32(-1.0)
    """
    return ref.assign_sub(value, name=name)


def _scatter(kind: str, use_locking: bool = False) -> Callable[..., Any]:
    method = f"scatter_{kind.lower()}"

    def function(
        ref: Any, indices: Any, updates: Any, use_locking: bool = use_locking, name: Any = None
    ) -> Any:
        return getattr(ref, method)(IndexedSlices(convert(updates, ref.dtype), convert(indices)))

    function.__name__ = function.__qualname__ = method
    function.__doc__ = f"""Change rows of a variable, as its method `{method}` does.

    >>> v = tf.Variable([4.0, 6.0])
    >>> tf.compat.v1.{method}(v, [1], [2.0]).numpy().tolist()
    {[4.0, _EXAMPLES[kind]]}
    """
    return function


_EXAMPLES = {"Add": 8.0, "Sub": 4.0, "Mul": 12.0, "Div": 3.0, "Min": 2.0, "Max": 6.0, "Update": 2.0}
assert _EXAMPLES.keys() == ROWS.keys()
scatter_add = _scatter("Add")
scatter_sub = _scatter("Sub")
scatter_mul = _scatter("Mul")
scatter_div = _scatter("Div")
scatter_min = _scatter("Min")
scatter_max = _scatter("Max")
scatter_update = _scatter("Update", use_locking=True)


def scatter_nd_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Add at coordinates.

    >>> v = tf.Variable([[1.0, 2.0]])
    >>> tf.compat.v1.scatter_nd_add(v, [[0, 1]], [3.0]).numpy().tolist()
    [[1.0, 5.0]]
    """
    return ref.scatter_nd_add(indices, updates)


def scatter_nd_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Subtract at coordinates.

    >>> v = tf.Variable([[1.0, 2.0]])
    >>> tf.compat.v1.scatter_nd_sub(v, [[0, 1]], [3.0]).numpy().tolist()
    [[1.0, -1.0]]
    """
    return ref.scatter_nd_sub(indices, updates)


def scatter_nd_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replace at coordinates.

    >>> v = tf.Variable([[1.0, 2.0]])
    >>> tf.compat.v1.scatter_nd_update(v, [[0, 1]], [3.0]).numpy().tolist()
    [[1.0, 3.0]]
    """
    return ref.scatter_nd_update(indices, updates)


def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replace rows of each example.

    >>> v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.compat.v1.batch_scatter_update(v, [[0], [1]], [[9.0], [8.0]]).numpy().tolist()
    [[9.0, 2.0], [3.0, 8.0]]
    """
    return ref.batch_scatter_update(IndexedSlices(convert(updates, ref.dtype), convert(indices)))


# ---- listing ----------------------------------------------------------------------------------


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """The values in a collection of the default graph.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collection("mine", 3)
    ...     tf.compat.v1.get_collection("mine")
    [3]
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """The list of a collection itself, which can be changed.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.get_collection_ref("mine").append(3)
    ...     tf.compat.v1.get_collection("mine")
    [3]
    """
    return get_default_graph().get_collection_ref(key)


def add_to_collection(name: Any, value: Any) -> None:
    """Add a value to a collection of the default graph.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collection("mine", 3)
    """
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Add a value to several collections.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collections(["a", "b"], 3)
    ...     tf.compat.v1.get_collection("b")
    [3]
    """
    get_default_graph().add_to_collections(names, value)


def global_variables(scope: str | None = None) -> list[Any]:
    """The variables of the graph, except for the local ones.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0)
    ...     tf.compat.v1.global_variables() == [v]
    True
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


all_variables = global_variables


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The variables that optimizers change.

    >>> with tf.Graph().as_default():
    ...     v, w = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    ...     tf.compat.v1.trainable_variables() == [v]
    True
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    """The variables that are not saved.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.local_variables()
    []
    """
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables in the collection of model variables.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.model_variables()
    []
    """
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables that have moving averages.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0)
    ...     _ = tf.train.ExponentialMovingAverage(0.9).apply([v])
    ...     tf.compat.v1.moving_average_variables() == [v]
    True
    """
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)
