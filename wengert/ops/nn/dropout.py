"""Dropout: elements are zeroed at random, and the others scaled up."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert.core.context import current_graph
from wengert.inference.public_functions import nameable
from wengert.ops.math.comparison import greater_equal, where
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.random.seeds import seeds
from wengert.ops.random.stateful import uniform
from wengert.ops.random.stateless import stateless_uniform
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.dtypes import DType
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.shapes import Dims
    from wengert.values.typing import IntLike, ShapeLike, TensorLike

Sampler = Callable[..., Tensor]  # called with shape and dtype


@nameable
def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: ShapeLike | None = None,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Dropout: zero with probability `rate`, x / (1 - rate) otherwise.

    `noise_shape` has ones along the axes on which all elements are dropped together.

    >>> tf.random.set_seed(1)
    >>> tf.nn.dropout([1.0, 2.0, 3.0], rate=0.5, seed=1).numpy().tolist()
    [0.0, 0.0, 0.0]
    """

    def sample(shape: Dims, dtype: DType) -> Tensor:
        return uniform(shape, dtype=dtype, seed=seed)

    # A rate of zero draws a seed, too, so that later results do not depend on the rate.
    return _dropped(x, rate, noise_shape, sample, idle=lambda: seeds(seed))


@nameable
def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: Any = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Stateless dropout: a deterministic function of a seed of two integers.

    >>> tf.nn.experimental.stateless_dropout([1.0, 2.0, 3.0], rate=0.5, seed=[1, 2]).numpy().tolist()
    [2.0, 0.0, 6.0]
    """

    def sample(shape: Dims, dtype: DType) -> Tensor:
        return stateless_uniform(shape, seed, dtype=dtype, alg=rng_alg)

    return _dropped(x, rate, noise_shape, sample)


@nameable
def general_dropout(
    x: TensorLike,
    rate: TensorLike,
    uniform_sampler: Sampler,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Dropout that takes its numbers in [0, 1) from a function of a shape and a dtype.

    >>> half = lambda shape, dtype: tf.fill(shape, tf.constant(0.5, dtype))
    >>> tf.nn.experimental.general_dropout([1.0, 2.0], 0.2, half).numpy().tolist()
    [1.25, 2.5]
    """
    return _dropped(x, rate, noise_shape, uniform_sampler)


def _dropped(
    value: TensorLike,
    rate: Any,
    noise_shape: ShapeLike | None,
    sample: Sampler,
    idle: Callable[[], object] = lambda: None,
) -> Tensor:
    number = isinstance(rate, numbers.Real)
    if number and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    x = convert(value)
    if not x.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. "
            f"Received: x_dtype={x.dtype}"
        )
    if number and rate == 0:
        idle()
        return x
    if number:
        kept = x * (1 / (1 - rate))
    else:
        rate = _rate_like(rate, x)
        kept = x / (1.0 - rate)
    drawn = sample(shape=_noise_shape(noise_shape, x), dtype=x.dtype)
    dropped = where(greater_equal(drawn, rate), kept, zeros_like(x))
    if current_graph() is not None:  # whatever shape the noise has
        dropped.set_shape(x.shape)
    return dropped


def _rate_like(rate: TensorLike, x: Tensor) -> Tensor:
    """The rate as a scalar of the dtype of x."""
    if not isinstance(rate, (Tensor, Variable)):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    scalar = convert(rate)
    scalar.shape.assert_has_rank(0)
    if scalar.dtype is not x.dtype:
        raise ValueError(
            "`x.dtype` must be compatible with `rate.dtype`. "
            f"Received: x.dtype={x.dtype} and rate.dtype={scalar.dtype}"
        )
    return scalar


def _noise_shape(wanted: ShapeLike | None, x: Tensor) -> ShapeLike:
    """The shape of the noise; None in it stands for the size of x."""
    shape = dims(x)
    if wanted is None:
        return shape
    if isinstance(wanted, (list, tuple, TensorShape)) and len(wanted) == len(shape):
        return [have if want is None else want for want, have in zip(wanted, shape, strict=True)]
    return wanted
