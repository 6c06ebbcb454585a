"""tensorflow.compiler.tf2xla.python.xla: XLA's operations that programs use, as operations of ours."""

from __future__ import annotations

from typing import Any

from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.tensor_scatter import tensor_strided_slice_update
from wengert.ops.math.arithmetic import maximum, minimum
from wengert.ops.math.elementwise import cast
from wengert.values.convert import convert
from wengert.values.dtypes import int32


def dynamic_update_slice(x: Any, updates: Any, indices: Any) -> Any:
    """The tensor with others from an index on, which is moved so that they fit."""
    whole, part = convert(x), convert(updates)
    size = shape(part)
    room = shape(whole) - size
    begin = maximum(minimum(cast(convert(indices), int32), room), 0)
    ones = [1] * len(part.shape)
    return tensor_strided_slice_update(whole, begin, begin + size, ones, part)
