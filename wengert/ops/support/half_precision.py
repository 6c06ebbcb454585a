"""Two-byte floats: kernels that sum or iterate do so in float32 and convert once at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.ops.support.large_kernels import cast_kernel

if TYPE_CHECKING:
    from wengert.values.typing import Array


def is_half(x: Array) -> bool:
    """Whether an array is of a half precision: float16 or bfloat16."""
    dtype = x.dtype
    return dtype.itemsize == 2 and dtype.kind in "fV"


def widen(x: Array) -> Array:
    """The array as float32 if it is of a half precision, else unchanged."""
    return in_precision(x, _WIDE) if is_half(x) else x


def in_precision(x: Array, dtype: Any) -> Array:
    """The array in another precision, or itself: NumPy rounds float16 without vectors."""
    if x.dtype == dtype:
        return x
    found = cast_kernel(x, dtype) if x.size >= _MANY else None
    return x.astype(dtype) if found is None else found


_WIDE: Final = np.dtype(np.float32)
_MANY: Final = 1 << 10  # elements: float16 takes NumPy 2 to 4 ns each
