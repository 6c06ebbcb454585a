"""The Bessel functions of both kinds, of orders 0 and 1.

They are computed in float64, also for float32. Up to 5 a function is its zero there times a polynomial, or the
logarithm times the function of the first kind is taken out; beyond that both kinds are a wave, by its
amplitudes P and Q.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from wengert.engines.native.frontend.lanes import LANES, Lane, like
from wengert.engines.native.mathematics.building_blocks import (
    INFINITY,
    Pair,
    function,
    member_of,
    polynomial,
    where,
)

_EDGE: Final = 5.0
_ZEROS: Final = (  # of j0 and j1, in two parts
    (2.404825557695773, -1.1766916515308945e-16),
    (3.8317059702075125, -1.5269184090088052e-16),
)

# j0(x) = (x^2 - r^2) p(2 x^2 / 25 - 1) for 0 <= x <= 5, where r is its zero: 2e-12, 2e-18
_J0_NEAR: Final = (
    (
        4.112287209904e-10, -1.282248071934e-08, 3.211555754527e-07, -6.319294882417e-06,
        9.414473609565e-05, -0.001013405355463, 0.007375894304144, -0.03277786210683,
        0.07436630462756, -0.05728080421637,
    ),
    (
        -4.5085752175325895e-15, 2.399602248240359e-13, -1.0840781056083564e-11,
        4.105688303721103e-10, -1.2795360168830179e-08, 3.211562353433063e-07,
        -6.3193186183226215e-06, 9.414473580694953e-05, -0.001013405346985002,
        0.0073758943041960226, -0.03277786210789048, 0.07436630462755323, -0.05728080421634534,
    ),
)  # fmt: skip
# j1(x) = x (x^2 - r^2) p(2 x^2 / 25 - 1) there: 1e-11, 1e-17
_J1_NEAR: Final = (
    (
        -6.454487766116e-10, 1.80374328601e-08, -3.991371230396e-07, 6.81465218251e-06,
        -8.592956267574e-05, 0.0007552540521053, -0.004240225993351, 0.01309077752115,
        -0.01587595431165,
    ),
    (
        9.268689637917521e-15, -4.5448929803664786e-13, 1.8773810470060388e-11,
        -6.443125533665431e-10, 1.799515992541992e-08, -3.991381172349741e-07,
        6.814683895176615e-06, -8.592956232067133e-05, 0.0007552540432951287,
        -0.004240225993395723, 0.013090777521810029, -0.01587595431164548,
    ),
)  # fmt: skip
# y0(x) - 2 / pi log(x) j0(x) there: 6e-11, 8e-19
_Y0_NEAR: Final = (
    (
        2.921524869351e-07, -7.009831718087e-06, 0.0001299455603132, -0.001802788372846,
        0.01763534570902, -0.1115168294495, 0.3885163995086, -0.4705763645789, -0.4326558222827,
        0.4837248577913,
    ),
    (
        1.1666039530746897e-13, -6.04993694723965e-12, 2.6539975248625817e-10,
        -9.7209552080454e-09, 2.9142206889637085e-07, -6.985504374077061e-06,
        0.0001299462909208217, -0.0018028096665503853, 0.01763534538933876,
        -0.11151682184328655, 0.38851639956570944, -0.47057636552972876, -0.4326558222855125,
        0.4837248578102995,
    ),
)  # fmt: skip
# (y1(x) - 2 / pi (log(x) j1(x) - 1 / x)) / x there: 9e-12, 1e-17
_Y1_NEAR: Final = (
    (
        1.532040727609e-08, -4.12529122307e-07, 8.733066792447e-06, -0.0001414173502563,
        0.001668803146652, -0.01343343410076, 0.06634695354533, -0.1631202035362,
        0.09108650838461, 0.1397493903348,
    ),
    (
        -2.397782341669183e-13, 1.1462847037754036e-11, -4.6013010745475043e-10,
        1.528888444673751e-08, -4.1137780795312436e-07, 8.733098315276175e-06,
        -0.00014141835794484212, 0.0016688031328605528, -0.013433433740818165,
        0.06634695354779145, -0.16312020358118715, 0.09108650838448443, 0.13974939033568806,
    ),
)  # fmt: skip
# the hypotenuse's part P of order 0, of 50 / x^2 - 1 for x >= 5: 7e-11, 2e-17
_P0: Final = (
    (
        1.313038837399e-08, -5.665548631683e-08, 2.962104644065e-07, -2.456927489597e-06,
        3.49175908223e-05, -0.001327493515954, 0.9986347659001,
    ),
    (
        -2.2353911549120522e-12, 3.614386349248598e-12, 3.4153115425729133e-12,
        -3.7435929805120144e-12, -1.3637307914439636e-11, 2.4823644443773385e-11,
        -3.5386629228967683e-11, 9.725055145776501e-11, -2.851794579729694e-10,
        8.562292591841693e-10, -2.8705436149232575e-09, 1.1058301818592053e-08,
        -5.08643230838394e-08, 2.9759010201737064e-07, -2.459963321484891e-06,
        3.491730581077085e-05, -0.0013274931272004003, 0.9986347659091991,
    ),
)  # fmt: skip
# x times the part Q: 2e-11, 2e-17
_Q0: Final = (
    (
        2.547382698959e-09, -6.385802275396e-09, 1.212987459e-08, -4.435082441304e-08,
        1.89249632605e-07, -9.417617887611e-07, 6.239011341309e-06, -6.338705416168e-05,
        0.001314213978151, -0.1236149635282,
    ),
    (
        4.365436075722028e-12, -6.032028747837211e-12, -1.4357398192999887e-11,
        1.765206728221756e-11, 2.9761039228911586e-11, -3.723667434753668e-11,
        -1.6056475557166418e-11, 6.9845644405140014e-12, 6.525876729698151e-11,
        -1.2217552880436112e-10, 2.340473361285325e-10, -5.807076541759802e-10,
        1.5282843631161296e-09, -4.2956720406288805e-09, 1.3296573119800346e-08,
        -4.6397802228300446e-08, 1.8870297801035574e-07, -9.409875326303781e-07,
        6.23911316965569e-06, -6.338715442509227e-05, 0.0013142139729102479,
        -0.12361496352611864,
    ),
)  # fmt: skip
# the hypotenuse's part P of order 1, of 50 / x^2 - 1 for x >= 5: 8e-11, 2e-17
_P1: Final = (
    (
        -1.467767672695e-08, 6.43282476547e-08, -3.451583034971e-07, 2.975262383445e-06,
        -4.578311909967e-05, 0.002241463643866, 1.002290646266,
    ),
    (
        2.3685225281867605e-12, -3.837516448159511e-12, -3.5906738400843225e-12,
        3.919356832784688e-12, 1.4551592853265393e-11, -2.6622329676450144e-11,
        3.8451893184433916e-11, -1.0595089749231095e-10, 3.1177370741059353e-10,
        -9.422147494996673e-10, 3.1849577586739448e-09, -1.2402701962004368e-08,
        5.7916678422140156e-08, -3.466719151341159e-07, 2.9786211051441743e-06,
        -4.5782806529390985e-05, 0.002241463213917191, 1.0022906462560661,
    ),
)  # fmt: skip
# x times the part Q: 4e-11, 2e-17
_Q1: Final = (
    (
        6.963498997836e-09, -1.96222812764e-08, 4.943051434319e-08, -2.085953860811e-07,
        1.080721313833e-06, -7.371112879566e-06, 7.898083355827e-05, -0.001864849530394,
        0.3730474331763,
    ),
    (
        6.3493919056447594e-12, -9.024649722597404e-12, -1.854081644734266e-11,
        2.2920253873165916e-11, 3.922339737360511e-11, -5.16159274313059e-11,
        -6.8920504747452794e-12, -1.6919085465179005e-11, 1.3104614308538177e-10,
        -2.78629906776293e-10, 6.296749654362176e-10, -1.6563207992527924e-09,
        4.704141826870503e-09, -1.4665671158924887e-08, 5.164142279801942e-08,
        -2.1266726345215035e-07, 1.0798853942089243e-06, -7.369927954545263e-06,
        7.898094177943239e-05, -0.001864849621841221, 0.3730474331740802,
    ),
)  # fmt: skip

_NEAR: Final[tuple[Pair, Pair]] = (_J0_NEAR, _J1_NEAR)
_NEAR_SECOND: Final[tuple[Pair, Pair]] = (_Y0_NEAR, _Y1_NEAR)
_WAVES: Final[tuple[tuple[Pair, Pair], tuple[Pair, Pair]]] = ((_P0, _Q0), (_P1, _Q1))
_TWO_OVER_PI: Final = 0.6366197723675814
_ROOT_OF_TWO_OVER_PI: Final = 0.7978845608028654


def _argument(size: Lane) -> Lane:
    return size * size * (2.0 / _EDGE**2) - 1.0


def _near(x: Lane, size: Lane, order: int) -> Lane:
    """The function of the first kind."""
    zero, rest = _ZEROS[order]
    y = ((size - zero) - rest) * (size + zero)
    y = y * polynomial(_argument(size), member_of(x, _NEAR[order]))
    if order:
        return size * y
    return where(size < 1e-5, 1.0 - size * size * 0.25, y)  # 1 of 0


def _far(x: Lane, size: Lane, order: int, second: bool) -> Lane:
    """P and Q times the cosine and the sine of the phase, which is rounded as in SciPy: so is a large one's."""
    large = LANES.maximum(size, _EDGE)
    t = 2.0 * (_EDGE / large) * (_EDGE / large) - 1.0
    p, q = (polynomial(t, member_of(x, pair)) for pair in _WAVES[order])
    q = q / large
    phase = size - (order / 2 + 0.25) * math.pi
    sine, cosine = LANES.sin(phase), LANES.cos(phase)
    wave: Lane = p * sine + q * cosine if second else p * cosine - q * sine
    y: Lane = wave * _ROOT_OF_TWO_OVER_PI / LANES.sqrt(large)
    return y


def _first(x: Lane, order: int) -> Lane:
    size = abs(x).astype(np.float64)
    y = where(size <= _EDGE, _near(x, size, order), _far(x, size, order, second=False))
    return y.astype(x.dtype)


def _second(x: Lane, order: int) -> Lane:
    wide = x.astype(np.float64)
    product = LANES.log(wide) * _near(x, wide, order)
    smooth = polynomial(_argument(wide), member_of(x, _NEAR_SECOND[order]))
    if order:
        smooth, product = wide * smooth, product - 1.0 / wide
    inner = smooth + _TWO_OVER_PI * product
    y = where(wide > _EDGE, _far(x, wide, order, second=True), inner)
    return where(wide == 0.0, like(wide, -INFINITY), y).astype(x.dtype)


@function
def besselj0(x: Lane) -> Lane:
    return _first(x, 0)


@function
def besselj1(x: Lane) -> Lane:
    y = _first(x, 1)
    return where(x < 0.0, -y, where(x == 0.0, x, y))


@function
def bessely0(x: Lane) -> Lane:
    return _second(x, 0)


@function
def bessely1(x: Lane) -> Lane:
    return _second(x, 1)
