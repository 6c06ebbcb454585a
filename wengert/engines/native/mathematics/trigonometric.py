"""sin, cos and tan.

x = n pi/2 + r with |r| <= pi/4: sin and cos need sin(r), cos(r), and n mod 4. For the same x they
share nearly all of their instructions.

Subtracting n pi/2 in three parts (Cody-Waite) is accurate up to `NEAR`; larger arguments are left
to `argument_reduction`. Each function has a version for near arguments, for far ones, and for all.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.lanes import Lane, cast, emit, fma, like
from wengert.engines.native.mathematics.argument_reduction import far
from wengert.engines.native.mathematics.building_blocks import (
    MAGIC,
    NAN,
    by_pairs,
    function,
    left,
    member_of,
    number,
    quotient,
    real,
    where,
    whole,
)

# The first product n pi/2 is subtracted without an error while the difference stays below 1.
NEAR: Final = (2.0**17, 2.0**40)
_INVERSE: Final = 0.6366197723675814  # 2/pi
_HALF_PI: Final = (
    (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33),
)

# sin(r) = r + r^3 p(r^2): 4.8e-9, 3.8e-18
_SIN: Final = (
    (-1.950851e-04, 8.332112e-03, -1.6666654e-01),
    (
        1.5895426924813793e-10, -2.5050734305027008e-08, 2.755731353815564e-06,
        -0.0001984126982935804, 0.00833333333332184, -0.1666666666666663,
    ),
)  # fmt: skip

# cos(r) = 1 - r^2/2 + r^4 p(r^2): 1.4e-10, 5.7e-20
_COS: Final = (
    (2.4430077e-05, -1.3887298e-03, 4.1666646e-02),
    (
        -1.135874163639177e-11, 2.0875705287741205e-09, -2.755731421653418e-07,
        2.480158728900131e-05, -0.0013888888888873342, 0.041666666666666595,
    ),
)  # fmt: skip


class _Angle:
    """The remainder of x (or of |x|, if it is far) after subtracting n quarter turns."""

    def __init__(self, r: Lane, n: Lane) -> None:
        z = r * r
        square = z * z
        self.n = n  # only its lowest bits are valid
        self.of_sin = (r * z, by_pairs(z, square, member_of(r, _SIN)), r)
        self.of_cos = (z, by_pairs(z, square, (*member_of(r, _COS), -0.5)), like(r, 1.0))
        self.sin, self.cos = fma(*self.of_sin), fma(*self.of_cos)

    def sine(self, turns: Any) -> Lane:
        """The sine after that many more quarter turns."""
        y = where((self.n & 1) == turns, self.sin, self.cos)
        places = 8 * y.dtype.itemsize - 2
        return real(whole(y) ^ left((self.n + turns) & 2, places))

    def tangent(self) -> Lane:
        """sin / cos, or -cos / sin after an odd number of quarter turns."""
        odd = (self.n & 1) != 0
        above, below = where(odd, self.cos, self.sin), where(odd, self.sin, self.cos)
        if above.dtype.itemsize == 4:
            y = above / below
        else:
            sin, cos = _lost(self.sin, *self.of_sin), _lost(self.cos, *self.of_cos)
            y = quotient(above, below, where(odd, cos, sin), where(odd, sin, cos))
        return real(whole(y) ^ left(self.n & 1, 8 * y.dtype.itemsize - 1))


def _lost(y: Lane, a: Lane, b: Lane, c: Lane) -> Lane:
    """The rounding error of y = a b + c, where c is the larger."""
    return fma(a, b, c - y)


def _near(x: Lane) -> _Angle:
    magic = number(x, MAGIC)
    t = fma(x, like(x, _INVERSE), magic)
    n, r = t - magic, x
    for part in member_of(x, _HALF_PI):
        r = fma(n, like(x, -part), r)
    return _Angle(r, whole(t))


@function
def sin_near(x: Lane) -> Lane:
    return where(x == 0.0, x, _near(x).sine(0))


@function
def cos_near(x: Lane) -> Lane:
    return _near(x).sine(1)


@function
def tan_near(x: Lane) -> Lane:
    return where(x == 0.0, x, _near(x).tangent())


def _far(x: Lane) -> _Angle:
    """The reduction of far arguments, in float64; infinities give NaN."""
    r, n = far(cast(x, np.dtype(np.float64)))
    return _Angle(where(cast(abs(x), r.dtype) < math.inf, r, like(r, NAN)), n)


def _odd(y: Lane, x: Lane) -> Lane:
    y = cast(y, x.dtype)
    return where(x < 0.0, -y, y)


@function
def turned_far(x: Lane, turns: Lane) -> Lane:
    """The sine of |x| after no quarter turn, or after one.

    A function that both sine and cosine call: a program that has one mostly has the other.
    """
    return cast(_far(x).sine(cast(turns, np.dtype(np.uint64))), x.dtype)


@function
def sin_far(x: Lane) -> Lane:
    return _odd(emit("call", x, like(x, 0.0), extra="turned_far"), x)


@function
def cos_far(x: Lane) -> Lane:
    return emit("call", x, like(x, 1.0), extra="turned_far")


@function
def tan_far(x: Lane) -> Lane:
    return _odd(_far(x).tangent(), x)


def _everywhere(near: Lane, far: Lane, x: Lane) -> Lane:
    return where(abs(x) <= number(x, NEAR), near, far)


@function
def sin(x: Lane) -> Lane:
    return _everywhere(sin_near(x), sin_far(x), x)


@function
def cos(x: Lane) -> Lane:
    return _everywhere(cos_near(x), cos_far(x), x)


@function
def tan(x: Lane) -> Lane:
    return _everywhere(tan_near(x), tan_far(x), x)
