"""Lowering of cumulative sums, products and log-sum-exp, and of linear recurrences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import Base, View, slice_view, whole
from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.engines.native.frontend.lowering import Lowering, code_of, rule
from wengert.engines.native.frontend.scalar import NotLowered, is_float
from wengert.graph.operation import Operation

LONG: Final = 1 << 9  # elements of a row from which on NumPy is as fast


def _scanned(
    low: Lowering, function: Callable[..., Lane], xs: tuple[View, ...], axis: int, begin: Any, reverse: bool,
    lead: Any = None,
) -> View:  # fmt: skip
    """A scan along an axis: `function` makes a result of the one before it and of elements."""
    shape, kind = xs[-1].shape, xs[-1].kind
    sizes = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    code, (result,) = code_of(lambda *lanes: [function(*lanes)], [kind, *[x.kind for x in xs]])
    if code.kind(result) != kind:
        raise NotLowered("the results are of another dtype than the elements")
    form = (*sizes, tuple([x.kind for x in xs]), begin, lead, reverse)
    (found,) = low.routine("scans.scan", (form, code, result), xs, [(shape, kind)])
    return found


def _lead(exclusive: bool, value: Any) -> Any:
    return value if exclusive else None


@rule("Cumsum", by_routine=True)
def _cumsum(
    low: Lowering, op: Operation, x: View, *, axis: int, exclusive: bool, reverse: bool
) -> View:
    begin = -0.0 if is_float(x.kind) else 0  # to which adding -0.0 is -0.0
    return _scanned(low, LANES.add, (x,), axis, begin, reverse, _lead(exclusive, 0))


@rule("Cumprod", by_routine=True)
def _cumprod(
    low: Lowering, op: Operation, x: View, *, axis: int, exclusive: bool, reverse: bool
) -> View:
    return _scanned(low, LANES.multiply, (x,), axis, 1, reverse, _lead(exclusive, 1))


def _log_of_sum(x: Lane, y: Lane) -> Lane:
    """The logarithm of the sum of two exponentials, also of infinite numbers."""
    most, apart = LANES.maximum(x, y), LANES.absolute(x - y)
    more = LANES.where(x == y, x.dtype.type(math.log(2)), LANES.log1p(LANES.exp(-apart)))
    return most + more


@rule("CumulativeLogsumexp", by_routine=True)
def _cumulative_logsumexp(
    low: Lowering, op: Operation, x: View, *, axis: int, exclusive: bool, reverse: bool
) -> View:
    if math.prod(x.shape[axis + 1 :]) == 1 and x.size > LONG and not low.is_body:
        raise NotLowered(
            "a long row, whose exponentials follow each other in NumPy as they do here"
        )
    lead = _lead(exclusive, -np.inf)
    return _scanned(low, _log_of_sum, (x,), axis, -np.inf, reverse, lead)


@rule("LinearRecurrence", by_routine=True)
def _recurrence(
    low: Lowering, op: Operation, a: View, b: View, *, axis: int, reverse: bool
) -> View:
    return _scanned(low, lambda h, u, v: u * h + v, (a, b), axis, 0, reverse)


@rule("Shift")
def _shift(low: Lowering, op: Operation, x: View, *, axis: int, reverse: bool) -> View:
    size, front = x.shape[axis], [slice(None)] * axis
    if size == 1:
        return low.number(x.kind, 0, x.shape)
    early, late = (*front, slice(0, size - 1)), (*front, slice(1, size))
    place = slice_view(whole(Base(x.shape, x.kind)), early if reverse else late)
    part = slice_view(x, late if reverse else early)
    return low.assembled(x.shape, x.kind, 0, [(part, place)])
