"""tensorflow.contrib.layers: initializers, regularizers and a layer of TensorFlow 1 that later versions lack."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from wengert.api.initializers.sampling import fans
from wengert.api.variables.get_variable import get_variable
from wengert.api.variables.variable_scope import variable_scope
from wengert.compat.v1.functions.variables import get_collection
from wengert.compat.v1.initializers import zeros_initializer
from wengert.compat.v1.layers.functions import flatten as flatten
from wengert.ops.linalg.matmul import tensordot
from wengert.ops.math.complex import abs as magnitude
from wengert.ops.nn.activations import l2_loss, relu
from wengert.ops.nn.bias import bias_add
from wengert.ops.random.stateful import truncated_normal, uniform
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values.convert import convert
from wengert.values.dtypes import float32
from wengert.values.tensor import Tensor

Regularizer = Callable[[Any], Tensor]


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = float32,
) -> Callable[..., Tensor]:
    """Samples with a variance of factor / n, where n counts inputs, outputs, or half of both."""
    counted = {
        "FAN_IN": lambda a, b: a,
        "FAN_OUT": lambda a, b: b,
        "FAN_AVG": lambda a, b: (a + b) / 2.0,
    }
    if mode not in counted:
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")
    draw = _uniform if uniform else _normal

    def initializer(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Tensor:
        return draw(shape, factor / counted[mode](*fans(shape)), dtype, seed)

    return initializer


def _uniform(shape: Any, variance: float, dtype: Any, seed: int | None) -> Tensor:
    limit = math.sqrt(3.0 * variance)
    return uniform(shape, -limit, limit, dtype, seed)


def _normal(shape: Any, variance: float, dtype: Any, seed: int | None) -> Tensor:
    # Without its ends a normal distribution has less variance: 1.3 makes up for it.
    return truncated_normal(shape, 0.0, math.sqrt(1.3 * variance), dtype, seed)


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = float32
) -> Callable[..., Tensor]:
    """Samples with a variance of 2 / (inputs + outputs)."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer


def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """A function that gives the sum of magnitudes, times the scale."""
    return lambda weights: reduce_sum(magnitude(weights)) * scale


def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """A function that gives half of the sum of squares, times the scale."""
    return lambda weights: l2_loss(weights) * scale


def l1_l2_regularizer(
    scale_l1: float = 1.0, scale_l2: float = 1.0, scope: str | None = None
) -> Regularizer:
    """The sum of both."""
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)])


def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Regularizer:
    """The sum of what several regularizers give."""
    given = [regularizer for regularizer in regularizer_list if regularizer is not None]
    return lambda weights: sum(regularizer(weights) for regularizer in given)  # type: ignore[return-value]


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Tensor:
    """The sum of what a regularizer gives for weights: those of the collection, unless they are given."""
    weights = get_collection("weights") if weights_list is None else weights_list
    return sum(regularizer(w) for w in weights)  # type: ignore[return-value]


def fully_connected(
    inputs: Any,
    num_outputs: int,
    activation_fn: Callable[[Any], Any] | None = relu,
    normalizer_fn: None = None,
    normalizer_params: None = None,
    weights_initializer: Any = None,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: Any = zeros_initializer,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | None = None,
    variables_collections: None = None,
    outputs_collections: None = None,
    trainable: bool = True,
    scope: str | None = None,
) -> Any:
    """A dense layer, with relu unless another activation is given; None is none."""
    x = convert(inputs)
    with variable_scope(scope, "fully_connected", reuse=reuse):
        weights = get_variable(
            "weights",
            [x.shape[-1], num_outputs],
            x.dtype,
            weights_initializer or xavier_initializer(),
            weights_regularizer,
            trainable,
        )
        found = tensordot(x, weights, 1)
        if biases_initializer is not None:
            biases = get_variable(
                "biases", [num_outputs], x.dtype, biases_initializer, biases_regularizer, trainable
            )
            found = bias_add(found, biases)
        return found if activation_fn is None else activation_fn(found)
