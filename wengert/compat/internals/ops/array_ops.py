"""tensorflow.python.ops.array_ops: its names that are not public."""

from __future__ import annotations

from typing import Any

from wengert.compat import raw_arrays
from wengert.ops.arrays.gathering import gather_nd

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
