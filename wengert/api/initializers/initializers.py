"""tf.initializers: the weight initializers of Keras 3."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from wengert.api.initializers.sampling import (
    MODES,
    StatelessSource,
    fans,
    orthogonal,
    scaled_variance,
    with_variance,
)
from wengert.ops.arrays import creation
from wengert.ops.math.elementwise import cast
from wengert.values.dtypes import DType, as_dtype, float32
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, ShapeLike, TensorLike

_SEEDS: Final = 2**31 - 2


def _dtype(dtype: DTypeLike | None) -> DType:
    return float32 if dtype is None else as_dtype(dtype)


class Initializer:
    """The base class of all initializers; derive from it to write your own.

    >>> class Half(tf.initializers.Initializer):
    ...     def __call__(self, shape, dtype=None):
    ...         return tf.fill(shape, tf.constant(0.5, dtype or tf.float32))
    >>> Half()([2]).numpy().tolist()
    [0.5, 0.5]
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Any:
        """The value for a weight of a shape and a dtype, float32 unless another is given."""
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """The initializer that `get_config` describes."""
        return cls(**config)

    def clone(self) -> Initializer:
        """A new initializer with the same configuration."""
        return self.from_config(self.get_config())


class Zeros(Initializer):
    """Zeros.

    >>> tf.initializers.Zeros()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
        """A tensor of zeros."""
        return creation.zeros(shape, _dtype(dtype))


class Ones(Initializer):
    """Ones.

    >>> tf.initializers.Ones()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
        """A tensor of ones."""
        return creation.ones(shape, _dtype(dtype))


class Constant(Initializer):
    """The same value everywhere.

    >>> tf.initializers.Constant(3.0)([2]).numpy().tolist()
    [3.0, 3.0]
    """

    def __init__(self, value: TensorLike = 0.0) -> None:
        self.value = value

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
        """A tensor filled with the value."""
        kind = _dtype(dtype)
        result: Tensor = cast(self.value, kind) * creation.ones(shape, kind)
        return result

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {"value": self.value}


class Identity(Initializer):
    """A multiple of the identity matrix.

    >>> tf.initializers.Identity(gain=2.0)([2, 2]).numpy().tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """

    def __init__(self, gain: TensorLike = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Any, dtype: DTypeLike | None = None) -> Tensor:
        """The scaled identity matrix; the shape must have two axes."""
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        rows, columns = shape
        result: Tensor = creation.eye(rows, columns, dtype=_dtype(dtype)) * self.gain
        return result

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {"gain": self.gain}


# ---- random ones ------------------------------------------------------------------------------


class _Source(StatelessSource):
    """As in Keras, bounds that are plain numbers are rounded to float32 first."""

    def uniform(
        self, shape: ShapeLike, low: TensorLike, high: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        return super().uniform(shape, cast(low, dtype), cast(high, dtype), dtype)


class RandomInitializer(Initializer):
    """An initializer with a seed, which gives the same numbers each time it is called."""

    def __init__(self, seed: int | None = None) -> None:
        self._given = seed
        if seed is None:
            # Keras, too, asks Python's own generator: seeding that one makes these the same.
            seed = importlib.import_module("random").randint(1, 10**9)
        if not isinstance(seed, (int, np.integer)):
            raise ValueError(f"`seed` argument should be an integer. Received: seed={seed}")
        self.seed = seed

    @property
    def _source(self) -> StatelessSource:
        return _Source([int(self.seed) % _SEEDS, 0])

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {"seed": self._given}


class RandomNormal(RandomInitializer):
    """Samples from a normal distribution.

    >>> print(tf.initializers.RandomNormal(seed=1)([3]).numpy().round(4))
    [ 0.0063 -0.0247  0.0316]
    """

    def __init__(
        self, mean: TensorLike = 0.0, stddev: TensorLike = 0.05, seed: int | None = None
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        super().__init__(seed)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
        """A tensor of samples from the normal distribution."""
        return self._source.normal(shape, self.mean, self.stddev, _dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {**super().get_config(), "mean": self.mean, "stddev": self.stddev}


class TruncatedNormal(RandomNormal):
    """Samples from a truncated normal distribution, within two standard deviations of the mean.

    >>> print(tf.initializers.TruncatedNormal(seed=1)([3]).numpy().round(4))
    [ 0.0063 -0.0247  0.0316]
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
        """A tensor of samples from the truncated normal distribution."""
        return self._source.truncated(shape, self.mean, self.stddev, _dtype(dtype))


class RandomUniform(RandomInitializer):
    """Samples from the uniform distribution on [minval, maxval).

    >>> print(tf.initializers.RandomUniform(seed=1)([3]).numpy().round(4))
    [ 0.0378 -0.004   0.01  ]
    """

    def __init__(
        self, minval: TensorLike = -0.05, maxval: TensorLike = 0.05, seed: int | None = None
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        super().__init__(seed)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
        """A tensor of samples from the uniform distribution."""
        return self._source.uniform(shape, self.minval, self.maxval, _dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {**super().get_config(), "minval": self.minval, "maxval": self.maxval}


class Orthogonal(RandomInitializer):
    """An orthogonal matrix; higher-rank weights are orthogonal with all axes but the last merged.

    >>> q = tf.initializers.Orthogonal(seed=1)([3, 3])
    >>> bool(tf.reduce_all(abs(tf.matmul(q, q, transpose_a=True) - tf.eye(3)) < 1e-6))
    True
    """

    def __init__(self, gain: TensorLike = 1.0, seed: int | None = None) -> None:
        self.gain = gain
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: DTypeLike | None = None) -> Tensor:
        """An orthogonal matrix, reshaped to `shape`; it needs two axes or more."""
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        return orthogonal(self._source, shape, self.gain, _dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {**super().get_config(), "gain": self.gain}


class VarianceScaling(RandomInitializer):
    """Samples with mean zero and variance scale / n, where n is the fan-in, fan-out or their mean.

    >>> init = tf.initializers.VarianceScaling(scale=2.0, mode="fan_out", seed=1)
    >>> init([3, 4]).shape
    TensorShape([3, 4])
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        input_axes: Iterable[int] | None = None,
        output_axes: Iterable[int] | None = None,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be positive float. Received: scale={scale}")
        if mode not in MODES:
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of {set(MODES)}")
        self.distribution = distribution.lower()
        if self.distribution == "normal":
            self.distribution = "truncated_normal"
        allowed = ("uniform", "truncated_normal", "untruncated_normal")
        if self.distribution not in allowed:
            raise ValueError(
                f"Invalid `distribution` argument: {self.distribution}."
                f"Please use one of {set(allowed)}"
            )
        self.scale = scale
        self.mode = mode
        self.input_axes = input_axes
        self.output_axes = output_axes
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: DTypeLike | None = None) -> Tensor:
        """A tensor of samples, with the variance scaled by the fans of `shape`."""
        fan_in, fan_out = fans(shape, self.input_axes, self.output_axes)
        variance = scaled_variance(self.scale, self.mode, fan_in, fan_out)
        return with_variance(self._source, shape, self.distribution, variance, _dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {
            **super().get_config(),
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "input_axes": self.input_axes,
            "output_axes": self.output_axes,
        }


class _Named(VarianceScaling):
    """A named choice of scale, mode and distribution."""

    choice: ClassVar[tuple[float, str, str]]

    def __init__(
        self, seed: int | None = None, input_axes: Any = None, output_axes: Any = None
    ) -> None:
        super().__init__(*self.choice, seed, input_axes, output_axes)

    def get_config(self) -> dict[str, Any]:
        full = super().get_config()
        return {name: full[name] for name in ("seed", "input_axes", "output_axes")}


class GlorotUniform(_Named):
    """Glorot (Xavier) uniform: uniform samples with variance 2 / (fan_in + fan_out).

    >>> print(tf.initializers.GlorotUniform(seed=1)([2, 2]).numpy().round(4))
    [[ 0.9271 -0.098 ]
     [ 0.2457 -0.2631]]
    """

    choice = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Named):
    """Glorot (Xavier) normal: truncated normal samples with variance 2 / (fan_in + fan_out)."""

    choice = (1.0, "fan_avg", "truncated_normal")


class LecunNormal(_Named):
    """LeCun normal: truncated normal samples with variance 1 / fan_in."""

    choice = (1.0, "fan_in", "truncated_normal")


class LecunUniform(_Named):
    """LeCun uniform: uniform samples with variance 1 / fan_in."""

    choice = (1.0, "fan_in", "uniform")


class HeNormal(_Named):
    """He (Kaiming) normal: truncated normal samples with variance 2 / fan_in, for relu."""

    choice = (2.0, "fan_in", "truncated_normal")


class HeUniform(_Named):
    """He (Kaiming) uniform: uniform samples with variance 2 / fan_in."""

    choice = (2.0, "fan_in", "uniform")
