"""An operation as the same one on other dtypes: a rule asks it for forms and attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wengert.values.dtypes import DType, as_dtype
from wengert.values.symbolic import Form


class Retyped:
    """An operation whose tensors, and dtypes among its attributes, are changed by a function."""

    def __init__(self, op: Any, change: Callable[[Any], Any]) -> None:
        """`change` takes a NumPy dtype, and gives the other one or the same."""
        self._op = op
        self.inputs = [_tensor(x, change) for x in op.inputs]
        self.outputs = [_tensor(y, change) for y in op.outputs]
        self.attrs = {name: _attribute(value, change) for name, value in op.attrs.items()}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._op, name)


class _OtherTensor:
    """A tensor as the same one of another dtype."""

    def __init__(self, x: Any, dtype: Any) -> None:
        self._x = x
        self._array = Form(x._array.shape, dtype)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._x, name)


def _tensor(x: Any, change: Callable[[Any], Any]) -> Any:
    dtype = np.dtype(x._array.dtype)
    other = change(dtype)
    return x if other is dtype else _OtherTensor(x, other)


def _attribute(value: Any, change: Callable[[Any], Any]) -> Any:
    """The other dtype for one that is changed; any other attribute as it is."""
    if isinstance(value, DType) and (value.is_floating or value.is_complex):
        dtype = value.numpy_dtype
        other = change(dtype)
        return value if other is dtype else as_dtype(other)
    return change(value) if isinstance(value, np.dtype) else value
