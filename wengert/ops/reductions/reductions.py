"""Reductions along axes: sum, mean, max, argmax, logsumexp and others.

The public functions normalize the axes to a sorted tuple counted from the front; kernels and rules
see only that.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.host.malloc import LARGE
from wengert.inference.public_functions import deferrable
from wengert.inference.symbolic_integers import by_function
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.arrays.shaping import (
    BROADCAST_TO,
    as_numbers,
    broadcast_to,
    in_shape,
    one_axis,
    order_back,
    reshape,
    transpose,
)
from wengert.ops.math.comparison import equal, less, less_equal, not_equal, where
from wengert.ops.math.complex import conj, real
from wengert.ops.math.elementwise import cast, exp, is_finite, log, sqrt, square, zeros_like
from wengert.ops.reductions.cumulative import cumprod
from wengert.ops.support.batch_rules import shift_axes, shift_axis
from wengert.ops.support.declare import ANY, BOOL, NUMBER, REAL_OR_INT, wrong_dtype
from wengert.ops.support.half_precision import is_half, widen
from wengert.ops.support.large_kernels import reduction_kernel
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import Axes, Dims, broadcast_axes, normal_axis, shape_text
from wengert.values.sizes import certainly
from wengert.values.symbolic import identical
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, DTypeLike, Integers, Namespace, TensorLike

# ---- axes -------------------------------------------------------------------------------------


def normal_axes(axis: TensorLike | Integers | None, rank: int, who: str) -> Dims:
    """The axes to reduce, sorted and counted from the front; None means all."""
    if axis is None:
        return tuple(range(rank))
    if type(axis) is int and -rank <= axis < rank:
        return _single(axis, rank)
    numbers, given = as_numbers(axis)
    for a in numbers:
        if not -rank <= a < rank:
            raise InvalidArgumentError(
                f"Invalid reduction dimension ({a} for input with {rank} dimension(s)) [Op:{who}]"
            )
    axes = sorted(normal_axis(a, rank) for a in numbers)
    for a, b in pairwise(axes):
        if a == b:
            raise InvalidArgumentError(
                f"Invalid reduction arguments: Axes contains duplicate dimension: {a} [Op:{who}]"
            )
    return Axes(axes, given)


@functools.lru_cache(1000)
def _single(axis: int, rank: int) -> Axes:
    return Axes((normal_axis(axis, rank),), axis)


def kept_dims(shape: Dims, axis: Dims) -> Dims:
    """The shape with the reduced axes at size one."""
    sizes = list(shape)
    for i in axis:
        sizes[i] = 1
    return tuple(sizes)


def reduced_dims(shape: Dims, *, axis: Dims, keepdims: bool) -> Dims:
    """The shape of a reduction along some axes."""
    if keepdims:
        return kept_dims(shape, axis)
    return tuple(size for i, size in enumerate(shape) if i not in axis)


def _beside(g: Tensor, shape: Dims, axis: Dims) -> Tensor:
    """What is like the result, beside the input: with the reduced axes at size one."""
    kept = kept_dims(shape, axis)
    return g if dims(g) == kept else in_shape(g, kept)


def _spread(g: Tensor, shape: Dims, axis: Dims) -> Tensor:
    """A cotangent of the result, repeated along the reduced axes."""
    if type(g) is not Tensor:
        g = _beside(g, shape, axis)
        return g if dims(g) == shape else broadcast_to(g, shape)
    have = dims(g)  # known, as everything is here: nobody need look at it once more
    if have and have != (kept := kept_dims(shape, axis)):
        g, have = in_shape(g, kept), kept
    return g if have == shape else apply(BROADCAST_TO, (g,), {"shape": shape})


def _size(shape: Dims, axis: Dims) -> int:
    return shape[axis[0]] if len(axis) == 1 else math.prod([shape[i] for i in axis])


# ---- sums and means ---------------------------------------------------------------------------


def _accurately(xp: Namespace, name: str, x: Array, axis: Dims, keepdims: bool) -> Array:
    """Two-byte floats are summed in float32, so that long sums stay accurate."""
    total = _in_float32(xp, name, x, axis, keepdims)
    return total.astype(x.dtype) if is_half(x) else total


def _in_float32(xp: Namespace, name: str, x: Array, axis: Dims, keepdims: bool) -> Array:
    wide = widen(x)
    total: Array = getattr(xp, name)(wide, axis, wide.dtype, keepdims=keepdims)
    return total


def _reduce_large(row: Row, arrays: Sequence[Array], attrs: Attrs) -> Array | None:
    """The row's function for large arrays; all elements of a small one NumPy reduces in one go."""
    is_whole = len(attrs["axis"]) == arrays[0].ndim
    is_small = is_whole and arrays[0].size < LARGE
    return None if is_small else reduction_kernel(row, arrays, attrs)


SUM: Row = op(
    "Sum",
    lambda xp, x, *, axis, keepdims: _accurately(xp, "sum", x, axis, keepdims),
    vjp=(lambda g, y, x, *, axis, keepdims: _spread(g, dims(x), axis),),
    linear=(0,),
    shape=reduced_dims,
    integers=by_function(np.sum),
    large=_reduce_large,
    by_rows=True,
    batch=shift_axes("Sum"),
    saves="",
)


def _mean_kernel(xp: Namespace, x: Array, *, axis: Dims, keepdims: bool) -> Array:
    if x.dtype.kind in "iu":  # TensorFlow divides integers towards zero
        total = xp.sum(x, axis=axis, keepdims=keepdims)
        whole = xp.abs(total) // max(_size(x.shape, axis), 1)
        return (xp.sign(total) * whole).astype(x.dtype)
    total = _in_float32(xp, "sum", x, axis, keepdims)
    # No complex numbers have the mean 0 in TensorFlow, and no real ones NaN.
    count = max(_size(x.shape, axis), 1 if x.dtype.kind == "c" else 0)
    mean: Array = total / total.dtype.type(count)
    return mean.astype(x.dtype) if is_half(x) else mean


def _mean_rule(g: Tensor, y: Tensor, x: Tensor, *, axis: Dims, keepdims: bool) -> Tensor:
    # At least one, so that the transposed rule, which is forward mode, is zero along no elements.
    count = max(_size(dims(x), axis), 1)
    return _spread(g / float(count), dims(x), axis)


MEAN: Row = op(
    "Mean",
    _mean_kernel,
    vjp=(_mean_rule,),
    # The mean of no elements is NaN, but it is constant.
    jvp=(
        lambda t, y, x, *, axis, keepdims: (
            _reduce(MEAN, t, axis, keepdims) if _size(dims(x), axis) else zeros_like(y)
        ),
    ),
    large=_reduce_large,
    by_rows=True,
    batch=shift_axes("Mean"),
    shape=reduced_dims,
    saves="",
)

# ---- products ---------------------------------------------------------------------------------


def _prod_rule(g: Tensor, y: Tensor | None, x: Tensor, *, axis: Dims, keepdims: bool) -> Tensor:
    """For each factor the product of the others: those before it times those after it.

    That is correct for zeros, too, and differentiable again.
    """
    shape = dims(x)
    order = (*(i for i in range(len(shape)) if i not in axis), *axis)
    moved = transpose(x, order)
    rows = reshape(
        moved,
        (*[shape[i] for i in order[: len(shape) - len(axis)]], _size(shape, axis)),
    )
    others = cumprod(rows, -1, exclusive=True) * cumprod(rows, -1, exclusive=True, reverse=True)
    back = order_back(order)
    return _spread(g, shape, axis) * transpose(reshape(others, dims(moved)), back)


PROD: Row = op(
    "Prod",
    lambda xp, x, *, axis, keepdims: _accurately(xp, "prod", x, axis, keepdims),
    vjp=(_prod_rule,),
    batch=shift_axes("Prod"),
    shape=reduced_dims,
    integers=by_function(np.prod),
    saves="x",
)

# ---- extremes ---------------------------------------------------------------------------------


def _extreme_rule(g: Tensor, y: Tensor, x: Tensor, *, axis: Dims, keepdims: bool) -> Tensor:
    """Elements that share the extreme share its cotangent equally."""
    chosen = cast(equal(_beside(y, dims(x), axis), x), x.dtype)
    # In this order the transposed rule, which is forward mode, adds up nothing along an axis without elements.
    return chosen / _along(SUM, chosen, axis, True) * _beside(g, dims(x), axis)


def _extreme_kernel(reduce: str, empty: str) -> Callable[..., Any]:
    def kernel(xp: Namespace, x: Array, *, axis: Dims, keepdims: bool) -> Array:
        if x.size == 0:  # the extreme of no elements: the neutral element
            limit = dtypes.of_numpy(x.dtype)
            worst = getattr(limit, empty) if limit.is_integer else float(
                "-inf" if empty == "min" else "inf"
            )  # fmt: skip
            return getattr(xp, reduce)(x, axis=axis, keepdims=keepdims, initial=worst)
        return getattr(xp, reduce)(x, axis=axis, keepdims=keepdims)

    return kernel


MAX: Row = op(
    "Max",
    _extreme_kernel("max", "min"),
    vjp=(_extreme_rule,),
    large=_reduce_large,
    by_rows=True,
    batch=shift_axes("Max"),
    shape=reduced_dims,
)
MIN: Row = op(
    "Min",
    _extreme_kernel("min", "max"),
    vjp=(_extreme_rule,),
    large=_reduce_large,
    by_rows=True,
    batch=shift_axes("Min"),
    shape=reduced_dims,
)
ALL: Row = op(
    "All",
    lambda xp, x, *, axis, keepdims: xp.all(x, axis=axis, keepdims=keepdims),
    shape=reduced_dims,
    batch=shift_axes("All"),
)
ANY_TRUE: Row = op(
    "Any",
    lambda xp, x, *, axis, keepdims: xp.any(x, axis=axis, keepdims=keepdims),
    shape=reduced_dims,
    batch=shift_axes("Any"),
)


def _arg_kernel(find: str, worst: float) -> Callable[..., Any]:
    def kernel(xp: Namespace, x: Array, *, axis: int, dtype: DType) -> Array:
        if x.dtype.kind == "f" and x.size >= _MANY:
            place = _without_nan(find, x, axis)
            if place is not None:
                return place.astype(dtype.numpy_dtype, copy=False)
        if x.dtype.kind in "fV":  # NaN is ignored, unless there is nothing else
            x = xp.where(xp.isnan(x), x.dtype.type(worst), x)
        return getattr(xp, find)(x, axis=axis).astype(dtype.numpy_dtype)

    return kernel


_MANY: Final = 1 << 10  # elements


def _without_nan(find: str, x: Array, axis: int) -> Array | None:
    """The places of extremes; None if there is a NaN, which NumPy finds.

    To look where it found something takes less than a copy without them.
    """
    if type(x) is not np.ndarray:
        return None
    place: Array = getattr(x, find)(axis)
    there = np.take_along_axis(x, np.expand_dims(place, axis), axis)
    return None if np.isnan(there).any() else place


def _arg_row(name: str, find: str, worst: float) -> Row:
    return op(
        name,
        _arg_kernel(find, worst),
        shape=lambda x, *, axis, dtype: (*x[:axis], *x[axis + 1 :]),
        dtype=lambda x, *, axis, dtype: dtype.numpy_dtype,
        batch=shift_axis(name),
    )


ARG_MAX: Row = _arg_row("ArgMax", "argmax", -np.inf)
ARG_MIN: Row = _arg_row("ArgMin", "argmin", np.inf)

# ---- the Euclidean norm -----------------------------------------------------------------------


def _norm_kernel(xp: Namespace, x: Array, *, axis: Dims, keepdims: bool) -> Array:
    wide = widen(x)
    return xp.sqrt(_accurately(xp, "sum", wide * xp.conj(wide), axis, keepdims)).astype(x.dtype)


def _norm_rule(g: Tensor, y: Tensor, x: Tensor, *, axis: Dims, keepdims: bool) -> Tensor:
    # In this order the transposed rule adds up nothing along an axis without elements.
    return conj(x) / _beside(y, dims(x), axis) * cast(real(_beside(g, dims(x), axis)), x.dtype)


def _norm_push(t: Tensor, y: Tensor, x: Tensor, *, axis: Dims, keepdims: bool) -> Tensor:
    slopes = conj(x) / _beside(y, dims(x), axis)
    return cast(real(_reduce(SUM, slopes * t, axis, keepdims)), x.dtype)


EUCLIDEAN_NORM: Row = op(
    "EuclideanNorm",
    _norm_kernel,
    vjp=(_norm_rule,),
    jvp=(_norm_push,),
    batch=shift_axes("EuclideanNorm"),
    shape=reduced_dims,
)

# ---- public functions -------------------------------------------------------------------------


def _reduce(
    row: Row,
    tensor: TensorLike,
    axis: TensorLike | Integers | None,
    keepdims: bool,
    takes: str = NUMBER,
) -> Tensor:
    if type(tensor) is not Tensor:
        tensor = convert(tensor, hint=dtypes.bool_ if takes is BOOL else None)
    if tensor._array.dtype.kind not in takes:
        raise wrong_dtype(row, tensor.dtype, takes)
    axes = normal_axes(axis, len(dims(tensor)), row.name)
    return _along(row, tensor, axes, bool(keepdims))


def _along(row: Row, x: Tensor, axes: Dims, keepdims: bool) -> Tensor:
    """A reduction along axes that are known."""
    result: Tensor = apply(row, (x,), {"axis": axes, "keepdims": keepdims})
    return result


@deferrable
def reduce_sum(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The sum of the elements along some axes, or of all.

    >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.reduce_sum(x).numpy().item(), tf.reduce_sum(x, axis=0).numpy().tolist()
    (10.0, [4.0, 6.0])
    """
    return _reduce(SUM, input_tensor, axis, keepdims)


@deferrable
def reduce_mean(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The mean of the elements along some axes, or of all.

    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy().tolist()
    [1.5, 3.5]
    """
    return _reduce(MEAN, input_tensor, axis, keepdims)


@deferrable
def reduce_prod(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of the elements along some axes, or of all.

    Its gradient is correct to every order, even where factors are zero.

    >>> tf.reduce_prod([[1.0, 2.0], [3.0, 4.0]]).numpy().item()
    24.0
    """
    return _reduce(PROD, input_tensor, axis, keepdims)


@deferrable
def reduce_max(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The maximum along some axes, or of all elements. Ties share the gradient equally.

    >>> tf.reduce_max([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy().tolist()
    [3.0, 4.0]
    """
    return _reduce(MAX, input_tensor, axis, keepdims, REAL_OR_INT)


@deferrable
def reduce_min(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The minimum along some axes, or of all elements. Ties share the gradient equally.

    >>> tf.reduce_min([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy().tolist()
    [1.0, 2.0]
    """
    return _reduce(MIN, input_tensor, axis, keepdims, REAL_OR_INT)


@deferrable
def reduce_all(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Logical and: whether all elements along some axes are true.

    >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy().tolist()
    [False, True]
    """
    return _reduce(ALL, input_tensor, axis, keepdims, BOOL)


@deferrable
def reduce_any(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Logical or: whether any element along some axes is true.

    >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy().tolist()
    [True, False]
    """
    return _reduce(ANY_TRUE, input_tensor, axis, keepdims, BOOL)


@deferrable
def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The Euclidean (L2) norm along some axes, or of all elements.

    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy().item()
    5.0
    """
    return _reduce(EUCLIDEAN_NORM, convert(input_tensor), axis, keepdims)


@deferrable
def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Log-sum-exp, log(sum(exp(x))), along some axes, without overflow.

    >>> tf.reduce_logsumexp([1000.0, 1000.0]).numpy().round(3)
    np.float32(1000.693)
    """
    x = convert(input_tensor)
    axes = normal_axes(axis, len(dims(x)), "LogSumExp")
    largest = _along(MAX, stop_gradient(x), axes, True)
    shift = where(is_finite(largest), largest, zeros_like(largest))
    total = log(_along(SUM, exp(x - shift), axes, True)) + shift
    return total if keepdims else _without(total, axes)


def _without(x: Tensor, axis: Dims) -> Tensor:
    return in_shape(x, reduced_dims(dims(x), axis=axis, keepdims=False))


@deferrable
def reduce_variance(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The variance (population variance, ddof 0) along some axes, or of all elements.

    >>> tf.math.reduce_variance([1.0, 3.0]).numpy().item()
    1.0
    """
    x = convert(input_tensor)
    if not x.dtype.is_differentiable:
        raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype}.")
    away = x - reduce_mean(x, axis, keepdims=True)
    squared = real(away * conj(away)) if x.dtype.is_complex else square(away)
    return reduce_mean(squared, axis, keepdims)


@deferrable
def reduce_std(
    input_tensor: TensorLike,
    axis: Integers | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The standard deviation along some axes, or of all elements.

    >>> tf.math.reduce_std([1.0, 3.0]).numpy().item()
    1.0
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


@deferrable
def count_nonzero(
    input: TensorLike,
    axis: Integers | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The number of nonzero elements.

    >>> tf.math.count_nonzero([[0.0, 2.0], [3.0, 4.0]]).numpy().item()
    3
    """
    x = convert(input)
    zero = convert("") if x.dtype is dtypes.string else zeros_like(x)
    return reduce_sum(cast(not_equal(x, zero), dtype), axis, bool(keepdims))


@deferrable
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The fraction of elements that are zero.

    >>> tf.math.zero_fraction([0.0, 2.0, 0.0, 4.0]).numpy().item()
    0.5
    """
    x = convert(value)
    return reduce_mean(cast(equal(x, zeros_like(x)), dtypes.float32))


@deferrable
def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element is smaller than the one before it, in row-major order.

    >>> tf.math.is_non_decreasing([1.0, 2.0, 2.0]).numpy().item()
    True
    """
    before, after = _neighbours(x)
    return reduce_all(less_equal(before, after))


@deferrable
def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether every element is larger than the one before it, in row-major order.

    >>> tf.math.is_strictly_increasing([1.0, 2.0, 2.0]).numpy().item()
    False
    """
    before, after = _neighbours(x)
    return reduce_all(less(before, after))


def _neighbours(x: TensorLike) -> tuple[Tensor, Tensor]:
    flat = reshape(x, (-1,))
    return flat[:-1], flat[1:]


@deferrable
def argmax(
    input: TensorLike,
    axis: Integers | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The index of the maximum along an axis, the first one in case of ties.

    >>> tf.argmax([[1.0, 5.0], [3.0, 2.0]], axis=1).numpy().tolist()
    [1, 0]
    """
    return _arg(ARG_MAX, input, axis, output_type)


@deferrable
def argmin(
    input: TensorLike,
    axis: Integers | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The index of the minimum along an axis, the first one in case of ties.

    >>> tf.argmin([[1.0, 5.0], [3.0, 2.0]], axis=1).numpy().tolist()
    [0, 1]
    """
    return _arg(ARG_MIN, input, axis, output_type)


def _arg(row: Row, value: TensorLike, axis: Integers | None, dtype: DTypeLike) -> Tensor:
    x = convert(value)
    if x._array.dtype.kind not in ANY:
        raise wrong_dtype(row, x.dtype)
    complaint = "Expected dimension in the range [{low}, {rank}), but got {at}"
    at = one_axis(0 if axis is None else axis, len(dims(x)), row.name, complaint)
    if certainly(dims(x)[at] == 0):
        raise InvalidArgumentError(
            f"Reduction axis {at} is empty in shape {shape_text(dims(x))} [Op:{row.name}]"
        )
    result: Tensor = apply(row, (x,), {"axis": at, "dtype": as_dtype(dtype or dtypes.int64)})
    return result


# ---- bound operations -------------------------------------------------------------------------


def sum_to(x: Tensor, shape: Dims) -> Tensor:
    """The sum over the axes along which a tensor of `shape` was broadcast."""
    return x if identical(dims(x), shape) else _sum_of_broadcast(x, shape)


@deferrable
def _sum_of_broadcast(x: Tensor, shape: Dims) -> Tensor:
    axes, kept = broadcast_axes(shape, dims(x))
    if not axes:
        return x
    total = apply(SUM, (x,), {"axis": axes, "keepdims": False})
    return reshape(total, shape) if kept else total
