"""tnp.random: numbers of TensorFlow's generators, in NumPy's shapes and dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.numpy.promotion import as_tensor, named, own_float
from wengert.ops.arrays import creation
from wengert.ops.arrays.broadcasting import broadcast_dynamic_shape
from wengert.ops.math.elementwise import cast
from wengert.ops.random import seeds, stateful
from wengert.values.dtypes import float64, int64
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.typing import DTypeLike


def seed(s: int) -> None:
    """Let the random numbers that follow be those of a seed.

    >>> tf.experimental.numpy.random.seed(42)
    """
    seeds.set_seed(int(s))


def _sizes(size: Any) -> Any:
    if size is None:
        return ()
    return (size,) if isinstance(size, (int, np.integer)) else size


def randn(*args: int) -> Tensor:
    """Normal random numbers; the arguments are the shape.

    >>> tf.experimental.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])
    """
    return standard_normal(args)


def standard_normal(size: Any = None) -> Tensor:
    """Normal random numbers of a shape.

    >>> tf.experimental.numpy.random.standard_normal((2,)).dtype
    tf.float64
    """
    return stateful.normal(_sizes(size), dtype=own_float())


def uniform(low: Numeric = 0.0, high: Numeric = 1.0, size: Any = None) -> Tensor:
    """Random numbers from low up to high.

    >>> tf.experimental.numpy.random.uniform(1.0, 2.0, (3,)).shape
    TensorShape([3])
    """
    dtype = own_float()
    a, b = as_tensor(low, dtype), as_tensor(high, dtype)
    if size is None:
        size = broadcast_dynamic_shape(creation.shape(a), creation.shape(b))
    return a + (b - a) * stateful.uniform(_sizes(size), dtype=dtype)


def random(size: Any = None) -> Tensor:
    """Random numbers from 0 up to 1.

    >>> tf.experimental.numpy.random.random((3,)).shape
    TensorShape([3])
    """
    return uniform(0.0, 1.0, _sizes(size))


def rand(*size: int) -> Tensor:
    """Random numbers from 0 up to 1; the arguments are the shape.

    >>> tf.experimental.numpy.random.rand(2).shape
    TensorShape([2])
    """
    return uniform(0.0, 1.0, size)


def randint(
    low: int, high: int | None = None, size: Any = None, dtype: DTypeLike = np.int64
) -> Tensor:
    """Random integers from low up to high, without it; from 0 if one bound is given.

    >>> tf.experimental.numpy.random.randint(5, size=(2,)).dtype
    tf.int64
    """
    wanted = named(dtype)
    if wanted.name not in ("int32", "int64"):
        raise ValueError(f"Only int32 and int64 are supported, not {wanted.name}: use astype.")
    bottom, top = (0, low) if high is None else (low, high)
    return stateful.uniform(_sizes(size), as_tensor(bottom, wanted), as_tensor(top, wanted), wanted)


def poisson(lam: Numeric = 1.0, size: Any = None) -> Tensor:
    """Random counts of events that happen at a rate.

    >>> tf.experimental.numpy.random.poisson(3.0, (2,)).dtype
    tf.int64
    """
    rate = as_tensor(lam, float64)
    if size is None:
        return cast(stateful.poisson((), rate), int64)
    return cast(stateful.poisson(_sizes(size), rate), int64)
