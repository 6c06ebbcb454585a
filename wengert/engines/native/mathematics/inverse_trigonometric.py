"""atan, atan2, asin and acos."""

from __future__ import annotations

import math
from typing import Final

from wengert.engines.native.frontend.lanes import LANES, Lane, fma, like
from wengert.engines.native.mathematics.building_blocks import (
    INFINITY,
    Pair,
    function,
    member_of,
    number,
    polynomial,
    signed_as,
    where,
)

# Multiples of pi, each in two parts.
_QUARTER: Final = (
    (0.7853981852531433, -2.1855694143368964e-08),
    (0.7853981633974483, 3.061616997868383e-17),
)
_HALF: Final = (
    (1.5707963705062866, -4.371138828673793e-08),
    (1.5707963267948966, 6.123233995736766e-17),
)
_PI: Final = (
    (3.1415927410125732, -8.742277657347586e-08),
    (3.141592653589793, 1.2246467991473532e-16),
)

# atan(t) = t + t^3 p(t^2) for t below sqrt(2) - 1: 7.0e-10, 1.3e-18
_ATAN: Final = (
    (-6.0899545e-02, 1.0599144e-01, -1.424439e-01, 1.9998528e-01, -3.3333316e-01),
    (
        -0.017907789664434088, 0.0380649519399393, -0.050393149675496046, 0.05847890577116168,
        -0.06663104117646214, 0.07692060216699878, -0.09090897758152768, 0.11111110783523924,
        -0.14285714280200307, 0.1999999999995368, -0.333333333333332,
    ),
)  # fmt: skip

# asin(t) = t + t^3 p(t^2) for t below a half: 4.9e-9, 1.8e-17
_ASIN: Final = (
    (4.2166226e-02, 2.4180818e-02, 4.5469772e-02, 7.4953064e-02, 1.6666752e-01),
    (
        0.03193322780445053, -0.01625386037160338, 0.01954647631304851, 0.0065215770905017395,
        0.01217062747052729, 0.013885030255614873, 0.017359724395423007, 0.02237175683117396,
        0.0303819591840552, 0.044642856827285575, 0.07500000000338151, 0.16666666666665406,
    ),
)  # fmt: skip
_TAN_EIGHTH: Final = math.sqrt(2) - 1  # tan(pi/8)


def _chosen(x: Lane, conditions: list[Lane], pairs: list[Pair]) -> tuple[Lane, Lane]:
    """The two parts of the first number whose condition holds, else of the last."""
    first, rest = (like(x, part) for part in pairs[-1])
    for c, pair in zip(conditions[::-1], pairs[-2::-1], strict=True):
        first, rest = where(c, like(x, pair[0]), first), where(c, like(x, pair[1]), rest)
    return first, rest


def _arc(a: Lane, b: Lane) -> tuple[Lane, Lane]:
    """The angle whose tangent is a / b, in two parts, for finite and nonnegative a and b.

    atan(a / b) is pi/4 + atan((a - b) / (a + b)), and is pi/2 - atan(b / a).
    """
    low, high = a < b * _TAN_EIGHTH, b < a * _TAN_EIGHTH
    above = where(low, a, where(high, -b, a - b))
    below = where(low, b, where(high, a, a + b))
    first, rest = _chosen(a, [low, high], [(0.0, 0.0), member_of(a, _HALF), member_of(a, _QUARTER)])
    if a.dtype.itemsize == 4:
        t = above / below
    else:
        # The rounding errors of a - b, a + b and the quotient, to first order.
        large, small = LANES.maximum(a, b), LANES.minimum(a, b)
        middle, zero = ~(low | high), like(a, 0.0)
        lost = where(middle, small - (below - large), zero)
        short = where(middle, (large - abs(above)) - small, zero)
        inverse = 1.0 / below
        t = above * inverse
        short = fma(-t, below, above) + where(a < b, -short, short)
        rest = fma(fma(-t, lost, short), inverse, rest)
    z = t * t
    return first, fma(t * z, polynomial(z, member_of(z, _ATAN)), rest) + t


@function
def atan(x: Lane) -> Lane:
    size = LANES.minimum(abs(x), number(x, (2.0**60, 2.0**120)))  # where it is pi/2 already
    first, rest = _arc(size, like(x, 1.0))
    return signed_as(first + rest, x)


_HUGE: Final = (2.0**100, 2.0**900)
_SCALE: Final = (2.0**64, 2.0**512)


def _comparable(a: Lane, b: Lane) -> tuple[Lane, Lane]:
    """Two numbers of the same quotient, finite, and scaled so that a + b is a normal number."""
    zero, one, inf = (like(a, v) for v in (0.0, 1.0, INFINITY))
    endless = (a == inf) | (b == inf)
    a, b = (where(endless, where(v == inf, one, v * 0.0), v) for v in (a, b))
    large, huge, scale = LANES.maximum(a, b), member_of(a, _HUGE), member_of(a, _SCALE)
    factor = where(large > huge, like(a, 1 / scale), where(large < 1 / huge, like(a, scale), one))
    return a * factor, where(large == zero, one, b * factor)


@function
def atan2(y: Lane, x: Lane) -> Lane:
    first, rest = _arc(*_comparable(abs(y), abs(x)))
    pi, pi_rest = (like(x, part) for part in member_of(x, _PI))
    behind = LANES.signbit(x)
    first, rest = where(behind, pi - first, first), where(behind, pi_rest - rest, rest)
    return signed_as(first + rest, y)


def _sine(size: Lane) -> tuple[Lane, Lane, Lane]:
    """Whether `size` is below a half; t and asin(t) - t.

    t is `size` itself, or the sine of half of the complementary angle.
    """
    small = size < 0.5
    half = fma(size, like(size, -0.5), like(size, 0.5))  # exact where it is used
    root = LANES.sqrt(half)
    t, z = where(small, size, root), where(small, size * size, half)
    more = t * z * polynomial(z, member_of(t, _ASIN))
    if size.dtype.itemsize == 8:  # the rounding error of the root
        lost = fma(-root, root, half) * 0.5 / where(root > 0.0, root, like(root, 1.0))
        more = more + where(small, like(size, 0.0), lost)
    return small, t, more


@function
def asin(x: Lane) -> Lane:
    small, t, more = _sine(abs(x))
    first, rest = (like(x, part) for part in member_of(x, _HALF))
    far = (first - (t + t)) + (rest - (more + more))
    return signed_as(where(small, t + more, far), x)


@function
def acos(x: Lane) -> Lane:
    small, t, more = _sine(abs(x))
    half, half_rest = (like(x, part) for part in member_of(x, _HALF))
    below = x < 0.0
    first, rest = half - signed_as(t, x), half_rest - signed_as(more, x)
    y = (t + more) * 2.0
    pi, pi_rest = (like(x, part) for part in member_of(x, _PI))
    far = where(below, (pi - (t + t)) + (pi_rest - (more + more)), y)
    return where(small, first + rest, far)
