"""tensorflow.python.util.variable_utils: variables as the tensors they hold."""

from __future__ import annotations

from typing import Any

from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.composite import Composite


def convert_variables_to_tensors(values: Any) -> Any:
    """The values with tensors in place of variables, also of those within composite values."""
    return nest.map_structure(_converted, values)


def _converted(value: Any) -> Any:
    if isinstance(value, Variable) or hasattr(type(value), "_should_act_as_resource_variable"):
        return value.read_value() if hasattr(value, "read_value") else value.handle.read_value()
    if isinstance(value, Composite) and hasattr(value, "_convert_variables_to_tensors"):
        return value._convert_variables_to_tensors()
    return value
