"""tensorflow.python.ops.array_ops: its names that are not public."""

from __future__ import annotations

from typing import Any

from wengert.ops.arrays.gathering import gather_nd

newaxis = None


def batch_gather_nd(params: Any, indices: Any, batch_dims: int, name: str | None = None) -> Any:
    """gather_nd with leading batch axes."""
    return gather_nd(params, indices, batch_dims, name)
