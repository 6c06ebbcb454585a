"""tensorflow.python.ops.resource_variable_ops: every variable is one."""

from typing import Any

from wengert import shape
from wengert.core.variable import Variable as BaseResourceVariable
from wengert.core.variable import Variable as ResourceVariable


def variable_shape(handle: Any, out_type: Any = None) -> Any:
    """The shape of a variable, as a tensor."""
    return shape(handle) if out_type is None else shape(handle, out_type)


def is_resource_variable(var: Any) -> bool:
    """Whether it is a variable."""
    return isinstance(var, ResourceVariable)


__all__ = ["BaseResourceVariable", "ResourceVariable", "is_resource_variable", "variable_shape"]
