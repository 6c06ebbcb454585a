"""The modified Bessel functions of the second kind, of orders 0 and 1, and scaled by exp(x).

They are computed in float64, also for float32: Chebyshev series, as polynomials. Up to 2 the logarithm
is taken out of the function, beyond that the exponential.
"""

from __future__ import annotations

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

_EDGE: Final = 2.0

# i0(x) = p(x^2 / 2 - 1) for 0 <= x <= 2: 5e-12, 2e-19
_I0_NEAR: Final = (
    (
        3.236735328216e-08, 2.358151841348e-06, 0.0001198206826415, 0.003928564819204,
        0.07358986836169, 0.6358617281919, 1.566082929756,
    ),
    (
        1.5591722255510964e-14, 2.5398791970311194e-12, 3.27324784353647e-10,
        3.236227352376538e-08, 2.3575789878938216e-06, 0.0001198206858163441,
        0.0039285651056368085, 0.07358986836105334, 0.6358617281560686, 1.5660829297563506,
    ),
)  # fmt: skip
# i1(x) / x there: 6e-13, 6e-18
_I1_NEAR: Final = (
    (
        2.291554141696e-09, 1.942091994999e-07, 1.178789476406e-05, 0.0004792827254862,
        0.01178569531695, 0.1471797367243, 0.6358617281561,
    ),
    (
        1.4032637886429535e-13, 2.031922759238477e-11, 2.291273488938041e-09,
        1.9417364085156806e-07, 1.1787894939469932e-05, 0.00047928274326549763,
        0.011785695316910426, 0.14717973672210669, 0.6358617281560686,
    ),
)  # fmt: skip
# k0(x) + log(x / 2) i0(x) there: 1e-11, 4e-19
_K0_NEAR: Final = (
    (
        6.094452407105e-08, 4.055665726442e-06, 0.0001828055514634, 0.00505339206363,
        0.07177701034377, 0.3404973210858, -0.3036207729158,
    ),
    (
        3.518631515854719e-14, 5.452564662772586e-12, 6.623013272794453e-10,
        6.093361894172114e-08, 4.054506619949891e-06, 0.0001828055582791554,
        0.005053392643196092, 0.07177701034240509, 0.3404973210133806, -0.30362077291575545,
    ),
)  # fmt: skip
# x (k1(x) - log(x / 2) i1(x)) there: 2e-12, 3e-17
_K1_NEAR: Final = (
    (
        -9.033525712855e-09, -7.082840418351e-07, -3.891868959506e-05, -0.001383168739948,
        -0.02785423522006, -0.2438385288891, -0.3322409552403, 0.8850882877303,
    ),
    (
        -6.214271617329576e-13, -8.533634168575142e-11, -9.032127501740678e-09,
        -7.081133691517408e-07, -3.891869064371633e-05, -0.001383168846618116,
        -0.02785423521977184, -0.2438385288677433, -0.3322409552403131, 0.8850882877295894,
    ),
)  # fmt: skip
# sqrt(x) exp(x) k0(x) = p(4 / x - 1) for x >= 2: 9e-11, 2e-17
_K0_FAR: Final = (
    (
        1.831627408077e-07, -4.345688344036e-07, 6.395695022098e-07, -2.004933657112e-06,
        7.059519433283e-06, -2.482167458615e-05, 9.954655383321e-05, -0.0004797530430123,
        0.003032893044158, -0.03107146264565, 1.218595338496,
    ),
    (
        1.0926983537268802e-10, -1.7597528809195668e-10, -3.1199361296821436e-10,
        4.392726000210745e-10, 8.133913205464209e-10, -1.2366923277096254e-09,
        4.7575447057750513e-11, -6.64387863184327e-10, 3.8083998599190546e-09,
        -8.025205604904475e-09, 1.704753588424969e-08, -4.1056738724915364e-08,
        1.02954317593912e-07, -2.689759865539584e-07, 7.427801232190096e-07,
        -2.1911673837417864e-06, 7.002245645755651e-06, -2.473520542848972e-05,
        9.95605474202942e-05, -0.0004797690567328844, 0.0030328918102753206,
        -0.031071461824889898, 1.2185953385133905,
    ),
)  # fmt: skip
# sqrt(x) exp(x) k1(x) there: 1e-10, 2e-17
_K1_FAR: Final = (
    (
        -2.145461636783e-07, 5.158527373304e-07, -7.87892186411e-07, 2.513625181295e-06,
        -9.027078471714e-06, 3.294424643914e-05, -0.0001395741348426, 0.0007357055760683,
        -0.005566731297773, 0.1033497387057, 1.363151890391,
    ),
    (
        -1.1931668393112104e-10, 1.9273808087540555e-10, 3.3867804167807693e-10,
        -4.774411217850968e-10, -8.908596710923828e-10, 1.3615859404460683e-09,
        -8.33622719599255e-11, 7.96624279850406e-10, -4.33193998565862e-09,
        9.213894020289534e-09, -1.981757714159112e-08, 4.815434679085478e-08,
        -1.2203186351938403e-07, 3.230567198853934e-07, -9.067087633371393e-07,
        2.7300301043527215e-06, -8.961207387750025e-06, 3.2843866502355955e-05,
        -0.00013959021956272223, 0.0007357241548718385, -0.005566729880074588,
        0.10334973775386565, 1.363151890371342,
    ),
)  # fmt: skip


def _decaying(x: Lane, odd: bool, scaled: bool) -> Lane:
    wide = x.astype(np.float64)
    small, large = LANES.minimum(wide, _EDGE), LANES.maximum(wide, _EDGE)
    t = small * small * 0.5 - 1.0
    growing, rest = (
        polynomial(t, member_of(x, pair))
        for pair in ((_I1_NEAR, _K1_NEAR) if odd else (_I0_NEAR, _K0_NEAR))
    )
    log = LANES.log(wide * 0.5)
    inner = rest / wide + log * wide * growing if odd else rest - log * growing
    far: Pair = _K1_FAR if odd else _K0_FAR
    outer = polynomial(4.0 / large - 1.0, member_of(x, far)) / LANES.sqrt(large)
    if scaled:
        inner = inner * LANES.exp(small)
    else:
        outer = outer * LANES.exp(-large)
    y = where(wide <= _EDGE, inner, outer)
    y = where(wide == 0.0, like(wide, INFINITY), where(wide == wide, y, wide))
    return y.astype(x.dtype)


@function
def besselk0(x: Lane) -> Lane:
    return _decaying(x, odd=False, scaled=False)


@function
def besselk1(x: Lane) -> Lane:
    return _decaying(x, odd=True, scaled=False)


@function
def besselk0e(x: Lane) -> Lane:
    return _decaying(x, odd=False, scaled=True)


@function
def besselk1e(x: Lane) -> Lane:
    return _decaying(x, odd=True, scaled=True)
