"""Stateless random numbers, functions of a seed: tf.random.stateless_uniform and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import numbers_as_shape, scaled_shape, states
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import broadcast_to
from wengert.ops.math.arithmetic import maximum, minimum
from wengert.ops.random import rows as rows
from wengert.ops.random.arguments import (
    FLOATS,
    class_dtype,
    count_dtype,
    float_dtype,
    gamma_parameters,
    key_and_counter,
    leading_shape,
    logits_of,
    sizes,
    tiny,
)
from wengert.ops.special.gamma import erfc, ndtri
from wengert.ops.support.declare import convert_alike
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.ops.random.arguments import AlgorithmLike
    from wengert.values.typing import DTypeLike, IntLike, ShapeLike, TensorLike

_INTEGERS = (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)


@deferrable
@states(lambda shape, minval, maxval: scaled_shape(shape, minval, maxval))
def uniform_from(
    generator: list[Tensor],
    shape: ShapeLike,
    minval: TensorLike | None,
    maxval: TensorLike | None,
    dtype: DTypeLike,
) -> Tensor:
    """Uniform samples from a key and a counter: floats or integers."""
    kind = as_dtype(dtype)
    if kind.is_integer and minval is None:
        row = rows.FULL_INTEGERS
        return _drawn(row, generator, shape=sizes(shape, row), dtype=kind)
    low, high = convert(minval, kind), convert(maxval, kind)
    if kind.is_integer:
        row = rows.INTEGERS.stateless
        return _drawn(row, [*generator, low, high], shape=sizes(shape, row), dtype=kind)
    row = rows.UNIFORM.stateless
    drawn = _drawn(row, generator, shape=sizes(shape, row), dtype=kind)
    return drawn * (high - low) + low


@deferrable
@states(lambda shape, mean, stddev: scaled_shape(shape, mean, stddev))
def scaled_from(
    row: Row,
    generator: list[Tensor],
    shape: ShapeLike,
    mean: TensorLike,
    stddev: TensorLike,
    dtype: DTypeLike,
) -> Tensor:
    """Normal samples from a key and a counter, truncated or not."""
    kind = as_dtype(dtype)
    middle, width = convert(mean, kind), convert(stddev, kind)
    drawn = _drawn(row, generator, shape=sizes(shape, row), dtype=float_dtype(kind, row))
    return drawn * width + middle


@deferrable
@states(lambda shape: numbers_as_shape(shape))
def binomial_from(
    generator: list[Tensor],
    shape: ShapeLike,
    counts: TensorLike,
    probs: TensorLike,
    dtype: DTypeLike,
) -> Tensor:
    """Binomial samples from a key and a counter."""
    row = rows.BINOMIAL
    chance = convert(probs, hint=dtypes.float32)
    trials = convert(counts, hint=chance.dtype)
    full = np.broadcast_shapes(dims(trials), dims(chance))
    lead = leading_shape(sizes(shape, row), full, row)
    both = [broadcast_to(trials, full), broadcast_to(chance, full)]
    return _drawn(row, [*generator, *both], shape=lead, dtype=count_dtype(dtype, row))


def _drawn(row: Row, inputs: list[Tensor], **attrs: Any) -> Tensor:
    result: Tensor = apply(row, inputs, attrs)
    return result


@deferrable
def check_uniform(
    minval: TensorLike | None, maxval: TensorLike | None, dtype: DTypeLike
) -> TensorLike | None:
    """The upper bound, after checking all arguments."""
    kind = as_dtype(dtype)
    if not kind.is_integer:
        return 1 if maxval is None else maxval
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {kind}, argument `minval` and `maxval` must be both "
            f"None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    return maxval


@deferrable
@states(lambda shape, minval, maxval: scaled_shape(shape, minval, maxval))
def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike | None = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: AlgorithmLike = "auto_select",
) -> Tensor:
    """Uniform samples from [minval, maxval); integers over the full range if both are None.

    Gradients flow to floating-point bounds.

    >>> print(tf.random.stateless_uniform([3], seed=[1, 2]).numpy())
    [0.8440604  0.19204533 0.9962232 ]
    """
    kind = as_dtype(dtype)
    if kind not in (*FLOATS, *_INTEGERS):
        raise ValueError(
            f"Argument `dtype` got invalid value {kind}. "
            f"Accepted dtypes are {(*FLOATS, *_INTEGERS)}."
        )
    maxval = check_uniform(minval, maxval, kind)
    if minval is not None and kind.is_unsigned:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind} when argument `minval` is not None. "
            "Please don't use unsigned integers in this case."
        )
    return uniform_from(key_and_counter(seed, alg), shape, minval, maxval, kind)


@deferrable
@states(lambda shape, mean, stddev: scaled_shape(shape, mean, stddev))
def stateless_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: AlgorithmLike = "auto_select",
) -> Tensor:
    """Samples from a normal distribution. Gradients flow to mean and stddev.

    >>> print(tf.random.stateless_normal([3], seed=[1, 2]).numpy().round(4))
    [0.5441 0.2074 0.0736]
    """
    generator = key_and_counter(seed, alg)
    return scaled_from(rows.NORMAL.stateless, generator, shape, mean, stddev, dtype)


@deferrable
@states(lambda shape, mean, stddev: scaled_shape(shape, mean, stddev))
def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: AlgorithmLike = "auto_select",
) -> Tensor:
    """Samples from a truncated normal distribution, cut off at two standard deviations.

    >>> print(tf.random.stateless_truncated_normal([3], seed=[1, 2]).numpy().round(4))
    [0.5441 0.2074 0.0736]
    """
    generator = key_and_counter(seed, alg)
    return scaled_from(rows.TRUNCATED.stateless, generator, shape, mean, stddev, dtype)


@deferrable
def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal samples between bounds, by inverse transform sampling: all parameters have gradients.

    >>> x = tf.random.stateless_parameterized_truncated_normal([4], [1, 2], minvals=0.0, maxvals=1.0)
    >>> bool(tf.reduce_all((x > 0.0) & (x < 1.0)))
    True
    """
    mean, deviation, low, high = convert_alike("Normal", means, stddevs, minvals, maxvals)
    uniform = stateless_uniform(shape, seed, dtype=mean.dtype)
    below, above = (
        0.5 * erfc((mean - end) / deviation * 0.7071067811865476) for end in (low, high)
    )
    drawn: Tensor = mean + deviation * ndtri(below + uniform * (above - below))
    return minimum(maximum(drawn, low), high)


@deferrable
@states(lambda shape: numbers_as_shape(shape))
def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Samples from gamma distributions; the shape ends with the broadcast shape of alpha and beta.

    Gradients flow to alpha and beta (implicit reparameterization).

    >>> tf.random.stateless_gamma([10, 2], seed=[1, 2], alpha=[1.0, 5.0]).shape
    TensorShape([10, 2])
    """
    row = rows.GAMMA.stateless
    a, b = gamma_parameters(alpha, beta, dtype)
    lead = leading_shape(sizes(shape, row), dims(a), row)
    inputs = [*key_and_counter(seed), a]
    drawn = _drawn(row, inputs, shape=lead, dtype=float_dtype(dtype, row))
    return maximum(tiny(a.dtype), drawn / b)


@deferrable
@states(lambda shape: numbers_as_shape(shape))
def stateless_poisson(
    shape: ShapeLike,
    seed: TensorLike,
    lam: TensorLike,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Samples from Poisson distributions; the shape ends with that of the rates.

    >>> tf.random.stateless_poisson([4], seed=[1, 2], lam=3.0).numpy().tolist()
    [5, 5, 4, 6]
    """
    row = rows.POISSON.stateless
    rate = convert(lam)
    lead = leading_shape(sizes(shape, row), dims(rate), row)
    return _drawn(row, [*key_and_counter(seed), rate], shape=lead, dtype=count_dtype(dtype, row))


@deferrable
@states(lambda shape: numbers_as_shape(shape))
def stateless_binomial(
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Binomial samples; the shape ends with the broadcast shape of counts and probs.

    >>> tf.random.stateless_binomial([4], seed=[1, 2], counts=10.0, probs=0.5).numpy().tolist()
    [6, 6, 7, 7]
    """
    return binomial_from(key_and_counter(seed), shape, counts, probs, output_dtype)


@deferrable
def stateless_categorical(
    logits: TensorLike,
    num_samples: IntLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Samples from categorical distributions, given by logits (unnormalized log-probabilities).

    >>> tf.random.stateless_categorical([[0.0, -100.0]], 3, seed=[1, 2]).numpy().tolist()
    [[0, 0, 0]]
    """
    row = rows.MULTINOMIAL.stateless
    kind = class_dtype(dtype)
    scores, count = logits_of(logits, num_samples, row)
    return _drawn(row, [*key_and_counter(seed), scores], num_samples=count, dtype=kind)


@deferrable
def stateless_shuffle(
    value: TensorLike, seed: TensorLike, alg: AlgorithmLike = "auto_select", name: str | None = None
) -> Tensor:
    """Shuffle the rows of a tensor. As in TensorFlow, no gradient flows through it.

    >>> tf.random.experimental.stateless_shuffle([1, 2, 3, 4], seed=[1, 2]).numpy().tolist()
    [1, 4, 3, 2]
    """
    return _drawn(rows.SHUFFLE.stateless, [*key_and_counter(seed, alg), convert(value)])


# ---- seeds from seeds -------------------------------------------------------------------------


@deferrable
def split(seed: TensorLike, num: IntLike = 2, alg: AlgorithmLike = "auto_select") -> Tensor:
    """Split a seed into several that are independent of each other and of it.

    >>> tf.random.split([1, 2], num=3).shape
    TensorShape([3, 2])
    """
    pair = convert(seed)
    return stateless_uniform([num, 2], pair, None, None, pair.dtype, alg=alg)


@deferrable
def fold_in(seed: TensorLike, data: IntLike, alg: AlgorithmLike = "auto_select") -> Tensor:
    """Derive a seed from another and a number, such as the step.

    >>> tf.random.fold_in([1, 2], 3).numpy().tolist()
    [1105988140, 3]
    """
    number = convert(data)
    return stack([stateless_uniform([], seed, None, None, number.dtype, alg=alg), number])
