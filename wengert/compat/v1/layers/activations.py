"""Activation functions, which layers take by name as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.ops.arrays.identity import identity
from wengert.ops.math import elementwise
from wengert.ops.nn import activations as nn

_BY_NAME: Final[dict[str, Callable[[Any], Any]]] = {
    "elu": nn.elu,
    "exponential": elementwise.exp,
    "gelu": nn.gelu,
    "linear": identity,
    "relu": nn.relu,
    "selu": nn.selu,
    "sigmoid": elementwise.sigmoid,
    "softmax": nn.softmax,
    "softplus": nn.softplus,
    "softsign": nn.softsign,
    "swish": nn.silu,
    "tanh": elementwise.tanh,
}


def activation_of(given: Any) -> Callable[[Any], Any] | None:
    """The function that a name means; a function is itself."""
    if given is None or callable(given):
        return given  # type: ignore[no-any-return]
    if given not in _BY_NAME:
        raise ValueError(f"Unknown activation function: {given}. There are: {', '.join(_BY_NAME)}.")
    return _BY_NAME[given]
