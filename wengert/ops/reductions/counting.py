"""Counting: histograms, bincount, confusion matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import gather, integers, scatter_nd
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import broadcast_to, reshape, squeeze, static
from wengert.ops.math.arithmetic import maximum
from wengert.ops.math.comparison import less, where
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.reductions.reductions import reduce_max
from wengert.ops.support.batch_rules import batch_all
from wengert.ops.support.large_kernels import count_kernel, elementwise_kernel
from wengert.ops.support.static_value import get_static_value
from wengert.values import dtypes
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import shape_text
from wengert.values.sizes import certainly
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, DTypeLike, IntLike, Namespace, TensorLike

# ---- counts -----------------------------------------------------------------------------------


def _count_kernel(_: Namespace, values: Array, weights: Array, *, size: int, binary: bool) -> Array:
    """Count each row separately. Values that are too large are ignored."""
    *front, last = values.shape or (1,)
    rows = values.reshape(math.prod(front), last)
    found = count_kernel(rows, weights, size, binary) if values.size >= _MANY else None
    out = _counted(rows, weights, size, binary) if found is None else found
    return out[0] if values.ndim < 2 else out


_MANY: Final = 1 << 11  # values


def _counted(rows: Array, weights: Array, size: int, binary: bool) -> Array:
    """The same by NumPy."""
    if np.any(rows < 0):
        raise InvalidArgumentError("Input arr must be non-negative! [Op:DenseBincount]")
    kept = rows < size
    begins = np.arange(len(rows))[:, None] * size
    places = (rows.astype(np.intp, copy=False) + begins)[kept]
    if weights.ndim == 0 and weights.dtype.kind in "iu" and not binary:
        out = (np.bincount(places, minlength=len(rows) * size) * weights).astype(weights.dtype)
    else:
        out = np.zeros(len(rows) * size, weights.dtype)
        if binary:
            out[places] = 1
        else:
            given = weights.reshape(rows.shape) if weights.ndim else weights
            np.add.at(out, places, np.broadcast_to(given, rows.shape)[kept])
    return out.reshape(len(rows), size)


def _count_rule(
    g: Tensor, y: Tensor | None, values: Tensor, weights: Tensor, *, size: int, binary: bool
) -> Tensor:
    """Each weight is added to one count, so it receives the cotangent of that."""
    if size == 0:
        return zeros_like(weights)
    inside = less(values, zeros_like(values) + size)
    safe = where(inside, values, zeros_like(values))
    batch = len(dims(values)) - 1
    taken = gather(g, safe, axis=batch, batch_dims=batch)
    return where(inside, taken, zeros_like(taken))


def _batched_count(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    """The kernel counts each row separately."""
    values, weights = batch_all(batched, size, xs)
    shape = dims(values)
    front, last = shape[1:-1], shape[-1] if len(shape) > 1 else 1
    rows = (size * math.prod(front), last)
    if len(dims(weights)) == 1:  # one number for all values of an example
        weights = broadcast_to(reshape(weights, (size, *[1] * (len(shape) - 1))), shape)
    counts = apply(BINCOUNT, (reshape(values, rows), reshape(weights, rows)), attrs)
    return reshape(counts, (size, *front, dims(counts)[1]))


BINCOUNT: Row = op(
    "DenseBincount",
    _count_kernel,
    vjp=(None, _count_rule),
    linear=(1,),
    batch=_batched_count,
    saves="x",
)


@deferrable
def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: IntLike | None = None,
    maxlength: IntLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: IntLike | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Count how often each integer occurs, or sum the weights where it occurs.

    >>> tf.math.bincount([1, 1, 3]).numpy().tolist()
    [0, 2, 0, 1]
    >>> tf.math.bincount([1, 1, 3], weights=[0.5, 1.0, 2.0], minlength=5).numpy().tolist()
    [0.0, 1.5, 0.0, 2.0, 0.0]
    """
    given = convert(arr)
    is_flat = axis is None and not binary_output and given.dtype.is_floating
    values = integers(cast(given, dtypes.int32) if is_flat else arr, "T", "int32, int64")
    along = 0 if axis is None else int(axis)
    if along not in (0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    if along == 0:
        values = reshape(values, (-1,))
    size = _size(values, minlength, maxlength)
    if weights is None:
        weighed = convert(1, as_dtype(dtype))
    else:
        given = convert(weights)
        is_none = certainly(math.prod(dims(given)) == 0) and dims(given) != dims(values)
        weighed = convert(1, given.dtype) if is_none else _weights(given, values)
    if binary_output and weights is not None:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive.")
    result: Tensor = apply(
        BINCOUNT, (values, weighed), {"size": size, "binary": bool(binary_output)}
    )
    return result


def _weights(weights: Tensor, values: Tensor) -> Tensor:
    """The weights of values, which may have been flattened."""
    if certainly(math.prod(dims(weights)) != math.prod(dims(values))):
        raise InvalidArgumentError(
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts "
            f"as all weights equal to 1. Received {shape_text(dims(weights))} [Op:DenseBincount]"
        )
    return reshape(weights, dims(values))


def _size(values: Tensor, minlength: IntLike | None, maxlength: IntLike | None) -> int:
    """The number of counts."""
    least = 0 if minlength is None else int(static(minlength))
    most = None if maxlength is None else int(static(maxlength))
    if most is not None and least >= most:
        return most  # regardless of the values
    array = static(values)
    size = max(int(array.max()) + 1 if array.size else 0, least)
    return size if most is None else min(size, most)


@deferrable
def remove_squeezable_dimensions(
    labels: TensorLike,
    predictions: TensorLike,
    expected_rank_diff: int = 0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Remove a last axis of size 1 that only one of the two has."""
    truth, guess = convert(labels), convert(predictions)
    more = len(dims(guess)) - len(dims(truth)) - expected_rank_diff
    if more == 1 and guess.shape[-1] in (1, None):
        guess = squeeze(guess, [-1])
    elif more == -1 and truth.shape[-1] in (1, None):
        truth = squeeze(truth, [-1])
    return truth, guess


@deferrable
def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: IntLike | None = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The confusion matrix: how often examples of class i were predicted as class j.

    >>> tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy().tolist()
    [[1, 0], [1, 1]]
    """
    alike = remove_squeezable_dimensions(labels, predictions)
    truth, guess = (cast(part, dtypes.int64) for part in alike)
    if dims(truth) != dims(guess):
        raise ValueError(
            f"Shapes of labels {shape_text(dims(truth))} and predictions {shape_text(dims(guess))} differ."
        )
    if num_classes is None:
        size = int(static(maximum(reduce_max(truth), reduce_max(guess)))) + 1
    else:
        size = int(static(num_classes))
    for called, part in (("labels", truth), ("predictions", guess)):
        _check_classes(called, part, size)
    kind = as_dtype(dtype)
    each = convert(1, kind) if weights is None else cast(convert(weights), kind)
    counted = zeros_like(cast(guess, kind)) + each
    return scatter_nd(stack([truth, guess], -1), counted, (size, size))


def _check_classes(called: str, classes: Tensor, count: int) -> None:
    """Raise unless the classes that are known now are between 0 and their number."""
    known = get_static_value(classes)
    if not isinstance(known, np.ndarray) or not known.size:
        return
    if known.min() < 0:
        raise InvalidArgumentError(f"`{called}` contains negative values: {known.min()}")
    if known.max() >= count:
        raise InvalidArgumentError(f"`{called}` out of bound: {known.max()} is not below {count}")


# ---- histograms -------------------------------------------------------------------------------


def _bin_kernel(xp: Namespace, x: Array, low: Array, span: Array, count: Array) -> Array:
    """In float64: a quotient that is rounded twice would be in another bin."""
    share = (x - low).astype(span.dtype) / span
    return xp.minimum(xp.maximum(share * count, 0.0), count - 1.0).astype("int64").astype("int32")


HISTOGRAM_BIN: Row = op(
    "HistogramBin",
    _bin_kernel,
    dtype=lambda *_: np.dtype(np.int32),
    elementwise=True,
    large=elementwise_kernel,
    slow=True,
)


@deferrable
def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: IntLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The bin index of each value; values out of range go to the first or last bin.

    >>> tf.histogram_fixed_width_bins([-1.0, 1.5, 9.0], [0.0, 4.0], nbins=4).numpy().tolist()
    [0, 1, 3]
    """
    x = convert(values)
    ends = convert(value_range, x.dtype)
    count = int(static(nbins))
    if count <= 0:
        raise InvalidArgumentError(f"nbins must be a positive number, got {count}")
    span = cast(ends[1] - ends[0], dtypes.float64)
    places = apply(HISTOGRAM_BIN, (x, ends[0], span, convert(count, dtypes.float64)))
    return cast(places, as_dtype(dtype))


@deferrable
def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: IntLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """A histogram: how many values are in each of `nbins` bins of equal width.

    >>> tf.histogram_fixed_width([-1.0, 1.5, 9.0, 3.5], [0.0, 4.0], nbins=4).numpy().tolist()
    [1, 1, 0, 2]
    """
    count = int(static(nbins))
    x = convert(values)
    ends = convert(value_range, x.dtype)
    condition = "value_range should satisfy value_range[0] < value_range[1]"
    ends = bound.provided(ends, less(ends[0], ends[1]), f"{condition}, but got {value_range}")
    places = reshape(histogram_fixed_width_bins(x, ends, count), (-1,))
    attrs = {"size": count, "binary": False}
    result: Tensor = apply(BINCOUNT, (places, convert(1, as_dtype(dtype))), attrs)
    return result
