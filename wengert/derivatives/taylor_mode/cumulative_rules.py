"""Series of products, of cumulative products and log-sum-exps: all are linear recurrences along an axis.

Without a division, so that zeros among the factors are right, too.
"""

from __future__ import annotations

import math
from typing import Any, Final

from wengert.core.dispatch import apply
from wengert.derivatives.taylor_mode.series import (
    Series,
    coefficient,
    derivative,
    difference,
    scaled,
    solved,
    total,
)
from wengert.ops.arrays.shaping import reshape, transpose
from wengert.ops.reductions.cumulative import RECURRENCE, cumprod, logsumexp_shares, shifted
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims


def _recurrence(y: Any, a: Series, b: Series, *, axis: int, reverse: bool) -> Series:
    """h[i] = a[i] h[i-1] + b[i]."""
    late: Series = []

    def known(found: Series, k: int) -> Any:
        late.extend(_shifted(found[len(late) :], axis, reverse))
        return scaled(coefficient(a, late, k, first=1), -1.0)

    attrs = {"axis": axis, "reverse": reverse}
    return solved(y, b, known, lambda rest: apply(RECURRENCE, (a[0], rest), attrs))


def _shifted(series: Series, axis: int, reverse: bool) -> Series:
    return [None if c is None else shifted(c, axis, reverse) for c in series]


def _cumprod(y: Any, x: Series, *, axis: int, exclusive: bool, reverse: bool) -> Series:
    """y[i] = x[i] y[i-1], and one before the first."""
    found, before = [y], [y if exclusive else cumprod(x[0], axis, True, reverse)]
    attrs = {"axis": axis, "reverse": reverse}
    for k in range(1, len(x)):
        rest = coefficient(x, before, k, first=1)
        now = None if rest is None else apply(RECURRENCE, (x[0], rest), attrs)
        before += _shifted([now], axis, reverse)
        found.append(before[-1] if exclusive else now)
    return found


def _prod(y: Any, x: Series, *, axis: tuple[int, ...], keepdims: bool) -> Series | None:
    """The last of the cumulative products of all the factors."""
    shape = dims(x[0])
    count = math.prod([shape[i] for i in axis]) if is_certain(shape) else 0
    if not count:
        return None
    order = (*[i for i in range(len(shape)) if i not in axis], *axis)
    rows = (*[shape[i] for i in order[: len(shape) - len(axis)]], count)
    lines = [None if c is None else reshape(transpose(c, order), rows) for c in x]
    first = cumprod(lines[0], -1)
    products = _cumprod(first, lines, axis=len(rows) - 1, exclusive=False, reverse=False)
    return [y, *[None if c is None else reshape(c[..., -1], dims(y)) for c in products[1:]]]


def _logsumexp(y: Any, x: Series, *, axis: int, exclusive: bool, reverse: bool) -> Series:
    """y'[i] = r[i] y'[i-1] + s[i] x'[i], where r and s are the shares of both in the sum."""
    ratios, shares, inclusive = logsumexp_shares(x[0], y, axis, exclusive, reverse)
    rates: Series = []
    rise, found, r, s = derivative(x), [inclusive], [ratios], [shares]
    late = _shifted(found, axis, reverse)
    attrs = {"axis": axis, "reverse": reverse}
    for k in range(len(x) - 1):
        if k:
            r.append(_of_exp(r, list(map(difference, late, found)), k))
            s.append(_of_exp(s, list(map(difference, x, found)), k))
        before = _shifted(rates, axis, reverse)
        rest = total((coefficient(s, rise, k), coefficient(r, before, k, first=1)))
        rates.append(None if rest is None else apply(RECURRENCE, (ratios, rest), attrs))
        found.append(scaled(rates[k], 1.0 / (k + 1)))
        late += _shifted(found[-1:], axis, reverse)
    return [y, *(late if exclusive else found)[1:]]


def _of_exp(found: Series, exponent: Series, k: int) -> Any:
    """Coefficient k of an exponential, of which the coefficients before are known."""
    rise = derivative(exponent)
    return scaled(coefficient(rise, found, k - 1), 1.0 / k)


CUMULATIVE_RULES: Final[dict[str, Any]] = {
    "LinearRecurrence": _recurrence,
    "Cumprod": _cumprod,
    "Prod": _prod,
    "CumulativeLogsumexp": _logsumexp,
}
