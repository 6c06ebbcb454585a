"""scipy.ndimage: filters and places between elements are SciPy's, whatever lies around an image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as theirs
from scipy_compared import DRAW, assert_same, same_draws  # noqa: F401

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
    assert_same(ours.uniform_filter(x, 3, mode), theirs.uniform_filter(x, 3, mode=mode))
    assert_same(ours.uniform_filter1d(x, 4, 0, mode), theirs.uniform_filter1d(x, 4, 0, mode=mode))
    for sigma in (0.6, 1.3, 3.0):
        for order in range(4):
            found = ours.gaussian_filter(x, sigma, order, mode, 0.5)
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
    with pytest.raises(ValueError, match="invalid shape for coordinate array"):
        ours.map_coordinates(np.eye(3), [[0.5]], order=1)
    with pytest.raises(RuntimeError, match="boundary mode not supported"):
        ours.correlate(np.eye(3), np.eye(3), "edge")
    with pytest.raises(ValueError, match="filter weights array has incorrect shape"):
        ours.correlate(np.eye(3), [1.0, 2.0])
    with pytest.raises(ValueError, match="invalid origin"):
        ours.correlate1d(np.eye(3), [1.0, 2.0, 1.0], origin=2)
    with pytest.raises(RuntimeError, match="length equal to input rank"):
        ours.gaussian_filter(np.eye(3), [1.0])
    with pytest.raises(AttributeError, match=r"wengert\.scipy\.ndimage has no 'median_filter'"):
        ours.median_filter
