"""erf"""

from __future__ import annotations

from typing import Final

from wengert.engines.native.lanes import LANES, Lane, fma, like
from wengert.engines.native.mathematics_exponentials import expm1_of, reduced
from wengert.engines.native.mathematics_parts import (
    BIAS,
    function,
    number,
    of,
    polynomial,
    signed_as,
    to_exponent,
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
    """1 - exp(-q), which is exact where x is small, and near 1 forgives errors of q."""
    size = LANES.minimum(abs(x), number(x, _ONE))
    slope, slope_rest = of(x, _SLOPE)
    first = size * like(x, slope)
    second = size * fma(size, polynomial(size, of(x, _ERF)), like(x, slope_rest))
    q = first + second
    r, lost, k = reduced(q, of(x, BIAS), -1.0)
    if x.dtype.itemsize == 8:  # what the product and the sum above lost, where q is small
        lost = lost - (fma(size, like(x, slope), -first) + (second - (q - first)))
    m, rest = expm1_of(r, lost, to_exponent(k), like(x, 1.0))
    return signed_as(m + rest, x)
