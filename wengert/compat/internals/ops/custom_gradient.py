"""tensorflow.python.ops.custom_gradient: its names that are not public."""

from __future__ import annotations

from typing import Any

from wengert.api.gradients.graph_gradients import gradients
from wengert.api.session.modes import get_default_graph
from wengert.api.variables.graph_variable import GraphKeys
from wengert.values import nest
from wengert.values.convert import convert


def get_dependent_variables(input_ops: Any, output_ops: Any) -> list[Any]:
    """The trainable variables on which outputs depend, other than through the inputs."""
    inputs = [convert(x) for x in nest.flatten(input_ops)]
    outputs = [y for y in map(convert, nest.flatten(output_ops)) if y.dtype.is_differentiable]
    trained = inputs[0].graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
    found = gradients(outputs, trained, stop_gradients=inputs) if outputs and trained else []
    return [v for v, g in zip(trained, found, strict=False) if g is not None]


def get_variable_by_name(var_name: str) -> Any:
    """The variable of a name, in the default graph."""
    listed = get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)
    found = [v for v in listed if v.name == f"{var_name}:0"]
    if not found:
        raise ValueError(f"Unsuccessful at finding variable {var_name}.")
    return found[0]


_get_dependent_variables = get_dependent_variables
