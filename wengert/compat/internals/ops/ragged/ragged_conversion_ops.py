"""tensorflow.python.ops.ragged.ragged_conversion_ops: conversions that take what is converted already."""

from __future__ import annotations

from typing import Any

from wengert.ops.ragged import conversions
from wengert.ops.ragged.tensor import RaggedTensor


def to_tensor(rt_input: Any, default_value: Any = None, name: str | None = None) -> Any:
    """A ragged tensor with its rows padded; another tensor as it is."""
    if not isinstance(rt_input, RaggedTensor):
        return rt_input
    return conversions.to_tensor(rt_input, default_value)


def from_tensor(tensor: Any, *args: Any, **named: Any) -> Any:
    """A tensor as a ragged one; a ragged tensor as it is."""
    if isinstance(tensor, RaggedTensor):
        return tensor
    return conversions.from_tensor(tensor, *args, **named)
