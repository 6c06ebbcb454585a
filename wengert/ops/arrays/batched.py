"""Batching rules that move axes and indices: the examples of a batch as parts of one larger call.

Where an operation treats the entries of an axis apart (images, channels), the examples lie side by
side along it. Where it goes by indices, those of each example get a range of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wengert.core.batch import one_by_one
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import TABLE
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import broadcast_to, reshape, transpose
from wengert.ops.math.comparison import greater_equal, less, where
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.support.batch_rules import BatchRule, batch_all
from wengert.values import dtypes
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import IntLike

# ---- the axis of the examples -----------------------------------------------------------------


def behind(x: Tensor, count: int) -> Tensor:
    """The examples not in front, but behind so many axes of their own."""
    rank = len(dims(x))
    return transpose(x, (*range(1, count + 1), 0, *range(count + 1, rank))) if count else x


def in_front(x: Tensor, axis: int) -> Tensor:
    """The examples in front, where they are along an axis."""
    rank = len(dims(x))
    return transpose(x, (axis, *range(axis), *range(axis + 1, rank))) if axis else x


# ---- examples side by side --------------------------------------------------------------------


def side_by_side(x: Tensor, axis: int) -> Tensor:
    """All examples as one, with their entries along an axis one behind the other."""
    size, *one = dims(x)
    one[axis] = size * one[axis]
    return reshape(behind(x, axis), one)


def taken_apart(y: Tensor, axis: int, size: int) -> Tensor:
    """The inverse of `side_by_side`."""
    sizes = dims(y)
    apart = reshape(y, (*sizes[:axis], size, sizes[axis] // size, *sizes[axis + 1 :]))
    return in_front(apart, axis)


def merged(
    name: str, axes: Sequence[int | None], results: int | Sequence[int] = 0, sizes: str = ""
) -> BatchRule:
    """For operations that treat the entries of an axis apart.

    `axes` says which axis that is, of each input and of each result. An input for which it is None
    has no such axis: examples that differ in it run one after the other. `sizes` is the name of the
    attribute that says the shape of the result, if there is one.
    """

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        row: Row = TABLE[name]
        if any(b and axis is None for b, axis in zip(batched, axes, strict=True)):
            return one_by_one(row, batched, size, xs, attrs)
        if sizes and isinstance(results, int):
            wanted = list(attrs[sizes])
            wanted[results] = size * wanted[results]
            attrs = attrs | {sizes: tuple(wanted)}
        return run_merged(row, batched, size, xs, attrs, axes, results)

    return rule


def run_merged(
    row: Row,
    batched: Sequence[bool],
    size: int,
    xs: Sequence[Any],
    attrs: Attrs,
    axes: Sequence[int | None],
    results: int | Sequence[int] = 0,
) -> Any:
    """All examples by one call, side by side along an axis of each input; None: the same for all."""
    given = [
        x if axis is None else side_by_side(full, axis)
        for x, full, axis in zip(xs, batch_all(batched, size, xs), axes, strict=True)
    ]
    y = apply(row, given, attrs)
    if isinstance(results, int):
        return taken_apart(y, results, size)
    return [taken_apart(part, axis, size) for part, axis in zip(y, results, strict=True)]


# ---- indices of each example --------------------------------------------------------------------


def own_ranges(ids: Tensor, count: IntLike, size: int) -> Tensor:
    """The indices of example k moved by k times `count`.

    Those that are not in [0, count) are put outside of all ranges, for the kernel to judge.
    """
    wide = cast(ids, dtypes.int64)
    each = cast(count, dtypes.int64)
    numbers = reshape(range_(size, dtype=dtypes.int64), (size, *[1] * (len(dims(ids)) - 1)))
    moved = where(less(wide, each), wide + numbers * each, size * each)
    return where(greater_equal(wide, zeros_like(wide)), moved, wide)


def with_number(indices: Tensor, size: int) -> Tensor:
    """Coordinates with the number of the example as the first one."""
    wide = cast(indices, dtypes.int64)
    *outer, _ = dims(indices)
    numbers = reshape(range_(size, dtype=dtypes.int64), (size, *[1] * len(outer)))
    return concat([broadcast_to(numbers, (*outer, 1)), wide], -1)


def by_segment(name: str) -> BatchRule:
    """For sums of rows by index, of which `num_segments` says the number.

    Where all examples have the same indices, the examples lie side by side in the rows.
    """

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
        row: Row = TABLE[name]
        if not batched[1]:
            rows = behind(xs[0], len(dims(xs[1])))
            return in_front(apply(row, (rows, xs[1]), attrs), 1)
        x, ids = batch_all(batched, size, xs)
        count = attrs["num_segments"]
        y = apply(row, (x, own_ranges(ids, count, size)), {"num_segments": size * count})
        return reshape(y, (size, count, *dims(y)[1:]))

    return rule
