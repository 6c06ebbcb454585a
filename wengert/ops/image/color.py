"""Colour spaces: hue, saturation and value; luminance and chroma; greyscale.

Where two colours of a pixel are equally strong, the first counts as the strongest and the last as
the weakest, as in TensorFlow. A grey pixel has no hue: its derivative there is zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import FailedPreconditionError, InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import one_hot
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import expand_dims, tile, transpose
from wengert.ops.arrays.slicing import reverse
from wengert.ops.linalg.matmul import tensordot
from wengert.ops.math.arithmetic import clip_by_value, div_no_nan, floormod
from wengert.ops.math.comparison import greater, less, logical_and
from wengert.ops.math.elementwise import cast, ones_like, sign_real
from wengert.ops.reductions.reductions import argmax, argmin, reduce_sum
from wengert.ops.support.batch_rules import all_at_once, beside_the_first
from wengert.ops.support.declare import REAL, wrong_dtype
from wengert.ops.support.half_precision import widen
from wengert.values import dtypes
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

# ---- RGB to HSV -------------------------------------------------------------------------------

# The hue is a difference of two colours, which depend on the strongest: a row for each.
DIFFERENCES: Final = ((0, 1, -1), (-1, 0, 1), (1, -1, 0))


def _planes(_: Namespace, rgb: Array) -> tuple[Any, ...]:
    """The three colours as separate arrays: reductions over three elements are slow."""
    return tuple(rgb[..., i].copy() for i in range(3))


def _ends(xp: Namespace, planes: tuple[Any, ...]) -> tuple[Any, Any]:
    red, green, blue = planes
    low = xp.minimum(xp.minimum(red, green), blue)
    return low, xp.maximum(xp.maximum(red, green), blue)


def _hue_of(xp: Namespace, planes: tuple[Any, ...], value: Array, reach: Array) -> Array:
    red, green, blue = planes
    is_red, is_green = red == value, green == value
    first = xp.where(is_red, green, xp.where(is_green, blue, red))
    second = xp.where(is_red, blue, xp.where(is_green, red, green))
    start = xp.where(is_red, 0, xp.where(is_green, reach.dtype.type(2 / 6), 4 / 6))
    safe = xp.where(reach > 0, 6 * reach, 1)
    hue = xp.where(reach > 0, (first - second) / safe + start, 0).astype(reach.dtype)
    return hue + (hue < 0)


def _together(xp: Namespace, planes: Sequence[Array]) -> Array:
    out = xp.empty((*planes[0].shape, 3), planes[0].dtype)
    for i, plane in enumerate(planes):
        out[..., i] = plane
    return out


def _to_hsv_kernel(xp: Namespace, x: Array) -> Array:
    planes = _planes(xp, widen(x))
    low, value = _ends(xp, planes)
    reach = value - low
    saturation = xp.where(value > 0, reach / xp.where(value > 0, value, 1), 0)
    hue = _hue_of(xp, planes, value, reach)
    return _together(xp, (hue, saturation.astype(hue.dtype), value)).astype(x.dtype, copy=False)


def _to_hsv_rule(g: Tensor, y: Tensor | None, x: Tensor) -> Tensor:
    """Saturation = r / v for the strongest colour v and the range r = v - w from the weakest w."""
    strongest, weakest, of_hue, _ = _hue_parts(x)
    v, w = (reduce_sum(x * mask, -1, keepdims=True) for mask in (strongest, weakest))
    hue, saturation, value = channels(g)
    of_saturation = strongest * div_no_nan(w, v * v) - div_no_nan(weakest, v)
    lit = cast(greater(v, 0.0), x.dtype)
    result: Tensor = hue * of_hue + saturation * lit * of_saturation + value * strongest
    return result


def _hue_parts(x: Tensor) -> tuple[Any, Any, Any, Any]:
    """Which colour is strongest, which is weakest; the derivative of the hue n / (6 r) + c; r."""
    dtype = x.dtype
    strongest = one_hot(argmax(x, -1), 3, dtype=dtype)
    weakest = reverse(one_hot(argmin(reverse(x, [-1]), -1), 3, dtype=dtype), [-1])
    ways = reduce_sum(expand_dims(strongest, -1) * like(x, DIFFERENCES), -2)
    n, r = (reduce_sum(x * mask, -1, keepdims=True) for mask in (ways, strongest - weakest))
    of_hue = div_no_nan(ways, 6.0 * r) - div_no_nan(n, 6.0 * r * r) * (strongest - weakest)
    return strongest, weakest, of_hue, r


def like(x: Tensor, values: TensorLike) -> Tensor:
    """A constant of the dtype of a tensor."""
    return convert(np.array(values).astype(x.dtype.numpy_dtype))


def channels(x: Tensor) -> tuple[Any, Any, Any]:
    """The three channels, each with a last axis of size one."""
    return x[..., 0:1], x[..., 1:2], x[..., 2:3]


RGB_TO_HSV: Row = op(
    "RGBToHSV",
    _to_hsv_kernel,
    vjp=(_to_hsv_rule,),
    shape=lambda have: have,
    batch=all_at_once("RGBToHSV"),
    saves="x",
)

# ---- HSV to RGB -------------------------------------------------------------------------------

# Each colour is clip(a + b |6 hue - c|, 0, 1), desaturated and then scaled by the value.
BASE: Final = (-1.0, 2.0, 2.0)
SLOPE: Final = (1.0, -1.0, -1.0)
CENTRE: Final = (3.0, 2.0, 4.0)


def _pure_planes(xp: Namespace, hue: Array) -> Iterator[Any]:
    """The share of each colour in a pure hue."""
    for base, slope, centre in zip(BASE, SLOPE, CENTRE, strict=True):
        yield xp.clip(base + slope * xp.abs(6 * hue - centre), 0, 1)


def _to_rgb_kernel(xp: Namespace, x: Array) -> Array:
    hue, saturation, value = _planes(xp, widen(x))
    pale = 1 - saturation
    colours = [(pale + saturation * pure) * value for pure in _pure_planes(xp, hue)]
    return _together(xp, colours).astype(x.dtype, copy=False)


def _pure(hue: Tensor, axis: int = -1) -> tuple[Any, Any]:
    """The pure colours of a hue along an axis, and their derivative."""
    sizes = [1] * len(dims(hue))
    sizes[axis] = 3
    base, slope, centre = (like(hue, np.reshape(v, sizes)) for v in (BASE, SLOPE, CENTRE))
    away = 6.0 * hue - centre
    ramp = base + slope * (sign_real(away) * away)
    rising = cast(logical_and(greater(ramp, 0.0), less(ramp, 1.0)), hue.dtype)
    return clip_by_value(ramp, 0.0, 1.0), 6.0 * slope * sign_real(away) * rising


def _to_rgb_rule(g: Tensor, y: Tensor | None, x: Tensor) -> Tensor:
    """With the colours along the first axis: three numbers along the last take five times as long."""
    last = len(dims(x)) - 1
    x, g = (transpose(t, (last, *range(last))) for t in (x, g))
    hue, saturation, value = (x[i : i + 1] for i in range(3))
    pure, of_hue = _pure(hue, 0)
    parts = (
        g * of_hue * saturation * value,
        g * value * (pure - 1.0),
        g * (1.0 - saturation + saturation * pure),
    )
    together = concat([reduce_sum(part, 0, keepdims=True) for part in parts], 0)
    return transpose(together, (*range(1, last + 1), 0))


HSV_TO_RGB: Row = op(
    "HSVToRGB",
    _to_rgb_kernel,
    vjp=(_to_rgb_rule,),
    shape=lambda have: have,
    batch=all_at_once("HSVToRGB"),
    saves="x",
)


def _three_channels(row: Row, images: TensorLike) -> Tensor:
    x = convert(images, hint=dtypes.float32)
    if x.dtype.numpy_dtype.kind not in REAL:
        raise wrong_dtype(row, x.dtype, REAL)
    if not dims(x):
        raise InvalidArgumentError(f"input must be at least 1D [Op:{row.name}]")
    if dims(x)[-1] != 3:
        raise FailedPreconditionError(
            f"input must have 3 channels but input only has {dims(x)[-1]} channels. [Op:{row.name}]"
        )
    return x


@deferrable
def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Convert red, green and blue to hue, saturation and value, along the last axis.

    >>> tf.image.rgb_to_hsv([0.5, 1.0, 0.5]).numpy().round(4).tolist()
    [0.33329999446868896, 0.5, 1.0]
    """
    result: Tensor = apply(RGB_TO_HSV, (_three_channels(RGB_TO_HSV, images),))
    return result


@deferrable
def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Convert hue, saturation and value to red, green and blue, along the last axis.

    >>> tf.image.hsv_to_rgb([0.5, 0.5, 1.0]).numpy().tolist()
    [0.5, 1.0, 1.0]
    """
    result: Tensor = apply(HSV_TO_RGB, (_three_channels(HSV_TO_RGB, images),))
    return result


# ---- adjusting hue and saturation -------------------------------------------------------------

# By one number; in a batch by one for each example, of the rank of the images.


def _for_planes(number: Array) -> Array:
    return number[..., 0] if number.ndim else number


def _turned_kernel(xp: Namespace, x: Array, delta: Array) -> Array:
    planes = _planes(xp, widen(x))
    low, high = _ends(xp, planes)
    reach = high - low
    hue = _hue_of(xp, planes, high, reach) + _for_planes(delta).astype(reach.dtype)
    hue = hue - xp.floor(hue)
    colours = [low + reach * pure for pure in _pure_planes(xp, hue)]
    return _together(xp, colours).astype(x.dtype, copy=False)


def _turned_parts(x: Tensor, delta: Tensor) -> tuple[Any, Any]:
    """The pure colours of the new hue and their derivative."""
    hue = rgb_to_hsv(x)[..., :1] + cast(delta, x.dtype)
    return _pure(floormod(hue, ones_like(hue)))


def _hue_rule(g: Tensor, y: Tensor | None, x: Tensor, delta: Tensor) -> Tensor:
    """A colour is w + r pure(hue + delta), with the weakest w and the range r to the strongest."""
    strongest, weakest, of_hue, r = _hue_parts(x)
    pure, slope = _turned_parts(x, delta)
    for_hue, for_high, for_low = (
        reduce_sum(part, -1, keepdims=True) for part in (g * slope * r, g * pure, g * (1.0 - pure))
    )
    result: Tensor = for_hue * of_hue + for_high * strongest + for_low * weakest
    return result


def _hue_delta_rule(g: Tensor, y: Tensor | None, x: Tensor, delta: Tensor) -> Tensor:
    _, slope = _turned_parts(x, delta)
    return cast(bound.sum_to(g * slope * _hue_parts(x)[3], dims(delta)), delta.dtype)


def _saturated_kernel(xp: Namespace, x: Array, factor: Array) -> Array:
    hsv = _to_hsv_kernel(xp, widen(x))
    hsv[..., 1] = xp.clip(hsv[..., 1] * _for_planes(factor), 0, 1)
    return _to_rgb_kernel(xp, hsv).astype(x.dtype)


def _saturation_parts(g: Tensor, x: Tensor, factor: Tensor) -> tuple[Any, Any, Any]:
    """The cotangent of the new colours; where saturation was not clipped; the old saturation."""
    hue, saturation, value = channels(rgb_to_hsv(x))
    wanted = saturation * cast(factor, x.dtype)
    new = concat([hue, clip_by_value(wanted, 0.0, 1.0), value], -1)
    free = cast(logical_and(greater(wanted, 0.0), less(wanted, 1.0)), x.dtype)
    return _to_rgb_rule(g, None, new), free, saturation


def _saturation_rule(g: Tensor, y: Tensor | None, x: Tensor, factor: Tensor) -> Tensor:
    inner, free, _ = _saturation_parts(g, x, factor)
    hue, saturation, value = channels(inner)
    back = concat([hue, saturation * free * cast(factor, x.dtype), value], -1)
    return _to_hsv_rule(back, None, x)


def _saturation_factor_rule(g: Tensor, y: Tensor | None, x: Tensor, factor: Tensor) -> Tensor:
    inner, free, saturation = _saturation_parts(g, x, factor)
    total = bound.sum_to(inner[..., 1:2] * free * saturation, dims(factor))
    return cast(total, factor.dtype)


ADJUST_HUE: Row = op(
    "AdjustHue",
    _turned_kernel,
    vjp=(_hue_rule, _hue_delta_rule),
    shape=lambda have, delta: have,
    batch=beside_the_first("AdjustHue"),
    saves="x",
)
ADJUST_SATURATION: Row = op(
    "AdjustSaturation",
    _saturated_kernel,
    vjp=(_saturation_rule, _saturation_factor_rule),
    shape=lambda have, factor: have,
    batch=beside_the_first("AdjustSaturation"),
    saves="x",
)

# ---- luminance and chroma: products with a matrix ---------------------------------------------

YIQ: Final = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
FROM_YIQ: Final = (
    (1.0, 1.0, 1.0),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)
YUV: Final = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
FROM_YUV: Final = (
    (1.0, 1.0, 1.0),
    (0.0, -0.394642334, 2.03206185),
    (1.13988303, -0.58062185, 0.0),
)
GREY: Final = (0.2989, 0.5870, 0.1140)


def mix_channels(images: TensorLike, matrix: TensorLike) -> Tensor:
    """Multiply the channels by a matrix."""
    x = convert(images)
    if x.dtype.numpy_dtype.kind not in REAL:
        raise TypeError(
            f"Cannot convert the weights to {x.dtype}: the images must be floating. "
            "Use tf.image.convert_image_dtype first."
        )
    return tensordot(x, like(x, matrix), [[len(dims(x)) - 1], [0]])


@deferrable
def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Convert RGB to YIQ: luminance and two colour differences, as in NTSC television.

    >>> print(tf.image.rgb_to_yiq([[1.0, 0.0, 0.0]]).numpy().round(4))
    [[0.299  0.5959 0.2115]]
    """
    return mix_channels(images, YIQ)


@deferrable
def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Convert YIQ to RGB, the inverse of rgb_to_yiq.

    >>> tf.image.yiq_to_rgb([[0.5, 0.0, 0.0]]).numpy().tolist()
    [[0.5, 0.5, 0.5]]
    """
    return mix_channels(images, FROM_YIQ)


@deferrable
def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Convert RGB to YUV: luminance and two colour differences, as in PAL television.

    >>> print(tf.image.rgb_to_yuv([[1.0, 0.0, 0.0]]).numpy().round(4))
    [[ 0.299  -0.1471  0.615 ]]
    """
    return mix_channels(images, YUV)


@deferrable
def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Convert YUV to RGB, the inverse of rgb_to_yuv.

    >>> tf.image.yuv_to_rgb([[0.5, 0.0, 0.0]]).numpy().tolist()
    [[0.5, 0.5, 0.5]]
    """
    return mix_channels(images, FROM_YUV)


@deferrable
def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Repeat the single channel three times.

    >>> tf.image.grayscale_to_rgb([[1.0], [2.0]]).numpy().tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """
    x = convert(images)
    if len(dims(x)) < 2:
        raise ValueError(f"A grayscale image (shape {dims(x)}) must be at least two-dimensional.")
    if dims(x)[-1] != 1:
        raise ValueError(
            f"Last dimension of a grayscale image should be size 1. The shape is {dims(x)}."
        )
    return tile(x, (1,) * (len(dims(x)) - 1) + (3,))
