"""Stateful random numbers, which differ from call to call: tf.random.uniform, normal and others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wengert.core.context import graph_around
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.inference.public_functions import nameable
from wengert.ops.arrays.creation import shape_tensor
from wengert.ops.math.arithmetic import maximum
from wengert.ops.random import rows as rows
from wengert.ops.random.arguments import (
    FLOATS,
    class_dtype,
    count_dtype,
    float_dtype,
    gamma_parameters,
    logits_of,
    sizes,
    tiny,
)
from wengert.ops.random.seeds import eager_stream, graph_stream
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.symbolic import AnyShape, SymbolicTensor, is_certain
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, IntLike, ShapeLike, TensorLike


def draw(
    row: Row, seed: IntLike | TensorLike | None, inputs: Sequence[Tensor] = (), **attrs: Any
) -> Tensor:
    """Run a stateful operation with its own seed, or None."""
    graph = graph_around()
    if graph is not None:
        return _drawn_later(row, graph_stream(graph, seed), inputs, attrs)
    # Operations with equal seeds share a stream if all but the number of samples is equal.
    kinds = (row.name, attrs.get("dtype"), *[x.dtype for x in inputs])
    result: Tensor = apply(row, (eager_stream(seed, kinds), *inputs), attrs)
    return result


def _drawn_later(
    row: Row, stream: Tensor, inputs: Sequence[Tensor], attrs: dict[str, Any]
) -> Tensor:
    """The operation in a graph, where the shape may be known only at run time."""
    shape = attrs.get("shape")
    if shape is None or is_certain(shape):
        result: Tensor = apply(row, (stream, *inputs), attrs)
        return result
    rest = {name: value for name, value in attrs.items() if name != "shape"}
    drawn: Tensor = apply(rows.of_given_shape(row), (stream, shape_tensor(shape), *inputs), rest)
    if isinstance(drawn, SymbolicTensor) and isinstance(shape, (tuple, AnyShape)):
        if not inputs:
            drawn.adopt(shape)
        elif isinstance(shape, tuple) and is_certain(dims(inputs[0])):  # so many of each
            drawn.adopt((*shape, *dims(inputs[0])))
    return drawn


@nameable
def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Uniform samples from [minval, maxval). Gradients flow to floating-point bounds.

    >>> tf.random.set_seed(1)
    >>> print(tf.random.uniform([3]).numpy())
    [0.16513085 0.9014813  0.6309742 ]
    >>> tf.random.uniform([3], 10, 20, dtype=tf.int32, seed=1).numpy().tolist()
    [10, 18, 17]
    """
    kind = as_dtype(dtype)
    accepted = (*FLOATS, dtypes.int32, dtypes.int64)
    if kind not in accepted:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind}. Accepted dtypes are {accepted}."
        )
    if maxval is None:
        if kind.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
        maxval = 1
    if kind.is_integer:
        return _integers(shape, minval, maxval, kind, seed)
    from_zero = type(minval) is int and minval == 0
    to_one = type(maxval) is int and maxval == 1
    low, high = convert(minval, kind), convert(maxval, kind)
    drawn = draw(rows.UNIFORM.stateful, seed, shape=sizes(shape, rows.UNIFORM.stateful), dtype=kind)
    if from_zero:
        return drawn if to_one else drawn * high
    return drawn * (high - low) + low


def _integers(
    shape: ShapeLike, minval: TensorLike, maxval: TensorLike, kind: DType, seed: IntLike | None
) -> Tensor:
    row = rows.INTEGERS.stateful
    low, high = convert(minval, kind), convert(maxval, kind)
    return draw(row, seed, (low, high), shape=sizes(shape, row), dtype=kind)


@nameable
def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Samples from a normal distribution. Gradients flow to mean and stddev.

    >>> tf.random.set_seed(1)
    >>> print(tf.random.normal([2], mean=10.0).numpy().round(4))
    [ 8.8988 11.5458]
    """
    return _scaled(rows.NORMAL.stateful, shape, mean, stddev, dtype, seed)


@nameable
def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Samples from a truncated normal distribution, cut off at two standard deviations.

    >>> x = tf.random.truncated_normal([1000])
    >>> bool(tf.reduce_max(abs(x)) < 2.0)
    True
    """
    return _scaled(rows.TRUNCATED.stateful, shape, mean, stddev, dtype, seed)


def _scaled(
    row: Row,
    shape: ShapeLike,
    mean: TensorLike,
    stddev: TensorLike,
    dtype: DTypeLike,
    seed: IntLike | None,
) -> Tensor:
    kind = as_dtype(dtype)
    are_standard = type(mean) is type(stddev) is float and mean == 0.0 and stddev == 1.0
    if are_standard and kind.is_floating and graph_around() is None:  # a graph tells of both
        return draw(row, seed, shape=sizes(shape, row), dtype=float_dtype(kind, row))
    middle, width = convert(mean, kind), convert(stddev, kind)
    drawn = draw(row, seed, shape=sizes(shape, row), dtype=float_dtype(kind, row))
    return drawn * width + middle


@nameable
def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Samples from gamma distributions, of this shape for each alpha and beta.

    Gradients flow to alpha and beta (implicit reparameterization).

    >>> tf.random.gamma([10], alpha=[1.0, 5.0]).shape
    TensorShape([10, 2])
    """
    row = rows.GAMMA.stateful
    a, b = gamma_parameters(alpha, beta, dtype)
    drawn = draw(row, seed, (a,), shape=sizes(shape, row), dtype=float_dtype(dtype, row))
    return maximum(tiny(a.dtype), drawn / b)


@nameable
def poisson(
    shape: ShapeLike,
    lam: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Samples from Poisson distributions, of this shape for each rate.

    >>> tf.random.set_seed(1)
    >>> tf.random.poisson([4], 3.0).numpy().tolist()
    [0.0, 3.0, 1.0, 3.0]
    """
    row = rows.POISSON.stateful
    return draw(row, seed, (convert(lam),), shape=sizes(shape, row), dtype=count_dtype(dtype, row))


@nameable
def categorical(
    logits: TensorLike,
    num_samples: IntLike,
    dtype: DTypeLike | None = None,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Samples from categorical distributions, given by logits (unnormalized log-probabilities).

    >>> tf.random.categorical([[0.0, -100.0], [-100.0, 0.0]], 3).numpy().tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    row = rows.MULTINOMIAL.stateful
    kind = class_dtype(dtype)
    scores, count = logits_of(logits, num_samples, row)
    return draw(row, seed, (scores,), num_samples=count, dtype=kind)


@nameable
def shuffle(value: TensorLike, seed: IntLike | None = None, name: str | None = None) -> Tensor:
    """Shuffle the rows of a tensor. As in TensorFlow, no gradient flows through it.

    >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    return draw(rows.SHUFFLE.stateful, seed, (convert(value),))
