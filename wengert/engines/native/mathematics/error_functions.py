"""erf and erfc."""

from __future__ import annotations

from typing import Final

from wengert.engines.native.frontend.lanes import LANES, Lane, fma, like
from wengert.engines.native.mathematics.building_blocks import (
    BIAS,
    Two,
    function,
    member_of,
    number,
    polynomial,
    signed_as,
    sum_of,
    to_exponent,
    where,
)
from wengert.engines.native.mathematics.exponentials import (
    EXPM1,
    SHIFT,
    expm1_of,
    reduce_argument,
    scale_by_power,
)

# erf(x) is 1 for larger ones.
_ONE: Final = (3.95, 5.95)
_SLOPE: Final = (
    (1.128379225730896, -5.863538342219759e-08),
    (1.1283791670955126, 1.533545961316588e-17),
)

# -log(1 - erf(x)) = 2 x / sqrt(pi) + x^2 p(x) for 0 <= x < _ONE: 4.3e-9, 7.7e-18 (of erf)
_ERF: Final = (
    (
        -9.311452e-06, 1.1820403e-04, -6.3509046e-04, 1.6716106e-03, -1.6548813e-04,
        -1.914998e-02, 1.0277688e-01, 6.366195e-01,
    ),
    (
        7.898430883033727e-16, -3.880204656542337e-14, 8.909400595852988e-13,
        -1.2695919248278726e-11, 1.2562448553411993e-10, -9.135482013122877e-10,
        5.0253581424068835e-09, -2.107493010729671e-08, 6.609532070913344e-08,
        -1.4269628675025737e-07, 1.3912563117339604e-07, 3.331017450753466e-07,
        -1.7371306685703695e-06, 2.8303380997067516e-06, 3.411430718242135e-06,
        -2.9726899502187724e-05, 6.44933831822451e-05, 2.5877983586869687e-05,
        -0.000590125364375268, 0.001696206344556793, -0.00020919468867918137,
        -0.019128447005657908, 0.10277260330182057, 0.6366197723675828,
    ),
)  # fmt: skip


@function
def erf(x: Lane) -> Lane:
    """1 - exp(-q), which is exact where x is small, and near 1 insensitive to errors of q."""
    size = LANES.minimum(abs(x), number(x, _ONE))
    slope, slope_rest = member_of(x, _SLOPE)
    first = size * like(x, slope)
    second = size * fma(size, polynomial(size, member_of(x, _ERF)), like(x, slope_rest))
    q = first + second
    r, lost, k = reduce_argument(q, member_of(x, BIAS), -1.0)
    if x.dtype.itemsize == 8:  # the rounding errors of the product and sum above, if q is small
        lost = lost - (fma(size, like(x, slope), -first) + (second - (q - first)))
    m, rest = expm1_of(r, lost, to_exponent(k), like(x, 1.0))
    return signed_as(m + rest, x)


# erfc(x) is 0 for larger ones; of doubles, by so much that no product comes near the least number.
_ZERO: Final = (10.2, 27.8)
_MIDDLE: Final = 4.0

# (x + k) exp(x^2) erfc(x) = p(t) with t = (x - k) / (x + k), k = _MIDDLE, 0 <= x < _ZERO: 1.7e-9, 1.7e-17
_ERFC: Final = (
    (
        -7.679668e-04, -4.1679337e-04, 6.2008114e-03, -2.6290076e-02, 7.637994e-02,
        -1.7402336e-01, 3.3085066e-01, -5.408532e-01, 7.7320874e-01, -9.7654873e-01,
    ),
    (
        1.01743082962572e-09, -3.8336582499966515e-10, -1.5395174206129507e-08,
        2.6101114371521135e-09, 1.2394689126865e-07, -7.797722662708755e-08,
        -8.460157530282701e-07, 1.4260919865713296e-06, 4.694335467109741e-06,
        -1.8861784252920168e-05, -3.6351510167683657e-06, 0.00017681308650763632,
        -0.0004550526885697397, -0.00028095891581635823, 0.006112055656741881,
        -0.026370053334628583, 0.07638151490915053, -0.17401093724028907, 0.33085158787802343,
        -0.540853831313225, 0.7732087022652367, -0.9765487290808821,
    ),
)  # fmt: skip
_ERFC_LAST: Final = (  # in two parts
    (1.0959956645965576, -3.6532699088098752e-09),
    (1.095995661000491, 5.866560297401916e-17),
)


def _any_sum(x: Lane, y: Lane) -> Two:
    """x + y and its rounding error (two-sum), whichever is larger."""
    s = x + y
    of_y = s - x
    return s, (x - (s - of_y)) + (y - of_y)


def _step(t: Lane, inner: Lane, c: float) -> Two:
    """c + t inner in two parts."""
    product = t * inner
    y, rest = _any_sum(like(t, c), product)
    return y, rest + fma(t, inner, -product)


def _erfcx(x: Lane) -> Two:
    """exp(x^2) erfc(x) in two parts, for 0 <= x < _ZERO."""
    k = _MIDDLE
    below, lost = sum_of(like(x, k), x)
    inverse = 1.0 / below
    inverse_rest = fma(-inverse, lost, fma(-inverse, below, like(x, 1.0))) * inverse
    t, t_rest = _any_sum(like(x, 1.0), inverse * (-2 * k))
    t_rest = t_rest - inverse_rest * (2 * k)
    # The polynomial, its last two steps in two parts.
    *higher, last_but_one = member_of(x, _ERFC)
    last, last_rest = member_of(x, _ERFC_LAST)
    tail, tail_rest = _step(t, polynomial(t, higher), last_but_one)
    p, p_rest = _step(t, tail, last)
    p_rest = fma(t, tail_rest, p_rest + last_rest)
    # dp/dx = p / (x + k) + 2 x p - 2 (x + k) / sqrt(pi), and dx/dt = (x + k)^2 / 2 k
    slope = fma(p, x + x, p * inverse) - below * member_of(x, _SLOPE)[0]
    p_rest = p_rest + slope * below * below * (t_rest * (0.5 / k))
    y = p * inverse
    return y, fma(p, inverse, -y) + fma(p, inverse_rest, p_rest * inverse)


@function
def erfc(x: Lane) -> Lane:
    size = LANES.minimum(abs(x), number(x, _ZERO))
    y, y_rest = _erfcx(size)
    square = size * size
    r, lost, k = reduce_argument(square, member_of(x, SHIFT), -1.0)
    r, lost = sum_of(r, lost - fma(size, size, -square))
    more = fma(r, polynomial(r, (*member_of(r, EXPM1), 1.0)), lost)  # exp(r + lost) - 1
    found = scale_by_power(y + fma(y, more, fma(y_rest, more, y_rest)), k)
    return where(x < 0.0, 2.0 - found, found)
