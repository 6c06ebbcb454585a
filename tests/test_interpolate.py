"""scipy.interpolate: curves and grids are SciPy's, between the points and beyond them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.interpolate
from scipy_compared import DRAW, assert_same, same_draws  # noqa: F401

import wengert.scipy.interpolate as interpolate
from wengert.scipy.interpolate import CubicSpline, RegularGridInterpolator, interp1d

FORMS = [(0, ()), (0, (2,)), (1, (3, 2)), (-1, (2,))]  # an axis, and the sizes of the others
ENDS: list[Any] = [
    "not-a-knot",
    "natural",
    "clamped",
    "periodic",
    ((1, 0.5), (2, 0.3)),
    ("natural", (1, 2.0)),
    ("not-a-knot", "clamped"),
]


def points(count: int, axis: int, others: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Places, values there, and places between, at and beyond them."""
    x = np.cumsum(DRAW.uniform(0.1, 1.0, count))
    y = np.moveaxis(DRAW.normal(size=(count, *others)), 0, axis)
    return x, y, np.concatenate([x, DRAW.uniform(x[0] - 1.0, x[-1] + 1.0, 7)])


@pytest.mark.parametrize("ends", ENDS, ids=str)
@pytest.mark.parametrize("extrapolate", [None, False, True, "periodic"])
@pytest.mark.parametrize(("axis", "others"), FORMS)
@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_cubic_splines(
    count: int, axis: int, others: tuple[int, ...], extrapolate: Any, ends: Any
) -> None:
    """Values, derivatives, integrals, and what is made of the curve."""
    x, y, at = points(count, axis, others)
    if ends == "periodic":
        front = np.moveaxis(y, axis, 0)
        front[-1] = front[0]
    if not isinstance(ends, str):
        ends = tuple(e if isinstance(e, str) else (e[0], np.full(others, e[1])) for e in ends)
    ours = CubicSpline(x, y, axis, ends, extrapolate)
    theirs = scipy.interpolate.CubicSpline(x, y, axis, ends, extrapolate)
    for order in range(4):
        np.testing.assert_allclose(ours(at, order), theirs(at, order), 1e-7, 1e-9)
    assert_same(ours(at.reshape(1, -1)), theirs(at.reshape(1, -1)), 1e-8)
    assert_same(ours.antiderivative()(at), theirs.antiderivative()(at), 1e-8)
    np.testing.assert_allclose(ours.derivative(2)(at), theirs.derivative(2)(at), 1e-7, 1e-9)
    if extrapolate is not False:
        begin, end = x[0] - 0.3, x[-1] + 1.7
        assert_same(ours.integrate(begin, end), theirs.integrate(begin, end), 1e-8)


@pytest.mark.parametrize("name", ["PchipInterpolator", "Akima1DInterpolator"])
@pytest.mark.parametrize(("axis", "others"), FORMS)
@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_curves_of_local_slopes(name: str, count: int, axis: int, others: Any) -> None:
    x, y, at = points(count, axis, others)
    for values in (y, np.round(y)):  # also level ones
        ours, theirs = getattr(interpolate, name), getattr(scipy.interpolate, name)
        assert_same(ours(x, values, axis)(at), theirs(x, values, axis)(at))
        for extrapolate in (True, False):
            found = ours(x, values, axis, extrapolate=extrapolate)(at)
            assert_same(found, theirs(x, values, axis, extrapolate=extrapolate)(at))


@pytest.mark.parametrize("count", [2, 3, 9])
def test_modified_akima(count: int) -> None:
    x, y, at = points(count, 0, (2,))
    for values in (y, np.round(y)):
        ours, theirs = (
            m.Akima1DInterpolator(x, values, method="makima")
            for m in (interpolate, scipy.interpolate)
        )
        assert_same(ours(at), theirs(at))


def test_curves_of_given_slopes_and_polynomials() -> None:
    x, y, at = points(5, 0, (2,))
    slopes = DRAW.normal(size=y.shape)
    ours, theirs = (m.CubicHermiteSpline(x, y, slopes) for m in (interpolate, scipy.interpolate))
    assert_same(ours(at), theirs(at))
    c = DRAW.normal(size=(3, 4, 2))
    ours, theirs = (m.PPoly(c, x) for m in (interpolate, scipy.interpolate))
    for order in range(5):
        assert_same(ours(at, order), theirs(at, order))
    assert_same(ours.antiderivative(2)(at), theirs.antiderivative(2)(at))


@pytest.mark.parametrize("kind", interpolate._KINDS)
@pytest.mark.parametrize("fill", [np.nan, "extrapolate", (1.0, 2.0), 7.0], ids=str)
@pytest.mark.parametrize(("axis", "others"), FORMS)
def test_lines(kind: str, fill: Any, axis: int, others: Any) -> None:
    """Of points in any order."""
    x, y, at = points(6, axis, others)
    order = DRAW.permutation(6)
    given = x[order], np.take(y, order, axis), kind, axis
    ours = interp1d(*given, bounds_error=False, fill_value=fill)
    theirs = scipy.interpolate.interp1d(*given, bounds_error=False, fill_value=fill)
    assert_same(ours(at), theirs(at))


@pytest.mark.parametrize("method", ["linear", "nearest"])
@pytest.mark.parametrize("fill", [None, np.nan, 3.0], ids=str)
@pytest.mark.parametrize("others", [(), (2,)])
@pytest.mark.parametrize("sizes", [(4,), (3, 5), (4, 3, 5)])
def test_grids(sizes: tuple[int, ...], others: tuple[int, ...], fill: Any, method: str) -> None:
    grid = tuple(np.cumsum(DRAW.uniform(0.1, 0.4, n)) for n in sizes)
    values = DRAW.normal(size=(*sizes, *others))
    at = DRAW.uniform(-0.2, 1.5, (6, 2, len(sizes)))
    at[0, 0] = [line[0] for line in grid]
    at[0, 1] = [line[-1] for line in grid]
    given = grid, values, method, False, fill
    theirs = scipy.interpolate.RegularGridInterpolator(*given)(at)
    assert_same(RegularGridInterpolator(*given)(at), theirs)
    parts = tuple(np.moveaxis(at, -1, 0))
    assert_same(interpolate.interpn(grid, values, parts, method, False, fill), theirs)


@pytest.mark.parametrize("ends", ["not-a-knot", "natural", "periodic"])
def test_complex_values(ends: str) -> None:
    x, y, at = points(6, 0, (2,))
    y = y + 1j * DRAW.normal(size=y.shape)
    y[-1] = y[0]
    ours, theirs = CubicSpline(x, y, 0, ends), scipy.interpolate.CubicSpline(x, y, 0, ends)
    assert_same(ours(at), theirs(at), 1e-8)
    assert_same(ours(at, 1), theirs(at, 1), 1e-7)
    begin, end = x[0] - 0.3, x[-1] + 1.7
    assert_same(ours.integrate(begin, end), theirs.integrate(begin, end), 1e-8)
    for kind in ("linear", "nearest", "previous", "next", "cubic"):
        inside = at[:6]
        found = interp1d(x, y, kind, 0)(inside)
        assert_same(found, scipy.interpolate.interp1d(x, y, kind, 0)(inside), 1e-8)
    values = DRAW.normal(size=(6, 6)) + 1j
    places = np.stack([inside, inside], -1)
    expected = scipy.interpolate.interpn((x, x), values, places)
    assert_same(interpolate.interpn((x, x), values, places), expected)


def test_wrong_points() -> None:
    with pytest.raises(ValueError, match="`x` must be strictly increasing"):
        CubicSpline([0.0, 0.0, 1.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="doesn't match the length of `x`"):
        CubicSpline([0.0, 1.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="at least 2 elements"):
        CubicSpline([0.0], [1.0])
    with pytest.raises(ValueError, match="must be identical for periodic splines"):
        CubicSpline([0.0, 1.0], [1.0, 2.0], bc_type="periodic")
    with pytest.raises(ValueError, match="bc_type=free is not allowed"):
        CubicSpline([0.0, 1.0], [1.0, 2.0], bc_type="free")
    with pytest.raises(ValueError, match="x_new is above the interpolation range"):
        interp1d([0.0, 1.0], [1.0, 2.0], fill_value=0.0)(1.5)
    with pytest.raises(ValueError, match="Cannot extrapolate and raise"):
        interp1d([0.0, 1.0], [1.0, 2.0], fill_value="extrapolate", bounds_error=True)
    with pytest.raises(ValueError, match="shapes of `y` and `dydx` must be identical"):
        interpolate.CubicHermiteSpline([0.0, 1.0], [1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(NotImplementedError, match="quartic is unsupported"):
        interp1d([0.0, 1.0], [1.0, 2.0], "quartic")
    with pytest.raises(ValueError, match="out of bounds in dimension 1"):
        RegularGridInterpolator(([0.0, 1.0], [0.0, 1.0]), np.eye(2))([[0.5, 1.5]])
    with pytest.raises(ValueError, match="There are 3 points and 2 values on dimension 0"):
        RegularGridInterpolator(([0.0, 1.0, 2.0], [0.0, 1.0]), np.eye(2))
    with pytest.raises(ValueError, match="have dimension 3, but this"):
        RegularGridInterpolator(([0.0, 1.0], [0.0, 1.0]), np.eye(2))([[0.5, 0.5, 0.5]])
    with pytest.raises(AttributeError, match=r"no 'griddata'\. tf.wrap makes a differentiable"):
        interpolate.griddata
