"""Reductions, with NumPy's dtypes: integers are added in 64 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert.api.numpy.elementwise import isnan
from wengert.api.numpy.pairs import isclose
from wengert.api.numpy.promotion import (
    as_tensor,
    in_floats,
    named,
    promoted,
    promoted_floats,
    settings,
    truth,
)
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import creation, shaping
from wengert.ops.arrays.slicing import take_part
from wengert.ops.math import comparison
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, ones_like, zeros_like
from wengert.ops.reductions import reductions
from wengert.values.dtypes import DType, int32, int64, uint64
from wengert.values.shapes import broadcastable
from wengert.values.symbolic import is_certain
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.typing import DTypeLike, Integers

    Axis = Integers | None


def summed(a: Numeric, dtype: DTypeLike | None) -> Tensor:
    """The tensor in the dtype in which it is added up."""
    tensor = as_tensor(a)
    return cast(tensor, named(dtype) if dtype is not None else _wide(tensor.dtype))


def _wide(dtype: DType) -> DType:
    if settings.is_narrow:
        return int32 if dtype.is_bool or (dtype.is_integer and dtype.size < int32.size) else dtype
    if dtype.is_bool or (dtype.is_integer and not dtype.is_unsigned):
        return int64
    return uint64 if dtype.is_unsigned else dtype


def _averaged(a: Numeric, dtype: DTypeLike | None) -> Tensor:
    return in_floats(a) if dtype is None else cast(as_tensor(a), named(dtype))


def refuse_out(out: Any, who: str) -> None:
    """A tensor cannot be written to."""
    if out is not None:
        raise ValueError(
            f"{who} takes no `out`: its result is a new tensor, which nothing can write into."
        )


# ---- sums -------------------------------------------------------------------------------------


@deferrable
def sum(
    a: Numeric, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool | None = None
) -> Tensor:
    """The sum over some axes; integers are added in 64 bits.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])
    """
    return reductions.reduce_sum(summed(a, dtype), axis, bool(keepdims))


@deferrable
def prod(
    a: Numeric, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool | None = None
) -> Tensor:
    """The product over some axes.

    >>> tf.experimental.numpy.prod([2, 3]).numpy()
    np.int64(6)
    """
    return reductions.reduce_prod(summed(a, dtype), axis, bool(keepdims))


@deferrable
def mean(
    a: Numeric,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The mean over some axes, in floating point.

    >>> tf.experimental.numpy.mean([1, 2]).numpy()
    np.float64(1.5)
    """
    refuse_out(out, "mean")
    return reductions.reduce_mean(_averaged(a, dtype), axis, bool(keepdims))


@deferrable
def var(
    a: Numeric,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool | None = None,
) -> Tensor:
    """The variance: squares of the distances from the mean, divided by how many less `ddof`.

    >>> tf.experimental.numpy.var([1.0, 3.0], ddof=1).numpy()
    np.float64(2.0)
    """
    refuse_out(out, "var")
    tensor = _averaged(a, dtype)
    found = reductions.reduce_variance(tensor, axis, bool(keepdims))
    if not ddof:
        return found
    count = cast(_counted(tensor, axis), found.dtype)
    return found * (count / (count - ddof))


@deferrable
def std(a: Numeric, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The standard deviation: the square root of the variance.

    >>> tf.experimental.numpy.std([1.0, 3.0]).numpy()
    np.float64(1.0)
    """
    return reductions.reduce_std(in_floats(a), axis, bool(keepdims))


def _counted(x: Tensor, axis: Axis) -> Tensor:
    """How many elements a reduction goes over."""
    sizes = creation.shape(x, int64)
    if axis is None:
        return reductions.reduce_prod(sizes)
    places = reductions.normal_axes(axis, len(dims(x)), "Size")
    return (
        reductions.reduce_prod(creation.constant([1], int64))
        if not places
        else (reductions.reduce_prod(_picked(sizes, places)))
    )


def _picked(sizes: Tensor, places: Any) -> Any:
    return [take_part(sizes, (place,)) for place in places]


@deferrable
def average(
    a: Numeric, axis: Axis = None, weights: Numeric | None = None, returned: bool = False
) -> Any:
    """The weighted mean; with `returned`, also the sum of the weights.

    >>> tf.experimental.numpy.average([1.0, 2.0], weights=[1.0, 3.0]).numpy()
    np.float64(1.75)
    """
    x = in_floats(a)
    if weights is None:
        found = mean(x, axis)
        total = cast(_counted(x, axis), found.dtype)
        return (found, shaping.broadcast_to(total, creation.shape(found))) if returned else found
    x, w = promoted_floats(
        x, as_tensor(weights, x.dtype if isinstance(weights, (list, tuple)) else None)
    )
    if len(dims(w)) != len(dims(x)):
        if axis is None or len(dims(w)) != 1:
            raise ValueError(
                "Weights of another shape than a must be one-dimensional, for one axis: "
                f"weights have rank {len(dims(w))}, a has rank {len(dims(x))}, axis is {axis}."
            )
        at = reductions.normal_axes(axis, len(dims(x)), "Average")[0]
        w = shaping.reshape(w, (-1, *[1] * (len(dims(x)) - 1 - at)))
    w = w + zeros_like(x)
    total = sum(w, axis)
    found = sum(x * w, axis) / total
    return (found, total) if returned else found


# ---- extremes and truths ----------------------------------------------------------------------


def _extreme(of_numbers: Callable[..., Tensor], of_truths: Callable[..., Tensor]) -> Any:
    def function(a: Numeric, axis: Axis, keepdims: bool | None) -> Tensor:
        tensor = as_tensor(a)
        chosen = of_truths if tensor.dtype.is_bool else of_numbers
        return chosen(tensor, axis, bool(keepdims))

    return function


_largest = _extreme(reductions.reduce_max, reductions.reduce_any)
_smallest = _extreme(reductions.reduce_min, reductions.reduce_all)


@deferrable
def max(a: Numeric, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The greatest element along some axes.

    >>> tf.experimental.numpy.max([[1, 5], [3, 4]], axis=1).numpy()
    array([5, 4])
    """
    return _largest(a, axis, keepdims)  # type: ignore[no-any-return]


@deferrable
def min(a: Numeric, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The smallest element along some axes.

    >>> tf.experimental.numpy.min([[1, 5], [3, 4]], axis=1).numpy()
    array([1, 3])
    """
    return _smallest(a, axis, keepdims)  # type: ignore[no-any-return]


@deferrable
def amax(a: Numeric, axis: Axis = None, out: None = None, keepdims: bool | None = None) -> Tensor:
    """The greatest element along some axes; the same as `max`.

    >>> tf.experimental.numpy.amax([1, 5]).numpy()
    np.int64(5)
    """
    refuse_out(out, "amax")
    return max(a, axis, keepdims)


@deferrable
def amin(a: Numeric, axis: Axis = None, out: None = None, keepdims: bool | None = None) -> Tensor:
    """The smallest element along some axes; the same as `min`.

    >>> tf.experimental.numpy.amin([1, 5]).numpy()
    np.int64(1)
    """
    refuse_out(out, "amin")
    return min(a, axis, keepdims)


@deferrable
def ptp(a: Numeric, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """From the smallest element to the greatest.

    >>> tf.experimental.numpy.ptp([1, 5, 3]).numpy()
    np.int64(4)
    """
    return max(a, axis, keepdims) - min(a, axis, keepdims)


@deferrable
def all(a: Numeric, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Whether every element along some axes is true.

    >>> tf.experimental.numpy.all([1, 0]).numpy()
    np.False_
    """
    return reductions.reduce_all(truth(a), axis, bool(keepdims))


@deferrable
def any(a: Numeric, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Whether an element along some axes is true.

    >>> tf.experimental.numpy.any([1, 0]).numpy()
    np.True_
    """
    return reductions.reduce_any(truth(a), axis, bool(keepdims))


@deferrable
def argmax(a: Numeric, axis: int | None = None) -> Tensor:
    """Where the greatest element is; without an axis, in the elements in a row.

    >>> tf.experimental.numpy.argmax([[1, 5], [9, 4]]).numpy()
    np.int64(2)
    """
    return _place(reductions.argmax, a, axis)


@deferrable
def argmin(a: Numeric, axis: int | None = None) -> Tensor:
    """Where the smallest element is; without an axis, in the elements in a row.

    >>> tf.experimental.numpy.argmin([[1, 5], [9, 4]]).numpy()
    np.int64(0)
    """
    return _place(reductions.argmin, a, axis)


def _place(find: Callable[..., Tensor], a: Numeric, axis: int | None) -> Tensor:
    tensor = as_tensor(a)
    if tensor.dtype.is_bool:
        tensor = cast(tensor, "uint8")
    return (
        find(shaping.reshape(tensor, (-1,)), 0)
        if axis is None
        else find(shaping.reshape(tensor, (1,)) if not dims(tensor) else tensor, axis)
    )


@deferrable
def count_nonzero(a: Numeric, axis: Axis = None) -> Tensor:
    """How many elements are not zero.

    >>> tf.experimental.numpy.count_nonzero([0, 2, 3]).numpy()
    np.int64(2)
    """
    return sum(truth(a), axis)


@deferrable
def allclose(
    a: Numeric, b: Numeric, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether all elements are close, as `isclose` has it.

    >>> bool(tf.experimental.numpy.allclose([1.0], [1.0 + 1e-9]))
    True
    """
    return reductions.reduce_all(isclose(a, b, rtol, atol, equal_nan))


@deferrable
def array_equal(a1: Numeric, a2: Numeric) -> Tensor:
    """Whether shapes and all elements are the same.

    >>> bool(tf.experimental.numpy.array_equal([1, 2], [1.0, 2.0]))
    True
    """
    x, y = promoted(a1, a2)
    same = len(dims(x)) == len(dims(y))
    if not same or (is_certain(dims(x)) and is_certain(dims(y)) and dims(x) != dims(y)):
        return creation.constant(False)
    sizes = comparison.equal(creation.shape(x), creation.shape(y))
    if not is_certain(dims(x)) or not broadcastable(dims(x), dims(y)):
        return comparison.logical_and(
            reductions.reduce_all(sizes), reductions.reduce_all(comparison.equal(x, y))
        )
    return reductions.reduce_all(comparison.equal(x, y))


# ---- without what is not a number -------------------------------------------------------------


def _without_nan(a: Numeric, instead: float) -> Tensor:
    tensor = as_tensor(a)
    if not tensor.dtype.is_differentiable:
        return tensor
    return where(isnan(tensor), zeros_like(tensor) + instead, tensor)


@deferrable
def nansum(
    a: Numeric, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """The sum of what is a number.

    >>> tf.experimental.numpy.nansum([1.0, float("nan")]).numpy()
    np.float64(1.0)
    """
    return sum(_without_nan(a, 0), axis, dtype, keepdims)


@deferrable
def nanprod(
    a: Numeric, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """The product of what is a number.

    >>> tf.experimental.numpy.nanprod([2.0, float("nan")]).numpy()
    np.float64(2.0)
    """
    return prod(_without_nan(a, 1), axis, dtype, keepdims)


@deferrable
def nanmean(
    a: Numeric,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The mean of what is a number.

    >>> tf.experimental.numpy.nanmean([1.0, 2.0, float("nan")]).numpy()
    np.float64(1.5)
    """
    tensor = as_tensor(a)
    if not tensor.dtype.is_differentiable:
        return mean(tensor, axis, dtype, None, keepdims)
    there = where(isnan(tensor), zeros_like(tensor), ones_like(tensor))
    total = nansum(tensor, axis, dtype, bool(keepdims))
    return total / cast(sum(there, axis, None, keepdims), total.dtype)
