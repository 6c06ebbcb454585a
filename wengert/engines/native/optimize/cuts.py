"""How an item is divided into equal parts, and with it what it reads.

An array is divided along an axis of a view of it. The elements that this axis goes over, as they lie in
memory, are a stretch; the array consists of such stretches, and a block gets the same part of each. A
matrix that is divided by its rows is one stretch; by its columns, as many as it has rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from wengert.engines.native.frontend.arrays import (
    Gather,
    Map,
    Piece,
    Pieces,
    Product,
    Reduction,
    View,
    whole,
)
from wengert.engines.native.frontend.lanes import LANES

# How what the blocks contribute to a reduction is put together, and what that begins with: adding
# -0.0 changes nothing, not even -0.0.
HOW_ADDED: Final[dict[str, tuple[Callable[..., Any], Any]]] = {
    "sum": (LANES.add, -0.0),
    "prod": (LANES.multiply, 1),
    "any": (LANES.logical_or, False),
    "all": (LANES.logical_and, True),
}


class Cut(NamedTuple):
    """A way to divide an item."""

    axes: tuple[int | None, ...]  # of the operands; None is an operand that is read as a whole
    span: (
        int | None
    )  # the length of a stretch of the result; None is a sum of what blocks contribute

    @property
    def adds(self) -> bool:
        return self.span is None


def cuts(item: Any) -> Iterator[Cut]:
    """The ways to divide an item, whatever it reads."""
    if type(item) is Product:
        yield from _cuts_of_product(item)
    elif type(item) is Reduction:
        yield from _cuts_of_reduction(item)
    elif type(item) is Gather:  # by an index, from a table for all
        table = item.views[1]
        for axis in _axes(item.shape):
            if table.strides[axis] == 0:
                yield Cut((axis, axis), math.prod(item.shape[axis:]))
    elif type(item) in (Map, Piece):
        to = target(item)
        for axis in _axes(item.shape):
            yield Cut((axis,) * len(item.views), span_of(to, axis))
    elif type(item) is Pieces:
        for axis in _axes(item.pieces[0].shape):
            yield from _cut_of_pieces(item, span_of(item.pieces[0].target, axis))


def _axes(shape: tuple[int, ...]) -> list[int]:
    return [axis for axis, size in enumerate(shape) if size > 1]


def _cuts_of_product(item: Product) -> Iterator[Cut]:
    """By the matrices of a batch, by the rows or the columns of each, or by the inner axis."""
    to = item.written
    rows, columns = len(to.shape) - 2, len(to.shape) - 1
    onto = item.onto is not None
    for axis in _axes(to.shape):
        a, b = None if axis == columns else axis, None if axis == rows else axis
        yield Cut((a, b, axis) if onto else (a, b), span_of(to, axis))
    if item.views[0].shape[columns] > 1:
        yield Cut((columns, rows, None) if onto else (columns, rows), None)


def _cuts_of_reduction(item: Reduction) -> Iterator[Cut]:
    shape = item.view.shape
    for axis in _axes(shape):
        outer, inner = math.prod(shape[:axis]), math.prod(shape[axis:])
        if item.along == "last" and outer * shape[axis] <= item.size:
            yield Cut((axis,), item.size // outer)
        elif item.along == "first" and inner <= item.size:
            yield Cut((axis,), inner)
        elif item.how in HOW_ADDED:
            yield Cut((axis,), None)


def _cut_of_pieces(item: Pieces, span: int) -> Iterator[Cut]:
    axes = tuple([axis_of(piece.target, span) for piece in item.pieces])
    if None not in axes:
        yield Cut(axes, span)


# ---- views of what is divided ---------------------------------------------------------------------


def target(item: Any) -> View:
    """Where the elements of an item are written, in their order."""
    if type(item) is Product:
        return item.written
    return item.target if type(item) is Piece else whole(item)


def span_of(view: View, axis: int) -> int:
    """How long the stretches are that an axis divides."""
    return view.strides[axis] * view.shape[axis]


def axis_of(view: View, span: int) -> int | None:
    """The axis that divides stretches of this length."""
    return next((axis for axis in _axes(view.shape) if span_of(view, axis) == span), None)


def is_divided(view: View, axis: int | None) -> bool:
    """Whether blocks read different parts of a view."""
    return axis is not None and view.strides[axis] != 0


def is_aligned(view: View, axis: int, count: int) -> bool:
    """Whether each of so many parts of a view, along an axis, lies in the same part of all stretches."""
    span = span_of(view, axis)
    if span <= 0 or view.base.size % span or view.shape[axis] % count:
        return False
    low = high = view.offset % span
    for at, (size, stride) in enumerate(zip(view.shape, view.strides, strict=True)):
        if at == axis:
            size //= count
        elif stride % span == 0:  # from stretch to stretch
            continue
        reach = (size - 1) * stride
        low, high = low + min(reach, 0), high + max(reach, 0)
    return low >= 0 and high < span // count


def shortened(view: View, axis: int, units: int, taken: int) -> tuple[int, tuple[int, ...]]:
    """The offset and the strides of an aligned view where so many parts of each stretch are there."""
    span = span_of(view, axis)
    part = span // units * taken
    stretches, offset = divmod(view.offset, span)
    strides = [s if s % span else s // span * part for s in view.strides]
    return stretches * part + offset, tuple(strides)
