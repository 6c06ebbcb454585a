"""tensorflow.python.ops.resource_variable_ops: all variables are such, and their own handles."""

from __future__ import annotations

from typing import Any

from wengert.api.function.stand_ins import VariableSpec as VariableSpec
from wengert.compat.inner.gradient_functions import own_gradient
from wengert.compat.raw_variables import assign_add_variable_op as assign_add_variable_op
from wengert.compat.raw_variables import assign_sub_variable_op as assign_sub_variable_op
from wengert.compat.raw_variables import assign_variable_op as assign_variable_op
from wengert.compat.raw_variables import read_variable_op as read_variable_op
from wengert.compat.raw_variables import resource_gather as resource_gather
from wengert.compat.raw_variables import resource_gather_nd as resource_gather_nd
from wengert.compat.raw_variables import resource_scatter_add as resource_scatter_add
from wengert.compat.raw_variables import resource_scatter_div as resource_scatter_div
from wengert.compat.raw_variables import resource_scatter_max as resource_scatter_max
from wengert.compat.raw_variables import resource_scatter_min as resource_scatter_min
from wengert.compat.raw_variables import resource_scatter_mul as resource_scatter_mul
from wengert.compat.raw_variables import resource_scatter_sub as resource_scatter_sub
from wengert.compat.raw_variables import resource_scatter_update as resource_scatter_update
from wengert.compat.raw_variables import var_handle_op as var_handle_op
from wengert.compat.raw_variables import var_is_initialized_op as var_is_initialized_op
from wengert.compat.raw_variables import variable_shape as variable_shape
from wengert.ops.arrays.gathering import RESOURCE_GATHER, RESOURCE_GATHER_ND
from wengert.ops.arrays.identity import READ
from wengert.state.variable import Variable as BaseResourceVariable
from wengert.state.variable import Variable as ResourceVariable


def is_resource_variable(var: Any) -> bool:
    """Whether a value is a variable."""
    return isinstance(var, ResourceVariable)


# TensorFlow's gradient functions of these types, for rules that call them.
_GatherGrad = own_gradient(RESOURCE_GATHER)
_GatherNdGrad = own_gradient(RESOURCE_GATHER_ND)
_ReadGrad = own_gradient(READ)

__all__ = ["BaseResourceVariable", "ResourceVariable"]
