"""Curves of third degree through points, whose slopes are computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from wengert.api.numpy.linalg import solve
from wengert.api.numpy.shapes import roll
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.linalg.diagonals import diag
from wengert.ops.linalg.tridiagonal import tridiagonal_solve
from wengert.ops.math import comparison as compare
from wengert.ops.math.comparison import where
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.complex import sign
from wengert.ops.math.elementwise import cast, ones_like, zeros_like
from wengert.ops.reductions.reductions import reduce_max
from wengert.scipy.interpolate.places import beside, holds, points
from wengert.scipy.interpolate.polynomials import CubicHermiteSpline, steps
from wengert.values.sizes import certainly, shapes_differ
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

Condition = tuple[int, Any]  # the order of a derivative at an end, and its value

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
        places, values, at = points(x, y, axis)
        is_periodic = bc_type == "periodic"
        if is_periodic and holds(
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
    width, line = steps(x, y)
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
    _, line = steps(x, reshape(y, (dims(x)[0], -1)))
    h = x[1:] - x[:-1]
    before = roll(h, 1)
    across = diag(2.0 * (before + h)) + roll(diag(before), 1, 1) + roll(diag(h), -1, 1)
    sides = 3.0 * (beside(h, 1) * roll(line, 1, 0) + beside(before, 1) * line)
    found = solve(across, sides)
    return reshape(concat([found, found[:1]], 0), dims(y))


def _real_points(x: Numeric, y: Numeric, axis: int, who: str) -> tuple[Tensor, Tensor, int]:
    """Places and values for a curve whose slopes depend on which values are greater."""
    found = points(x, y, axis)
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
    h, line = steps(x, y)
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
    _, line = steps(x, y)
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
