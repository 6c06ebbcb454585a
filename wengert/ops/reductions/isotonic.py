"""Isotonic regression: the nearest non-increasing (or non-decreasing) sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.batched import merged
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.shaping import one_axis, reshape, transpose
from wengert.ops.math.elementwise import cast, in_floats
from wengert.ops.reductions.segments import unsorted_segment_mean
from wengert.ops.reductions.sorting import to_last
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike, TensorOrDims


def _fit(row: Array) -> tuple[Any, Any]:
    """Pool adjacent violators: neighbours in the wrong order, and pools with their neighbours."""
    means: list[float] = []
    sizes: list[int] = []
    for value in row.tolist():
        mean, size = value, 1
        while means and means[-1] <= mean:
            total = means[-1] * sizes[-1] + mean * size
            size += sizes.pop()
            means.pop()
            mean = total / size
        means.append(mean)
        sizes.append(size)
    return np.repeat(means, sizes), np.repeat(np.arange(len(sizes)), sizes)


def _kernel(_: Namespace, x: Array) -> list[Array]:
    """The fit of each row, and the pool of each element."""
    fits, pools = np.zeros(x.shape), np.zeros(x.shape, np.int32)
    for i, row in enumerate(x.astype(np.float64)):
        fits[i], pools[i] = _fit(row)
    return [fits.astype(x.dtype), pools]


def _rule(gs: Sequence[Any], ys: Sequence[Tensor], x: TensorOrDims) -> Tensor:
    """Each element of a pool affects all of it, so it gets the mean of the pool's cotangents."""
    rows, size = dims(ys[1])
    own = ys[1] + cast(reshape(range_(rows), (rows, 1)) * size, dtypes.int32)
    ids = reshape(own, (-1,))
    means = unsorted_segment_mean(reshape(gs[0], (-1,)), ids, rows * size)
    return reshape(gather(means, ids), (rows, size))


ISOTONIC: Row = op(
    "IsotonicRegression",
    _kernel,
    vjp=(_rule,),
    batch=merged("IsotonicRegression", (0,), (0, 0)),
    saves="y",
    many=True,
)


@deferrable
def isotonic_regression(
    inputs: TensorLike, decreasing: bool = True, axis: int = -1
) -> tuple[Tensor, Tensor]:
    """Isotonic regression: the nearest non-increasing (or non-decreasing) sequence; its blocks.

    >>> fit, pools = tf.nn.isotonic_regression([3.0, 1.0, 2.0, 0.0])
    >>> fit.numpy().tolist(), pools.numpy().tolist()
    ([3.0, 1.5, 1.5, 0.0], [0, 1, 1, 2])
    """
    x = in_floats(convert(inputs))
    perm = to_last(one_axis(axis, len(dims(x)), "IsotonicRegression"), len(dims(x)))
    moved = transpose(x, perm)
    rows = reshape(moved, (-1, dims(moved)[-1]))
    fit, pools = apply(ISOTONIC, (rows if decreasing else -rows,))
    found = [reshape(part, dims(moved)) for part in (fit if decreasing else -fit, pools)]
    return transpose(found[0], perm), transpose(found[1], perm)
