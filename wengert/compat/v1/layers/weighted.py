"""What layers with a kernel and a bias have in common."""

from __future__ import annotations

from typing import Any

from wengert.api.initializers.names import get as initializer_of
from wengert.compat.v1.layers.activations import activation_of
from wengert.compat.v1.layers.base import Layer


class WeightedLayer(Layer):
    """A layer that multiplies by kernels, adds a bias, and has an activation function."""

    def __init__(
        self,
        activation: Any,
        use_bias: bool,
        kernel_initializer: Any,
        bias_initializer: Any,
        kernel_regularizer: Any,
        bias_regularizer: Any,
        kernel_constraint: Any,
        bias_constraint: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.activation = activation_of(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint

    def add_kernel(self, name: str, shape: Any) -> Any:
        """A kernel, as the arguments of the layer describe it."""
        return self.add_weight(
            name,
            shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )

    def add_bias(self, count: int) -> Any:
        """The bias, if there is one."""
        if not self.use_bias:
            return None
        return self.add_weight(
            "bias",
            [count],
            initializer=self.bias_initializer,
            regularizer=self.bias_regularizer,
            constraint=self.bias_constraint,
        )

    def activated(self, y: Any) -> Any:
        """The activation of the sums."""
        return y if self.activation is None else self.activation(y)
