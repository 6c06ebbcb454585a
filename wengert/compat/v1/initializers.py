"""tf.compat.v1.initializers, and the initializers in tf.compat.v1 itself.

Those of variables and tables are operations that run the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Final

from wengert.api.initializers import sampling
from wengert.api.initializers.sampling import (
    MODES,
    StatefulSource,
    check_floating,
    fans,
    scaled_variance,
    with_variance,
)
from wengert.api.initializers.simple import check_constant
from wengert.compat.v1.functions import arrays
from wengert.compat.v1.functions.switches import tables_initializer as tables_initializer
from wengert.compat.v1.functions.variables import (
    global_variables_initializer,
    local_variables_initializer,
    variables_initializer,
)
from wengert.ops.arrays import creation
from wengert.ops.arrays.indexing import slice_
from wengert.values.dtypes import DType, as_dtype, float32
from wengert.values.tensor import Tensor


class Initializer:
    """The base of these initializers, with a dtype that a call may override."""

    floating: ClassVar[bool] = False  # whether the dtype must be floating-point

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = check_floating(as_dtype(dtype)) if self.floating else as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The value for a weight, or for the part of one that `partition_info` describes."""
        raise NotImplementedError

    def _dtype(self, dtype: Any) -> DType:
        return self.dtype if dtype is None else as_dtype(dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments to create an initializer like this one."""
        return {"dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """The initializer that `get_config` describes."""
        return cls(**config)


def _whole(shape: Any, partition_info: Any) -> Any:
    """The shape of the whole weight of which a part is requested."""
    return shape if partition_info is None else partition_info.full_shape


class zeros_initializer(Initializer):
    """Zeros."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The value of a variable of this shape."""
        return creation.zeros(shape, self._dtype(dtype))


class ones_initializer(Initializer):
    """Ones."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The value of a variable of this shape."""
        return creation.ones(shape, self._dtype(dtype))


class constant_initializer(Initializer):
    """One value everywhere, or all values of a list."""

    def __init__(self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False) -> None:
        check_constant(value, f"={value} of type")
        self.value = value
        self.verify_shape = verify_shape
        super().__init__(dtype)

    def __call__(
        self,
        shape: Any,
        dtype: Any = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> Tensor:
        """The value of a variable of this shape."""
        verifies = self.verify_shape if verify_shape is None else verify_shape
        return arrays.constant(self.value, self._dtype(dtype), shape, verify_shape=verifies)

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        return {"value": self.value, **super().get_config()}


class _Random(Initializer):
    """An initializer with an operation seed, which gives other values in each call."""

    floating = True

    def __init__(self, seed: Any, dtype: Any) -> None:
        self.seed = seed
        super().__init__(dtype)

    @property
    def _source(self) -> StatefulSource:
        return StatefulSource(self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, **super().get_config()}


class random_uniform_initializer(_Random):
    """Uniform samples from [minval, maxval)."""

    floating = False

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = float32
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        super().__init__(seed, dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The value of a variable of this shape."""
        return self._source.uniform(shape, self.minval, self.maxval, self._dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        return {"minval": self.minval, "maxval": self.maxval, **super().get_config()}


class random_normal_initializer(_Random):
    """Normal samples."""

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = float32
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        super().__init__(seed, dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The value of a variable of this shape."""
        return self._source.normal(shape, self.mean, self.stddev, self._dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        return {"mean": self.mean, "stddev": self.stddev, **super().get_config()}


class truncated_normal_initializer(random_normal_initializer):
    """Normal samples, truncated at two standard deviations from the mean."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The value of a variable of this shape."""
        return self._source.truncated(shape, self.mean, self.stddev, self._dtype(dtype))


class uniform_unit_scaling_initializer(_Random):
    """Uniform samples that preserve the scale of the inputs, times a factor."""

    def __init__(self, factor: float = 1.0, seed: Any = None, dtype: Any = float32) -> None:
        self.factor = factor
        super().__init__(seed, dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The value of a variable of this shape."""
        inputs = math.prod(float(size) for size in _whole(shape, partition_info)[:-1])
        limit = math.sqrt(3 / max(inputs, 1.0)) * self.factor
        return self._source.uniform(shape, -limit, limit, self._dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        return {"factor": self.factor, **super().get_config()}


class variance_scaling_initializer(_Random):
    """Samples around zero with a variance of `scale` over the number of inputs or outputs."""

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        dtype: Any = float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in MODES:
            raise ValueError(f"Argument `mode` should be one of {MODES}. Received: {mode}")
        self.distribution = distribution.lower()
        allowed = ("normal", "uniform", "truncated_normal", "untruncated_normal")
        if self.distribution not in allowed:
            raise ValueError(
                f"Argument `distribution` should be one of {allowed}. Received: {self.distribution}"
            )
        self.scale = scale
        self.mode = mode
        super().__init__(seed, dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The value of a variable of this shape."""
        fan_in, fan_out = fans(_whole(shape, partition_info))
        variance = scaled_variance(self.scale, self.mode, fan_in, fan_out)
        kind = self._dtype(dtype)
        return with_variance(self._source, shape, self.distribution, variance, kind)

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        named = {"scale": self.scale, "mode": self.mode, "distribution": self.distribution}
        return {**named, **super().get_config()}


class glorot_uniform_initializer(variance_scaling_initializer):
    """Uniform samples with a variance of 2 / (inputs + outputs)."""

    _distribution: ClassVar[str] = "uniform"

    def __init__(self, seed: Any = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", self._distribution, seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class glorot_normal_initializer(glorot_uniform_initializer):
    """Truncated normal samples with a variance of 2 / (inputs + outputs)."""

    _distribution = "truncated_normal"


class orthogonal_initializer(_Random):
    """An orthogonal matrix, or a weight that is one when all axes but the last are merged."""

    def __init__(self, gain: Any = 1.0, seed: Any = None, dtype: Any = float32) -> None:
        self.gain = gain
        super().__init__(seed, dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The value of a variable of this shape."""
        _check_rank(shape, len(shape) >= 2)
        return sampling.orthogonal(self._source, shape, self.gain, self._dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        return {"gain": self.gain, **super().get_config()}


class identity_initializer(Initializer):
    """A multiple of the identity matrix."""

    floating = True

    def __init__(self, gain: Any = 1.0, dtype: Any = float32) -> None:
        self.gain = gain
        super().__init__(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The value of a variable of this shape."""
        full = _whole(shape, partition_info)
        _check_rank(full, len(full) == 2)
        rows, columns = full
        weight = creation.eye(rows, columns, dtype=self._dtype(dtype))
        if partition_info is not None:
            weight = slice_(weight, partition_info.var_offset, shape)
        result: Tensor = weight * self.gain
        return result

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was created with."""
        return {"gain": self.gain, **super().get_config()}


def _check_rank(shape: Any, good: bool) -> None:
    if not good:
        raise ValueError(
            "The tensor to initialize, specified by argument `shape` must be at least "
            f"two-dimensional. Received shape={shape}"
        )


def lecun_normal(seed: Any = None) -> Initializer:
    """Truncated normal samples with a variance of 1 / inputs.

    >>> from wengert.compat.v1.initializers import lecun_normal
    >>> lecun_normal()([2, 3]).shape
    TensorShape([2, 3])
    """
    return variance_scaling_initializer(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: Any = None) -> Initializer:
    """Uniform samples with a variance of 1 / inputs.

    >>> from wengert.compat.v1.initializers import lecun_uniform
    >>> lecun_uniform()([2, 3]).shape
    TensorShape([2, 3])
    """
    return variance_scaling_initializer(1.0, "fan_in", "uniform", seed)


def he_normal(seed: Any = None) -> Initializer:
    """Truncated normal samples with a variance of 2 / inputs.

    >>> from wengert.compat.v1.initializers import he_normal
    >>> he_normal()([2, 3]).shape
    TensorShape([2, 3])
    """
    return variance_scaling_initializer(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: Any = None) -> Initializer:
    """Uniform samples with a variance of 2 / inputs.

    >>> from wengert.compat.v1.initializers import he_uniform
    >>> he_uniform()([2, 3]).shape
    TensorShape([2, 3])
    """
    return variance_scaling_initializer(2.0, "fan_in", "uniform", seed)


# The names of tf.compat.v1.initializers.
constant = constant_initializer
global_variables = global_variables_initializer
glorot_normal = glorot_normal_initializer
glorot_uniform = glorot_uniform_initializer
identity = identity_initializer
local_variables = local_variables_initializer
ones = ones_initializer
orthogonal = orthogonal_initializer
random_normal = random_normal_initializer
random_uniform = random_uniform_initializer
truncated_normal = truncated_normal_initializer
uniform_unit_scaling = uniform_unit_scaling_initializer
variables = variables_initializer
variance_scaling = variance_scaling_initializer
zeros = zeros_initializer

# The initializers in tf.compat.v1 itself.
V1_NAMES: Final[dict[str, Callable[..., Any]]] = {
    kind.__name__: kind
    for kind in (
        constant_initializer,
        glorot_normal_initializer,
        glorot_uniform_initializer,
        ones_initializer,
        orthogonal_initializer,
        random_normal_initializer,
        random_uniform_initializer,
        truncated_normal_initializer,
        uniform_unit_scaling_initializer,
        variance_scaling_initializer,
        zeros_initializer,
    )
}
