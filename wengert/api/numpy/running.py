"""Running sums and products, differences, and sums of parts that follow each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.numpy import shapes
from wengert.api.numpy.promotion import as_tensor, named
from wengert.api.numpy.reductions import summed
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import gathering, shaping
from wengert.ops.arrays.slicing import take_part
from wengert.ops.math import comparison
from wengert.ops.reductions import cumulative, reductions, segments
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.typing import DTypeLike, Integers

    Axis = Integers | None


# ---- running ----------------------------------------------------------------------------------


def _running(
    run: Callable[..., Tensor], a: Numeric, axis: int | None, dtype: DTypeLike | None
) -> Tensor:
    tensor = summed(a, dtype)
    return run(shaping.reshape(tensor, (-1,)), 0) if axis is None else run(tensor, axis)


@deferrable
def cumsum(a: Numeric, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Running sums along an axis; without one, over the elements in a row.

    >>> tf.experimental.numpy.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6])
    """
    return _running(cumulative.cumsum, a, axis, dtype)


@deferrable
def cumprod(a: Numeric, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Running products along an axis; without one, over the elements in a row.

    >>> tf.experimental.numpy.cumprod([1, 2, 3]).numpy()
    array([1, 2, 6])
    """
    return _running(cumulative.cumprod, a, axis, dtype)


@deferrable
def diff(a: Numeric, n: int = 1, axis: int = -1) -> Tensor:
    """Differences of neighbours along an axis, taken n times.

    >>> tf.experimental.numpy.diff([1, 4, 9]).numpy()
    array([3, 5])
    """
    tensor = as_tensor(a)
    at = reductions.normal_axes(axis, len(dims(tensor)), "Diff")[0]
    lead = (slice(None),) * at
    subtract = comparison.not_equal if tensor.dtype.is_bool else None
    if n < 0:
        raise ValueError(f"`n` must not be negative, got {n}: differences are taken n times.")
    for _ in range(n):
        after = take_part(tensor, (*lead, slice(1, None)))
        before = take_part(tensor, (*lead, slice(None, -1)))
        tensor = after - before if subtract is None else subtract(after, before)
    return tensor


# ---- of parts ---------------------------------------------------------------------------------

OF_PARTS: Final = {
    "add": gathering.unsorted_segment_sum,
    "multiply": segments.unsorted_segment_prod,
    "maximum": segments.unsorted_segment_max,
    "minimum": segments.unsorted_segment_min,
}


def reduceat_of(name: str) -> Callable[..., Tensor]:
    """NumPy's `reduceat` of a ufunc: one result for what lies between each index and the next one."""

    def function(a: Numeric, indices: Any, axis: int = 0, dtype: Any = None) -> Tensor:
        tensor = as_tensor(a) if dtype is None else as_tensor(a, named(dtype))
        begins = np.asarray(indices)
        at = reductions.normal_axes(axis, len(dims(tensor)), "Reduceat")[0]
        ends = np.append(begins[1:], dims(tensor)[at])
        # An index that is not before the next one stands for its element alone.
        counts = np.maximum(ends - begins, 1)
        ids = np.repeat(np.arange(len(begins)), counts)
        places = np.arange(len(ids)) - np.repeat(np.cumsum(counts) - counts - begins, counts)
        lines = shapes.moveaxis(tensor, at, 0)
        rows = gathering.gather_densely(lines, as_tensor(places))
        found = OF_PARTS[name](rows, as_tensor(ids), len(begins))
        return shapes.moveaxis(found, 0, at)

    return function
