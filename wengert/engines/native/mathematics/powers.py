"""pow as exp(y log(x)), with log(x) in extended precision.

It is kept in two parts, a number and a rest that is some 2^-24 or 2^-53 of it.
"""

from __future__ import annotations

from typing import Final

from wengert.engines.native.frontend.lanes import LANES, Lane, fma, like
from wengert.engines.native.mathematics.building_blocks import (
    INFINITY,
    NAN,
    Two,
    function,
    left,
    member_of,
    polynomial,
    real,
    sum_of,
    where,
    whole,
)
from wengert.engines.native.mathematics.exponentials import SHIFT, clamp, exp_of, reduce_argument
from wengert.engines.native.mathematics.logarithms import decompose

# ln 2 in two parts, the first so short that e times it is exact.
_LN2: Final = (
    (0.693145751953125, 1.428606765330187e-06),
    (0.6931471805592082, 7.371002565167799e-13),
)

# log(1 + f) = 2 s (1 + z/3 + z^2 p(z)), for float64 1 + z/3 + z^2/5 + z^3 p(z), with s = f / (f + 2)
# and z = s^2: 8.7e-12, 1.5e-22
_LOG: Final = (
    (1.1710095e-01, 1.4273539e-01, 2.0000076e-01),
    (
        0.05956849460899297, 0.05842367704909418, 0.06667888490923764, 0.07692286288813233,
        0.09090909304716736, 0.11111111109993732, 0.1428571428571661,
    ),
)  # fmt: skip
# The coefficients before p(z), the highest power first, in two parts.
_BEFORE: Final = (
    ((0.3333333432674408, -9.934107758624577e-09),),
    ((0.2, -1.1102230246251566e-17), (0.3333333333333333, 1.850371707708594e-17)),
)


def _product(x: Two, y: Two) -> Two:
    p = x[0] * y[0]
    return p, fma(x[0], y[0], -p) + fma(x[0], y[1], x[1] * y[0])


def _log_over_2s(s: Two) -> Two:
    """log(1 + f) / (2 s) - 1"""
    z = _product(s, s)
    found: Two = z[0] * polynomial(z[0], member_of(z[0], _LOG)), like(z[0], 0.0)
    for first, rest in member_of(z[0], _BEFORE):
        t, lost = sum_of(like(s[0], first), found[0])
        found = _product(z, (t, lost + found[1] + rest))
    return found


def log_in_two(x: Lane) -> Two:
    """The logarithm of a positive number in two parts."""
    e, f = decompose(x)
    below, lost = sum_of(like(f, 2.0), f)
    inverse = 1.0 / below
    s = f * inverse
    s_rest = fma(-s, lost, fma(-s, below, f)) * inverse
    first, second = member_of(x, _LN2)
    t, t_rest = _product((s, s_rest), _log_over_2s((s, s_rest)))
    y, lost = sum_of(e * like(e, first), s + s)
    y, lost_too = sum_of(y, t + t)
    rest = fma(e, like(e, second), lost + lost_too + (s_rest + t_rest) * 2.0)
    return sum_of(y, rest)


# With a larger y even the number next to 1 makes exp overflow.
_MUCH: Final = (2.0**40, 2.0**70)


def _power(x: Lane, y: Lane) -> Lane:
    """x^y for a positive x."""
    log, rest = log_in_two(x)
    much = member_of(x, _MUCH)
    y = LANES.minimum(LANES.maximum(y, like(y, -much)), like(y, much))
    product = y * log
    rest = fma(y, log, -product) + y * rest
    within = clamp(product)
    rest = where(within == product, rest, like(x, 0.0))
    r, lost, k = reduce_argument(within, member_of(x, SHIFT))
    r, lost = sum_of(r, lost + rest)
    return exp_of(r, lost, k)


@function
def pow(x: Lane, y: Lane) -> Lane:
    size = abs(x)
    zero, one, inf = like(x, 0.0), like(x, 1.0), like(x, INFINITY)
    p = _power(size, y)
    p = where(size == 0.0, where(y < 0.0, inf, zero), p)
    p = where(size == inf, where(y < 0.0, zero, inf), p)
    half = y * 0.5
    integer = LANES.rint(y) == y
    odd = integer & (LANES.rint(half) != half)
    negative = whole(x) & left(like(whole(x), 1), 8 * x.dtype.itemsize - 1)
    p = where(odd, real(whole(p) | negative), p)
    root = (x < 0.0) & (size < inf) & ~integer
    p = where(root | (x != x) | (y != y), like(x, NAN), p)
    return where((x == 1.0) | (y == 0.0), one, p)


@function
def rsqrt(x: Lane) -> Lane:
    return 1.0 / LANES.sqrt(x)
