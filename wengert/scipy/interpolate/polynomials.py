"""Polynomials between places: of given coefficients, or of given values and slopes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from wengert.api.numpy import pairs
from wengert.api.numpy.promotion import in_floats, promoted_floats
from wengert.api.numpy.shapes import moveaxis
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import gather_densely
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.math import comparison as compare
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, floor, zeros_like
from wengert.ops.reductions.cumulative import cumsum
from wengert.scipy.interpolate.places import (
    back,
    beside,
    holds,
    in_front,
    interval,
    is_outside,
    ordered,
    points,
    rising,
)
from wengert.values.sizes import certainly, shapes_differ
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric


class PPoly:
    """A polynomial in each interval: the sum of c[m, i] (at - x[i])**(k - m) in the i-th one of k + 1 coefficients.

    It has derivatives by the place it is asked for, by the coefficients and by the ends of the intervals.

    >>> from wengert.scipy.interpolate import PPoly
    >>> curve = PPoly([[1.0, 0.0], [0.0, 1.0]], [0.0, 1.0, 2.0])
    >>> curve([0.5, 1.5]).numpy().tolist(), float(curve.integrate(0.0, 2.0))
    ([0.5, 1.0], 1.5)
    """

    def __init__(
        self, c: Numeric, x: Numeric, extrapolate: bool | str | None = None, axis: int = 0
    ) -> None:
        coefficients, places = promoted_floats(c, x)
        self._set(_fitting_coefficients(coefficients, places, axis), places, extrapolate, axis)
        self._may_fall = True

    def _set(self, c: Tensor, x: Tensor, extrapolate: bool | str | None, axis: int) -> None:
        self.c, self.x, self.axis = c, x, axis
        self.extrapolate = True if extrapolate is None else extrapolate
        self._may_fall = False

    def _with(self, c: Tensor) -> PPoly:
        found = PPoly.__new__(PPoly)
        found._set(c, self.x, self.extrapolate, self.axis)
        found._may_fall = self._may_fall
        return found

    def __call__(self, x: Numeric, nu: int = 0, extrapolate: bool | str | None = None) -> Tensor:
        """The values at some places, or those of the nu-th derivative."""
        if nu < 0:
            raise ValueError("Order of derivative cannot be negative")
        found = self.derivative(nu) if nu else self
        return found._at(x, self.extrapolate if extrapolate is None else extrapolate)

    def _at(self, asked: Numeric, extrapolate: bool | str) -> Tensor:
        at, places, c = promoted_floats(asked, self.x, self.c)
        if extrapolate == "periodic":
            begin, end = ordered(places[0]), ordered(places[-1])
            at = cast(begin + pairs.mod(ordered(at) - begin, end - begin), c.dtype)
        behind = len(dims(c)) - 2
        lines, x = rising(places, at) if self._may_fall else (ordered(places), ordered(at))
        i = interval(lines, x)
        away = beside(at - gather_densely(places, i), behind)
        value = gather_densely(c[0], i)
        for m in range(1, dims(c)[0]):
            value = value * away + gather_densely(c[m], i)
        if dims(c)[0] == 1:  # a constant has no value, either, at a place that is no number
            value = where(compare.not_equal(away, away), math.nan, value)
        if extrapolate is False:
            value = where(beside(is_outside(lines, x), behind), math.nan, value)
        return back(value, len(dims(at)), self.axis)

    def derivative(self, nu: int = 1) -> PPoly:
        """The derivative, which is a piecewise polynomial, too; of a negative order the antiderivative."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            k = dims(c)[0] - 1
            powers = np.arange(k, 0, -1.0)
            c = c[:-1] * beside(cast(powers, c.dtype), len(dims(c)) - 1) if k else zeros_like(c)
        return self._with(c)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """The integral from the first place on, which goes on from one interval to the next."""
        if nu < 0:
            return self.derivative(-nu)
        found = self
        for _ in range(nu):
            found = found._integral()
        if found.extrapolate == "periodic":
            found.extrapolate = False  # an integral is not what it was a period before
        return found

    def _integral(self) -> PPoly:
        k = dims(self.c)[0]
        powers = cast(np.arange(k, 0, -1.0), self.c.dtype)
        rising = self.c / beside(powers, len(dims(self.c)) - 1)
        width = beside(self.x[1:] - self.x[:-1], len(dims(self.c)) - 2)
        area = zeros_like(rising[0])
        for m in range(k):
            area = (area + rising[m]) * width
        before = cumsum(area, 0, exclusive=True)
        return self._with(concat([rising, before[None]], 0))

    def integrate(self, a: Numeric, b: Numeric, extrapolate: bool | str | None = None) -> Tensor:
        """The integral from a to b."""
        how = self.extrapolate if extrapolate is None else extrapolate
        whole = self._integral()
        if how != "periodic":
            return whole._at(b, how) - whole._at(a, how)
        begin, end, first, last = promoted_floats(a, b, self.x[0], self.x[-1])
        period = whole._at(last, True) - whole._at(first, True)
        before, after = (floor(ordered((x - first) / (last - first))) for x in (begin, end))
        turns = cast(after - before, period.dtype)
        return turns * period + whole._at(end, how) - whole._at(begin, how)


@deferrable
def _fitting_coefficients(c: Tensor, x: Tensor, axis: int) -> Tensor:
    """The coefficients, their own axis and that of the intervals first, if they fit the ends of the intervals."""
    if len(dims(x)) != 1 or certainly(dims(x)[0] < 2):
        raise ValueError("at least 2 breakpoints are needed")
    if len(dims(c)) < 2:
        raise ValueError("Coefficients array must be at least 2-dimensional.")
    if not 0 <= axis < len(dims(c)) - 1:
        raise ValueError(f"axis={axis} must be between 0 and {len(dims(c)) - 1}")
    c = moveaxis(c, [axis, axis + 1], [0, 1]) if axis else c
    if certainly(dims(c)[0] == 0):
        raise ValueError("polynomial must be at least of order 0")
    if certainly(dims(c)[1] != dims(x)[0] - 1):
        raise ValueError("number of coefficients != len(x)-1")
    way = ordered(x[1:] - x[:-1])
    if holds(way > 0.0) and holds(way < 0.0):
        raise ValueError("`x` must be strictly increasing or decreasing.")
    fitting: Tensor = identity(c)
    return fitting


class CubicHermiteSpline(PPoly):
    """The curve of third degree through points, of which the slopes there are given.

    >>> from wengert.scipy.interpolate import CubicHermiteSpline
    >>> float(CubicHermiteSpline([0.0, 1.0], [0.0, 1.0], [0.0, 0.0])(0.25))
    0.15625
    """

    def __init__(
        self,
        x: Numeric,
        y: Numeric,
        dydx: Numeric,
        axis: int = 0,
        extrapolate: bool | str | None = None,
    ) -> None:
        places, values, at = points(x, y, axis)
        slopes = in_front(in_floats(dydx), axis)[0]
        places, values, slopes = promoted_floats(places, values, slopes)
        self._curve(places, values, slopes, at, extrapolate)

    def _curve(
        self, x: Tensor, y: Tensor, slopes: Tensor, axis: int, extrapolate: bool | str | None
    ) -> None:
        self._set(_cubic(x, y, slopes), x, extrapolate, axis)


def steps(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The widths of the intervals, beside the values, and the slopes of the straight lines."""
    width = beside(x[1:] - x[:-1], len(dims(y)) - 1)
    return width, (y[1:] - y[:-1]) / width


@deferrable
def _cubic(x: Tensor, y: Tensor, slopes: Tensor) -> Tensor:
    """The coefficients of the polynomials that have these values and slopes at both ends."""
    if shapes_differ(dims(y), dims(slopes)):
        raise ValueError("The shapes of `y` and `dydx` must be identical.")
    width, line = steps(x, y)
    bend = (slopes[:-1] + slopes[1:] - 2.0 * line) / width
    return stack([bend / width, (line - slopes[:-1]) / width - bend, slopes[:-1], y[:-1]])
