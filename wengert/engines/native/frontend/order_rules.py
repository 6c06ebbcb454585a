"""Lowering of what orders elements: the place of an extreme, and the first ones in sorted order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import View
from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.scalar import NotLowered, dtype_of, is_float, type_of
from wengert.graph.operation import Operation

FEW: Final = 24  # elements that are kept in order one by one
# The bits of a digit of what is sorted, by the length of rows below which they are the fastest.
_BITS: Final = {1 << 7: 6, 1 << 11: 8, 1 << 63: 11}


@rule("ArgMax", "ArgMin")
def _place_of_extreme(low: Lowering, op: Operation, x: View, *, axis: int, dtype: Any) -> View:
    """The first place where an element is the extreme. NaN is none, unless there is nothing else."""
    is_max = op.row.name == "ArgMax"
    if is_float(x.kind):
        worst = dtype_of(x.kind).type(-math.inf if is_max else math.inf)
        x = low.computed(lambda v: LANES.where(v == v, v, worst), x)
    elif x.kind[0] not in "iu":
        raise NotLowered("truth values")
    size = x.shape[axis]
    extreme = low.reduced("max" if is_max else "min", x, [axis], True)

    def here(v: Lane, most: Lane, at: Lane) -> Lane:
        return LANES.where(v == most, at, np.int32(size))

    found = low.computed(here, x, extreme, low.places(x.shape, axis))
    first = low.reduced("min", found, [axis], False)
    kind = type_of(dtype.numpy_dtype)
    return low.computed(lambda at: at.astype(kind), first)


@rule("TopKV2", by_routine=True)
def _top(
    low: Lowering, op: Operation, x: View, *, k: int, largest: bool, index_type: Any
) -> Sequence[View]:
    index = type_of(index_type.numpy_dtype)
    columns = x.shape[-1]
    if x.kind not in ("f4", "f8", "i4", "i8") or index not in ("i4", "i8"):
        raise NotLowered("elements of another type")
    few = k <= FEW
    rows = math.prod(x.shape[:-1])
    shape = (*x.shape[:-1], k)
    rooms = [] if few else _rooms(x.kind, index, columns)
    arguments = (x.kind, index, (rows, columns), k, largest, few)
    work = rows * columns * max(columns.bit_length(), 4)
    return low.routine(
        "sorting.top", arguments, [x], [(shape, x.kind), (shape, index)], rooms, work
    )


@rule("LowerBound", "UpperBound")
def _place_among(
    low: Lowering, op: Operation, ordered: View, values: View, *, out_type: Any
) -> View:
    found = places_among(low, ordered, values, op.row.name == "UpperBound")
    return low.computed(lambda at: at.astype(type_of(out_type.numpy_dtype)), found)


def places_among(low: Lowering, ordered: View, values: View, upper: bool) -> View:
    """By halves: for each value how many elements of its row are below it, or not above it."""
    rows, size = ordered.shape
    if ordered.kind[0] not in "fiu" or not size or not values.size:
        raise NotLowered("no numbers in order")
    table = low.stored(low.reshape(ordered, (rows * size,)))
    begin = low.computed(lambda row: row.astype("i8") * size, low.places(values.shape, 0))
    place = low.number("i8", 0, values.shape)
    for half in reversed(range(size.bit_length())):

        def tried(at: Lane, half: int = half) -> Lane:
            return at + (1 << half)

        further = low.computed(tried, place)
        last = low.computed(lambda b, at: b + LANES.minimum(at, np.int64(size)) - 1, begin, further)
        element = low.gathered(table, last, 0, values.shape)
        place = low.computed(
            lambda at, to, e, x: LANES.where(
                LANES.logical_and(to <= size, _not_above(e, x) if upper else _below(e, x)), to, at
            ),
            place, further, element, values,
        )  # fmt: skip
    return place


def _below(a: Lane, b: Lane) -> Lane:
    """Whether a number comes before another one; NaN comes after all."""
    return LANES.logical_or(a < b, LANES.logical_and(b != b, a == a))


def _not_above(a: Lane, b: Lane) -> Lane:
    return LANES.logical_not(_below(b, a))


class Digits:
    """The digits by which rows are sorted: of few bits where there are few elements to count."""

    def __init__(self, kind: str, columns: int) -> None:
        self.bits = next(bits for limit, bits in _BITS.items() if columns < limit)
        self.size = 1 << self.bits
        self.kind = f"i{kind[1]}"  # of the keys
        self.passes = -(-8 * int(kind[1]) // self.bits)


def _rooms(kind: str, index: str, columns: int) -> list[Any]:
    """Where the keys of a row and their places go to and fro, and how often each digit is there."""
    digits = Digits(kind, columns)
    rows = [((columns,), k) for k in (digits.kind, digits.kind, index, index)]
    return [*rows, ((digits.passes * digits.size,), "i4")]
