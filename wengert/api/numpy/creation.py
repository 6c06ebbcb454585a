"""New arrays: of values, of a shape, of a range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.numpy import elementwise, pairs
from wengert.api.numpy.promotion import (
    as_tensor,
    named,
    promoted_floats,
    result_type,
)
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import creation, shaping
from wengert.ops.arrays.identity import identity
from wengert.ops.math.elementwise import cast
from wengert.ops.math.elementwise import ones_like as _ones_like
from wengert.ops.math.elementwise import zeros_like as _zeros_like
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.dtypes import DType
    from wengert.values.typing import DTypeLike, ShapeLike

# ---- of values --------------------------------------------------------------------------------


def _wanted(dtype: DTypeLike | None) -> DType | None:
    return None if dtype is None else named(dtype)


@deferrable
def array(
    val: Numeric, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0
) -> Tensor:
    """A tensor of a value; numbers become float64 and int64, as NumPy's do.

    >>> tf.experimental.numpy.array([1, 2], ndmin=2)
    <tf.Tensor: shape=(1, 2), dtype=int64, numpy=array([[1, 2]])>
    """
    tensor = as_tensor(val, _wanted(dtype))
    while len(dims(tensor)) < ndmin:
        tensor = shaping.expand_dims(tensor, 0)
    return identity(tensor) if copy and isinstance(val, Tensor) else tensor


@deferrable
def asarray(a: Numeric, dtype: DTypeLike | None = None) -> Tensor:
    """A tensor of a value, itself where it is one.

    >>> tf.experimental.numpy.asarray([1.5]).dtype
    tf.float64
    """
    return as_tensor(a, _wanted(dtype))


@deferrable
def asanyarray(a: Numeric, dtype: DTypeLike | None = None) -> Tensor:
    """The same as `asarray`.

    >>> tf.experimental.numpy.asanyarray([1.5]).dtype
    tf.float64
    """
    return asarray(a, dtype)


@deferrable
def ascontiguousarray(a: Numeric, dtype: DTypeLike | None = None) -> Tensor:
    """The value with at least one axis.

    >>> tf.experimental.numpy.ascontiguousarray(1.5).shape
    TensorShape([1])
    """
    return array(a, dtype, ndmin=1)


@deferrable
def copy(a: Numeric) -> Tensor:
    """A tensor of the same elements.

    >>> tf.experimental.numpy.copy([1, 2]).numpy()
    array([1, 2])
    """
    return array(a)


# ---- of a shape -------------------------------------------------------------------------------


@deferrable
def zeros(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """Zeros of a shape.

    >>> tf.experimental.numpy.zeros(2).numpy()
    array([0., 0.])
    """
    return creation.zeros(_sizes(shape), named(dtype or float))


@deferrable
def ones(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """Ones of a shape.

    >>> tf.experimental.numpy.ones(2, int).numpy()
    array([1, 1])
    """
    return creation.ones(_sizes(shape), named(dtype or float))


@deferrable
def empty(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """Elements of which nothing is said: zeros.

    >>> tf.experimental.numpy.empty(2).shape
    TensorShape([2])
    """
    return zeros(shape, dtype)


def _sizes(shape: Any) -> Any:
    """The sizes that a shape stands for, which may be one number."""
    is_number = isinstance(shape, (int, np.integer))
    return (shape,) if is_number or (isinstance(shape, Tensor) and not dims(shape)) else shape


@deferrable
def full(shape: ShapeLike, fill_value: Numeric, dtype: DTypeLike | None = None) -> Tensor:
    """A value, repeated to a shape.

    >>> tf.experimental.numpy.full(2, 1.5).numpy()
    array([1.5, 1.5])
    """
    return shaping.broadcast_to(as_tensor(fill_value, _wanted(dtype)), _sizes(shape))


@deferrable
def zeros_like(a: Numeric, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros of the shape of another.

    >>> tf.experimental.numpy.zeros_like([1.5, 2.5]).numpy()
    array([0., 0.])
    """
    return _zeros_like(as_tensor(a), _wanted(dtype))


@deferrable
def ones_like(a: Numeric, dtype: DTypeLike | None = None) -> Tensor:
    """Ones of the shape of another.

    >>> tf.experimental.numpy.ones_like([1.5, 2.5]).numpy()
    array([1., 1.])
    """
    return _ones_like(as_tensor(a), _wanted(dtype))


@deferrable
def empty_like(a: Numeric, dtype: DTypeLike | None = None) -> Tensor:
    """Elements of which nothing is said, of the shape of another: zeros.

    >>> tf.experimental.numpy.empty_like([1, 2]).dtype
    tf.int64
    """
    return zeros_like(a, dtype)


@deferrable
def full_like(
    a: Numeric,
    fill_value: Numeric,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
) -> Tensor:
    """A value, repeated to the shape of another.

    >>> tf.experimental.numpy.full_like([1, 2], 7).numpy()
    array([7, 7])
    """
    if order != "K" or not subok or shape is not None:
        raise ValueError("full_like takes order='K', subok=True and no shape: use full.")
    tensor = as_tensor(a)
    value = as_tensor(fill_value, _wanted(dtype) or tensor.dtype)
    return shaping.broadcast_to(value, creation.shape(tensor))


# ---- matrices ---------------------------------------------------------------------------------


@deferrable
def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float) -> Tensor:
    """Ones on a diagonal, zeros elsewhere.

    >>> tf.experimental.numpy.eye(2, 3, k=1).numpy().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return convert(np.eye(N, M, k, named(dtype or float).numpy_dtype))


@deferrable
def identity_matrix(n: int, dtype: DTypeLike = float) -> Tensor:
    """Ones on the diagonal of a square matrix.

    >>> tf.experimental.numpy.identity(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return eye(n, dtype=dtype)


identity_matrix.__name__ = identity_matrix.__qualname__ = "identity"


@deferrable
def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Ones on and below a diagonal.

    >>> tf.experimental.numpy.tri(2, dtype=int).numpy().tolist()
    [[1, 0], [1, 1]]
    """
    return convert(np.tri(N, M, k, named(dtype or float).numpy_dtype))


# ---- ranges -----------------------------------------------------------------------------------


@deferrable
def arange(
    start: Numeric, stop: Numeric | None = None, step: Numeric = 1, dtype: DTypeLike | None = None
) -> Tensor:
    """Equal steps from start up to stop, without it.

    >>> tf.experimental.numpy.arange(0, 1, 0.25).numpy()
    array([0.  , 0.25, 0.5 , 0.75])
    """
    low, high = (0, start) if stop is None else (start, stop)
    if not isinstance(step, Tensor) and step == 0:
        raise ValueError("step must be non-zero: arange would have no end.")
    given = (start, step) if stop is None else (start, stop, step)
    wanted = _wanted(dtype) or result_type(*given)
    work = dtypes.int64 if wanted.is_integer else dtypes.float64
    values = [as_tensor(v, work if wanted.size < 8 else wanted) for v in (low, high, step)]
    first, last, by = values
    return cast(creation.range_(first, last, by), wanted)


@deferrable
def linspace(
    start: Numeric,
    stop: Numeric,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = float,
    axis: int = 0,
) -> Any:
    """Numbers at equal distances, with `stop` unless `endpoint` is False.

    >>> tf.experimental.numpy.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ])
    """
    wanted = result_type(start, stop, float(num)) if dtype in (None, float) else named(dtype)
    low, high = promoted_floats(start, stop)
    if wanted.is_differentiable:
        low, high = cast(low, wanted), cast(high, wanted)
    distance = (high - low) / max(num - 1 if endpoint else num, 1)
    last = high if endpoint else high - distance
    shape = creation.shape(distance)
    low, last = shaping.broadcast_to(low, shape), shaping.broadcast_to(last, shape)
    found = creation.linspace(low, last, num, axis=axis) if num else low[:0]
    found = cast(found, wanted)
    return (found, distance) if retstep else found


@deferrable
def logspace(
    start: Numeric,
    stop: Numeric,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """Powers of the base, whose exponents are at equal distances.

    >>> tf.experimental.numpy.logspace(0, 2, 3).numpy()
    array([  1.,  10., 100.])
    """
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    found = pairs.power(as_tensor(base, exponents.dtype), exponents)
    return found if dtype is None else cast(found, named(dtype))


@deferrable
def geomspace(
    start: Numeric,
    stop: Numeric,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """Numbers of which each is the one before times the same factor.

    >>> tf.experimental.numpy.geomspace(1, 100, 3).numpy().round(12)
    array([  1.,  10., 100.])
    """
    wanted = result_type(start, stop, float(num)) if dtype is None else named(dtype)
    low, high = promoted_floats(start, stop)
    sign = elementwise.sign(low)
    exponents = linspace(
        elementwise.log(low * sign), elementwise.log(high * sign), num, endpoint,
        dtype=low.dtype, axis=axis,
    )  # fmt: skip
    return cast(sign * elementwise.exp(exponents), wanted)


@deferrable
def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """The indices of the diagonal of an array with `ndim` axes of size n.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    return (creation.range_(n),) * ndim


@deferrable
def vander(x: Numeric, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of a vector's elements as columns, the highest first unless `increasing`.

    >>> tf.experimental.numpy.vander([2, 3], 3).numpy().tolist()
    [[4, 2, 1], [9, 3, 1]]
    """
    tensor = as_tensor(x)
    count = dims(tensor)[0] if N is None else N
    if count < 0:
        raise ValueError("N must be nonnegative: it is the number of columns.")
    powers = np.arange(count) if increasing else np.arange(count)[::-1]
    column = shaping.expand_dims(tensor, 1)
    found: Tensor = pairs.power(column, cast(convert(powers.copy()), tensor.dtype))
    return found
