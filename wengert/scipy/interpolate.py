"""scipy.interpolate: curves through points, and values between those of a grid."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.numpy import pairs
from wengert.api.numpy.linalg import solve
from wengert.api.numpy.promotion import in_floats, promoted_floats
from wengert.api.numpy.shapes import broadcast_arrays, moveaxis, roll
from wengert.api.numpy.statistics import searchsorted
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import gather_densely, gather_nd
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.arrays.slicing import reverse
from wengert.ops.linalg.diagonals import diag
from wengert.ops.linalg.tridiagonal import tridiagonal_solve
from wengert.ops.math import comparison as compare
from wengert.ops.math.arithmetic import multiply
from wengert.ops.math.comparison import where
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.complex import real, sign
from wengert.ops.math.elementwise import cast, floor, ones_like, zeros_like
from wengert.ops.reductions.cumulative import cumsum
from wengert.ops.reductions.reductions import reduce_any, reduce_max
from wengert.ops.reductions.sorting import argsort
from wengert.scipy.arguments import no_such
from wengert.values.sizes import certainly, shapes_differ
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

Condition = tuple[int, Any]  # the order of a derivative at an end, and its value

# ---- places -----------------------------------------------------------------------------------


def _beside(x: Tensor, axes: int) -> Tensor:
    """With so many more axes behind, along which it is broadcast."""
    key = (Ellipsis, *[None] * axes)
    return x[key] if axes else x


def _ordered(x: Tensor) -> Tensor:
    """Places as numbers that have an order; values that are complex make complex numbers of them."""
    return real(x) if x.dtype.is_complex else x


def _interval(places: Tensor, at: Tensor) -> Tensor:
    """The number of the interval that a place is in, or is nearest to."""
    after = searchsorted(_ordered(places), _ordered(at), "right")
    last: Tensor = pairs.minimum(pairs.maximum(after, 1), dims(places)[0] - 1)
    return last - 1


def _within(line: Tensor, at: Tensor) -> tuple[Tensor, Tensor]:
    """The interval that a place is in, and which share of it is before the place: none where there is one place alone."""
    if _is_one(line):
        return zeros_like(searchsorted(_ordered(line), _ordered(at))), zeros_like(at)
    i = _interval(line, at)
    begin = gather_densely(line, i)
    return i, (at - begin) / (gather_densely(line, i + 1) - begin)


def _is_one(line: Tensor) -> bool:
    """Whether a line is known to have one place."""
    size = dims(line)[0]
    return isinstance(size, int) and size == 1


def _is_outside(places: Tensor, at: Tensor) -> Tensor:
    lines, x = _ordered(places), _ordered(at)
    return compare.logical_or(x < lines[0], x > lines[-1])


def _rising(places: Tensor, at: Tensor) -> tuple[Tensor, Tensor]:
    """Places, and others, as numbers that rise with them: of places that fall the opposites."""
    lines, x = _ordered(places), _ordered(at)
    falls = lines[-1] < lines[0]
    if type(falls) is Tensor:
        return (-lines, -x) if falls else (lines, x)
    way = where(falls, cast(-1.0, lines.dtype), cast(1.0, lines.dtype))
    return lines * way, x * way


def _holds(condition: Tensor) -> bool:
    """Whether a condition holds anywhere, as far as that is known: nothing is of values that a graph will have."""
    return type(condition) is Tensor and bool(reduce_any(condition))


def _in_front(y: Tensor, axis: int) -> tuple[Tensor, int]:
    """The values with the axis of the places first, and where it was."""
    rank = len(dims(y))
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return moveaxis(y, axis, 0), axis % rank


def _back(y: Tensor, places: int, axis: int) -> Tensor:
    """The values with the axes of the places, which are first, where the axis was."""
    return moveaxis(y, list(range(places)), list(range(axis, axis + places))) if axis else y


def _points(
    x: Numeric, y: Numeric, axis: int, is_smooth: bool = True
) -> tuple[Tensor, Tensor, int]:
    """Places and values, of which there is one for each place."""
    places, values = promoted_floats(x, y)
    if len(dims(places)) != 1:
        raise ValueError("`x` must be 1-dimensional.")
    front, axis = _in_front(values, axis)
    return places, _fitting(places, front, axis, is_smooth), axis


@deferrable
def _fitting(places: Tensor, values: Tensor, axis: int, is_smooth: bool) -> Tensor:
    """The values, if they fit the places, and these rise; of a smooth curve all are finite, as one reaches far."""
    n = dims(places)[0]
    if certainly(n < 1 + is_smooth):
        raise ValueError(f"`x` must contain at least {1 + is_smooth} elements.")
    for name, found in (("x", places), ("y", values)) if is_smooth else ():
        if _holds(found - found != 0.0):  # neither an infinity nor NaN has a difference of zero
            raise ValueError(f"`{name}` must contain only finite values.")
    if certainly(dims(values)[0] != n):
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    if _holds(_ordered(places[1:]) <= _ordered(places[:-1])):
        raise ValueError("`x` must be strictly increasing sequence.")
    fitting: Tensor = identity(values)
    return fitting


# ---- polynomials between places ---------------------------------------------------------------


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
            begin, end = _ordered(places[0]), _ordered(places[-1])
            at = cast(begin + pairs.mod(_ordered(at) - begin, end - begin), c.dtype)
        behind = len(dims(c)) - 2
        lines, x = _rising(places, at) if self._may_fall else (_ordered(places), _ordered(at))
        i = _interval(lines, x)
        away = _beside(at - gather_densely(places, i), behind)
        value = gather_densely(c[0], i)
        for m in range(1, dims(c)[0]):
            value = value * away + gather_densely(c[m], i)
        if dims(c)[0] == 1:  # a constant has no value, either, at a place that is no number
            value = where(compare.not_equal(away, away), math.nan, value)
        if extrapolate is False:
            value = where(_beside(_is_outside(lines, x), behind), math.nan, value)
        return _back(value, len(dims(at)), self.axis)

    def derivative(self, nu: int = 1) -> PPoly:
        """The derivative, which is a piecewise polynomial, too; of a negative order the antiderivative."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            k = dims(c)[0] - 1
            powers = np.arange(k, 0, -1.0)
            c = c[:-1] * _beside(cast(powers, c.dtype), len(dims(c)) - 1) if k else zeros_like(c)
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
        rising = self.c / _beside(powers, len(dims(self.c)) - 1)
        width = _beside(self.x[1:] - self.x[:-1], len(dims(self.c)) - 2)
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
        before, after = (floor(_ordered((x - first) / (last - first))) for x in (begin, end))
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
    way = _ordered(x[1:] - x[:-1])
    if _holds(way > 0.0) and _holds(way < 0.0):
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
        places, values, at = _points(x, y, axis)
        slopes = _in_front(in_floats(dydx), axis)[0]
        places, values, slopes = promoted_floats(places, values, slopes)
        self._curve(places, values, slopes, at, extrapolate)

    def _curve(
        self, x: Tensor, y: Tensor, slopes: Tensor, axis: int, extrapolate: bool | str | None
    ) -> None:
        self._set(_cubic(x, y, slopes), x, extrapolate, axis)


def _steps(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The widths of the intervals, beside the values, and the slopes of the straight lines."""
    width = _beside(x[1:] - x[:-1], len(dims(y)) - 1)
    return width, (y[1:] - y[:-1]) / width


@deferrable
def _cubic(x: Tensor, y: Tensor, slopes: Tensor) -> Tensor:
    """The coefficients of the polynomials that have these values and slopes at both ends."""
    if shapes_differ(dims(y), dims(slopes)):
        raise ValueError("The shapes of `y` and `dydx` must be identical.")
    width, line = _steps(x, y)
    bend = (slopes[:-1] + slopes[1:] - 2.0 * line) / width
    return stack([bend / width, (line - slopes[:-1]) / width - bend, slopes[:-1], y[:-1]])


# ---- splines ----------------------------------------------------------------------------------

_NAMED: Final[dict[str, Condition]] = {"clamped": (1, 0.0), "natural": (2, 0.0)}
_NOT_A_KNOT: Final = "not-a-knot"


class CubicSpline(CubicHermiteSpline):
    """The curve of third degree through points whose second derivative has no jumps.

    It has derivatives by the points, too. `bc_type` says what holds at the ends, as in SciPy: "not-a-knot", "natural",
    "clamped", "periodic", or a pair of those or of an order and the value of that derivative.

    >>> from wengert.scipy.interpolate import CubicSpline
    >>> curve = CubicSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0])
    >>> round(float(curve(1.5)), 9), round(float(curve(1.5, 2)), 9)
    (3.375, 9.0)
    """

    def __init__(
        self,
        x: Numeric,
        y: Numeric,
        axis: int = 0,
        bc_type: Any = _NOT_A_KNOT,
        extrapolate: bool | str | None = None,
    ) -> None:
        places, values, at = _points(x, y, axis)
        is_periodic = bc_type == "periodic"
        if is_periodic and _holds(
            absolute(values[0] - values[-1]) > 1e-10 + 1e-8 * absolute(values[-1])
        ):
            raise ValueError(
                "The first and last `y` point along the axis must be identical for periodic splines."
            )
        slopes = (
            _periodic_slopes(places, values) if is_periodic else _slopes(places, values, bc_type)
        )
        extrapolate = "periodic" if is_periodic and extrapolate is None else extrapolate
        self._curve(places, values, slopes, at, extrapolate)


def _conditions(bc_type: Any, like: Tensor) -> list[Condition | str]:
    """What holds at both ends: an order and as many values as there are curves, or that the end has no knot."""
    given = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
    if not isinstance(given, Sequence) or len(given) != 2:
        raise ValueError("`bc_type` must contain 2 elements to specify start and end conditions.")
    if "periodic" in [one for one in given if isinstance(one, str)]:
        raise ValueError(
            "'periodic' `bc_type` is defined for both curve ends and cannot be used with other boundary conditions."
        )
    found: list[Condition | str] = []
    for one in given:
        if isinstance(one, str) and one != _NOT_A_KNOT and one not in _NAMED:
            raise ValueError(f"bc_type={one} is not allowed.")
        if isinstance(one, str) and one == _NOT_A_KNOT:
            found.append(one)
            continue
        order, value = _NAMED[one] if isinstance(one, str) else _order_and_value(one)
        if order not in (1, 2):
            raise ValueError("The specified derivative order must be 1 or 2.")
        number = cast(value, like.dtype)
        if dims(number) and shapes_differ(dims(number), dims(like)):
            raise ValueError(
                f"`deriv_value` shape {dims(number)} is not the expected one {dims(like)}."
            )
        found.append((order, reshape(broadcast_to(number, dims(like)), (-1,))))
    return found


def _order_and_value(condition: Any) -> Any:
    if not isinstance(condition, Sequence) or len(condition) != 2:
        raise ValueError("A specified derivative value must be given in the form (order, value).")
    return condition


@deferrable
def _slopes(x: Tensor, values: Tensor, bc_type: Any) -> Tensor:
    """The slopes at the places: of each the second derivative on its left is that on its right."""
    n = dims(x)[0]
    first, last = _conditions(bc_type, values[0])
    found = _solved_slopes(x, reshape(values, (n, -1)), first, last)
    return reshape(found, dims(values))


def _solved_slopes(x: Tensor, y: Tensor, first: Any, last: Any) -> Tensor:
    width, line = _steps(x, y)
    h, n = x[1:] - x[:-1], dims(x)[0]
    if certainly(n == 2):
        first, last = ((1, line[0]) if end == _NOT_A_KNOT else end for end in (first, last))
    if certainly(n == 3) and first == _NOT_A_KNOT == last:  # the parabola through all of them
        bend = (line[1] - line[0]) / (x[2] - x[0])
        return stack([line[0] - bend * h[0], line[0] + bend * h[0], line[1] + bend * h[1]])
    begin = _end(first, h, line, -0.5)
    end = _end(last, h[::-1], line[::-1], 0.5)
    diagonals = [
        concat([begin[1][None], h[:-1], zeros_like(h[:1])], 0),
        concat([begin[0][None], 2.0 * (h[:-1] + h[1:]), end[0][None]], 0),
        concat([zeros_like(h[:1]), h[1:], end[1][None]], 0),
    ]
    middle = 3.0 * (width[1:] * line[:-1] + width[:-1] * line[1:])
    sides = concat([begin[2][None], middle, end[2][None]], 0)
    return tridiagonal_solve(stack(diagonals), sides)


def _end(condition: Any, h: Tensor, line: Tensor, half: float) -> tuple[Tensor, Tensor, Tensor]:
    """The equation for an end, seen from there: the factors of the slopes of it and of its neighbour, and what it equals."""
    if condition == _NOT_A_KNOT:  # the first two intervals have one polynomial
        both = h[0] + h[1]
        side = ((h[0] + 2.0 * both) * h[1] * line[0] + h[0] ** 2 * line[1]) / both
        return h[1], both, side
    order, value = condition
    if order == 1:
        return ones_like(h[0]), zeros_like(h[0]), value
    return 2.0 * h[0], h[0], half * value * h[0] ** 2 + 3.0 * h[0] * line[0]


@deferrable
def _periodic_slopes(x: Tensor, y: Tensor) -> Tensor:
    """The slopes where the last interval goes on in the first one."""
    _, line = _steps(x, reshape(y, (dims(x)[0], -1)))
    h = x[1:] - x[:-1]
    before = roll(h, 1)
    across = diag(2.0 * (before + h)) + roll(diag(before), 1, 1) + roll(diag(h), -1, 1)
    sides = 3.0 * (_beside(h, 1) * roll(line, 1, 0) + _beside(before, 1) * line)
    found = solve(across, sides)
    return reshape(concat([found, found[:1]], 0), dims(y))


def _real_points(x: Numeric, y: Numeric, axis: int, who: str) -> tuple[Tensor, Tensor, int]:
    """Places and values for a curve whose slopes depend on which values are greater."""
    found = _points(x, y, axis)
    if found[1].dtype.is_complex:
        raise ValueError(
            f"`{who}` only works with real values for `y`: a curve of np.real(y) and one of np.imag(y) make one."
        )
    return found


class PchipInterpolator(CubicHermiteSpline):
    """The curve through points that rises where they rise, and has its extremes among them.

    >>> from wengert.scipy.interpolate import PchipInterpolator
    >>> PchipInterpolator([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0])([0.5, 1.5]).numpy().tolist()
    [0.0, 0.5]
    """

    def __init__(
        self, x: Numeric, y: Numeric, axis: int = 0, extrapolate: bool | str | None = None
    ) -> None:
        places, values, at = _real_points(x, y, axis, type(self).__name__)
        self._curve(places, values, _monotone_slopes(places, values), at, extrapolate)


@deferrable
def _monotone_slopes(x: Tensor, y: Tensor) -> Tensor:
    """The harmonic means of the lines on both sides; none where those do not go the same way."""
    h, line = _steps(x, y)
    if certainly(dims(x)[0] == 2):
        return concat([line, line], 0)
    turns = line[1:] * line[:-1] <= 0.0
    left, right = (where(turns, ones_like(part), part) for part in (line[:-1], line[1:]))
    a, b = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    middle = where(turns, zeros_like(left), (a + b) / (a / left + b / right))
    first = _monotone_end(h[0], h[1], line[0], line[1])
    last = _monotone_end(h[-1], h[-2], line[-1], line[-2])
    return concat([first[None], middle, last[None]], 0)


def _monotone_end(h: Tensor, next_h: Tensor, line: Tensor, next_line: Tensor) -> Tensor:
    """The slope of the parabola through three points, as far as it goes the way of the line."""
    slope = ((2.0 * h + next_h) * line - h * next_line) / (h + next_h)
    steep = compare.logical_and(
        compare.not_equal(sign(line), sign(next_line)), absolute(slope) > 3.0 * absolute(line)
    )
    slope = where(steep, 3.0 * line, slope)
    return where(compare.equal(sign(slope), sign(line)), slope, zeros_like(slope))


class Akima1DInterpolator(CubicHermiteSpline):
    """Akima's curve through points: a point far from the others changes it only nearby.

    >>> from wengert.scipy.interpolate import Akima1DInterpolator
    >>> x = [0.0, 1.0, 2.0, 3.0, 4.0]
    >>> float(Akima1DInterpolator(x, [0.0, 0.0, 0.0, 1.0, 2.0])(2.5))
    0.4375
    """

    def __init__(
        self,
        x: Numeric,
        y: Numeric,
        axis: int = 0,
        *,
        method: str = "akima",
        extrapolate: bool | str | None = None,
    ) -> None:
        if method not in ("akima", "makima"):
            raise NotImplementedError(f"`method`={method} is unsupported.")
        places, values, at = _real_points(x, y, axis, type(self).__name__)
        slopes = _akima_slopes(places, values, method == "makima")
        self._curve(places, values, slopes, at, False if extrapolate is None else extrapolate)


@deferrable
def _akima_slopes(x: Tensor, y: Tensor, is_modified: bool) -> Tensor:
    """Means of the lines on both sides, by how much the next ones differ."""
    _, line = _steps(x, y)
    if certainly(dims(x)[0] == 2):
        return concat([line, line], 0)
    before = [2.0 * line[0] - line[1], 3.0 * line[0] - 2.0 * line[1]]
    after = [2.0 * line[-1] - line[-2], 3.0 * line[-1] - 2.0 * line[-2]]
    m = concat([stack(before[::-1]), line, stack(after)], 0)
    change = absolute(m[1:] - m[:-1])
    if is_modified:
        change = change + 0.5 * absolute(m[1:] + m[:-1])
    left, right = change[2:], change[:-2]
    total = left + right
    straight = total <= 1e-9 * reduce_max(total)
    weighed = (left * m[1:-2] + right * m[2:-1]) / where(straight, ones_like(total), total)
    even = 0.5 * (m[3:] + m[:-3]) if not is_modified else zeros_like(total)
    return where(straight, even, weighed)


# ---- lines ------------------------------------------------------------------------------------

_KINDS: Final = ("linear", "slinear", "nearest", "nearest-up", "previous", "zero", "next", "cubic")
_OF_ORDERS: Final = {0: "zero", 1: "slinear", 3: "cubic"}


@deferrable
def _of_length(x: Tensor, y: Tensor, axis: int) -> Tensor:
    """The values, if there are as many as places."""
    if len(dims(x)) != 1:
        raise ValueError("the x array must have exactly one dimension.")
    if not dims(y):
        raise ValueError("the y array must have at least one dimension.")
    if -len(dims(y)) <= axis < len(dims(y)) and certainly(dims(x)[0] != dims(y)[axis]):
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")
    return identity(y)  # type: ignore[no-any-return]


class interp1d:
    """The values between points, on straight lines or as `kind` says.

    >>> from wengert.scipy.interpolate import interp1d
    >>> interp1d([0.0, 1.0, 2.0], [0.0, 10.0, 0.0])([0.5, 1.75]).numpy().tolist()
    [5.0, 2.5]
    """

    def __init__(
        self,
        x: Numeric,
        y: Numeric,
        kind: str | int = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: bool | None = None,
        fill_value: Any = math.nan,
        assume_sorted: bool = False,
    ) -> None:
        kind = _OF_ORDERS.get(kind, kind) if isinstance(kind, int) else kind
        if kind not in _KINDS:
            raise NotImplementedError(f"{kind} is unsupported: it is one of {', '.join(_KINDS)}.")
        places, values = promoted_floats(x, y)
        values = _of_length(places, values, axis)
        if not assume_sorted:
            order = argsort(_ordered(places))
            places = gather_densely(places, order)
            values = gather_densely(values, order, axis % len(dims(values)))
        self.x, self.y, self.axis = _points(places, values, axis, is_smooth=False)
        self._kind, self.fill_value = kind, fill_value
        self._extrapolates = isinstance(fill_value, str) and fill_value == "extrapolate"
        if self._extrapolates and bounds_error:
            raise ValueError("Cannot extrapolate and raise at the same time.")
        self.bounds_error = not self._extrapolates if bounds_error is None else bounds_error
        self._curve = CubicSpline(self.x, self.y) if kind == "cubic" else None

    def __call__(self, x: Numeric) -> Tensor:
        """The values at some places."""
        at, places, values = promoted_floats(x, self.x, self.y)
        behind, rank = len(dims(values)) - 1, len(dims(at))
        line, where_asked = _ordered(places), _ordered(at)
        below, above = where_asked < line[0], where_asked > line[-1]
        if self.bounds_error:
            for outside, words in ((below, "below"), (above, "above")):
                if _holds(outside):
                    raise ValueError(f"A value in x_new is {words} the interpolation range.")
        found = self._curve(at) if self._curve is not None else self._between(places, values, at)
        if not self._extrapolates:
            given = self.fill_value
            ends = given if isinstance(given, tuple) and len(given) == 2 else (given, given)
            for outside, value in zip((below, above), ends, strict=True):
                fill = _fitting_fill(cast(value, found.dtype), values)
                found = where(_beside(outside, behind), fill, found)
        return _back(found, rank, self.axis)

    def _between(self, x: Tensor, y: Tensor, at: Tensor) -> Tensor:
        if self._kind in ("previous", "zero", "next"):
            return self._on_one_side(x, y, at)
        i, share = _within(x, at)
        if self._kind.startswith("nearest"):
            near = _ordered(share)
            is_far = near >= 0.5 if self._kind == "nearest-up" else near > 0.5
            return gather_densely(y, i + cast(is_far, i.dtype))
        low = gather_densely(y, i)
        if _is_one(x):
            return low
        return low + (gather_densely(y, i + 1) - low) * _beside(share, len(dims(y)) - 1)

    def _on_one_side(self, x: Tensor, y: Tensor, at: Tensor) -> Tensor:
        """The value at the last place before, or at the first one after; NaN where there is none, but of "zero"."""
        is_next = self._kind == "next"
        line, place = _ordered(x), _ordered(at)
        found = (
            searchsorted(line, place, "left") if is_next else searchsorted(line, place, "right") - 1
        )
        last = dims(x)[0] - 1
        value = gather_densely(y, pairs.minimum(pairs.maximum(found, 0), last))
        if self._kind == "zero":
            return value
        is_there = found <= last if is_next else found >= 0
        return where(_beside(is_there, len(dims(y)) - 1), value, math.nan)


@deferrable
def _fitting_fill(value: Tensor, values: Tensor) -> Tensor:
    """What stands outside, if it can be that for all curves."""
    given, shape = dims(value), dims(values)[1:]
    wanted = shape or (1,)
    padded = (*[1] * (len(wanted) - len(given)), *given)
    if len(padded) > len(wanted) or any(
        certainly(size not in (1, n)) for size, n in zip(padded, wanted, strict=True)
    ):
        raise ValueError(
            f"fill_value argument must be able to broadcast up to shape {wanted} but had shape {given}"
        )
    return reshape(value, ()) if given and not shape else identity(value)


# ---- grids ------------------------------------------------------------------------------------


class RegularGridInterpolator:
    """The values between those of a grid, of any number of axes: of the corners around, or the nearest one.

    >>> from wengert.scipy.interpolate import RegularGridInterpolator
    >>> heights = RegularGridInterpolator(([0.0, 1.0], [0.0, 2.0]), [[0.0, 2.0], [1.0, 3.0]])
    >>> heights([[0.5, 1.0], [1.0, 0.5]]).numpy().tolist()
    [1.5, 1.5]
    """

    def __init__(
        self,
        points: Sequence[Numeric],
        values: Numeric,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: float | None = math.nan,
    ) -> None:
        self.values, *grid = promoted_floats(values, *points)
        self.values = _on_grid(self.values, *grid)
        for i, given in enumerate(points):
            falls = _falls(grid[i], given)
            if falls is False:
                continue
            line, turned = reverse(grid[i], [0]), reverse(self.values, [i])
            grid[i] = line if falls is True else where(falls, line, grid[i])
            self.values = turned if falls is True else where(falls, turned, self.values)
        self.grid = tuple(grid)
        self.method, self.bounds_error, self.fill_value = _method(method), bounds_error, fill_value

    def __call__(self, xi: Any, method: str | None = None) -> Tensor:
        """The values at places, whose coordinates are in the last axis, or in a tuple."""
        places = _stacked(xi) if isinstance(xi, tuple) else _rows(xi, len(self.grid))
        at, values, *grid = promoted_floats(places, self.values, *self.grid)
        how = _method(method or self.method), self.bounds_error, self.fill_value
        return _between(at, values, grid, *how)


def _stacked(xi: Any) -> Any:
    """Places whose coordinates are in the last axis: those of a tuple are in its parts."""
    return stack(broadcast_arrays(*xi), -1) if isinstance(xi, tuple) else xi


@deferrable
def _rows(xi: Numeric, count: int) -> Tensor:
    """Places in rows: a list of numbers is one of a grid of several axes, and as many of a grid of one."""
    at = in_floats(xi)
    if len(dims(at)) != 1:
        return identity(at)  # type: ignore[no-any-return]
    return reshape(at, (-1, 1) if count == 1 else (1, -1))


def _falls(line: Tensor, given: Any) -> Any:
    """Whether the points of a grid fall; where only a run can tell, a tensor."""
    if isinstance(given, np.ndarray):
        return bool(given.size and given.real[-1] < given.real[0])
    falls = reduce_any(_ordered(line)[-1:] < _ordered(line)[:1])
    return bool(falls) if type(falls) is Tensor else falls


@deferrable
def _on_grid(values: Tensor, *grid: Tensor) -> Tensor:
    """The values, if they fit the lines of a grid, and these rise."""
    sizes = dims(values)
    if len(grid) > len(sizes):
        raise ValueError(
            f"There are {len(grid)} point arrays, but `values` has {len(sizes)} dimensions"
        )
    for i, line in enumerate(grid):
        if certainly(dims(line)[0] != sizes[i]):
            raise ValueError(
                f"There are {dims(line)[0]} points and {sizes[i]} values on dimension {i}"
            )
        way = _ordered(line[1:]) - _ordered(line[:-1])
        if _holds(way <= 0.0) and _holds(way >= 0.0):
            raise ValueError(
                f"The points in dimension {i} must be strictly ascending or descending"
            )
    fitting: Tensor = identity(values)
    return fitting


@deferrable
def _between(
    at: Tensor,
    values: Tensor,
    grid: Sequence[Tensor],
    method: str,
    bounds_error: bool,
    fill_value: float | None,
) -> Tensor:
    """The values at places, whose coordinates are in the last axis."""
    is_nowhere = compare.not_equal(at, at)
    count, behind = len(grid), len(dims(values)) - len(grid)
    if certainly(dims(at)[-1] != count):
        raise ValueError(
            f"The requested sample points xi have dimension {dims(at)[-1]}, but this "
            f"RegularGridInterpolator has dimension {count}"
        )
    lines = [at[..., i] for i in range(count)]
    outside = [_is_outside(line, x) for line, x in zip(grid, lines, strict=True)]
    for i, one in enumerate(outside if bounds_error else []):
        if _holds(compare.logical_or(one, is_nowhere[..., i])):
            raise ValueError(f"One of the requested xi is out of bounds in dimension {i}")
    found = (_of_corners if method == "linear" else _of_nearest)(values, grid, lines)
    # Nothing is nearest to a place that is no number; between others such a place has shares of none, either.
    if method == "nearest" or any(map(_is_one, grid)):
        found = where(_beside(reduce_any(is_nowhere, -1), behind), math.nan, found)
    if fill_value is None:
        return found
    any_outside = functools.reduce(compare.logical_or, outside)
    return where(_beside(any_outside, behind), cast(fill_value, found.dtype), found)


def _method(name: str) -> str:
    if name not in ("linear", "nearest"):
        raise ValueError(f"Method {name!r} is not defined: it is 'linear' or 'nearest'.")
    return name


def _of_corners(values: Tensor, grid: Sequence[Tensor], lines: Sequence[Tensor]) -> Tensor:
    """The values at the corners around each place, by how near they are."""
    around = [_within(line, at) for line, at in zip(grid, lines, strict=True)]
    total: Any = 0.0
    for corner in itertools.product(*((0,) if _is_one(line) else (0, 1) for line in grid)):
        index = stack([i + side for (i, _), side in zip(around, corner, strict=True)], -1)
        shares = [w if side else 1.0 - w for (_, w), side in zip(around, corner, strict=True)]
        share = functools.reduce(multiply, shares)
        total = total + _beside(share, len(dims(values)) - len(grid)) * gather_nd(values, index)
    return total  # type: ignore[no-any-return]


def _of_nearest(values: Tensor, grid: Sequence[Tensor], lines: Sequence[Tensor]) -> Tensor:
    around = [_within(line, at) for line, at in zip(grid, lines, strict=True)]
    return gather_nd(values, stack([i + cast(_ordered(w) > 0.5, i.dtype) for i, w in around], -1))


def interpn(
    points: Sequence[Numeric],
    values: Numeric,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: float | None = math.nan,
) -> Tensor:
    """The values between those of a grid: see `RegularGridInterpolator`."""
    found = RegularGridInterpolator(points, values, method, bounds_error, fill_value)
    return found(_stacked(xi))


def __getattr__(name: str) -> Any:
    raise no_such("interpolate", name)
