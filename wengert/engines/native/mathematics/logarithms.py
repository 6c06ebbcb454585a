"""log, log2, log10 and log1p.

x = 2^e (1 + f) with 1 + f between the square roots of 1/2 and 2, so log(x) = e ln 2 + log(1 + f).
"""

from __future__ import annotations

from typing import Final

from wengert.engines.native.frontend.lanes import Lane, fma, like
from wengert.engines.native.mathematics.building_blocks import (
    BIAS,
    INFINITY,
    LN2,
    LN2_REST,
    NAN,
    by_pairs,
    fraction_bits,
    function,
    member_of,
    number,
    real,
    right,
    to_exponent,
    where,
    whole,
)

# The bits of the square root of 1/2.
_ROOT_HALF: Final = (0x3F3504F3, 0x3FE6A09E667F3BCC)
_SMALLEST_NORMAL: Final = (2.0**-126, 2.0**-1022)

# log(1 + f) = f - f^2/2 + f^3 p(f): 6.0e-9
_LOG_FLOAT32: Final = (
    -7.62931e-02, 1.2764478e-01, -1.3162953e-01, 1.4201395e-01,
    -1.6623077e-01, 2.0001245e-01, -2.5000829e-01, 3.333333e-01,
)  # fmt: skip

# log(1 + f) = 2 s + s z p(z) with s = f / (f + 2), z = s^2: 2.8e-18
_LOG_FLOAT64: Final = (
    0.14797407544574787, 0.1531387720640757, 0.1818357206049326, 0.22222198413312463,
    0.2857142874391333, 0.3999999999940875, 0.6666666666666735,
)  # fmt: skip


def _exponent(x: Lane, shift: Lane) -> tuple[Lane, Lane, Lane]:
    """e - shift, the biased e as an integer, and the bits of 1 + f; x is normal and nonnegative."""
    places, bias = fraction_bits(x), member_of(x, BIAS)
    k = whole(x) + ((bias << places) - member_of(x, _ROOT_HALF))
    biased = right(k, places)
    # An integer in the lowest bits of a power of two is thereby added to it.
    power = 2.0**places
    e = real(biased | ((bias + places) << places)) - (shift + (power + bias))
    return e, biased, (k & ((1 << places) - 1)) + member_of(x, _ROOT_HALF)


def log1p_rest(f: Lane, rest: Lane | None = None) -> Lane:
    """log(1 + f) - f, which is smaller than f; plus `rest`."""
    if f.dtype.itemsize == 4:
        square = f * f
        p = by_pairs(f, square, (*_LOG_FLOAT32, -0.5))
        return square * p if rest is None else fma(square, p, rest)
    s = f / (f + 2.0)  # and 2 s = f - s f
    z = s * s
    p = z * by_pairs(z, z * z, _LOG_FLOAT64) - f
    return s * p if rest is None else fma(s, p, rest)


def log_of(e: Lane, f: Lane) -> Lane:
    """e ln 2 + log(1 + f), exact to the last place for small f where e is 0."""
    return fma(e, number(e, LN2), f + log1p_rest(f, e * number(e, LN2_REST)))


def decompose(x: Lane) -> tuple[Lane, Lane]:
    """e and f of a positive number."""
    tiny = x < number(x, _SMALLEST_NORMAL)
    places = float(fraction_bits(x))
    e, _, m = _exponent(
        where(tiny, x * like(x, 2.0**places), x), where(tiny, like(x, places), like(x, 0.0))
    )
    return e, real(m) - 1.0


def _with_pole(y: Lane, x: Lane) -> Lane:
    """y where x is positive and finite; elsewhere the logarithm's special values."""
    y = where(x > 0.0, y, where(x == 0.0, like(x, -INFINITY), like(x, NAN)))
    return where(x < INFINITY, y, x)


@function
def log(x: Lane) -> Lane:
    return _with_pole(log_of(*decompose(x)), x)


# 1 / ln 2, 1 / ln 10 and log10(2) in two parts, the last one's first so short that e times it is
# exact.
_LOG2_E: Final = (
    (1.4426950216293335, 1.925963033500011e-08),
    (1.4426950408889634, 2.0355273740931033e-17),
)
_LOG10_E: Final = (
    (0.4342944920063019, -1.0103049952192578e-08),
    (0.4342944819032518, 1.098319650216765e-17),
)
_LOG10_2: Final = (
    (0.301025390625, 4.605039066518657e-06),
    (0.30102999566361177, 3.694239077158931e-13),
)


def _to_base(x: Lane, unit: tuple[float, float], base: tuple[float, float]) -> Lane:
    """e `unit` + log(1 + f) `base`, both factors in two parts."""
    e, f = decompose(x)
    first = f * like(f, base[0])
    rest = fma(f, like(f, base[0]), -first)
    rest = rest + fma(log1p_rest(f), like(f, base[0]), f * like(f, base[1]))
    whole_part = e * like(e, unit[0])
    y = whole_part + first
    lost = first - (y - whole_part)
    return _with_pole(y + (lost + fma(e, like(e, unit[1]), rest)), x)


@function
def log2(x: Lane) -> Lane:
    return _to_base(x, (1.0, 0.0), member_of(x, _LOG2_E))


@function
def log10(x: Lane) -> Lane:
    return _to_base(x, member_of(x, _LOG10_2), member_of(x, _LOG10_E))


def _scale_of(x: Lane) -> tuple[Lane, Lane]:
    """e of 1 + x, and 2^-e."""
    half = fma(x, like(x, 0.5), like(x, 0.5))  # of 1 + x, which may overflow
    e, biased, _ = _exponent(half, like(x, -1.0))
    # 2^-e may be subnormal.
    return e, to_exponent(like(biased, 2 * member_of(x, BIAS) + 1) - biased) * 0.25


@function
def log1p(x: Lane) -> Lane:
    """f = 2^-e x + (2^-e - 1) is rounded once, and exact where x is small."""
    e, scale = _scale_of(x)
    y = log_of(e, fma(scale, x, scale - 1.0))
    y = where(x > -1.0, y, where(x == -1.0, like(x, -INFINITY), like(x, NAN)))
    # The result is x itself for infinity and for zeros of both signs.
    return where((x == x + x) & (x > -1.0), x, y)


def log1p_of(x: Lane, rest: Lane, more: Lane) -> Lane:
    """log(1 + x + rest) + more ln 2 for x > -1, with a `rest` about as small as x's rounding error."""
    e, scale = _scale_of(x)
    less = scale - 1.0
    f = fma(scale, x, less)
    lost = fma(scale, rest, fma(scale, x, less - f))
    # log(1 + f + lost) is log(1 + f) + lost / (1 + f), whose last term to 4 % is
    lost = lost * fma(f, fma(f, like(f, 0.8), like(f, -0.98)), like(f, 1.0))
    e = e + more
    return fma(e, number(e, LN2), f + log1p_rest(f, fma(e, number(e, LN2_REST), lost)))
