"""The inverses of erf, erfc and the normal distribution.

The inverse of erf is x p(w) in the middle, and beyond it a function of sqrt(w), with w = -log(1 - x^2).
"""

from __future__ import annotations

from typing import Final

from wengert.engines.native.frontend.lanes import LANES, Lane, fma, like
from wengert.engines.native.mathematics.building_blocks import (
    INFINITY,
    function,
    member_of,
    number,
    polynomial,
    signed_as,
    where,
)

# The inverse of erf as a multiple of x, for w <= 5, of w - 2.5: 5.6e-8, 1.8e-16
_MIDDLE: Final = (
    (
        -8.931926e-09, 2.3335968e-08, 4.6813136e-07, -3.4639852e-06, -4.97242e-06, 2.1834939e-04,
        -1.2527264e-03, -4.177393e-03, 2.4664028e-01, 1.5014094e00,
    ),
    (
        2.6458717948420677e-18, -2.1255566343301617e-17, -1.0474938411750245e-16,
        1.8184842927434184e-15, -3.132281484589996e-15, -7.551199522345375e-14,
        5.368481716774611e-13, 9.08606053079741e-13, -3.110649163196451e-11,
        1.196159853985287e-10, 9.073107389663029e-10, -1.086118607299662e-08,
        1.341679559820944e-08, 4.787252381299726e-07, -3.416619591404169e-06,
        -4.996079611173956e-06, 0.00021825026434256318, -0.0012527079078074829,
        -0.004177317724383496, 0.2466402767441667, 1.501409351110792,
    ),
)  # fmt: skip
# Also as a multiple, for sqrt(w) <= 4, of sqrt(w) - 3.1: 1.4e-7, 6.6e-17
_OUTER: Final = (
    (
        -1.7632889e-04, -6.126807e-05, 1.326875e-03, -2.8516483e-03, 4.1253506e-03, -5.667393e-03,
        7.458995e-03, 1.0033544e00, 2.9332316e00,
    ),
    (
        5.826742254250187e-10, -2.8904472018665848e-09, 2.790461425466655e-09,
        1.3108934818609212e-08, -4.815714841234461e-08, 5.3459544511844464e-08,
        1.1076149732322062e-07, -5.861119704312746e-07, 9.762545180295732e-07,
        5.65696151811522e-07, -6.5296846037872185e-06, 1.3488783719097066e-05,
        -1.54745033035745e-06, -5.8955480398986766e-05, 0.0001508523620829126,
        -0.00012183532035464253, -0.0003075786431474879, 0.0013164350959694877,
        -0.0027132116604295015, 0.004121401250370202, -0.005696600277844955,
        0.007460090473654182, 1.003356116034823, 2.933231672208679,
    ),
)  # fmt: skip
# Without its sign, for sqrt(w) <= 7, of sqrt(w) - 5.5: 7.7e-8, 7.9e-17
_TAIL: Final = (
    (
        -5.1213993e-07, 2.5973745e-06, -9.983274e-06, 3.962154e-05, -1.0281843e-04,
        -3.6792367e-04, 1.0100331e00, 5.354999e00,
    ),
    (
        1.4156532588029382e-14, -7.701944887030714e-14, 1.542381016141529e-13,
        -2.0361128331812648e-13, 3.7086390539395e-13, 3.893837294507433e-13,
        -1.0252606104011179e-11, 7.498171400262237e-11, -4.6179723328469597e-10,
        2.6975749882579588e-09, -1.522300117713284e-08, 8.312356739294696e-08,
        -4.369015979645114e-07, 2.18303340947068e-06, -1.0092055090806406e-05,
        4.022224696574367e-05, -0.00010276894184137265, -0.00036819723804123094,
        1.010033072446747, 5.3549992736424,
    ),
)  # fmt: skip
# As a multiple of sqrt(w), up to the smallest numbers, of 1 / sqrt(w) - 0.0896: 1.0e-8, 1.9e-16
_FAR_TAIL: Final = (
    (
        -8.739315e03, 1.1999302e03, -1.22360016e02, 2.1925364e01, -5.2128863e00, 1.8332988e00,
        -4.038404e-01, -1.6125973e-01, 9.907797e-01,
    ),
    (
        -5088750685735730.0, 524703200852607.6, 21368873977052.21, -2127993638503.9722,
        -272780478476.1139, 29035531905.982872, -1395801771.3587847, 162808365.51072863,
        -23201313.60579263, 2764761.420982773, -334507.79754368647, 42841.53683441974,
        -5766.602054964, 827.2001249642535, -129.3099185648277, 22.793581234394892,
        -5.207202390016598, 1.8325877995481457, -0.4038416151112609, -0.16125957222412032,
        0.9907796891994565,
    ),
)  # fmt: skip

_ROOT_TWO: Final = (1.4142135623730951,) * 2


def _inverse(x: Lane, w: Lane) -> Lane:
    """The inverse of erf at x; at the ends, where x is 1 to all digits, w says which number is meant."""
    s = LANES.sqrt(w)
    inner = polynomial(where(w < 5.0, w - 2.5, like(w, 0.0)), member_of(x, _MIDDLE))
    outer = polynomial(s - 3.1, member_of(x, _OUTER))
    near = x * where(w < 5.0, inner, outer)
    tail = polynomial(s - 5.5, member_of(x, _TAIL))
    far = s * polynomial(like(s, 1.0) / s - 0.0896, member_of(x, _FAR_TAIL))
    tail = where(s < 7.0, tail, far)
    return where(s < 4.0, near, signed_as(tail, x))


@function
def erfinv(x: Lane) -> Lane:
    one = like(x, 1.0)
    y = _inverse(x, -LANES.log((one - x) * (one + x)))
    return where(abs(x) == 1.0, x * INFINITY, y)


@function
def ndtri(p: Lane) -> Lane:
    """sqrt(2) times the inverse of erf at 2 p - 1."""
    rest = like(p, 1.0) - p
    x = fma(p, like(p, 2.0), like(p, -1.0))
    y = number(p, _ROOT_TWO) * _inverse(x, -LANES.log(p * rest * 4.0))
    y = where(p == 0.0, like(p, -INFINITY), y)
    return where(p == 1.0, like(p, INFINITY), y)


@function
def erfcinv(y: Lane) -> Lane:
    """The inverse of erf at 1 - y."""
    rest = like(y, 2.0) - y
    x = _inverse(like(y, 1.0) - y, -LANES.log(y * rest))
    x = where(y == 0.0, like(y, INFINITY), x)
    return where(y == 2.0, like(y, -INFINITY), x)
