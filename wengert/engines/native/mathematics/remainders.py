"""fmod and mod: what division leaves, exact, as C's and NumPy's are.

x - y n is a number without an error for the whole number n next to x / y, so one fused product gives
it. For a quotient of more digits than a number has, it gives the leading ones less, and is repeated.
"""

from __future__ import annotations

from typing import Final

from wengert.engines.native.frontend.lanes import LANES, Lane, fma, like
from wengert.engines.native.mathematics.building_blocks import function, signed_as, where

# Quotients of up to 2^120 of float32, and 2^265 of float64.
REPEATED: Final = 5


@function
def fmod(x: Lane, y: Lane) -> Lane:
    rest, zero = x, like(x, 0.0)
    for _ in range(REPEATED):
        times = LANES.trunc(rest / y)
        rest = where(times == zero, rest, fma(-times, y, rest))
    # A quotient that was rounded up took one too many.
    over = (rest * signed_as(like(x, 1.0), x)) < zero
    rest = where(over, rest + signed_as(y, x), rest)
    return where(rest == zero, signed_as(zero, x), rest)


@function
def mod(x: Lane, y: Lane) -> Lane:
    rest, zero = fmod(x, y), like(x, 0.0)
    other = (rest * signed_as(like(x, 1.0), y)) < zero
    return where(rest == zero, signed_as(zero, y), where(other, rest + y, rest))
