"""The weights of resizes: along an axis, a matrix from old pixels to new ones.

Positions are in pixels; pixel i covers [i, i + 1) and has its centre at i + 1/2. A matrix depends
on sizes alone, so each is computed once and cached.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from wengert.values.typing import Array

Curve = Callable[[Any], Any]
kept = lru_cache(maxsize=256)


def _scale(size: int, out: int, align_corners: bool) -> float:
    """The number of old pixels per new one."""
    return (size - 1) / (out - 1) if align_corners and out > 1 else size / out


def _places(
    size: int,
    out: int,
    align_corners: bool,
    half: bool,
    dtype: type[np.floating[Any]] = np.float64,
) -> Array:
    """The position in the old image of each new pixel."""
    scale, i = dtype(_scale(size, out, align_corners)), np.arange(out, dtype=dtype)
    return (i + dtype(0.5)) * scale - dtype(0.5) if half else i * scale


def _matrix(size: int, index: Array, weight: Array | float) -> Array:
    """A matrix from indices (out, taps) and their weights; indices beyond the edge are clamped."""
    out = np.zeros((len(index), size))
    rows = np.broadcast_to(np.arange(len(index))[:, None], index.shape)
    np.add.at(out, (rows, np.clip(index, 0, size - 1)), weight)
    out.flags.writeable = False
    return out


# ---- the methods of version 1 -----------------------------------------------------------------


@kept
def bilinear(size: int, out: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """Linear interpolation between two neighbours."""
    at = _places(size, out, align_corners, half_pixel_centers)
    low = np.floor(at)
    part = at - low
    index = np.stack([low, low + 1], axis=1).astype(int)
    return _matrix(size, index, np.stack([1 - part, part], axis=1))


@kept
def nearest_places(size: int, out: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """The index of the nearest pixel, in single precision, so as to round like TensorFlow."""
    f = np.float32
    scale = f(_scale(size, out, align_corners))
    at = (np.arange(out, dtype=f) + f(0.5 if half_pixel_centers else 0.0)) * scale
    # half away from zero
    whole = np.floor(at + f(0.5)) if align_corners else np.floor(at)
    index = np.clip(whole.astype(int), 0, size - 1)
    index.flags.writeable = False
    return index


@kept
def nearest(size: int, out: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """The nearest pixel, unchanged."""
    index = nearest_places(size, out, align_corners, half_pixel_centers)
    return _matrix(size, index[:, None], 1.0)


STEPS: Final = 1024


def cubic_curve(a: float) -> Curve:
    """The cubic through 1 at 0 and 0 at 1 and 2, with the slope `a` at 1."""

    def curve(x: Array) -> Array:
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return np.where(x <= 1, near, far)

    return curve


@kept
def bicubic(size: int, out: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """Cubic interpolation between four neighbours.

    TensorFlow reads the cubic from a table of 1024 steps, so the fractional part of a position is
    rounded to these. With half-pixel centres, pixels outside of the image have no weight and the
    rest is normalized; without, the pixels at the edge take their place.
    """
    at = _places(size, out, align_corners, half_pixel_centers, np.float32)
    low = np.floor(at)
    part = np.rint((at - low) * np.float32(STEPS)).astype(float) / STEPS
    distance = np.stack([1 + part, part, 1 - part, 2 - part], axis=1)
    weight = cubic_curve(-0.5 if half_pixel_centers else -0.75)(distance)
    index = low.astype(int)[:, None] + np.arange(-1, 3)
    if half_pixel_centers:
        weight = np.where((index >= 0) & (index < size), weight, 0.0)
        weight = weight / weight.sum(axis=1, keepdims=True)
    return _matrix(size, index, weight)


@kept
def area(size: int, out: int, align_corners: bool) -> Array:
    """The mean over the area that a new pixel covers."""
    scale = _scale(size, out, align_corners) or 1.0
    start = np.arange(out) * scale
    stop = start + scale
    pixel = np.arange(math.ceil(float(stop[-1]) - 1e-9) + 1) if out else np.arange(0)
    covered = np.minimum(pixel + 1, stop[:, None]) - np.maximum(pixel, start[:, None])
    weight = np.maximum(covered, 0.0) / scale
    return _matrix(size, np.broadcast_to(pixel, weight.shape), weight)


# ---- kernels of any width ---------------------------------------------------------------------


def _lanczos(radius: float) -> Curve:
    return lambda x: np.sinc(x) * np.sinc(x / radius)


def _gaussian(x: Array) -> Array:
    """A Gaussian with a standard deviation of half a pixel, cut off at three of them."""
    return np.exp(-2.0 * x * x)


def _mitchell(x: Array) -> Array:
    near = ((7 / 6) * x - 2.0) * x * x + 8 / 9
    far = ((-7 / 18 * x + 2.0) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 1, far, near)


# The radius of each kernel, and the kernel.
CURVES: Final[dict[str, tuple[float, Curve]]] = {
    "box": (1.0, lambda x: np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))),
    "lanczos1": (1.0, _lanczos(1.0)),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, _gaussian),
    "triangle": (1.0, lambda x: 1.0 - x),
    "keyscubic": (2.0, cubic_curve(-0.5)),
    "mitchellcubic": (2.0, _mitchell),
}
LEAST: Final = 1000 * float(np.finfo(np.float32).tiny)


@kept
def scaled(
    size: int, out: int, scale: float, translate: float, kernel_type: str, antialias: bool
) -> Array:
    """The weights of a kernel around each point, normalized.

    When there are fewer new pixels than old ones, `antialias` widens the kernel to the area that a
    new pixel covers. Points outside of the image get zero.
    """
    radius, curve = CURVES[kernel_type]
    wide = max(1.0 / scale, 1.0) if antialias else 1.0
    at = (np.arange(out) + 0.5 - translate) / scale
    distance = np.abs(np.arange(size) + 0.5 - at[:, None]) / wide
    near = _near(size, out, np.float32(scale), np.float32(translate), radius, antialias)
    weight = np.where(near, curve(distance), 0.0)
    weight = np.where(((at >= 0) & (at <= size))[:, None], weight, 0.0)
    total = weight.sum(axis=1, keepdims=True)
    weight = weight / np.where(np.abs(total) >= LEAST, total, 1.0)
    weight.flags.writeable = False
    return weight


def _near(
    size: int,
    out: int,
    scale: np.floating[Any],
    translate: np.floating[Any],
    radius: float,
    antialias: bool,
) -> Array:
    """The weights within a kernel's radius, in float32 like TensorFlow: a Gaussian jumps there."""
    f = np.float32
    step = f(1.0) / scale
    at = np.arange(0.5, out, dtype=f) * step - step * translate
    wide = f(1.0) / max(step, f(1.0)) if antialias else f(1.0)
    distance = np.abs(np.arange(0.5, size, dtype=f) - at[:, None]) * wide
    return distance < f(radius)
