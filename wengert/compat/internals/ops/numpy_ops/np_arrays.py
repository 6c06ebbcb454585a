"""tensorflow.python.ops.numpy_ops.np_arrays: the class of arrays, which is that of tensors."""

from __future__ import annotations

from typing import Any

from wengert.api.numpy.promotion import as_tensor, named
from wengert.values.tensor import Tensor


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None) -> Tensor:
    """A tensor of a value, of NumPy's dtype for it unless one is asked for."""
    wanted = dtype or dtype_hint
    return as_tensor(value, None if wanted is None else named(wanted))
