"""tensorflow.python.layers.core: a layer as a function, with variables in the variable scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert import compat
from wengert.api.variables.get_variable import get_variable
from wengert.api.variables.variable_scope import variable_scope
from wengert.ops.linalg.matmul import tensordot
from wengert.ops.nn.bias import bias_add
from wengert.values.convert import convert


def dense(
    inputs: Any,
    units: int,
    activation: Callable[[Any], Any] | None = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    *,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
    **_: Any,
) -> Any:
    """activation(inputs × kernel + bias)."""
    x = convert(inputs)
    with variable_scope(name, "dense", reuse=reuse):
        shape = [x.shape[-1], units]
        kernel = get_variable("kernel", shape, x.dtype, kernel_initializer, trainable=trainable)
        y = tensordot(x, kernel, 1)
        if use_bias:
            zeros = bias_initializer or compat.v1.zeros_initializer()
            y = bias_add(y, get_variable("bias", [units], x.dtype, zeros, trainable=trainable))
    return y if activation is None else activation(y)
