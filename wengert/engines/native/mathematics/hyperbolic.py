"""sinh and cosh, and the inverse hyperbolic functions; tanh is with the exponentials."""

from __future__ import annotations

from typing import Final

from wengert.engines.native.frontend.lanes import LANES, Lane, fma, like
from wengert.engines.native.mathematics.building_blocks import (
    BIAS,
    INFINITY,
    NAN,
    function,
    member_of,
    number,
    polynomial,
    signed_as,
    sum_of,
    to_exponent,
    where,
)
from wengert.engines.native.mathematics.exponentials import EXPM1, TINY, expm1_of, reduce_argument
from wengert.engines.native.mathematics.logarithms import log1p_of


def _quarter(size: Lane) -> tuple[Lane, Lane, Lane]:
    """r, its rounding error, and 2^n / 4, which is finite even where only exp / 2 is."""
    r, lost, k = reduce_argument(
        LANES.minimum(size, number(size, _HIGHEST_HALF)), member_of(size, BIAS) - 2
    )
    return r, lost, to_exponent(k)


# Half of exp is infinite beyond.
_HIGHEST_HALF: Final = (89.6, 710.6)


@function
def cosh(x: Lane) -> Lane:
    """2 (q + 1 / 16 q) with q = exp(|x|) / 4."""
    r, _, scale = _quarter(abs(x))
    q = scale * polynomial(r, (*member_of(r, EXPM1), 1.0, 1.0))
    y = q + 0.0625 / q
    return y + y


@function
def sinh(x: Lane) -> Lane:
    """2 (m + m / 4 q) with m = (exp(|x|) - 1) / 4 and q = exp(|x|) / 4."""
    r, lost, scale = _quarter(abs(x))
    high, low = expm1_of(r, lost, scale, like(x, 0.25))
    m = high + low
    y = m + (m * 0.25 / (m + 0.25) + (low - (m - high)))
    return where(abs(x) < number(x, TINY), x, signed_as(y + y, x))


# From here on asinh(x) and acosh(x) are log(x) + log(2), and x^2 is still finite.
_LARGE: Final = 2.0**60


def _log1p_or_larger(large: Lane, x: Lane, w: Lane, rest: Lane) -> Lane:
    """log(2 x) where x is large, log(1 + w + rest) elsewhere."""
    zero, one = like(x, 0.0), like(x, 1.0)
    return log1p_of(where(large, x, w), where(large, zero, rest), where(large, one, zero))


@function
def asinh(x: Lane) -> Lane:
    """log(1 + w) with w = a + a^2 / (1 + sqrt(1 + a^2)), a = |x|"""
    a = abs(x)
    square = a * a
    w, rest = sum_of(a, square / (LANES.sqrt(square + 1.0) + 1.0))
    y = _log1p_or_larger(a > _LARGE, a, w, rest)
    return signed_as(where(a < INFINITY, y, a), x)


@function
def acosh(x: Lane) -> Lane:
    """log(1 + w) with w = t + sqrt(t^2 + 2 t), t = x - 1"""
    t = x - 1.0
    square = fma(t, t, t + t)
    root = LANES.sqrt(square)
    lost = fma(-root, root, square) * 0.5 / where(root > 0.0, root, like(x, 1.0))
    w, rest = sum_of(root, t)
    y = _log1p_or_larger(x > _LARGE, x, w, rest + lost)
    y = where(x >= 1.0, y, like(x, NAN))
    return where(x < INFINITY, where(x == 1.0, like(x, 0.0), y), x)


@function
def atanh(x: Lane) -> Lane:
    """log(1 + w) / 2 with w = 2 a / (1 - a), a = |x|"""
    a = abs(x)
    below, lost = sum_of(like(x, 1.0), -a)
    inverse = 1.0 / below
    w = (a + a) * inverse
    rest = fma(-w, lost, fma(-w, below, a + a)) * inverse
    y = log1p_of(w, rest, like(x, 0.0)) * 0.5
    y = where(a < 1.0, y, where(a == 1.0, like(x, INFINITY), like(x, NAN)))
    return where(x == 0.0, x, signed_as(y, x))
