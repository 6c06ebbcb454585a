"""The functions of wengert.scipy that are composed of others: in functions, batches, and against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy_compared import assert_same, directional, same_draws  # noqa: F401

import wengert as tf
from wengert.scipy import interpolate, linalg, ndimage
from wengert.scipy.spatial import distance

pytestmark = pytest.mark.filterwarnings("ignore:logm result may be inaccurate:RuntimeWarning")
DRAW = np.random.default_rng(5)
X = np.cumsum(DRAW.uniform(1.0, 2.0, 6))
Y, PAIRS = DRAW.normal(size=6), DRAW.normal(size=(6, 2))
AT = X[:-1] + DRAW.uniform(0.3, 0.7, 5) * np.diff(X)  # in no interval near its ends
A, B = DRAW.normal(size=(2, 4, 4))
POSITIVE = A @ A.T + np.eye(4)
IMAGE = DRAW.normal(size=(7, 6))
# No coordinate of a point is near that of another one, where the length of a difference has a corner.
SPACED = 0.1 * DRAW.permutation(np.arange(1.0, 28.0)) + DRAW.uniform(-0.03, 0.03, 27)
POINTS, OTHERS = SPACED[:15].reshape(5, 3), SPACED[15:].reshape(4, 3)
RISING = np.cumsum(DRAW.uniform(0.5, 1.0, (6, 2)), 0)
BANDS = DRAW.uniform(0.1, 0.5, (3, 6)) + np.array([[0.0], [3.0], [0.0]])

Case = tuple[Callable[..., Any], list[Any]]
CASES: dict[str, Case] = {
    "spline": (lambda x, y, at: interpolate.CubicSpline(x, y)(at), [X, Y, AT]),
    "slope of a spline": (
        lambda x, y, at: interpolate.CubicSpline(x, y, bc_type="natural")(at, 1),
        [X, PAIRS, AT],
    ),
    "periodic spline": (
        lambda x, y, at: interpolate.CubicSpline(x, tf.concat([y, y[:1]], 0), bc_type="periodic")(
            at
        ),
        [X, Y[:-1], AT],
    ),
    "integral of a spline": (
        lambda x, y, at: interpolate.CubicSpline(x, y).integrate(at[0], at[1]),
        [X, Y, AT],
    ),
    "pchip": (lambda x, y, at: interpolate.PchipInterpolator(x, y)(at), [X, RISING, AT]),
    "akima": (lambda x, y, at: interpolate.Akima1DInterpolator(x, y)(at), [X, Y, AT]),
    "line": (
        lambda x, y, at: interpolate.interp1d(x, y, fill_value="extrapolate")(at),
        [X, Y, AT],
    ),
    "cubic line": (
        lambda x, y, at: interpolate.interp1d(x, y, "cubic")(at),
        [X, Y, AT],
    ),
    "grid": (
        lambda x, y, z, at: interpolate.interpn((x, y), z, at, bounds_error=False, fill_value=None),
        [X, 2.0 * X, DRAW.normal(size=(6, 6)), DRAW.random((3, 2)) + 0.5],
    ),
    "sylvester": (linalg.solve_sylvester, [A + 4.0 * np.eye(4), POSITIVE, B]),
    "lyapunov": (linalg.solve_continuous_lyapunov, [A + 4.0 * np.eye(4), B]),
    "discrete lyapunov": (linalg.solve_discrete_lyapunov, [0.3 * A, B]),
    "logarithm": (linalg.logm, [POSITIVE]),
    "sine": (linalg.sinm, [A]),
    "cosine": (linalg.cosm, [A]),
    "hyperbolic sine": (linalg.sinhm, [A]),
    "hyperbolic cosine": (linalg.coshm, [A]),
    "polar": (lambda a: linalg.polar(a), [A]),
    "circulant": (linalg.circulant, [Y]),
    "hankel": (linalg.hankel, [Y, X]),
    "tridiagonal": (lambda ab, b: linalg.solve_banded((1, 1), ab, b), [BANDS, Y]),
    "banded": (lambda ab, b: linalg.solve_banded((1, 0), ab, b), [BANDS[1:], Y]),
    "banded and positive": (lambda ab, b: linalg.solveh_banded(ab, b), [BANDS[:2], Y]),
    "lower bands": (lambda ab, b: linalg.solveh_banded(ab, b, lower=True), [BANDS[1:], PAIRS]),
    "toeplitz": (linalg.solve_toeplitz, [np.array([4.0, *(0.1 * Y[1:])]), Y]),
    "blur": (lambda x: ndimage.gaussian_filter(x, 1.2), [IMAGE]),
    "width of a blur": (
        lambda x, s: ndimage.gaussian_filter1d(x, s, radius=4),
        [IMAGE, np.array(1.3)],
    ),
    "places": (
        lambda x, at: ndimage.map_coordinates(x, at, order=1, mode="reflect"),
        [IMAGE, DRAW.uniform(0.0, 5.0, (2, 5))],
    ),
    "weights": (lambda x, w: ndimage.convolve(x, w), [IMAGE, DRAW.normal(size=(3, 3))]),
    **{
        name: (lambda a, b, name=name: distance.cdist(a, b, name), [POINTS, OTHERS])
        for name in distance._DISTANCES
    },
    "pairs": (lambda x: distance.squareform(distance.pdist(x)), [POINTS]),
}
every_case = pytest.mark.parametrize("name", CASES)


def outputs(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


@every_case
def test_derivatives_are_those_of_differences(name: str) -> None:
    f, args = CASES[name]
    np.testing.assert_allclose(*directional(f, args), 1e-6, 1e-8)


@every_case
def test_second_derivatives(name: str) -> None:
    f, args = CASES[name]

    def first(*values: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(values)
            total = tf.add_n([tf.reduce_sum(y * y) for y in outputs(f(*values))])
        found = tape.gradient(total, values, unconnected_gradients="zero")
        return [tf.identity(g) for g in found]

    np.testing.assert_allclose(*directional(first, args), 1e-5, 1e-6)


@every_case
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_in_functions(name: str, known: bool, compiled: bool) -> None:
    """Also of sizes that are not known."""
    f, args = CASES[name]

    def both(*values: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(values)
            found = outputs(f(*values))
            total = tf.add_n([tf.reduce_sum(y * y) for y in found])
        return [*found, *tape.gradient(total, values, unconnected_gradients="zero")]

    specs = [tf.TensorSpec(x.shape if known else [None] * x.ndim, tf.float64) for x in args]
    inside = tf.function(both, input_signature=specs, jit_compile=compiled)
    assert_same(inside(*args), both(*map(tf.constant, args)), 1e-8)


@every_case
def test_in_a_batch(name: str) -> None:
    f, args = CASES[name]
    many = [np.stack([x, 1.01 * x]) for x in args]
    found = tf.vectorized_map(lambda xs: outputs(f(*xs)), [tf.constant(x) for x in many])
    for i in range(2):
        assert_same([y[i] for y in found], outputs(f(*[x[i] for x in many])), 1e-8)


@pytest.mark.parametrize("size", [1, 2, 5, 12])
@pytest.mark.parametrize("kind", [float, complex])
def test_matrices_are_scipys(size: int, kind: type) -> None:
    a, b, q = DRAW.normal(size=(3, size, size)) + (1j * DRAW.normal(size=(3, size, size)) if kind is complex else 0.0)  # fmt: skip
    assert_same(linalg.solve_sylvester(a, b, q), scipy.linalg.solve_sylvester(a, b, q), 1e-8)
    for name in ("solve_continuous_lyapunov", "solve_discrete_lyapunov"):
        ours, theirs = getattr(linalg, name), getattr(scipy.linalg, name)
        assert_same(ours(0.2 * a, q), theirs(0.2 * a, q), 1e-7)
    positive = a @ a.conj().T + np.eye(size)
    assert_same(linalg.logm(positive), scipy.linalg.logm(positive), 1e-8)
    for name in ("cosm", "sinm", "coshm", "sinhm"):
        assert_same(getattr(linalg, name)(a), getattr(scipy.linalg, name)(a), 1e-7)
    for side in ("left", "right"):
        for x in (a, a[: size // 2 + 1], a[:, : size // 2 + 1]):
            assert_same(linalg.polar(x, side), scipy.linalg.polar(x, side), 1e-8)


@pytest.mark.parametrize("sides", [Y, PAIRS], ids=["vector", "columns"])
def test_bands_are_scipys(sides: Any) -> None:
    for below, above in ((1, 1), (0, 1), (2, 1), (1, 0), (0, 0), (3, 2)):
        bands = DRAW.normal(size=(below + above + 1, 6))
        bands[above] += 6.0
        found = linalg.solve_banded((below, above), bands, sides)
        assert_same(found, scipy.linalg.solve_banded((below, above), bands, sides), 1e-9)
    for beside in range(3):
        for lower in (True, False):
            bands = 0.3 * DRAW.normal(size=(beside + 1, 6))
            bands[0 if lower else -1] = 4.0
            found = linalg.solveh_banded(bands, sides, lower=lower)
            assert_same(found, scipy.linalg.solveh_banded(bands, sides, lower=lower), 1e-9)
    with pytest.raises(ValueError, match=r"l\+u\+1 \(3\) does not equal ab.shape\[0\] \(2\)"):
        linalg.solve_banded((1, 1), BANDS[:2], sides)


def test_matrices_of_lines_are_scipys() -> None:
    assert_same(linalg.circulant(Y), scipy.linalg.circulant(Y))
    assert_same(linalg.hankel(Y), scipy.linalg.hankel(Y))
    assert_same(linalg.hankel(Y, X[:3]), scipy.linalg.hankel(Y, X[:3]))
    column = np.array([4.0, *(0.1 * Y[1:])])
    for given in (column, (column, 0.1 * X)):
        expected = scipy.linalg.solve_toeplitz(given, PAIRS)
        assert_same(linalg.solve_toeplitz(given, PAIRS), expected, 1e-9)


def test_what_has_no_real_logarithm() -> None:
    assert np.isnan(linalg.logm(-np.eye(2))).all()
    with pytest.raises(ValueError, match="`side` must be either 'right' or 'left'"):
        linalg.polar(A, "up")
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit shapes"):
        linalg.solve_sylvester(A, A[:2, :2], A)
