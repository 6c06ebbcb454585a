"""The global step, the variable that counts training steps."""

from __future__ import annotations

from typing import Any

from wengert.api.session.modes import get_default_graph
from wengert.api.variables.get_variable import get_variable
from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.variable_store import new_variable
from wengert.core.context import activate, current_graph
from wengert.ops.arrays.creation import zeros
from wengert.state.variable import Variable
from wengert.values.dtypes import int64


def get_global_step(graph: Any = None) -> Any:
    """The step counter of a graph, or None.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.train.get_global_step())
    None
    """
    chosen = graph or get_default_graph()
    found = chosen.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        raise RuntimeError("Multiple tensors in global_step collection.")
    if not found:
        return _by_name(chosen)
    assert_global_step(found[0])
    return found[0]


def _by_name(graph: Any) -> Any:
    named = [
        v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if v.name == "global_step:0"
    ]
    return named[0] if named else None


def create_global_step(graph: Any = None) -> Any:
    """Create the step counter of a graph.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.create_global_step()
    ...     step.name, step.dtype, step.trainable
    ('global_step:0', tf.int64, False)
    """
    chosen = graph or get_default_graph()
    if get_global_step(chosen) is not None:
        raise ValueError('"global_step" already exists.')
    names = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP]
    if current_graph() is None and graph is None:
        step = new_variable(zeros([], int64), trainable=False, name="global_step")
        chosen.add_to_collection(GraphKeys.GLOBAL_STEP, step)
        return step
    with activate((), chosen), chosen.names.scoped(None):
        return get_variable("global_step", [], int64, zeros, trainable=False, collections=names)


def get_or_create_global_step(graph: Any = None) -> Any:
    """The step counter of a graph, created if there is none.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     step is tf.compat.v1.train.get_or_create_global_step()
    True
    """
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def assert_global_step(global_step_tensor: Any) -> None:
    """Raise unless this can count steps: an integer scalar.

    >>> tf.compat.v1.train.assert_global_step(tf.Variable(0))
    """
    if not isinstance(global_step_tensor, Variable) and not hasattr(global_step_tensor, "dtype"):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor!r}.'
        )
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}'
        )
    if global_step_tensor.shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The step that a session has reached.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.create_global_step()
    ...     with tf.compat.v1.Session() as sess:
    ...         sess.run(step.initializer)
    ...         tf.compat.v1.train.global_step(sess, step)
    0
    """
    if current_graph() is None:
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))
