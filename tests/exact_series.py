"""Taylor series to the third order in numbers of many digits, as references for derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from mpmath import mp

ORDER: Final = 3
# Enough that a difference of numbers near one can be as small as the smallest number of the dtype.
DIGITS: Final = {np.float32: 100, np.float64: 700}


class Series:
    """The Taylor coefficients of a function at a point."""

    def __init__(self, terms: Sequence[Any]) -> None:
        self.terms = [mp.mpf(t) for t in terms]

    def derivatives(self) -> list[Any]:
        return [t * math.factorial(k) for k, t in enumerate(self.terms)]

    def __add__(self, other: Any) -> Series:
        return Series([a + b for a, b in zip(self.terms, series(other).terms, strict=True)])

    def __mul__(self, other: Any) -> Series:
        a, b = self.terms, series(other).terms
        return Series([sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(ORDER + 1)])

    def __neg__(self) -> Series:
        return Series([-t for t in self.terms])

    def __sub__(self, other: Any) -> Series:
        return self + -series(other)

    def __truediv__(self, other: Any) -> Series:
        return self * reciprocal(series(other))

    def __rtruediv__(self, other: Any) -> Series:
        return series(other) / self

    __radd__ = __add__
    __rmul__ = __mul__


def series(value: Any) -> Series:
    return value if isinstance(value, Series) else Series([value, *[0] * ORDER])


def variable(at: float) -> Series:
    return Series([at, 1, *[0] * (ORDER - 1)])


def _composed(outer: Callable[[Any], Sequence[Any]]) -> Callable[[Series], Series]:
    """A function of series, from the derivatives of a function of numbers."""

    def function(x: Series) -> Series:
        away = Series([0, *x.terms[1:]])
        total, power = series(0), series(1)
        for k, derivative in enumerate(outer(x.terms[0])):
            total, power = total + power * (derivative / math.factorial(k)), power * away
        return total

    return function


def _of_erf(a: Any) -> list[Any]:
    c = 2 / mp.sqrt(mp.pi) * mp.exp(-a * a)
    return [c, -2 * a * c, (4 * a * a - 2) * c]


_FAR: Final = 1e5  # beyond, mpmath gives up, and erfc is less than any float64


def _erfc(a: Any) -> Any:
    if abs(a) > _FAR:
        return mp.mpf(0 if a > 0 else 2)
    return mp.erfc(a)


def _of_power(power: Any) -> Callable[[Any], list[Any]]:
    falling = [1, power, power * (power - 1), power * (power - 1) * (power - 2)]
    return lambda a: [f * a ** (power - k) for k, f in enumerate(falling)]


reciprocal = _composed(_of_power(-1))
sqrt = _composed(_of_power(mp.mpf(1) / 2))
exp = _composed(lambda a: [mp.exp(a)] * 4)
expm1 = _composed(lambda a: [mp.expm1(a), *[mp.exp(a)] * 3])
log = _composed(lambda a: [mp.log(a), 1 / a, -(a**-2), 2 * a**-3])
log1p = _composed(lambda a: [mp.log1p(a), 1 / (1 + a), -((1 + a) ** -2), 2 * (1 + a) ** -3])
sin = _composed(lambda a: [mp.sin(a), mp.cos(a), -mp.sin(a), -mp.cos(a)])
erf = _composed(lambda a: [1 - _erfc(a) if abs(a) > 1 else mp.erf(a), *_of_erf(a)])
erfc = _composed(lambda a: [_erfc(a), *[-d for d in _of_erf(a)]])


def tanh(x: Series) -> Series:
    return expm1(2 * x) / (expm1(2 * x) + 2)
