"""Lowering of what orders elements: the place of an extreme, and the first ones in sorted order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import View
from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.scalar import NotLowered, is_float, type_of
from wengert.graph.operation import Operation

FEW: Final = 24  # elements that are kept in order one by one
LONG: Final = 1 << 9  # elements of a row from which on NumPy sorts faster


@rule("ArgMax", "ArgMin")
def _place_of_extreme(low: Lowering, op: Operation, x: View, *, axis: int, dtype: Any) -> View:
    """The first place where an element is the extreme. NaN is none, unless there is nothing else."""
    is_max = op.row.name == "ArgMax"
    if is_float(x.kind):
        worst = np.dtype(x.kind).type(-math.inf if is_max else math.inf)
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
    if not few and columns > LONG and not low.is_body:
        raise NotLowered("a long row")
    rows = math.prod(x.shape[:-1])
    shape = (*x.shape[:-1], k)
    rooms = [((columns,), kind) for kind in (x.kind, x.kind, index, index)] if not few else []
    arguments = (x.kind, index, (rows, columns), k, largest, few)
    work = rows * columns * max(columns.bit_length(), 4)
    return low.routine(
        "sorting.top", arguments, [x], [(shape, x.kind), (shape, index)], rooms, work
    )
