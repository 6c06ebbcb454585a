"""tensorflow.python.ops.array_ops: its names that are not public."""

from __future__ import annotations

from typing import Any

from wengert import raw_ops
from wengert.compat import raw_arrays
from wengert.compat.v1 import convert_to_tensor, setdiff1d, shape, size
from wengert.ops.arrays.creation import rank
from wengert.ops.arrays.gathering import gather_nd
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.sequences import repeat
from wengert.values.dtypes import int32

newaxis = None


def batch_gather_nd(params: Any, indices: Any, batch_dims: int, name: str | None = None) -> Any:
    """gather_nd with leading batch axes."""
    return gather_nd(params, indices, batch_dims, name)


def strided_slice_grad(
    shape: Any,
    begin: Any,
    end: Any,
    strides: Any,
    dy: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    name: str | None = None,
) -> Any:
    """The gradient with respect to an array of such a shape, from that of a slice of it."""
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    return raw_arrays.strided_slice_grad(shape, begin, end, strides, dy, **masks)


def shape_internal(
    input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None
) -> Any:
    """The shape; of a sparse tensor its dense shape."""
    return shape(input, name=name, out_type=out_type or int32)


def size_internal(
    input: Any, name: str | None = None, optimize: bool = True, out_type: Any = int32
) -> Any:
    """The number of elements."""
    return size(input, name=name, out_type=out_type)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Any:
    """The number of axes."""
    return rank(input, name=name)


def convert_to_int_tensor(tensor: Any, name: str, dtype: Any = int32) -> Any:
    """A tensor of integers of a dtype."""
    found = convert_to_tensor(tensor, name=name, preferred_dtype=dtype)
    if not found.dtype.is_integer:
        raise TypeError(f"{name} must be an integer tensor; dtype={found.dtype}")
    return cast(found, dtype)


def get_positive_axis(
    axis: Any, ndims: Any, axis_name: str = "axis", ndims_name: str = "ndims"
) -> int:
    """An axis, counted from the front."""
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if ndims is not None:
        if not -ndims <= axis < ndims:
            raise ValueError(
                f"{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}"
            )
        return axis % ndims if ndims else axis
    if axis < 0:
        raise ValueError(
            f"{axis_name}={axis} may only be negative if {ndims_name} is statically known."
        )
    return axis


def repeat_with_axis(data: Any, repeats: Any, axis: Any, name: str | None = None) -> Any:
    """Elements repeated along an axis; without one, those of the flattened tensor."""
    return repeat(data, repeats, axis, name=name)


def listdiff(x: Any, y: Any, out_idx: Any = None, name: str | None = None) -> Any:
    """What is in a list and not in another, and where it was."""
    return setdiff1d(x, y, out_idx or int32, name=name)


def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,  # its name there
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Floats as integers of a quantized dtype, and the range that these stand for."""
    along = -1 if axis is None else axis
    return raw_ops.QuantizeV2(
        input, min_range, max_range, T, mode, round_mode, narrow_range, along, ensure_minimum_range
    )
