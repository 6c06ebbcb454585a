"""Two-byte floats: kernels that sum or iterate do so in float32 and convert once at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from wengert.values.typing import Array


def widen(x: Array) -> Array:
    """The array as float32 if it is of a half precision (float16, bfloat16), else unchanged."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind in "fV" else x
