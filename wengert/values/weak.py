"""Tensors whose dtype gives way: those of Python's numbers, where operations promote.

Off by default: `experimental_enable_numpy_behavior(dtype_conversion_mode="all")`. A weak tensor is a
tensor like any other, with a mark that its repr shows; what takes no notice of it makes strong ones.
"""

from __future__ import annotations

from typing import Any, Final

from wengert.values import dtypes
from wengert.values.dtypes import DType
from wengert.values.tensor import WEAK, Tensor, wrap

# The dtypes that Python's numbers have, or that numbers come to in between, narrow ones first.
WEAK_DTYPES: Final[tuple[DType, ...]] = (
    dtypes.int32,
    dtypes.int64,
    dtypes.float32,
    dtypes.float64,
    dtypes.complex128,
)


def is_weak(value: Any) -> bool:
    """Whether the dtype of a tensor gives way."""
    return isinstance(value, Tensor) and WEAK in value.__dict__


def weakened(value: Any) -> Any:
    """The tensor with a dtype that gives way; itself if it is none, or of a dtype that never does.

    A tensor of a graph is one for all who have it, so it is marked itself; it has just been made.
    """
    if not isinstance(value, Tensor) or is_weak(value) or value.dtype not in WEAK_DTYPES:
        return value
    marked = value if type(value) is not Tensor else _same(value)
    marked.__dict__[WEAK] = True
    return marked


def strengthened(tensor: Tensor) -> Tensor:
    """An eager tensor with a dtype that stays."""
    made = _same(tensor)
    made.__dict__.pop(WEAK, None)
    return made


def _same(tensor: Tensor) -> Tensor:
    """Another tensor of the value, with the same identity for recorders."""
    made = wrap(tensor._array)
    made._key = tensor._key
    made.__dict__.update(tensor.__dict__)
    return made
