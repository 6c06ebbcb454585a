"""Segment reductions: sums, means, products and extremes of rows with the same index.

The sorted forms take the number of segments from the last index; the others take `num_segments`, so
that some may be empty, and ignore rows with a negative index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import TABLE, op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import states
from wengert.ops.arrays.batched import behind, by_segment, in_front, own_ranges, taken_apart
from wengert.ops.arrays.creation import ones
from wengert.ops.arrays.gathering import (
    UNSORTED_SEGMENT_SUM,
    check_ids,
    gather,
    integers,
    rows_of_segments,
    segmented_shape,
    stated_segments,
    unsorted_segment_sum,
)
from wengert.ops.arrays.shaping import expand_dims, reshape, static
from wengert.ops.math.arithmetic import div_no_nan, maximum
from wengert.ops.math.comparison import equal, where
from wengert.ops.math.elementwise import cast, sqrt, zeros_like
from wengert.ops.reductions.cumulative import cumprod
from wengert.ops.reductions.reductions import reduce_max
from wengert.ops.support.batch_rules import BatchRule, batch_all
from wengert.ops.support.declare import INEXACT, NUMBER, REAL_OR_INT, wrong_dtype
from wengert.ops.support.half_precision import widen
from wengert.ops.support.segment_kernels import reduced_rows
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.sizes import shapes_differ
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.shapes import Dims
    from wengert.values.typing import Array, IntLike, Namespace, NumpyDType, TensorLike

    OfDType: TypeAlias = Callable[[NumpyDType], Array]

# ---- kernels ----------------------------------------------------------------------------------


def _lowest(dtype: NumpyDType) -> Array:
    return dtypes.of_numpy(dtype).min


def _highest(dtype: NumpyDType) -> Array:
    return dtypes.of_numpy(dtype).max


def _least(dtype: NumpyDType) -> Array:
    """What no number is less than: minus infinity, where there is one."""
    return np.asarray(-np.inf, dtype) if dtypes.of_numpy(dtype).is_floating else _lowest(dtype)


def _most(dtype: NumpyDType) -> Array:
    return np.asarray(np.inf, dtype) if dtypes.of_numpy(dtype).is_floating else _highest(dtype)


def _empty(value: OfDType | int, dtype: NumpyDType) -> Array | int:
    return value(dtype) if callable(value) else value


def _unsorted(name: str, ufunc: np.ufunc, empty: OfDType | int) -> Callable[..., Any]:
    def kernel(_: Namespace, x: Array, ids: Array, *, num_segments: int) -> Array:
        check_ids(ids, num_segments, name)
        return reduced_rows(ufunc, x, ids, num_segments, _empty(empty, x.dtype))

    return kernel


def sorted_count(ids: Array, who: str) -> int:
    """The number of segments of sorted indices."""
    if np.any(ids[1:] < ids[:-1]):
        raise InvalidArgumentError(f"segment ids are not increasing [Op:{who}]")
    if ids.size and ids[0] < 0:
        raise InvalidArgumentError(f"segment ids must be >= 0 [Op:{who}]")
    return int(ids[-1]) + 1 if ids.size else 0


def _sorted(name: str, ufunc: np.ufunc, neutral: OfDType | int, empty: int) -> Callable[..., Any]:
    def kernel(_: Namespace, x: Array, ids: Array) -> Array:
        count = sorted_count(ids, name)
        out = reduced_rows(ufunc, x, ids, count, _empty(neutral, x.dtype))
        if neutral is not empty:
            out[np.bincount(ids, minlength=count) == 0] = empty
        return out

    return kernel


def _mean_kernel(_: Namespace, x: Array, ids: Array) -> Array:
    count = sorted_count(ids, "SegmentMean")
    total = reduced_rows(np.add, widen(x), ids, count, 0)
    sizes = np.maximum(np.bincount(ids, minlength=count), 1)
    return (total / _along(sizes, total).astype(total.real.dtype)).astype(x.dtype)


def _along(sizes: Array, total: Array) -> Array:
    return sizes.reshape(-1, *[1] * (total.ndim - 1))


# ---- rules ------------------------------------------------------------------------------------


def segment_sizes(ids: Tensor, count: int, like: Tensor) -> Tensor:
    """The number of rows in each segment, in a dtype and shape to divide by."""
    sizes = unsorted_segment_sum(ones(dims(ids), like.dtype), ids, count)
    return reshape(sizes, (count,) + (1,) * (len(dims(like)) - 1))


def _extreme_rule(g: Tensor, y: Tensor, x: Tensor, ids: Tensor, **attrs: object) -> Tensor:
    """Rows that share the extreme share its cotangent equally."""
    chosen = equal(x, rows_of_segments(y, ids))
    sharing = unsorted_segment_sum(cast(chosen, x.dtype), ids, dims(g)[0])
    return where(chosen, rows_of_segments(div_no_nan(g, sharing), ids), zeros_like(x))


def _prod_rule(g: Tensor, y: Tensor | None, x: Tensor, ids: Tensor, **attrs: object) -> Tensor:
    """The product of the other rows of the segment, without division, so correct for zeros, too.

    The segments are padded with ones to a common size, and each row is replaced by the product of
    the rows before it times that of the rows after it.
    """
    count = dims(g)[0]
    laid = _laid_out(x, ids, count) + (1.0 - _laid_out(zeros_like(x) + 1.0, ids, count))
    others = cumprod(laid, 1, exclusive=True) * cumprod(laid, 1, exclusive=True, reverse=True)
    result: Tensor = rows_of_segments(g, ids) * apply(TAKEN_UP, (others, ids), {"count": count})
    return result


def _places(ids: Array, count: int) -> tuple[Any, int]:
    """For each row the number of rows of its segment before it; and the size of the largest."""
    flat = ids.ravel()
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], np.arange(count))
    place = np.zeros(flat.size, np.intp)
    place[order] = np.arange(flat.size) - starts[np.maximum(flat[order], 0)] if count else 0
    kept = flat >= 0
    return place, int(place[kept].max()) + 1 if kept.any() else 0


def _lay_out_kernel(xp: Namespace, x: Array, ids: Array, *, count: int) -> Array:
    place, size = _places(ids, count)
    out = xp.zeros((count, size, *x.shape[ids.ndim :]), x.dtype)
    flat, rows = ids.ravel(), x.reshape(ids.size, *x.shape[ids.ndim :])
    out[flat[flat >= 0], place[flat >= 0]] = rows[flat >= 0]
    return out


def _take_up_kernel(xp: Namespace, laid: Array, ids: Array, *, count: int) -> Array:
    place, _ = _places(ids, count)
    flat = ids.ravel()
    out = xp.zeros((ids.size, *laid.shape[2:]), laid.dtype)
    out[flat >= 0] = laid[flat[flat >= 0], place[flat >= 0]]
    return out.reshape(*ids.shape, *laid.shape[2:])


def _laid_out(x: Tensor, ids: Tensor, count: int) -> Tensor:
    result: Tensor = apply(LAID_OUT, (x, ids), {"count": count})
    return result


def _together(batched: Sequence[bool], size: int, xs: Sequence[Any], count: int) -> tuple[Any, Any]:
    """Rows and indices of all examples as one, where each example has its own segments."""
    x, ids = batch_all(batched, size, xs)
    return x, own_ranges(ids, count, size)


def _batched_laying(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    count = attrs["count"]
    laid = _laid_out(*_together(batched, size, xs, count), count * size)
    return reshape(laid, (size, count, *dims(laid)[1:]))


def _batched_taking(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    count = attrs["count"]
    laid, ids = _together(batched, size, xs, count)
    flat = reshape(laid, (size * count, *dims(laid)[2:]))
    result: Tensor = apply(TAKEN_UP, (flat, ids), {"count": count * size})
    return result


# Rows arranged as [segment, index in it], padded with zeros to the size of the largest; and back.
LAID_OUT: Row = op(
    "SegmentRows",
    _lay_out_kernel,
    vjp=(lambda g, y, x, ids, *, count: apply(TAKEN_UP, (g, ids), {"count": count}), None),
    linear=(0,),
    batch=_batched_laying,
    saves="x",
    by_value=True,
)
TAKEN_UP: Row = op(
    "SegmentRowsBack",
    _take_up_kernel,
    vjp=(lambda g, y, x, ids, *, count: _laid_out(g, ids, count), None),
    linear=(0,),
    shape=lambda laid, ids, *, count: (*ids, *laid[2:]),
    batch=_batched_taking,
    saves="x",
)

# ---- batches ----------------------------------------------------------------------------------


def flat_segments(ids: Tensor, size: int, who: str) -> Tensor:
    """Sorted indices of all examples one behind the other, each in a range of its own."""
    counts = maximum(reduce_max(cast(ids, dtypes.int64), 1), -1) + 1
    count = reduce_max(counts)  # also where there are no examples
    alike = equal(counts, count)
    if type(alike) is Tensor and not np.all(alike):
        raise InvalidArgumentError(
            f"The examples of a batch have different numbers of segments: {counts.numpy().tolist()}. "
            f"Use the unsorted form, which takes their number. [Op:{who}]"
        )
    # Where the numbers are not known yet, the kernel is to complain if they differ.
    own = where(expand_dims(alike, 1), own_ranges(ids, count, size), -1)
    return reshape(own, (-1,))


def _by_sorted(name: str) -> BatchRule:
    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
        row: Row = TABLE[name]
        if not batched[1]:
            return in_front(apply(row, (behind(xs[0], 1), xs[1])), 1)
        x, ids = batch_all(batched, size, xs)
        rows = reshape(x, (size * dims(x)[1], *dims(x)[2:]))
        return taken_apart(apply(row, (rows, flat_segments(ids, size, name))), 0, size)

    return rule


# ---- rows -------------------------------------------------------------------------------------


def _sum_rule(g: Tensor, y: Tensor | None, x: Tensor, ids: Tensor) -> Tensor:
    return gather(g, ids)


def _mean_rule(g: Tensor, y: Tensor | None, x: Tensor, ids: Tensor) -> Tensor:
    return gather(div_no_nan(g, segment_sizes(ids, dims(g)[0], g)), ids)


def _by_segment(x: Dims, ids: Dims) -> tuple[int | None, ...]:
    """The number of segments is unknown, as it depends on the last index."""
    return (None, *x[1:])


SEGMENT_SUM: Row = op(
    "SegmentSum",
    _sorted("SegmentSum", np.add, 0, 0),
    shape=_by_segment,
    vjp=(_sum_rule, None),
    linear=(0,),
    batch=_by_sorted("SegmentSum"),
    saves="x",
    by_value=True,
)
SEGMENT_MEAN: Row = op(
    "SegmentMean",
    _mean_kernel,
    shape=_by_segment,
    vjp=(_mean_rule, None),
    linear=(0,),
    batch=_by_sorted("SegmentMean"),
    saves="x",
    by_value=True,
)
SEGMENT_MAX: Row = op(
    "SegmentMax",
    _sorted("SegmentMax", np.maximum, _least, 0),
    shape=_by_segment,
    vjp=(_extreme_rule, None),
    batch=_by_sorted("SegmentMax"),
    by_value=True,
)
SEGMENT_MIN: Row = op(
    "SegmentMin",
    _sorted("SegmentMin", np.minimum, _most, 0),
    shape=_by_segment,
    vjp=(_extreme_rule, None),
    batch=_by_sorted("SegmentMin"),
    by_value=True,
)
SEGMENT_PROD: Row = op(
    "SegmentProd",
    _sorted("SegmentProd", np.multiply, 1, 1),
    shape=_by_segment,
    vjp=(_prod_rule, None),
    batch=_by_sorted("SegmentProd"),
    saves="x",
    by_value=True,
)
UNSORTED_MAX: Row = op(
    "UnsortedSegmentMax",
    _unsorted("UnsortedSegmentMax", np.maximum, _lowest),
    shape=segmented_shape,
    vjp=(_extreme_rule, None),
    batch=by_segment("UnsortedSegmentMax"),
)
UNSORTED_MIN: Row = op(
    "UnsortedSegmentMin",
    _unsorted("UnsortedSegmentMin", np.minimum, _highest),
    shape=segmented_shape,
    vjp=(_extreme_rule, None),
    batch=by_segment("UnsortedSegmentMin"),
)
UNSORTED_PROD: Row = op(
    "UnsortedSegmentProd",
    _unsorted("UnsortedSegmentProd", np.multiply, 1),
    shape=segmented_shape,
    vjp=(_prod_rule, None),
    batch=by_segment("UnsortedSegmentProd"),
    saves="x",
)

# ---- public functions: sorted -----------------------------------------------------------------


def _segments(row: Row, data: TensorLike, segment_ids: TensorLike, takes: str) -> Tensor:
    x, ids = convert(data), integers(segment_ids, names="int32, int64")
    _check_dtype(row, x, takes)
    if len(dims(ids)) != 1:
        raise InvalidArgumentError(f"segment_ids should be a vector. [Op:{row.name}]")
    if shapes_differ(dims(x)[:1], dims(ids)):
        raise InvalidArgumentError(
            f"segment_ids should be the same size as dimension 0 of input: segment_ids.shape = "
            f"{shape_text(dims(ids))}, data.shape = {shape_text(dims(x))} [Op:{row.name}]"
        )
    result: Tensor = apply(row, (x, ids))
    return result


def _check_dtype(row: Row, x: Tensor, takes: str) -> None:
    if x.dtype.numpy_dtype.kind not in takes:
        raise wrong_dtype(row, x.dtype, takes)


@deferrable
def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Segment sum: sums of the rows with the same index; indices must be sorted.

    >>> tf.math.segment_sum([1.0, 2.0, 3.0], [0, 0, 2]).numpy().tolist()
    [3.0, 0.0, 3.0]
    """
    return _segments(SEGMENT_SUM, data, segment_ids, NUMBER)


@deferrable
def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Segment mean: means of the rows with the same index; indices must be sorted.

    >>> tf.math.segment_mean([1.0, 2.0, 3.0], [0, 0, 1]).numpy().tolist()
    [1.5, 3.0]
    """
    return _segments(SEGMENT_MEAN, data, segment_ids, NUMBER)


@deferrable
def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Segment maximum of rows with the same index; indices must be sorted, empty segments give 0.

    >>> tf.math.segment_max([1.0, 2.0, 3.0], [0, 0, 1]).numpy().tolist()
    [2.0, 3.0]
    """
    return _segments(SEGMENT_MAX, data, segment_ids, REAL_OR_INT)


@deferrable
def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Segment minimum of rows with the same index; indices must be sorted, empty segments give 0.

    >>> tf.math.segment_min([1.0, 2.0, 3.0], [0, 0, 1]).numpy().tolist()
    [1.0, 3.0]
    """
    return _segments(SEGMENT_MIN, data, segment_ids, REAL_OR_INT)


@deferrable
def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Segment product of the rows with the same index; indices must be sorted.

    >>> tf.math.segment_prod([2.0, 3.0, 4.0], [0, 0, 1]).numpy().tolist()
    [6.0, 4.0]
    """
    return _segments(SEGMENT_PROD, data, segment_ids, NUMBER)


# ---- public functions: unsorted ---------------------------------------------------------------


def _unsorted_segments(
    row: Row, data: TensorLike, ids: TensorLike, num_segments: IntLike, takes: str
) -> Tensor:
    x, places = convert(data), integers(ids, names="int32, int64")
    _check_dtype(row, x, takes)
    if shapes_differ(dims(x)[: len(dims(places))], dims(places)):
        raise InvalidArgumentError(
            f"data.shape = {shape_text(dims(x))} does not start with segment_ids.shape = "
            f"{shape_text(dims(places))} [Op:{row.name}]"
        )
    result: Tensor = apply(row, (x, places), {"num_segments": int(static(num_segments))})
    return result


@deferrable
@states(stated_segments)
def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Segment maximum of rows with the same index; empty ones give the dtype's lowest number.

    >>> tf.math.unsorted_segment_max([1.0, 2.0, 3.0], [0, 1, 0], 2).numpy().tolist()
    [3.0, 2.0]
    """
    return _unsorted_segments(UNSORTED_MAX, data, segment_ids, num_segments, REAL_OR_INT)


@deferrable
@states(stated_segments)
def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Segment minimum of rows with the same index; empty ones give the dtype's highest number.

    >>> tf.math.unsorted_segment_min([1.0, 2.0, 3.0], [0, 1, 0], 2).numpy().tolist()
    [1.0, 2.0]
    """
    return _unsorted_segments(UNSORTED_MIN, data, segment_ids, num_segments, REAL_OR_INT)


@deferrable
@states(stated_segments)
def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Segment product of the rows with the same index; empty segments give one.

    >>> tf.math.unsorted_segment_prod([2.0, 3.0, 4.0], [0, 1, 0], 2).numpy().tolist()
    [8.0, 3.0]
    """
    return _unsorted_segments(UNSORTED_PROD, data, segment_ids, num_segments, NUMBER)


@deferrable
@states(stated_segments)
def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Segment mean of the rows with the same index; empty segments give zero.

    >>> tf.math.unsorted_segment_mean([1.0, 2.0, 3.0], [0, 1, 0], 2).numpy().tolist()
    [2.0, 2.0]
    """
    total, sizes = _totals(data, segment_ids, num_segments, NUMBER)
    mean: Tensor = total / sizes
    return mean


@deferrable
@states(stated_segments)
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """Segment sum of the rows with the same index, divided by the square root of their number.

    >>> tf.math.unsorted_segment_sqrt_n([1.0, 3.0, 2.0, 2.0], [0, 1, 0, 0], 2).numpy().round(4)
    array([2.8868, 3.    ], dtype=float32)
    """
    total, sizes = _totals(data, segment_ids, num_segments, INEXACT)
    scaled: Tensor = total / sqrt(sizes)
    return scaled


def _totals(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, allowed: str
) -> tuple[Any, Any]:
    """The sums, and the sizes of the segments, at least one."""
    x, ids = convert(data), integers(segment_ids, names="int32, int64")
    _check_dtype(UNSORTED_SEGMENT_SUM, x, allowed)
    count = int(static(num_segments))
    sizes = unsorted_segment_sum(ones(dims(ids)), ids, count)
    rest = dims(x)[len(dims(ids)) :]
    divisors = reshape(maximum(sizes, 1.0), (count,) + (1,) * len(rest))
    return unsorted_segment_sum(x, ids, count), cast(divisors, x.dtype)
