"""scipy.interpolate: curves and grids are SciPy's, between the points and beyond them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.interpolate
from scipy_compared import DRAW, assert_same, same_draws  # noqa: F401

import wengert as tf
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


@pytest.mark.parametrize("kind", interpolate.lines.KINDS)
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


@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
def test_polynomials_of_intervals_that_fall(extrapolate: Any) -> None:
    """In a function, too, that is traced for places of any number, which may rise or fall."""
    x, c = np.cumsum(DRAW.uniform(0.2, 1.0, 5)), DRAW.normal(size=(3, 4))
    at = np.concatenate([x, DRAW.uniform(x[0] - 1.0, x[-1] + 1.0, 9)])
    sizes = [tf.TensorSpec([3, None], "float64"), *[tf.TensorSpec([None], "float64")] * 2]
    traced = tf.function(
        lambda c, x, at: interpolate.PPoly(c, x, extrapolate)(at), input_signature=sizes
    )
    for places in (x, x[::-1].copy()):
        ours, theirs = (m.PPoly(c, places, extrapolate) for m in (interpolate, scipy.interpolate))
        assert_same(ours(at), theirs(at))
        assert_same(traced(c, places, at), theirs(at))
        assert_same(ours.derivative()(at), theirs.derivative()(at))
        if extrapolate != "periodic":  # which SciPy has for places that rise
            assert_same(ours.integrate(1.0, 2.0), theirs.integrate(1.0, 2.0))
    moved = DRAW.normal(size=(2, 3, 4))
    ours, theirs = (m.PPoly(moved, x, axis=1) for m in (interpolate, scipy.interpolate))
    assert_same(ours(at), theirs(at))
    flat = np.array([1.0, np.nan])  # a constant at a place that is no number
    assert_same(interpolate.PPoly(c[:1], x)(flat), scipy.interpolate.PPoly(c[:1], x)(flat))


def test_grids_that_fall_places_alone_and_places_that_are_no_numbers() -> None:
    x, y, values = np.array([3.0, 2.0, 0.5]), np.array([0.0, 1.0]), DRAW.normal(size=(3, 2, 2))
    at = DRAW.uniform([0.5, 0.0], [3.0, 1.0], (4, 2))
    for method in ("linear", "nearest"):
        for grid, numbers in (((x, y), values), ((x[:1], y), values[:1]), ((x, y), values + 1j)):
            how: dict[str, Any] = {"method": method, "bounds_error": False, "fill_value": None}
            for xi in (at, at[0], tuple(at[0]), tuple(at.T), np.where(at > 2.0, np.nan, at)):
                found = interpolate.interpn(grid, numbers, xi, **how)
                assert_same(found, scipy.interpolate.interpn(grid, numbers, xi, **how))
        line = interpolate.interpn((x,), values, at[:, 0], method)
        assert_same(line, scipy.interpolate.interpn((x,), values, at[:, 0], method))
    with pytest.raises(ValueError, match="xi is out of bounds in dimension 1"):
        interpolate.interpn((x, y), values, [1.0, np.nan])
    expected = scipy.interpolate.interpn((x, y), values, at)
    for falling in (x, tf.constant(x)):
        assert_same(tf.function(interpolate.interpn)((falling, y), values, at), expected)
        assert_same(tf.function(lambda: interpolate.interpn((falling, y), values, at))(), expected)


def test_slopes_that_are_complex() -> None:
    x, y, at = points(4, 0, ())
    curves = (m.CubicHermiteSpline(x, y, y + 1j) for m in (interpolate, scipy.interpolate))
    ours, theirs = (curve(at) for curve in curves)
    assert_same(ours, theirs)


def test_lines_of_one_place_and_kinds_by_number() -> None:
    x, y, at = points(5, 0, (2,))
    for order in (0, 1, 3):
        ours, theirs = (m.interp1d(x, y, order, 0)(x) for m in (interpolate, scipy.interpolate))
        assert_same(ours, theirs, 1e-8)
    for kind in ("linear", "nearest", "previous"):
        how: dict[str, Any] = {"bounds_error": False, "fill_value": (1.0, 3.0)}
        modules = (interpolate, scipy.interpolate)
        ours, theirs = (m.interp1d(x[:1], y[:1, 0], kind, 0, **how)(at) for m in modules)
        assert_same(ours, theirs)


def test_wrong_points_say_what_is_wrong() -> None:
    x = np.arange(4.0)
    curve = interpolate.PPoly(np.ones((2, 3)), x)
    for expected, call in {
        "number of coefficients != len": lambda: interpolate.PPoly(np.ones((2, 2)), x),
        "at least 2 breakpoints": lambda: interpolate.PPoly(np.ones((2, 0)), x[:1]),
        "at least 2-dimensional": lambda: interpolate.PPoly(x, x),
        "at least of order 0": lambda: interpolate.PPoly(np.ones((0, 3)), x),
        "increasing or decreasing": lambda: interpolate.PPoly(np.ones((2, 3)), [0, 2, 1, 3]),
        "cannot be negative": lambda: curve(x, -1),
        "`y` must contain only finite": lambda: CubicSpline(x, [1.0, np.nan, 2.0, 3.0]),
        "`x` must contain only finite": lambda: CubicSpline([0.0, 1.0, 2.0, np.inf], x),
        "only works with real": lambda: interpolate.PchipInterpolator(x, x + 1j),
        "used with other boundary": lambda: CubicSpline(x, x, bc_type=("periodic", "natural")),
        "in the form": lambda: CubicSpline(x, x, bc_type=(1, 2)),
        "not the expected one": lambda: CubicSpline(x, x, bc_type=((1, [0.0, 1.0]), (1, 0.0))),
        "equal in length along": lambda: interp1d(x, x[:3]),
        "exactly one dimension": lambda: interp1d(1.0, x),
        r"broadcast up to shape \(1,\)": lambda: interp1d(x, x, "linear", -1, True, False, [1, 2])(
            0
        ),
        "ascending or descending": lambda: RegularGridInterpolator(([0, 2, 1, 3],), x),
    }.items():
        with pytest.raises(ValueError, match=expected):
            call()
