"""tf.gradient_override_map: replace the gradients of operations created inside a block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wengert.core.context import current_graph, override_rows
from wengert.host.context_manager import Change, context_manager, enter
from wengert.overrides.row_override import rules_by_type


@context_manager
def gradient_override_map(op_type_map: Mapping[Any, Any] | None) -> Change:
    """Replace the gradients of operations created inside, in eager mode, functions and graphs.

    The map goes from operation types to names under which gradients are registered, to operation
    types whose gradient to take, or to functions `(op, *grads)`. A `tf.function` that is called
    inside is traced for these rules: a function defined inside a training loop is a new rule in
    every step. Branches and loops are included, where TensorFlow's `Graph.gradient_override_map`
    is for the operations of one graph.

    To override rules where the gradient is taken, in code that one did not write, give
    `overrides=` to `tape.gradient` or `tf.gradients`: a dictionary from an operation type, an
    operation name, a name scope, or a function of an operation, to a rule. The rule of a name
    scope is `(region, *grads)`, and returns a gradient for each of `region.inputs`.

    >>> x = tf.constant(2.7)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     with tf.gradient_override_map({"Round": "Identity"}):
    ...         y = tf.round(x) * 2.0
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(6.0), np.float32(2.0))
    """
    graph = current_graph()
    entered, leave = enter(override_rows(rules_by_type(op_type_map)))
    if graph is None:
        return entered, leave
    _, leave_graph = enter(graph.gradient_override_map(op_type_map))  # before what it has already

    def undo() -> None:
        leave_graph()
        leave()

    return None, undo
