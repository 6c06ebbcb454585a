"""Projective transformations of images: each pixel of the result is read where a map sends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.creation import range_, shape
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import broadcast_to, expand_dims, reshape
from wengert.ops.math.arithmetic import maximum, minimum
from wengert.ops.math.comparison import equal, greater, less, logical_and, where
from wengert.ops.math.elementwise import cast, floor, sign_real, zeros_like
from wengert.values.convert import convert
from wengert.values.dtypes import float32, int32

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import TensorLike

# What is read outside of an image, by mode: where on an axis of n pixels a coordinate is read.
Outside = Callable[[Any, Any], Any]


def _clamped(at: Tensor, n: Tensor) -> Tensor:
    return minimum(maximum(at, 0.0), n - 1.0)


def _whole(x: Tensor) -> Tensor:
    """A number without its fraction."""
    return sign_real(x) * floor(x * sign_real(x))


def _reflected(at: Tensor, n: Tensor) -> Tensor:
    """[abcd] continues as [dcba|abcd|dcba]."""
    period = 2.0 * n
    below = where(less(at, period), period * _whole(-at / period) + at, at)
    below = where(less(below, -n), below + period, -below - 1.0)
    above = at - period * _whole(at / period)
    above = where(less(above, n), above, period - above - 1.0)
    inside = where(less(at, 0.0), below, where(greater(at, n - 1.0), above, at))
    return _clamped(where(greater(n, 1.0), inside, zeros_like(at)), n)


def _wrapped(at: Tensor, n: Tensor) -> Tensor:
    """[abcd] continues as [abcd|abcd|abcd]."""
    last = maximum(n - 1.0, 1.0)
    below = at + n * (_whole(-at / last) + 1.0)
    above = at - n * _whole(at / last)
    inside = where(less(at, 0.0), below, where(greater(at, n - 1.0), above, at))
    return _clamped(where(greater(n, 1.0), inside, zeros_like(at)), n)


_OUTSIDE: Final[dict[str, Outside]] = {
    "CONSTANT": lambda at, n: at,
    "NEAREST": _clamped,
    "REFLECT": _reflected,
    "WRAP": _wrapped,
}


def projective_transform(
    images: TensorLike,
    transforms: TensorLike,
    output_shape: TensorLike,
    fill_value: TensorLike,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Tensor:
    """Images [n, h, w, c] of which pixel (x, y) is read at (x', y'), by a transform for all or for each.

    A transform of eight numbers sends (x, y) to x' = (a0 x + a1 y + a2) / k, y' = (b0 x + b1 y + b2) / k
    with k = c0 x + c1 y + 1. The gradient of the images is exact; transforms have none.
    """
    pixels, rows = convert(images), convert(transforms, float32)
    if fill_mode not in _OUTSIDE or interpolation not in ("NEAREST", "BILINEAR"):
        raise InvalidArgumentError(
            f"fill_mode must be one of {sorted(_OUTSIDE)} and interpolation NEAREST or BILINEAR, got "
            f"{fill_mode} and {interpolation} [Op:ImageProjectiveTransformV3]"
        )
    sizes = shape(pixels)
    height, width = cast(sizes[1], float32), cast(sizes[2], float32)
    x, y, there = _sources(rows, convert(output_shape, int32))
    outside = _OUTSIDE[fill_mode]
    read = _Reader(pixels, fill_value)
    at_x, at_y = outside(x, width), outside(y, height)
    found = read.nearest(at_x, at_y) if interpolation == "NEAREST" else read.bilinear(at_x, at_y)
    return where(expand_dims(there, -1), cast(found, pixels.dtype), read.fill)


def _sources(transforms: Tensor, size: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Where each pixel is read, [transforms, height, width], and whether it is anywhere."""
    x = cast(expand_dims(range_(size[1]), 0), float32)
    y = cast(expand_dims(range_(size[0]), 1), float32)
    a0, a1, a2, b0, b1, b2, c0, c1 = (transforms[:, i, None, None] for i in range(8))
    k = c0 * x + c1 * y + 1.0
    there = ~equal(k, 0.0)
    k = where(there, k, 1.0)
    return (a0 * x + a1 * y + a2) / k, (b0 * x + b1 * y + b2) / k, there


class _Reader:
    """Reads pixels of images; the fill value stands outside of them."""

    def __init__(self, images: Tensor, fill_value: TensorLike) -> None:
        self._images = images
        sizes = shape(images)
        self._count, self._height, self._width = sizes[0], sizes[1], sizes[2]
        self._flat = reshape(images, stack([-1, sizes[3]]))
        self.fill = cast(convert(fill_value, float32), images.dtype)

    def at(self, x: Tensor, y: Tensor) -> Tensor:
        """The pixels at whole coordinates."""
        column, row = cast(x, int32), cast(y, int32)
        inside = logical_and(
            logical_and(x >= 0.0, x < cast(self._width, float32)),
            logical_and(y >= 0.0, y < cast(self._height, float32)),
        )
        grid = stack([self._count, shape(x)[1], shape(x)[2]])
        first = reshape(range_(self._count), [-1, 1, 1]) * (self._height * self._width)
        place = where(inside, row * self._width + column, 0)
        index = first + broadcast_to(place, grid)
        found = gather(self._flat, index)
        return where(expand_dims(broadcast_to(inside, grid), -1), found, self.fill)

    def nearest(self, x: Tensor, y: Tensor) -> Tensor:
        """The pixels nearest to coordinates; halves are rounded away from zero."""
        return self.at(_rounded(x), _rounded(y))

    def bilinear(self, x: Tensor, y: Tensor) -> Tensor:
        """The means of the four pixels around coordinates, weighted by how near they are."""
        left, top = floor(x), floor(y)
        right, bottom = left + 1.0, top + 1.0
        above = self._between(x, left, right, top)
        below = self._between(x, left, right, bottom)
        weights = expand_dims(bottom - y, -1), expand_dims(y - top, -1)
        return weights[0] * above + weights[1] * below

    def _between(self, x: Tensor, left: Tensor, right: Tensor, y: Tensor) -> Tensor:
        one, other = (cast(self.at(column, y), float32) for column in (left, right))
        return expand_dims(right - x, -1) * one + expand_dims(x - left, -1) * other


def _rounded(x: Tensor) -> Tensor:
    return sign_real(x) * floor(x * sign_real(x) + 0.5)
