"""tf.zeros_initializer and the other initializers of TensorFlow 2 that are not Keras's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.initializers.sampling import (
    Source,
    StatefulSource,
    StatelessSource,
    check_floating,
    check_numeric,
)
from wengert.ops.arrays import creation
from wengert.values import dtypes
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, ShapeLike, TensorLike

_PARTITION: Final = ("partition_shape", "partition_offset")


class SimpleInitializer:
    """The base class of these initializers."""

    def __call__(self, shape: ShapeLike, dtype: Any = None, **kwargs: object) -> Tensor:
        """A tensor of this shape and dtype; each initializer overrides it."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SimpleInitializer:
        """The initializer that `get_config` describes."""
        return cls(**{name: value for name, value in config.items() if name != "dtype"})


def _check(kwargs: dict[str, Any]) -> None:
    for name in kwargs:
        if name not in _PARTITION:
            raise TypeError(
                f"Keyword argument should be one of {list(_PARTITION)}. Received: {name}"
            )


def _shape(shape: Any, kwargs: dict[str, Any]) -> Any:
    """The shape to make: that of the partition if one is asked for."""
    _check(kwargs)
    return kwargs.get("partition_shape", shape)


def _source(seed: int | None) -> Source:
    return StatefulSource(None) if seed is None else StatelessSource([seed, 0])


class zeros_initializer(SimpleInitializer):
    """Zeros.

    >>> tf.zeros_initializer()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        """A tensor of zeros."""
        return creation.zeros(_shape(shape, kwargs), check_numeric(as_dtype(dtype)))


class ones_initializer(SimpleInitializer):
    """Ones.

    >>> tf.ones_initializer()([2], dtype=tf.int32).numpy().tolist()
    [1, 1]
    """

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        """A tensor of ones."""
        return creation.ones(_shape(shape, kwargs), check_numeric(as_dtype(dtype)))


class constant_initializer(SimpleInitializer):
    """A single value everywhere, or the values of a list.

    >>> tf.constant_initializer([1.0, 2.0])([1, 2]).numpy().tolist()
    [[1.0, 2.0]]
    """

    def __init__(self, value: TensorLike = 0, support_partition: bool = False) -> None:
        check_constant(value)
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        """The value as a tensor of this shape."""
        _check(kwargs)
        if kwargs and not self.support_partition:
            raise ValueError("Constant initializer doesn't support partition-related arguments")
        return creation.constant(self.value, dtype, shape)

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {"value": self.value}


def check_constant(value: TensorLike, shown: str = "") -> None:
    """Check the value of a constant; `shown` is how the error message shows it."""
    if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
        raise TypeError(
            f"Invalid type for initial value{shown}: {type(value).__name__}. Expected Python "
            "scalar, list or tuple of values, or numpy.ndarray."
        )


class random_uniform_initializer(SimpleInitializer):
    """Samples from the uniform distribution on [minval, maxval); the same each time given a seed.

    >>> print(tf.random_uniform_initializer(0.0, 1.0, seed=1)([2]).numpy().round(4))
    [0.8785 0.46  ]
    """

    def __init__(
        self, minval: TensorLike = -0.05, maxval: TensorLike = 0.05, seed: int | None = None
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        """A tensor of samples from the uniform distribution."""
        wanted, kind = _shape(shape, kwargs), as_dtype(dtype)
        if not kind.is_floating and not kind.is_integer:
            raise ValueError(
                f"Argument `dtype` expected to be numeric or boolean. Received {kind}."
            )
        return _source(self.seed).uniform(wanted, self.minval, self.maxval, kind)

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class random_normal_initializer(SimpleInitializer):
    """Samples from a normal distribution; the same each time given a seed.

    >>> print(tf.random_normal_initializer(stddev=1.0, seed=1)([2]).numpy().round(4))
    [ 0.1267 -0.493 ]
    """

    def __init__(
        self, mean: TensorLike = 0.0, stddev: TensorLike = 0.05, seed: int | None = None
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        """A tensor of samples from the normal distribution."""
        wanted, kind = _shape(shape, kwargs), check_floating(as_dtype(dtype))
        return _source(self.seed).normal(wanted, self.mean, self.stddev, kind)

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments, for `from_config`."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}
