"""The tensors in the parameters of an operator: found, replaced, and what is known without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from wengert.state.variable import Variable
from wengert.values.composite import Composite
from wengert.values.tensor import Tensor


def tensors(value: Any) -> list[Any]:
    """The tensors in a parameter, or in a structure of parameters."""
    if isinstance(value, (Tensor, Variable)):
        return [value]
    if isinstance(value, Composite):
        return value._parts()
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [x for part in value for x in tensors(part)]


def replaced(value: Any, others: Iterator[Any], rebuild: str = "_with_parts") -> Any:
    """The same structure of parameters, with other tensors; what has parts is rebuilt by a method."""
    if isinstance(value, (Tensor, Variable)):
        return next(others)
    if isinstance(value, Composite):
        return getattr(value, rebuild)(others)
    if isinstance(value, dict):
        return {name: replaced(part, others, rebuild) for name, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)([replaced(part, others, rebuild) for part in value])
    return value


def key(value: Any) -> Any:
    """What identifies a structure of parameters, apart from the values of its tensors."""
    if isinstance(value, (Tensor, Variable)):
        return None
    if isinstance(value, Composite):
        return value._trace_key()
    if isinstance(value, dict):
        return tuple([(name, key(part)) for name, part in value.items()])
    if isinstance(value, (list, tuple)):
        return tuple([key(part) for part in value])
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    return value
