"""Moments (mean and variance) and batch normalization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.context import is_replaced
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.arrays.shaping import squeeze
from wengert.ops.math.arithmetic import squared_difference
from wengert.ops.math.elementwise import cast, rsqrt, square, zeros_like
from wengert.ops.reductions.reductions import normal_axes, reduce_mean, reduce_sum
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Integers, TensorLike

# ---- moments ----------------------------------------------------------------------------------


@deferrable
def moments(
    x: TensorLike,
    axes: Integers,
    shift: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance along some axes.

    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), [0])
    >>> mean.numpy().item(), variance.numpy().item()
    (2.0, 1.0)
    """
    given = convert(x)
    wide = cast(given, dtypes.float32) if given.dtype is dtypes.float16 else given
    along = normal_axes(axes, len(dims(wide)), "Mean")
    mean = reduce_mean(wide, along, keepdims=True)
    # TensorFlow stops the gradient at the mean, where it is zero; to second order it is missed there,
    # and so it is done for those alone who replace one of these gradients.
    is_taken_apart = is_replaced("Mean", "SquaredDifference", "StopGradient")
    middle = stop_gradient(mean) if is_taken_apart else mean
    variance = reduce_mean(squared_difference(wide, middle), along, keepdims=True)
    if not keepdims:
        mean, variance = squeeze(mean, along), squeeze(variance, along)
    return cast(mean, given.dtype), cast(variance, given.dtype)


@deferrable
def weighted_moments(
    x: TensorLike,
    axes: Integers,
    frequency_weights: TensorLike,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The weighted mean and variance along some axes.

    >>> mean, variance = tf.nn.weighted_moments(tf.constant([1.0, 3.0]), [0], [3.0, 1.0])
    >>> mean.numpy().item(), variance.numpy().item()
    (1.5, 0.75)
    """
    given = convert(x)
    values = cast(given, dtypes.float32) if given.dtype is dtypes.float16 else given
    weights = cast(frequency_weights, values.dtype) + zeros_like(values)
    along = normal_axes(axes, len(dims(weights)), "Mean")
    total = reduce_sum(weights, along, keepdims=True)
    mean = reduce_sum(weights * values, along, keepdims=True) / total
    variance = reduce_sum(weights * squared_difference(values, mean), along, keepdims=True) / total
    mean, variance = cast(mean, given.dtype), cast(variance, given.dtype)
    if keepdims:
        return mean, variance
    return squeeze(mean, along), squeeze(variance, along)


@deferrable
def sufficient_statistics(
    x: TensorLike,
    axes: Integers,
    shift: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Any, Any, Any, Any]:
    """Sufficient statistics for the moments: count, sum, sum of squares, and the shift.

    >>> parts = tf.nn.sufficient_statistics(tf.constant([1.0, 3.0]), [0])
    >>> [part.numpy().item() for part in parts[:3]]
    [2.0, 4.0, 10.0]
    """
    values = convert(x)
    along = normal_axes(axes, len(dims(values)), "Sum")
    count = cast(float(np.prod([dims(values)[a] for a in along])), values.dtype)
    if shift is None:
        first, second, moved = values, square(values), None
    else:
        moved = convert(shift, hint=values.dtype)
        first, second = values - moved, squared_difference(values, moved)
    sums = [reduce_sum(part, along, keepdims=keepdims) for part in (first, second)]
    return count, sums[0], sums[1], moved


@deferrable
def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: Any,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance from the results of `sufficient_statistics`.

    >>> mean, variance = tf.nn.normalize_moments(2.0, 4.0, 10.0, None)
    >>> mean.numpy().item(), variance.numpy().item()
    (2.0, 1.0)
    """
    shifted = convert(mean_ss) / counts
    mean = shifted if shift is None else shifted + shift
    return mean, convert(variance_ss) / counts - square(shifted)


# ---- batches ----------------------------------------------------------------------------------


@deferrable
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Batch normalization: (x - mean) / sqrt(variance + epsilon), then scale and offset if given.

    >>> tf.nn.batch_normalization([1.0, 3.0], 2.0, 4.0, None, 10.0, 0.0).numpy().tolist()
    [-5.0, 5.0]
    """
    values = convert(x)
    factor = rsqrt(convert(variance, hint=values.dtype) + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    centre = convert(mean, hint=factor.dtype)
    shift = -centre * factor if offset is None else offset - centre * factor
    result: Tensor = values * cast(factor, values.dtype) + cast(shift, values.dtype)
    return result


@deferrable
def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: TensorLike,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """batch_normalization with offset `beta`, and with scale `gamma` if requested.

    >>> f = tf.nn.batch_norm_with_global_normalization
    >>> f([[3.0]], [2.0], [4.0], [1.0], [10.0], 0.0, True).numpy().tolist()
    [[6.0]]
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)
