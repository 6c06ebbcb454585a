"""tensorflow.python.ops.array_ops: what is not public of it."""

from __future__ import annotations

from typing import Any

from wengert.ops.arrays.gathering import gather_nd

newaxis = None


def batch_gather_nd(params: Any, indices: Any, batch_dims: int, name: str | None = None) -> Any:
    """gather_nd with leading axes in common."""
    return gather_nd(params, indices, batch_dims, name)
