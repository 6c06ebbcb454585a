"""Switches between the behaviours of the two versions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wengert.api.session import modes
from wengert.api.session.modes import disable_eager_execution, enable_eager_execution, name_scope
from wengert.core.context import current_graph
from wengert.graph.tracing import ControlFlow
from wengert.ops.control.effects import group
from wengert.state.variable import around_functions
from wengert.values.shapes import give_objects


def disable_v2_behavior() -> None:
    """Enable graph mode: from now on operations are added to the default graph.

    The sizes of shapes are objects then, which have a `value`: see `disable_v2_tensorshape`.

    >>> tf.compat.v1.disable_v2_behavior()
    >>> tf.executing_eagerly()
    False
    >>> tf.compat.v1.enable_v2_behavior()
    """
    disable_eager_execution()
    disable_v2_tensorshape()
    disable_control_flow_v2()


def enable_v2_behavior() -> None:
    """Enable eager mode: from now on operations run immediately.

    >>> tf.compat.v1.enable_v2_behavior()
    """
    enable_eager_execution()
    enable_v2_tensorshape()
    enable_control_flow_v2()


def enable_resource_variables() -> None:
    """Accepted: all variables are resource variables, whose reads see earlier assignments.

    >>> tf.compat.v1.enable_resource_variables()
    """


def disable_resource_variables() -> None:
    """Accepted, without effect: there is only one kind of variables.

    >>> tf.compat.v1.disable_resource_variables()
    """


def resource_variables_enabled() -> bool:
    """True: reads and assignments of a variable are ordered operations.

    >>> tf.compat.v1.resource_variables_enabled()
    True
    """
    return True


def device(device_name_or_function: Any) -> Any:
    """Record a device for the operations created inside, or what a function says of each operation.

    >>> with tf.Graph().as_default(), tf.compat.v1.device("/cpu:0"):
    ...     print(tf.constant(1.0).device)
    /device:CPU:0
    """
    return modes.device(device_name_or_function)


def enable_control_flow_v2() -> None:
    """Keep a graph's gradient_override_map out of branches and loops, as it is by default.

    They are always functions here.

    >>> tf.compat.v1.enable_control_flow_v2()
    """
    ControlFlow.choose(True)


def disable_control_flow_v2() -> None:
    """Let a graph's gradient_override_map reach into branches and loops.

    >>> tf.compat.v1.disable_control_flow_v2()
    >>> tf.compat.v1.control_flow_v2_enabled()
    False
    >>> tf.compat.v1.enable_control_flow_v2()
    """
    ControlFlow.choose(False)


def executing_eagerly_outside_functions() -> bool:
    """Whether execution is eager, or would be outside of the function that is being traced.

    >>> tf.compat.v1.executing_eagerly_outside_functions()
    True
    """
    return around_functions(current_graph()) is None


@contextmanager
def op_scope(values: Any, name: str | None, default_name: str | None = None) -> Iterator[str]:
    """The same as `name_scope`, with the values as the first argument.

    >>> with tf.Graph().as_default(), tf.compat.v1.op_scope([], "layer") as scope:
    ...     print(scope)
    layer/
    """
    with name_scope(name, default_name, values) as scope:
        yield scope


@contextmanager
def container(container_name: str) -> Iterator[str]:
    """Accepted, without effect: sessions never share variables.

    >>> with tf.Graph().as_default(), tf.compat.v1.container("c"):
    ...     v = tf.Variable(1.0)
    """
    yield container_name


def control_flow_v2_enabled() -> bool:
    """Whether branches and loops are functions to a graph's gradient_override_map.

    >>> tf.compat.v1.control_flow_v2_enabled()
    True
    """
    return ControlFlow.is_functions


def enable_tensor_equality() -> None:
    """Accepted: == always compares elementwise.

    >>> tf.compat.v1.enable_tensor_equality()
    """


def enable_v2_tensorshape() -> None:
    """Let a size of a shape be a number or None.

    >>> tf.compat.v1.enable_v2_tensorshape()
    """
    give_objects(False)


def disable_v2_tensorshape() -> None:
    """Let a size of a shape be an object that has a `value`, as in TensorFlow 1.

    >>> tf.compat.v1.disable_v2_tensorshape()
    >>> tf.TensorShape([None, 3])[1].value, str(tf.TensorShape([None, 3]))
    (3, '(?, 3)')
    >>> tf.compat.v1.enable_v2_tensorshape()
    """
    give_objects(True)


def tables_initializer(name: str = "init_all_tables") -> Any:
    """An operation that fills the tables of the graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    ...     found = table.lookup(tf.constant(["a", "b"]))
    ...     _ = session.run(tf.compat.v1.tables_initializer())
    ...     print(session.run(found))
    [ 1 -1]
    """
    graph = current_graph()
    fills = [] if graph is None else graph.get_collection("table_initializer")
    return group(*fills, name=name)


initialize_all_tables = tables_initializer
