"""tensorflow.python.ops.numpy_ops.np_dtypes: what is preferred among dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.api.numpy.promotion import allowed, named, prefer_float32, settings
from wengert.values.dtypes import float64


def default_float_type() -> Any:
    """The dtype of numbers with a fraction that name none."""
    return allowed(float64).as_numpy_dtype


def is_prefer_float32() -> bool:
    return settings.prefers_float32


def set_prefer_float32(b: bool) -> None:
    prefer_float32(b)


def is_allow_float64() -> bool:
    return True


def set_allow_float64(b: bool) -> None:
    if not b:
        raise NotImplementedError(
            "float64 cannot be forbidden. tf.experimental.numpy.experimental_enable_numpy_behavior("
            "prefer_float32=True) makes numbers of Python float32."
        )


def canonicalize_dtype(dtype: Any) -> Any:
    """The dtype in place of one that is not preferred."""
    return np.dtype(allowed(named(dtype)).numpy_dtype)
