"""tensorflow.python.ops.state_ops: its names that are not public."""

from __future__ import annotations

from typing import Any

from wengert.compat.v1 import Variable
from wengert.compat.v1 import is_variable_initialized as is_variable_initialized
from wengert.ops.arrays.creation import zeros


def variable_op(
    shape: Any, dtype: Any, name: str = "Variable", set_shape: bool = True, **_: Any
) -> Any:
    """A variable without an initial value: zeros until it is assigned to."""
    made: Any = Variable
    return made(lambda: zeros(shape, dtype), name=name)


variable_op_v2 = variable_op
