"""What the initializers of both API generations share: sampling, fans and orthogonality."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from wengert.ops.arrays.shaping import reshape, transpose
from wengert.ops.linalg.orthogonal_basis import orthogonal_basis
from wengert.ops.random import stateful, stateless
from wengert.values import dtypes
from wengert.values.dtypes import DType
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, IntLike, ShapeLike, TensorLike

MODES: Final = ("fan_in", "fan_out", "fan_avg")
# The standard deviation of a standard normal distribution that is cut off at 2.
_TRUNCATED: Final = 0.87962566103423978


class Source(Protocol):
    """Where an initializer gets its random numbers."""

    def uniform(
        self, shape: ShapeLike, low: TensorLike, high: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        """Samples from the uniform distribution on [low, high)."""

    def normal(
        self, shape: ShapeLike, mean: TensorLike, stddev: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        """Samples from the normal distribution."""

    def truncated(
        self, shape: ShapeLike, mean: TensorLike, stddev: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        """Samples from the normal distribution, cut off at two standard deviations."""


class StatelessSource:
    """The same numbers each time: functions of a seed of two integers."""

    def __init__(self, seed: list[int]) -> None:
        self.seed = seed

    def uniform(
        self, shape: ShapeLike, low: TensorLike, high: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        """Samples from the uniform distribution on [low, high)."""
        return stateless.stateless_uniform(shape, self.seed, low, high, dtype)

    def normal(
        self, shape: ShapeLike, mean: TensorLike, stddev: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        """Samples from the normal distribution."""
        return stateless.stateless_normal(shape, self.seed, mean, stddev, dtype)

    def truncated(
        self, shape: ShapeLike, mean: TensorLike, stddev: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        """Samples from the normal distribution, cut off at two standard deviations."""
        return stateless.stateless_truncated_normal(shape, self.seed, mean, stddev, dtype)


class StatefulSource:
    """Different numbers each time, from stateful operations with a seed or without."""

    def __init__(self, seed: IntLike | None) -> None:
        self.seed = seed

    def uniform(
        self, shape: ShapeLike, low: TensorLike, high: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        """Samples from the uniform distribution on [low, high)."""
        return stateful.uniform(shape, low, high, dtype, self.seed)

    def normal(
        self, shape: ShapeLike, mean: TensorLike, stddev: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        """Samples from the normal distribution."""
        return stateful.normal(shape, mean, stddev, dtype, self.seed)

    def truncated(
        self, shape: ShapeLike, mean: TensorLike, stddev: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        """Samples from the normal distribution, cut off at two standard deviations."""
        return stateful.truncated_normal(shape, mean, stddev, dtype, self.seed)


def fans(
    shape: Iterable[Any],
    input_axes: Iterable[int] | None = None,
    output_axes: Iterable[int] | None = None,
) -> tuple[int, int]:
    """The fan-in and fan-out of a weight."""
    sizes = [int(size) for size in shape]
    if input_axes is not None and output_axes is not None:
        return math.prod(sizes[a] for a in input_axes), math.prod(sizes[a] for a in output_axes)
    if len(sizes) < 2:
        only = math.prod(sizes)
        return only, only
    field = math.prod(sizes[:-2])
    return sizes[-2] * field, sizes[-1] * field


def with_variance(
    source: Source, shape: ShapeLike, distribution: str, variance: float, dtype: DType
) -> Tensor:
    """Samples with mean zero and the given variance."""
    if distribution == "uniform":
        limit = math.sqrt(3.0 * variance)
        return source.uniform(shape, -limit, limit, dtype)
    stddev = math.sqrt(variance)
    if distribution == "untruncated_normal":
        return source.normal(shape, 0.0, stddev, dtype)
    return source.truncated(shape, 0.0, stddev / _TRUNCATED, dtype)


def scaled_variance(scale: float, mode: str, fan_in: int, fan_out: int) -> float:
    """The variance for a scale, a mode and the fans."""
    size = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[mode]
    return scale / max(1.0, size)


def orthogonal(source: Source, shape: Sequence[Any], gain: TensorLike, dtype: DType) -> Tensor:
    """A weight that is orthogonal as a matrix with all axes but the last merged."""
    rows, columns = math.prod(int(size) for size in shape[:-1]), int(shape[-1])
    tall = (max(rows, columns), min(rows, columns))
    basis = orthogonal_basis(source.normal(tall, 0.0, 1.0, dtype))
    weight: Tensor = reshape(transpose(basis) if rows < columns else basis, shape) * gain
    return weight


def check_floating(dtype: DType) -> DType:
    """The dtype, if it is a floating-point one; ValueError otherwise."""
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
    return dtype


def check_numeric(dtype: DType) -> DType:
    """The dtype, unless it is string; ValueError then."""
    if dtype is dtypes.string:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
    return dtype
