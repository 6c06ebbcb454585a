"""Segment reductions of selected rows: gather and segment sum in one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import TABLE, op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, number_of, sizes_of, states
from wengert.ops.arrays.batched import behind, in_front, own_ranges, taken_apart
from wengert.ops.arrays.gathering import gather, integers, unsorted_segment_sum
from wengert.ops.arrays.shaping import reshape, static
from wengert.ops.math.arithmetic import div_no_nan
from wengert.ops.math.elementwise import sqrt
from wengert.ops.reductions.segments import flat_segments, segment_sizes, sorted_count
from wengert.ops.support.batch_rules import BatchRule, batch_all
from wengert.ops.support.declare import INEXACT, NUMBER, wrong_dtype
from wengert.ops.support.half_precision import widen
from wengert.ops.support.segment_kernels import reduced_rows
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.sizes import shapes_differ
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, IntLike, Namespace, TensorLike

Scale = Callable[[Any], Any]


def _kernel(name: str, scale: Scale | None) -> Callable[..., Any]:
    def kernel(
        _: Namespace,
        x: Array,
        indices: Array,
        ids: Array,
        *,
        num_segments: int | None,
        sparse_gradient: bool = False,
    ) -> Array:
        _check(x, indices, name)
        found = sorted_count(ids, name)
        if num_segments is not None and found > num_segments:
            raise InvalidArgumentError(f"segment ids must be < num_segments [Op:{name}]")
        count = found if num_segments is None else num_segments
        total = reduced_rows(np.add, widen(x)[indices], ids, count, 0)
        if scale is not None:
            sizes = scale(np.maximum(np.bincount(ids, minlength=count), 1))
            total = total / sizes.reshape(-1, *[1] * (x.ndim - 1)).astype(total.real.dtype)
        return total.astype(x.dtype, copy=False)

    return kernel


def _check(x: Array, indices: Array, name: str) -> None:
    bad = (indices < 0) | (indices >= len(x))
    if bad.any():
        at = int(np.argmax(bad))
        raise InvalidArgumentError(
            f"Bad: indices[{at}] == {int(indices[at])} out of range [0, {len(x)}) [Op:{name}]"
        )


def _rule(scale: Scale | None) -> Callable[..., Any]:
    def rule(
        g: Tensor,
        y: Tensor | None,
        x: Tensor,
        indices: Tensor,
        ids: Tensor,
        *,
        num_segments: int | None,
        sparse_gradient: bool = False,
    ) -> Tensor | IndexedSlices:
        if scale is not None:
            g = div_no_nan(g, scale(segment_sizes(ids, dims(g)[0], g)))
        if sparse_gradient and type(g) in (Tensor, SymbolicTensor):
            return IndexedSlices(gather(g, ids), indices, dims(x))
        return unsorted_segment_sum(gather(g, ids), indices, dims(x)[0])

    return rule


def _batched(name: str) -> BatchRule:
    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
        row: Row = TABLE[name]
        if not (batched[1] or batched[2]):
            return in_front(apply(row, (behind(xs[0], 1), *xs[1:]), attrs), 1)
        x, indices, ids = batch_all(batched, size, xs)
        rows, count = dims(x)[1], attrs["num_segments"]
        flat = reshape(x, (size * rows, *dims(x)[2:]))
        at = reshape(own_ranges(indices, rows, size), (-1,))
        if count is None:
            places = flat_segments(ids, size, name)
        else:
            places = reshape(own_ranges(ids, count, size), (-1,))
            attrs = {**attrs, "num_segments": size * count}
        return taken_apart(apply(row, (flat, at, places), attrs), 0, size)

    return rule


def _row(name: str, scale: Scale | None = None, again: Scale | None = None) -> Row:
    """`scale` maps segment sizes to the divisors of sums; `again` is the same for tensors."""
    return op(
        name,
        _kernel(name, scale),
        shape=lambda x, at, ids, *, num_segments, **_: (num_segments, *x[1:]),
        vjp=(_rule(again), None, None),
        linear=(0,),
        batch=_batched(name),
        saves="x",
        by_value=True,
    )


SUM: Row = _row("SparseSegmentSum")
MEAN: Row = _row("SparseSegmentMean", lambda n: n, lambda n: n)
SQRT_N: Row = _row("SparseSegmentSqrtN", np.sqrt, lambda n: sqrt(n))


def _stated(data: TensorLike, num_segments: IntLike | None) -> Stated:
    """The number of segments, where it is not given, is found by a run."""
    x = sizes_of(data)
    count = None if num_segments is None else number_of(num_segments)
    return None if x is None else (count, *x[1:])


def _reduced(
    row: Row,
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: IntLike | None,
    takes: str,
    sparse_gradient: bool,
) -> Tensor:
    x = convert(data)
    at, ids = integers(indices), integers(segment_ids)
    if x.dtype.numpy_dtype.kind not in takes:
        raise wrong_dtype(row, x.dtype, takes)
    if len(dims(ids)) != 1 or shapes_differ(dims(at), dims(ids)):
        raise InvalidArgumentError(
            f"segment_ids and indices should have same size. [Op:{row.name}]"
        )
    count = None if num_segments is None else int(static(num_segments))
    attrs = {"num_segments": count, **({"sparse_gradient": True} if sparse_gradient else {})}
    result: Tensor = apply(row, (x, at, ids), attrs)
    return result


@deferrable
@states(_stated)
def segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: IntLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The sums of the rows at `indices` that belong to the same segment.

    >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.sparse.segment_sum(x, [0, 1, 1], [0, 0, 1]).numpy().tolist()
    [[4.0, 6.0], [3.0, 4.0]]
    """
    return _reduced(SUM, data, indices, segment_ids, num_segments, NUMBER, sparse_gradient)


@deferrable
@states(_stated)
def segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: IntLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The means of the rows at `indices` that belong to the same segment.

    >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.sparse.segment_mean(x, [0, 1, 1], [0, 0, 1]).numpy().tolist()
    [[2.0, 3.0], [3.0, 4.0]]
    """
    return _reduced(MEAN, data, indices, segment_ids, num_segments, INEXACT, sparse_gradient)


@deferrable
@states(_stated)
def segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: IntLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The sums of the rows at `indices` in a segment, divided by the square root of their number.

    >>> tf.sparse.segment_sqrt_n([4.0, 8.0], [0, 1, 1, 1], [0, 0, 0, 0]).numpy().tolist()
    [14.0]
    """
    return _reduced(SQRT_N, data, indices, segment_ids, num_segments, INEXACT, sparse_gradient)
