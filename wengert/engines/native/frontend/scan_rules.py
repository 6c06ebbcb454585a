"""Lowering of cumulative sums, products and log-sum-exp, and of linear recurrences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert.engines.native.frontend.arrays import Base, View, slice_view, whole
from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.scalar import NotLowered, is_float
from wengert.engines.native.frontend.templates import code_of
from wengert.graph.operation import Operation


def scanned(
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
    return scanned(low, LANES.add, (x,), axis, begin, reverse, _lead(exclusive, 0))


@rule("Cumprod", by_routine=True)
def _cumprod(
    low: Lowering, op: Operation, x: View, *, axis: int, exclusive: bool, reverse: bool
) -> View:
    return scanned(low, LANES.multiply, (x,), axis, 1, reverse, _lead(exclusive, 1))


@rule("CumulativeLogsumexp", by_routine=True)
def _cumulative_logsumexp(
    low: Lowering, op: Operation, x: View, *, axis: int, exclusive: bool, reverse: bool
) -> View:
    """The largest exponent so far, and the sum of the exponentials as multiples of its own.

    So all exponentials and logarithms are computed at once; what follows each other is products and sums.
    """
    most = scanned(low, LANES.maximum, (x,), axis, -np.inf, reverse)
    before = _shifted(low, most, axis, reverse, -np.inf)
    fade, own = (low.computed(_relative, a, most) for a in (before, x))
    total = scanned(low, _recurred, (fade, own), axis, 0, reverse)
    found = low.computed(lambda m, s: m + LANES.log(s), most, total)
    return _shifted(low, found, axis, reverse, -np.inf) if exclusive else found


def _relative(x: Lane, most: Lane) -> Lane:
    """The exponential of a number as a multiple of that of another one, also of equal infinite ones."""
    return LANES.where(x == most, x.dtype.type(1), LANES.exp(x - most))


def _recurred(h: Lane, u: Lane, v: Lane) -> Lane:
    return u * h + v


@rule("LinearRecurrence", by_routine=True)
def _recurrence(
    low: Lowering, op: Operation, a: View, b: View, *, axis: int, reverse: bool
) -> View:
    return scanned(low, _recurred, (a, b), axis, 0, reverse)


@rule("Shift")
def _shift(low: Lowering, op: Operation, x: View, *, axis: int, reverse: bool) -> View:
    return _shifted(low, x, axis, reverse, 0)


def _shifted(low: Lowering, x: View, axis: int, reverse: bool, fill: Any) -> View:
    """Each element one place later, or earlier; the first one is what it is filled with."""
    size, front = x.shape[axis], [slice(None)] * axis
    if size == 1:
        return low.number(x.kind, fill, x.shape)
    early, late = (*front, slice(0, size - 1)), (*front, slice(1, size))
    place = slice_view(whole(Base(x.shape, x.kind)), early if reverse else late)
    part = slice_view(x, late if reverse else early)
    return low.assembled(x.shape, x.kind, fill, [(part, place)])
