"""The logarithm of gamma and its derivatives.

Each is known on an interval, from which steps of one lead to the numbers up to _FAR, and by an asymptotic
series beyond; to negative numbers it is reflected.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from wengert.engines.native.frontend.lanes import LANES, Lane, fma, like
from wengert.engines.native.mathematics.building_blocks import (
    INFINITY,
    NAN,
    function,
    member_of,
    number,
    polynomial,
    where,
)

_FAR: Final = 8.5

# log gamma(2 + z) = z p(z) for |z| <= 1/2: 5.2e-8, 6.8e-17
_LGAMMA: Final = (
    (
        -2.5056204e-04, 5.7025126e-04, -1.1874848e-03, 2.8788687e-03, -7.3859207e-03,
        2.0581625e-02, -6.7352295e-02, 3.2246703e-01, 4.2278433e-01,
    ),
    (
        -1.3219945666117874e-07, 2.78740805211359e-07, -4.3252393445604814e-07,
        9.200527894968101e-07, -2.0439048107029907e-06, 4.38470440459836e-06,
        -9.438715099211532e-06, 2.0505590755833454e-05, -4.49263133791557e-05,
        9.945767355819498e-05, -0.00022315475400520507, 0.0005096695154115458,
        -0.0011927539118428156, 0.002890510331034267, -0.0073855510286719986,
        0.02058080842778038, -0.0673523010531981, 0.32246703342411326, 0.42278433509846713,
    ),
)  # fmt: skip
# log gamma(t) = (t - 1/2) (log(t) - 1) + _HALF_LOG + p(1 / t^2) / t: 3.1e-8, 2.2e-16 of the last
_STIRLING: Final = (
    (7.8155665e-04, -2.7777154e-03, 8.3333336e-02),
    (
        -0.0016796510732729059, 0.0008381814236811042, -0.0005952129166201365,
        0.0007936507127029833, -0.00277777777768216, 0.08333333333333331,
    ),
)  # fmt: skip
_HALF_LOG: Final = (0.4189385332046727,) * 2  # (log(2 pi) - 1) / 2

# sin(pi f) = f p(f^2) for |f| <= 1/2: 3.6e-8, 3.9e-17
_SINE: Final = (
    (7.765591e-02, -5.982904e-01, 2.5500774e00, -5.1677103e00, 3.1415927e00),
    (
        7.697826768224191e-07, -2.1903497074626018e-05, 0.0004662998161898394,
        -0.007370430505916944, 0.0821458865731029, -0.5992645293189447, 2.5501640398773007,
        -5.167712780049969, 3.141592653589793,
    ),
)  # fmt: skip


def _beyond(x: Lane) -> tuple[Lane, Lane]:
    """The number to which x is reflected, and how far x is from a whole number."""
    return where(x < 0.0, like(x, 1.0) - x, x), x - LANES.rint(x)


def _sine(f: Lane) -> Lane:
    return f * polynomial(f * f, member_of(f, _SINE))


def _cotangent(f: Lane) -> Lane:
    """cot(pi f)."""
    return _sine(like(f, 0.5) - abs(f)) / _sine(f)


@function
def lgamma(x: Lane) -> Lane:
    """Gamma of t between 3/2 and 5/2, of t + 1 or t + 2 where it is less, of t - k where it is more."""
    t, f = _beyond(x)
    tiny, small, large = t < 0.5, t < 1.5, t >= _FAR
    z = where(tiny, t, where(small, t - 1.0, t))
    factor = where(tiny, fma(t, t, t), where(small, t, like(t, 1.0)))
    for _ in range(6):
        more = z >= 2.5
        z = where(more, z - 1.0, z)
        factor = where(more, factor * z, factor)
    z = where(small, z, z - 2.0)
    log = LANES.log(where(large, t, factor))
    near = fma(z, polynomial(z, member_of(t, _LGAMMA)), where(small, -log, log))
    inverse = like(t, 1.0) / t
    series = inverse * polynomial(inverse * inverse, member_of(t, _STIRLING))
    far = fma(t - 0.5, log - 1.0, number(t, _HALF_LOG) + series)
    y = where(large, far, near)
    # The sine by pi, which is f itself where that is small: times pi, a subnormal number has few bits.
    share = where(abs(f) < 1e-9, abs(f), abs(_sine(f)) * like(f, 1.0 / math.pi))
    y = where(x < 0.0, -LANES.log(share) - y, y)
    return where(abs(x) == INFINITY, abs(x), y)


# digamma(1.5 + v) = (v - root) p(v) for |v| <= 1/2: 1.4e-7, 1.4e-16
_DIGAMMA: Final = (
    (
        2.322766e-02, -3.496698e-02, 3.970887e-02, -6.0342174e-02, 9.5063455e-02,
        -1.4851716e-01, 2.4054107e-01, -4.236253e-01, 9.510559e-01,
    ),
    (
        0.0002522590506964885, -0.0003783907897248858, 0.00023650171719339814,
        -0.00035476352053371977, 0.0007184107969046378, -0.0010776863967234226,
        0.0015580749137213761, -0.002337552647103118, 0.0035187504361950134,
        -0.005280903066090605, 0.007926972735646359, -0.011908146513976738,
        0.017907250563619775, -0.026975800029253667, 0.0407608338843387, -0.06192213319072707,
        0.09498872445354183, -0.14840492305485808, 0.24054248424078478, -0.4236274212814573,
        0.9510558760318328,
    ),
)  # fmt: skip
_ROOT: Final = (1.4616321325302124, 1.4616321449683622)  # of digamma, in two parts
_ROOT_REST: Final = (1.2438149938918909e-08, 9.549995429965697e-17)
# digamma(t) = log(t) - 1 / 2t - p(1 / t^2) / t^2: 3.8e-8, 5.6e-17 of the last
_FAR_DIGAMMA: Final = (
    (3.8841064e-03, -8.3329e-03, 8.3333336e-02),
    (
        0.06548965472129002, -0.020773793453200805, 0.007572835482941621, -0.004166652740330826,
        0.003968253936423464, -0.008333333333305925, 0.08333333333333333,
    ),
)  # fmt: skip


@function
def digamma(x: Lane) -> Lane:
    """Digamma of u between 1 and 2, and the sum of the inverses of what lies between u and t."""
    t, f = _beyond(x)
    below = t < 1.0
    u = where(below, t + 1.0, t)
    above, under = where(below, like(t, -1.0), like(t, 0.0)), where(below, t, like(t, 1.0))
    for _ in range(7):
        more = u >= 2.0
        u = where(more, u - 1.0, u)
        above = where(more, fma(above, u, under), above)
        under = where(more, under * u, under)
    v = (u - number(u, _ROOT)) - number(u, _ROOT_REST)
    near = fma(v, polynomial(u - 1.5, member_of(u, _DIGAMMA)), above / under)
    inverse = like(t, 1.0) / t
    square = inverse * inverse
    series = fma(square, polynomial(square, member_of(t, _FAR_DIGAMMA)), inverse * 0.5)
    y = where(t >= _FAR, LANES.log(t) - series, near)
    y = where(x < 0.0, y - like(x, math.pi) * _cotangent(f), y)
    is_pole = LANES.logical_and(x <= 0.0, f == 0.0)
    return where(LANES.logical_or(is_pole, x == -INFINITY), like(x, NAN), y)


# Bernoulli's numbers of even index, from the second on.
_BERNOULLI: Final = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
)  # fmt: skip
_FAR_POLYGAMMA: Final = 10


def _size_of_polygamma(n: int, t: Lane) -> Lane:
    """The n-th derivative of digamma of a positive number, without its sign: all terms are positive."""
    factorial = float(math.factorial(n))
    total, u = like(t, 0.0), t
    for _ in range(_FAR_POLYGAMMA):
        more = u < float(_FAR_POLYGAMMA)
        inverse = like(u, 1.0) / u
        total = total + where(more, _whole_power(inverse, n + 1), like(u, 0.0))
        u = where(more, u + 1.0, u)
    inverse = like(u, 1.0) / u
    terms = [
        b * math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        for k, b in enumerate(_BERNOULLI, 1)
    ]
    series = fma(
        inverse,
        fma(polynomial(inverse * inverse, terms[::-1]), inverse, like(u, factorial / 2)),
        like(u, float(math.factorial(n - 1))),
    )
    return fma(total, like(t, factorial), _whole_power(inverse, n) * series)


def _whole_power(x: Lane, n: int) -> Lane:
    y = x
    for _ in range(n - 1):
        y = y * x
    return y


def _polygamma(n: int) -> Callable[[Lane], Lane]:
    """The n-th derivative of digamma; that of pi cot(pi x) reflects it."""

    def derivative(x: Lane) -> Lane:
        t, f = _beyond(x)
        size = _size_of_polygamma(n, t)
        c = _cotangent(f)
        slope = fma(c, c, like(c, 1.0))
        if n == 1:
            turn = slope * math.pi**2
        elif n == 2:
            turn = c * slope * (2.0 * math.pi**3)
        else:
            turn = slope * fma(c * c, like(c, 3.0), like(c, 1.0)) * (2.0 * math.pi**4)
        reflected = turn + size if n == 2 else turn - size
        y = where(x < 0.0, reflected, size)
        is_pole = LANES.logical_and(x <= 0.0, f == 0.0)
        y = where(LANES.logical_or(is_pole, x == -INFINITY), like(x, INFINITY), y)
        return y if n % 2 else -y

    derivative.__name__ = f"polygamma_{n}"
    return derivative


ORDERS: Final = (1, 2, 3)  # of the derivatives of digamma that are offered
for _n in ORDERS:
    function(_polygamma(_n))
