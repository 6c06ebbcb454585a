"""exp, exp2, expm1, tanh and sigmoid.

x = n ln 2 + r with an integer n and |r| <= ln(2)/2, so exp(x) = 2^n exp(r).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from wengert.engines.native.frontend.lanes import LANES, Lane, bits, cast, fma, like
from wengert.engines.native.mathematics.building_blocks import (
    BIAS,
    LN2,
    LN2_REST,
    MAGIC,
    by_pairs,
    function,
    member_of,
    number,
    quotient,
    right,
    signed_as,
    to_exponent,
    where,
    whole,
)

LOG2_E: Final = 1.4426950408889634
# exp(r) - 1 = r + r^2 q(r): 1.4e-8, 2.2e-17
EXPM1: Final = (
    (1.3835379e-03, 8.367139e-03, 4.1667756e-02, 1.6666539e-01, 4.9999997e-01),
    (
        2.5179661279439795e-08, 2.7628496167129567e-07, 2.7557070067189712e-06,
        2.4801499107160798e-05, 0.00019841270024947768, 0.0013888888936701847,
        0.008333333333283559, 0.041666666666560714, 0.16666666666666696, 0.5000000000000007,
    ),
)  # fmt: skip


def reduce_argument(x: Lane, shift: int, factor: float = 1.0) -> tuple[Lane, Lane, Lane]:
    """For `factor` x: r, its rounding error, and an integer whose lowest bits are n + shift."""
    magic = member_of(x, MAGIC) + shift
    t = fma(x, like(x, factor * LOG2_E), like(x, magic))
    n = t - like(x, magic)
    exact = fma(n, number(x, (-LN2[0], -LN2[1])), x if factor == 1 else x * like(x, factor))
    rest = number(x, (-LN2_REST[0], -LN2_REST[1]))
    r = fma(n, rest, exact)
    return r, fma(n, rest, exact - r), whole(t)


# Beyond these exp is 0 or infinite, and the bits of n do not overflow. A double far below its least
# number: processors take a hundred times as long for a product as long as it may round to that.
_LOWEST: Final = (-104.0, -780.0)
_HIGHEST: Final = (89.0, 710.0)


def clamp(x: Lane) -> Lane:
    return LANES.minimum(LANES.maximum(x, number(x, _LOWEST)), number(x, _HIGHEST))


# What makes n the exponent of one factor for float32, as scale_by_power takes it, and of two for float64.
SHIFT: Final = (BIAS[0] - 1, 2 * BIAS[1])


def scale_by_power(y: Lane, k: Lane) -> Lane:
    """2^n y, where k is n plus SHIFT."""
    return _scaled_double(y, k) if y.dtype.itemsize == 8 else _scaled_float(y + y, k)


def _scaled_double(y: Lane, k: Lane) -> Lane:
    """2^n is two factors, each a normal number: only the second product rounds, where it underflows."""
    half = right(k, 1)
    return y * to_exponent(half) * to_exponent(k - half)


_LEAST: Final = 149  # 2^-149 is the least float32
_NORMAL: Final = 126  # 2^-126 is the least normal one


def _scaled_float(twice: Lane, k: Lane) -> Lane:
    """2^n y, of 2 y, for 2^128 is no number. A subnormal result is made of its integer: no product underflows.

    Processors take a hundred times as long for one that does; half of a mask's or a Gaussian's may.
    """
    at_zero = int(np.float32(MAGIC[0] + SHIFT[0]).view(np.uint32))  # k where n is 0
    low = k <= like(k, at_zero - _NORMAL)
    found = twice * to_exponent(where(low, k + _LEAST, k))
    return where(low, bits(cast(LANES.rint(found), np.dtype(np.int32)), np.float32), found)


def exp_of(r: Lane, lost: Lane | None, k: Lane) -> Lane:
    """2^n exp(r + lost); k is n plus SHIFT."""
    if lost is None and r.dtype.itemsize == 4:
        p = by_pairs(r, r * r, [2.0 * c for c in (*EXPM1[0], 1.0)])  # twice as much, to the bit
        return _scaled_float(fma(r, p, like(r, 2.0)), k)
    p = by_pairs(r, r * r, (*member_of(r, EXPM1), 1.0))
    y = fma(r, p, like(r, 1.0)) if lost is None else fma(r, p, lost) + 1.0
    return scale_by_power(y, k)


def _exp(x: Lane) -> Lane:
    r, _, k = reduce_argument(x, member_of(x, SHIFT))
    return exp_of(r, None, k)


@function
def exp(x: Lane) -> Lane:
    return _exp(clamp(x))


# Beyond these exp2 is 0 or infinite.
_LOWEST2: Final = (-151.0, -1130.0)
_HIGHEST2: Final = (128.0, 1024.0)


@function
def exp2(x: Lane) -> Lane:
    x = LANES.minimum(LANES.maximum(x, number(x, _LOWEST2)), number(x, _HIGHEST2))
    magic = like(x, member_of(x, MAGIC) + member_of(x, SHIFT))
    t = x + magic
    return exp_of((x - (t - magic)) * number(x, LN2), None, whole(t))


def expm1_of(r: Lane, lost: Lane, scale: Lane, less: Lane) -> tuple[Lane, Lane]:
    """scale exp(r) - less in two parts; for float32 the first is enough."""
    square = r * r
    q = by_pairs(r, square, member_of(r, EXPM1))
    less = scale - less
    if r.dtype.itemsize == 4:
        return fma(scale, fma(square, q, r), less), like(r, 0.0)
    y = fma(scale, r, less)
    return y, fma(scale, fma(square, q, lost), fma(scale, r, less - y))


# exp(x) - 1 is -1 below.
_MINUS_ONE: Final = (-20.0, -40.0)
# exp(x) - 1 and sinh(x) are x for smaller ones.
TINY: Final = (2.0**-26, 2.0**-55)


@function
def expm1(x: Lane) -> Lane:
    within = LANES.minimum(LANES.maximum(x, number(x, _MINUS_ONE)), number(x, _HIGHEST))
    r, lost, k = reduce_argument(within, member_of(x, BIAS) - 1)
    y, rest = expm1_of(r, lost, to_exponent(k), like(x, 0.5))  # half of it, as 2^n may overflow
    y = y if x.dtype.itemsize == 4 else y + rest
    return where(abs(x) < number(x, TINY), x, y + y)


# tanh is 1 above.
_ONE: Final = (10.0, 20.0)


@function
def tanh(x: Lane) -> Lane:
    """-m / (m + 2) with m = exp(-2|x|) - 1, which cannot overflow and is exact where x is small."""
    r, lost, k = reduce_argument(LANES.minimum(abs(x), number(x, _ONE)), member_of(x, BIAS), -2.0)
    high, low = expm1_of(r, lost, to_exponent(k), like(x, 1.0))
    m = high if x.dtype.itemsize == 4 else high + low
    below = m + 2.0
    y = m / below
    if x.dtype.itemsize == 8:
        # The rounding errors of m and m + 2, to first order; 1 / (m + 2) is (1 - y) / 2.
        low = low - (m - high)
        y = fma(fma(y, (below - 2.0 - m) - low, low), fma(y, like(x, -0.5), like(x, 0.5)), y)
    return signed_as(y, x)


@function
def sigmoid(x: Lane) -> Lane:
    """1 / (1 + exp(-|x|)), or 1 minus that."""
    e = _exp(LANES.maximum(-abs(x), number(x, _LOWEST)))
    above, below = where(x < 0.0, e, like(x, 1.0)), e + 1.0
    if x.dtype.itemsize == 4:
        return above / below
    return quotient(above, below, like(x, 0.0), e - (below - 1.0))
