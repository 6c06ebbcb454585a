"""scipy.ndimage: filters and places between elements are SciPy's, whatever lies around an image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as theirs
from scipy_compared import DRAW, assert_same, same_draws  # noqa: F401

import wengert as tf
import wengert.scipy.ndimage as ours

AROUND = ["reflect", "mirror", "nearest", "wrap", "constant"]
OF_GRIDS = ["grid-mirror", "grid-wrap", "grid-constant"]
SHAPES = [(7,), (5, 6), (4, 3, 5)]
every_mode = pytest.mark.parametrize("mode", AROUND + OF_GRIDS)


@every_mode
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_weights(size: int, shape: tuple[int, ...], mode: str) -> None:
    x, w = DRAW.normal(size=shape), DRAW.normal(size=(size,) * len(shape))
    for origin in {0, size // 2 - 1, -(size // 2)} if size > 1 else {0}:
        for name in ("correlate", "convolve"):
            if name == "convolve" and size % 2 == 0 and origin == -(size // 2):
                continue  # beyond what SciPy takes
            how: dict[str, Any] = {"mode": mode, "cval": 1.5, "origin": origin}
            assert_same(getattr(ours, name)(x, w, **how), getattr(theirs, name)(x, w, **how))
            for axis in range(len(shape)):
                line, along = w.ravel()[:size], f"{name}1d"
                found = getattr(ours, along)(x, line, axis, **how)
                assert_same(found, getattr(theirs, along)(x, line, axis, **how))


@every_mode
@pytest.mark.parametrize("shape", SHAPES)
def test_means_and_gaussian_weights(shape: tuple[int, ...], mode: str) -> None:
    x = DRAW.normal(size=shape)
    assert_same(ours.uniform_filter(x, 3, mode=mode), theirs.uniform_filter(x, 3, mode=mode))
    assert_same(
        ours.uniform_filter1d(x, 4, 0, mode=mode), theirs.uniform_filter1d(x, 4, 0, mode=mode)
    )
    for sigma in (0.6, 1.3, 3.0):
        for order in range(4):
            found = ours.gaussian_filter(x, sigma, order, None, mode, 0.5)
            assert_same(found, theirs.gaussian_filter(x, sigma, order, mode=mode, cval=0.5))
    each = [0.5 * i for i in range(len(shape))]
    assert_same(ours.gaussian_filter(x, each), theirs.gaussian_filter(x, each))


@every_mode
@pytest.mark.parametrize("shape", [*SHAPES, (1, 3)])
@pytest.mark.parametrize("order", [0, 1])
def test_places_between_elements(order: int, shape: tuple[int, ...], mode: str) -> None:
    """And on them, and far outside."""
    at = np.stack([DRAW.uniform(-2 * n, 3 * n, 200) for n in shape])
    at[:, :20] = np.round(at[:, :20])
    x = DRAW.normal(size=shape)
    how: dict[str, Any] = {"order": order, "mode": mode, "cval": 0.7}
    assert_same(ours.map_coordinates(x, at, **how), theirs.map_coordinates(x, at, **how))


def test_wrong_arguments() -> None:
    with pytest.raises(NotImplementedError, match="order 0 and 1 here, not 3: write order=1"):
        ours.map_coordinates(np.eye(3), [[0.5], [0.5]])
    with pytest.raises(RuntimeError, match="invalid shape for coordinate array"):
        ours.map_coordinates(np.eye(3), [[0.5]], order=1)
    with pytest.raises(RuntimeError, match="boundary mode not supported"):
        ours.correlate(np.eye(3), np.eye(3), mode="edge")
    with pytest.raises(RuntimeError, match=r"weights.ndim \(1\) must match len\(axes\) \(2\)"):
        ours.correlate(np.eye(3), [1.0, 2.0])
    with pytest.raises(ValueError, match="Invalid origin; origin must satisfy"):
        ours.correlate1d(np.eye(3), [1.0, 2.0, 1.0], origin=2)
    with pytest.raises(RuntimeError, match="length equal to input rank"):
        ours.gaussian_filter(np.eye(3), [1.0])
    with pytest.raises(AttributeError, match=r"wengert\.scipy\.ndimage has no 'median_filter'"):
        ours.median_filter
    for kind, expected, call in (
        (
            RuntimeError,
            "A sequence of modes",
            lambda: ours.correlate(np.eye(3), np.eye(3), mode=["wrap"]),
        ),
        (RuntimeError, "no filter weights", lambda: ours.convolve1d(np.eye(3), [])),
        (RuntimeError, "incorrect filter size", lambda: ours.uniform_filter1d(np.eye(3), 0)),
        (RuntimeError, "rank must be > 0", lambda: ours.map_coordinates(np.eye(3), 1.0, order=1)),
        (ValueError, "nonnegative integer", lambda: ours.gaussian_filter1d(np.eye(3), -1.0)),
        (ValueError, "nonnegative integer", lambda: ours.gaussian_filter(np.eye(3), 1, radius=1.5)),
        (ZeroDivisionError, "sigma is zero", lambda: ours.gaussian_filter1d(np.eye(3), 0)),
        (
            ValueError,
            "axes must be unique",
            lambda: ours.gaussian_filter(np.eye(3), 1, axes=(0, -2)),
        ),
        (ValueError, "axis: 5 is out of range", lambda: ours.uniform_filter(np.eye(3), 3, axes=5)),
        (NotImplementedError, "a dtype here", lambda: ours.uniform_filter(np.eye(3), 3, np.eye(3))),
    ):
        with pytest.raises(kind, match=expected):
            call()


COMPLEX = np.array([1.0, 2.0, 3.0 - 1.0j, 4.0j])


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.correlate(COMPLEX, [1.0, 2.0j, 3.0], mode="constant", cval=1.0j),
        lambda m: m.convolve(COMPLEX.real, [1.0, 2.0j]),
        lambda m: m.correlate1d(COMPLEX, [1.0, 2.0j]),
        lambda m: m.convolve1d(COMPLEX, [1.0, 2.0j, 3.0], mode="wrap"),
        lambda m: m.gaussian_filter(COMPLEX, 0.8, order=1),
        lambda m: m.uniform_filter(COMPLEX, 3),
        lambda m: m.map_coordinates(COMPLEX, [[0.5, 1.75, 9.0]], order=1, cval=1.0j),
        lambda m: m.correlate(np.zeros((0, 3)), np.ones((3, 3))),
        lambda m: m.correlate1d(np.zeros((0, 3)), np.ones(3), 0),
        lambda m: m.gaussian_filter(np.zeros((0, 3)), 1.0),
        lambda m: m.correlate(3.0, 2.0),
    ],
)
def test_complex_and_empty_images(call: Any) -> None:
    assert_same(call(ours), call(theirs))


def test_axes_and_outputs() -> None:
    x, w = DRAW.normal(size=(2, 3, 4, 5)), DRAW.normal(size=(3, 2, 2))
    for name in ("correlate", "convolve"):
        for axes in ((0, 1), (3, 1), (-1,), 2, (1, 2, 3), (0, 2, 3)):
            rank = 1 if isinstance(axes, int) else len(axes)
            weights = w[(0,) * (3 - rank)]
            found = getattr(ours, name)(x, weights, None, "wrap", axes=axes)
            assert_same(found, getattr(theirs, name)(x, weights, None, "wrap", axes=axes))
    assert_same(ours.uniform_filter(x, 3, axes=1), theirs.uniform_filter(x, 3, axes=1))
    assert_same(ours.gaussian_filter(x, 1, axes=-1), theirs.gaussian_filter(x, 1, axes=-1))
    assert ours.gaussian_filter(x, 1, 0, "float32").dtype == "float32"
    at = [[0.5, 1.0], [0.5, 0.25]]
    assert_same(ours.map_coordinates(w[0], at, None, 1), theirs.map_coordinates(w[0], at, None, 1))


@pytest.mark.parametrize("mode", ["constant", "nearest", "reflect", "grid-wrap", "grid-constant"])
def test_places_that_are_no_numbers_or_infinite(mode: str) -> None:
    """A value is NaN, or what stands outside: never an error, and the other places keep theirs."""
    at = np.array([[0.5, np.nan, np.inf, -np.inf, 2.0]])
    found = np.asarray(ours.map_coordinates(COMPLEX.real, at, order=1, mode=mode, cval=7.0))
    expected = theirs.map_coordinates(COMPLEX.real, at[:, [0, 4]], order=1, mode=mode)
    assert_same(found[[0, 4]], expected)
    assert np.isin(found[1:4], [7.0, 1.0, 0.0]).any() or np.isnan(found[1:4]).all()
    if mode == "constant":
        assert_same(found[1:4], np.full(3, 7.0))


def test_images_of_unknown_rank() -> None:
    """What does not fit for a guess of a rank is no error before the rank is known."""
    x, w = DRAW.normal(size=(4, 5)), DRAW.normal(size=(2, 3))
    unknown = [tf.TensorSpec(None, "float64")] * 2
    traced = tf.function(ours.correlate, input_signature=unknown)
    assert_same(traced(x, w), theirs.correlate(x, w))
    assert_same(traced(x[0], w[0]), theirs.correlate(x[0], w[0]))
