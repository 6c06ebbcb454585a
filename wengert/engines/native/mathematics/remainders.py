"""fmod and mod of float32: what division leaves, exact, as C's and NumPy's are.

x - y n is a number without an error for the whole number n next to x / y, so one fused product gives
it. For a quotient of more digits than a number has, it leaves the lower ones, and is repeated. In
float64 six times are enough for all numbers of float32; float64 itself would need forty.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from wengert.engines.native.frontend.lanes import LANES, Lane, cast, fma, like
from wengert.engines.native.mathematics.building_blocks import function, signed_as, where

REPEATED: Final = 6  # quotients are below 2^277, and each time leaves 53 digits less
_WIDE: Final = np.dtype(np.float64)


@function
def fmod_of(x: Lane, y: Lane) -> Lane:
    rest, by = cast(x, _WIDE), cast(y, _WIDE)
    one, zero = like(rest, 1.0), like(rest, 0.0)
    sign = signed_as(one, rest)
    for _ in range(REPEATED):
        times = LANES.trunc(rest / by)
        rest = where(times == zero, rest, fma(-times, by, rest))
    # A quotient that was rounded up took one too many.
    rest = where(rest * sign < zero, rest + signed_as(by, sign), rest)
    return cast(where(rest == zero, signed_as(zero, sign), rest), x.dtype)


@function
def mod_of(x: Lane, y: Lane) -> Lane:
    rest, zero = fmod_of(x, y), like(x, 0.0)
    other = (rest * signed_as(like(x, 1.0), y)) < zero
    return where(rest == zero, signed_as(zero, y), where(other, rest + y, rest))
