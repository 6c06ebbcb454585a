"""Payne-Hanek reduction of large arguments modulo pi/2, in integers.

x = m 2^e with an integer m. The leading bits of 1/pi, whose products with 2^e m are multiples of
full turns, are skipped, and the 192 bits after them are multiplied by m; the bits beyond contribute
less than 2^-137. No float64 is nearer than 2^-62 (quarter turns) to a multiple of a quarter turn,
so the angle has full precision.
"""

from __future__ import annotations

import itertools
from typing import Final

from wengert.engines.native.frontend.lanes import Lane, fma, like
from wengert.engines.native.mathematics.building_blocks import left, real, right, where, whole

# 1/pi in words of 64 bits after the binary point; preceded by a word of zeros, for small x.
_INVERSE_PI: Final = (
    0, 0x517CC1B727220A94, 0xFE13ABE8FA9A6EE0, 0x6DB14ACC9E21C820, 0xFF28B1D5EF5DE2B0,
    0xDB92371D2126E970, 0x0324977504E8C90E, 0x7F0EF58E5894D39F, 0x74411AFA975DA242,
    0x74CE38135A2FBF20, 0x9CC8EB1CC1A99CFA, 0x4E422FC5DEFC941D, 0x8FFC4BFFEF02CC07,
    0xF79788C5AD05368F, 0xB69B3F6793E584DB, 0xA7A31FB34F2FF516, 0xBA93DD63F5F2F8BD,
    0x9E839CFBC5294975, 0x35FDAFD88FC6AE84, 0x2B0198237E3DB5D5,
)  # fmt: skip
_LOW: Final = 0xFFFFFFFF
# pi/2 in two parts
_HALF_PI: Final = (1.5707963267948966, 6.123233995736766e-17)


def _window(place: Lane) -> tuple[Lane, Lane, Lane]:
    """192 bits of 1/pi, from bit `place` on."""
    words = [like(place, w) for w in (*_INVERSE_PI, *[0] * 15)]
    for bit in (4, 3, 2, 1, 0):  # words[i] becomes words[i + index], bit after bit of the index
        step = 1 << bit
        moved = (place & (step << 6)) != 0
        words = [where(moved, b, a) for a, b in zip(words[: 3 + step], words[step:], strict=False)]
    inside = place & 63
    others = like(place, 63) - inside
    # Shifting by 64 is not possible, so the second shift is by one, and then by the rest.
    first, second, third = (
        (a << inside) | right(b >> others, 1) for a, b in itertools.pairwise(words)
    )
    return first, second, third


def _product(m: Lane, window: tuple[Lane, Lane, Lane]) -> tuple[Lane, Lane]:
    """The upper 128 of the lowest 192 bits of a product with m < 2^53, in two words.

    It is computed by half words; the lower half of the third word is neglected.
    """
    m0, m1 = m & _LOW, right(m, 32)
    w5, w4, w3, w2, w1, w0 = (half for word in window for half in (right(word, 32), word & _LOW))
    columns: list[Lane] = []
    carry = right(m0 * w1, 32) + right(m1 * w0, 32)
    high = [like(m, 0)]
    for a, b in ((w2, w1), (w3, w2), (w4, w3), (w5, w4)):
        products = [m0 * a, m1 * b]
        carry = carry + (products[0] & _LOW) + (products[1] & _LOW)
        for h in high:
            carry = carry + h
        columns.append(carry & _LOW)
        carry = right(carry, 32)
        high = [right(p, 32) for p in products]
    return columns[3] << 32 | columns[2], columns[1] << 32 | columns[0]


def _float(k: Lane) -> Lane:
    """An integer below 2^52 as a float."""
    return real(k | 0x4330000000000000) - 2.0**52


def _angle(fraction: Lane, rest: Lane) -> Lane:
    """pi/2 times a number below a half, in units of 2^-64 and 2^-128."""
    high, low = _float(right(fraction, 32)) * 2.0**-32, _float(fraction & _LOW) * 2.0**-64
    y = high + low
    more = fma(_float(rest & _LOW), like(y, 2.0**-128), low - (y - high))
    more = fma(_float(right(rest, 32)), like(y, 2.0**-96), more)
    first = like(y, _HALF_PI[0])
    return fma(y, first, fma(y, like(y, _HALF_PI[1]), more * first))


def far(x: Lane) -> tuple[Lane, Lane]:
    """For |x| from 2^17 on: the angle to the nearest multiple of pi/2, and that multiple mod 4."""
    k = whole(abs(x))
    m = (k & 0xFFFFFFFFFFFFF) | (1 << 52)
    # In units of 4 quarter turns / 2^64
    turns, rest = _product(m, _window(right(k, 52) - (1075 - 63)))
    n = right(turns + (1 << 61), 62)
    fraction, rest = left(turns, 2) | right(rest, 62), left(rest, 2)
    sign = left(right(fraction, 63), 63)  # set where the angle is negative
    flip = like(k, 0) - right(fraction, 63)  # all bits set in that case
    return real(whole(_angle(fraction ^ flip, rest ^ flip)) ^ sign), n
