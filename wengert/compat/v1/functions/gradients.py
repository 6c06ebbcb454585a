"""tf.gradients and tf.hessians with the arguments of version 1."""

from __future__ import annotations

from typing import Any

from wengert.api.gradients import graph_gradients as now
from wengert.api.gradients.unconnected import UnconnectedGradients


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
    overrides: Any = None,
    **switches: Any,
) -> list[Any]:
    """The derivatives of the sum of `ys` with respect to each of `xs`, as tensors of the graph.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(3.0)
    ...     (g,) = v1.gradients(x * x, x, colocate_gradients_with_ops=True)
    ...     print(v1.Session().run(g))
    6.0
    """
    return now.gradients(
        ys,
        xs,
        grad_ys,
        name,
        gate_gradients,
        aggregation_method,
        stop_gradients,
        unconnected_gradients,
        overrides,
        colocated=colocate_gradients_with_ops,
        **switches,
    )


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> list[Any]:
    """The second derivatives of the sum of `ys`: for each x a tensor of shape x.shape + x.shape.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     x = tf.constant([1.0, 2.0])
    ...     (h,) = v1.hessians(tf.reduce_sum(x ** 3), x)
    ...     print(v1.Session().run(h).tolist())
    [[6.0, 0.0], [0.0, 12.0]]
    """
    return now.hessians(ys, xs, gate_gradients, aggregation_method, name)
