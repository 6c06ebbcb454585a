"""Image adjustments: brightness, contrast, gamma, hue, saturation, dtype, standardization.

Integer images are converted to floats from 0 to 1, and the results back to integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.identity import identity
from wengert.ops.image.color import ADJUST_HUE, ADJUST_SATURATION, GREY, mix_channels
from wengert.ops.image.resize import as_floats
from wengert.ops.math.arithmetic import floordiv, maximum, multiply, saturate_cast
from wengert.ops.math.elementwise import cast, sqrt
from wengert.ops.reductions.reductions import reduce_mean, reduce_variance
from wengert.ops.support.batch_rules import beside_the_first
from wengert.ops.support.half_precision import widen
from wengert.ops.support.replaced_types import warn_of_replaced
from wengert.values import dtypes
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import shape_text
from wengert.values.tensor import Tensor, dims
from wengert.values.typed_calls import of_one

if TYPE_CHECKING:
    from wengert.values.typing import Array, DTypeLike, Namespace, TensorLike

# ---- dtypes -----------------------------------------------------------------------------------


def _is_real(dtype: DType) -> bool:
    return dtype.is_floating or dtype.is_integer


@of_one
@deferrable
def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Tensor:
    """The image in another dtype; the range of integers corresponds to 0 to 1 in floats.

    `saturate` clips values to the range of the dtype.

    >>> tf.image.convert_image_dtype([0.0, 0.5, 1.0], tf.uint8).numpy().tolist()
    [0, 127, 255]
    """
    x, wanted = convert(image), as_dtype(dtype)
    if not _is_real(wanted):
        raise AttributeError(f"dtype must be either floating point or integer, not {wanted.name}")
    if not _is_real(x.dtype):
        raise AttributeError(
            f"image dtype must be either floating point or integer, not {x.dtype.name}"
        )
    if x.dtype is wanted:
        same: Tensor = identity(x)
        return same
    if x.dtype.is_floating and wanted.is_floating:
        return cast(x, wanted)
    scaled: Tensor
    if x.dtype.is_integer and wanted.is_integer:
        return _between_integers(x, wanted, saturate)
    if x.dtype.is_integer:
        scaled = cast(x, wanted) * (1.0 / x.dtype.max)
        return scaled
    scaled = x * (wanted.max + 0.5)
    return saturate_cast(scaled, wanted) if saturate else cast(scaled, wanted)


def _between_integers(x: Tensor, wanted: DType, saturate: bool) -> Tensor:
    have, want = int(x.dtype.max), int(wanted.max)
    shrunk = floordiv(x, (have + 1) // (want + 1)) if have > want else x
    changed = saturate_cast(shrunk, wanted) if saturate else cast(shrunk, wanted)
    return changed if have > want else multiply(changed, (want + 1) // (have + 1))


def as_float(image: Tensor) -> Tensor:
    """The image in floats; a floating-point image is returned unchanged."""
    x = convert(image)
    return x if x.dtype.is_floating else convert_image_dtype(x, dtypes.float32)


def _factor(value: TensorLike, x: Tensor) -> Tensor:
    """A factor as float32, or as float64 if the image is."""
    wide: DType = dtypes.float64 if x.dtype is dtypes.float64 else dtypes.float32
    return cast(convert(value, hint=wide), wide)


# ---- contrast ---------------------------------------------------------------------------------


def _contrast_kernel(xp: Namespace, x: Array, factor: Array) -> Array:
    *batch, h, w, c = x.shape
    # Row by row, which are contiguous in memory: of pixels there are only three numbers each.
    rows = widen(x).reshape(*batch, h, w * c)
    total = rows.sum(axis=-2).reshape(*batch, w, c).sum(axis=-2) / max(h * w, 1)
    mean = xp.tile(total, w)[..., None, :]
    by = (factor[..., 0] if factor.ndim else factor).astype(rows.dtype)
    y = rows - mean
    y *= by
    y += mean
    return y.reshape(x.shape).astype(x.dtype, copy=False)


def _contrast_factor_rule(g: Tensor, y: Tensor | None, x: Tensor, factor: Tensor) -> Tensor:
    mean = reduce_mean(x, (-3, -2), keepdims=True)
    return cast(bound.sum_to(g * (x - mean), dims(factor)), factor.dtype)


ADJUST_CONTRAST: Row = op(
    "AdjustContrastv2",
    _contrast_kernel,
    vjp=(
        lambda g, y, x, factor: apply(ADJUST_CONTRAST, (g, factor)),
        _contrast_factor_rule,
    ),
    shape=lambda have, factor: have,
    batch=beside_the_first("AdjustContrastv2"),
    saves="x",
)


@deferrable
def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Adjust the contrast of each channel of each image: (x - mean) × factor + mean.

    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel().tolist()
    [0.0, 4.0]
    """
    given = convert(images)
    x = as_float(given)
    if len(dims(x)) < 3:
        raise InvalidArgumentError(
            f"input must be at least 3-D, got shape{shape_text(dims(x))} [Op:AdjustContrastv2]"
        )
    result: Tensor = apply(ADJUST_CONTRAST, (x, _scalar("contrast_factor", contrast_factor, x)))
    return convert_image_dtype(result, given.dtype, saturate=True)


def _scalar(what: str, value: TensorLike, x: Tensor) -> Tensor:
    factor = _factor(value, x)
    if dims(factor):
        raise InvalidArgumentError(f"{what} must be scalar: {shape_text(dims(factor))}")
    return factor


# ---- hue and saturation -----------------------------------------------------------------------


def _changed(row: Row, image: TensorLike, what: str, value: TensorLike) -> Tensor:
    given = convert(image)
    x = as_float(given)
    shape = dims(x)
    if len(shape) < 3:
        raise InvalidArgumentError(
            f"input must be at least 3-D, got shape{shape_text(shape)} [Op:{row.name}]"
        )
    if shape[-1] != 3:
        raise InvalidArgumentError(
            f"input must have 3 channels but instead has {shape[-1]} channels. [Op:{row.name}]"
        )
    result: Tensor = apply(row, (x, _scalar(what, value, x)))
    return convert_image_dtype(result, given.dtype)


@deferrable
def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """Rotate the hue of each pixel by a fraction of the circle, from -1 to 1.

    >>> tf.image.adjust_hue([[[1.0, 0.5, 0.5]]], 0.5).numpy().ravel().tolist()
    [0.5, 1.0, 1.0]
    """
    if isinstance(delta, (int, float)) and not -1 <= delta <= 1:
        raise ValueError(f"delta must be in the interval [-1, 1], got {delta}")
    return _changed(ADJUST_HUE, image, "delta", delta)


@deferrable
def adjust_saturation(
    image: TensorLike, saturation_factor: TensorLike, name: str | None = None
) -> Tensor:
    """Multiply the saturation of each pixel by a factor, clipped to one.

    >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 0.5).numpy().ravel().tolist()
    [1.0, 0.75, 0.75]
    """
    return _changed(ADJUST_SATURATION, image, "scale", saturation_factor)


# ---- brightness, gamma, grey ------------------------------------------------------------------


@of_one
@deferrable
def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Add a number to the image, on the scale of floats.

    >>> tf.image.adjust_brightness(tf.constant([0, 100, 200], tf.uint8), 0.5).numpy().tolist()
    [127, 227, 255]
    """
    given = convert(image)
    x = as_float(given)
    return convert_image_dtype(x + cast(convert(delta), x.dtype), given.dtype, saturate=True)


@of_one
@deferrable
def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1) -> Tensor:
    """gain × image ** gamma.

    >>> tf.image.adjust_gamma([0.5, 1.0], gamma=2.0, gain=0.5).numpy().tolist()
    [0.125, 0.5]
    """
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError(f"Gamma should be a non-negative real number. It is {gamma}.")
    given = convert(image)
    x = as_float(given)
    return convert_image_dtype(gain * x**gamma, given.dtype, saturate=True)


@deferrable
def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """Convert red, green and blue to one channel of brightness.

    >>> print(tf.image.rgb_to_grayscale([[1.0, 0.0, 0.0]]).numpy().round(4))
    [[0.2989]]
    """
    given = convert(images)
    x = as_float(given)
    if not dims(x) or dims(x)[-1] != 3:
        raise InvalidArgumentError(
            f"Images must have 3 channels, the shape is {shape_text(dims(x))} [Op:MatMul]"
        )
    warn_of_replaced("tf.image.rgb_to_grayscale", "'MatMul'", images, "ExpandDims")
    grey = mix_channels(x, [[w] for w in GREY])
    return convert_image_dtype(grey, given.dtype)


@deferrable
def per_image_standardization(image: TensorLike) -> Tensor:
    """Scale each image to mean 0 and variance 1; the deviation is at least 1 / sqrt(pixels).

    >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy().ravel().tolist()
    [-1.0, 1.0]
    """
    x = as_floats(convert(image))
    shape = dims(x)
    if len(shape) < 3:
        raise ValueError(f"'image' (shape {shape}) must be at least three-dimensional.")
    axes = [-1, -2, -3]
    count = shape[-1] * shape[-2] * shape[-3]
    mean = reduce_mean(x, axes, keepdims=True)
    # the maximum before the root, whose derivative at zero is infinite
    variance = maximum(reduce_variance(x, axes, keepdims=True), 1.0 / max(count, 1))
    return (x - mean) / sqrt(variance)
