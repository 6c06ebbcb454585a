"""Rotating, flipping, cropping and padding images."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, number_of, sizes_of, states
from wengert.ops.arrays.indexing import slice_
from wengert.ops.arrays.shaping import expand_dims, squeeze, static
from wengert.ops.arrays.shaping import transpose as transposed
from wengert.ops.arrays.slicing import pad, reverse
from wengert.ops.image.resize import ResizeMethod, resize
from wengert.values.convert import convert
from wengert.values.shapes import Dims
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import FloatLike, IntLike, TensorLike


def image_of(image: TensorLike) -> tuple[Tensor, int]:
    """The image and the axis of its height, which depends on whether it is a batch."""
    x = convert(image)
    rank = len(dims(x))
    if rank < 3:
        raise ValueError(f"'image' (shape {dims(x)}) must be at least three-dimensional.")
    if rank > 4:
        raise _wrong_rank(dims(x))
    return x, rank - 3


def _check_not_empty(shape: Dims) -> None:
    if any(type(size) is int and size == 0 for size in shape[-3:]):
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {shape}")


def _wrong_rank(shape: Dims) -> ValueError:
    return ValueError(f"'image' (shape {shape}) must have either 3 or 4 dimensions.")


def _as_batch(image: TensorLike, change: Callable[[Tensor], Tensor]) -> Tensor:
    """Apply a function of batches to a batch or to a single image."""
    x = convert(image)
    if len(dims(x)) not in (3, 4):
        raise _wrong_rank(dims(x))
    return change(x) if len(dims(x)) == 4 else squeeze(change(expand_dims(x, 0)), [0])


def target_shape(image: TensorLike, height: int | None, width: int | None) -> Stated:
    """The shape of an image, or of a batch of them, of another size."""
    x = sizes_of(image)
    return None if x is None or len(x) not in (3, 4) else (*x[:-3], height, width, x[-1])


def _stated_target(image: TensorLike, target_height: IntLike, target_width: IntLike) -> Stated:
    return target_shape(image, number_of(target_height), number_of(target_width))


def _central_shape(image: TensorLike, central_fraction: FloatLike) -> Stated:
    x = sizes_of(image)
    if x is None or len(x) not in (3, 4):
        return None
    if not isinstance(central_fraction, Real):
        return target_shape(image, None, None)
    sizes = [None if n is None else n - 2 * _edge(n, float(central_fraction)) for n in x[-3:-1]]
    return target_shape(image, *sizes)


def _edge(size: int, fraction: FloatLike) -> int:
    """What a central crop cuts off at either side."""
    return int((size - size * float(fraction)) / 2)


def _number(value: IntLike) -> int:
    number = static(value)
    if number.ndim:
        raise InvalidArgumentError(f"Shape must be rank 0 but is rank {number.ndim}: {value!r}")
    return int(number)


def _require(holds: bool, sentence: str, *found: int) -> None:
    if not holds:
        numbers = ", ".join(str(f) for f in found)
        raise ValueError(f"{sentence} Found: {numbers}.")


# ---- flips and rotations ----------------------------------------------------------------------


@deferrable
def flip_left_right(image: TensorLike) -> Tensor:
    """Reverse the order of the image's columns.

    >>> tf.image.flip_left_right([[[1.0], [2.0]]]).numpy().ravel().tolist()
    [2.0, 1.0]
    """
    x, at = image_of(image)
    return reverse(x, [at + 1])


@deferrable
def flip_up_down(image: TensorLike) -> Tensor:
    """Reverse the order of the image's rows.

    >>> tf.image.flip_up_down([[[1.0]], [[2.0]]]).numpy().ravel().tolist()
    [2.0, 1.0]
    """
    x, at = image_of(image)
    return reverse(x, [at])


def _swapped(x: Tensor, at: int) -> Tensor:
    """Exchange rows and columns."""
    order = [*range(at), at + 1, at, at + 2]
    return transposed(x, order)


@deferrable
def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Transpose the image: exchange rows and columns.

    >>> tf.image.transpose([[[1.0], [2.0]]]).shape
    TensorShape([2, 1, 1])
    """
    return _swapped(*image_of(image))


def _stated_turn(image: TensorLike) -> Stated:
    """Height and width may change places; the batch and the channels stay."""
    x = sizes_of(image)
    return None if x is None or len(x) not in (3, 4) else (*x[:-3], None, None, x[-1])


@deferrable
@states(_stated_turn)
def rot90(image: TensorLike, k: IntLike = 1, name: str | None = None) -> Tensor:
    """Rotate the image counterclockwise by `k` quarter turns.

    >>> tf.image.rot90([[[1.0], [2.0]]]).numpy().tolist()
    [[[2.0]], [[1.0]]]
    """
    x, at = image_of(image)
    quarters = _number(k) % 4
    if quarters == 1:
        return _swapped(reverse(x, [at + 1]), at)
    if quarters == 2:
        return reverse(x, [at, at + 1])
    return reverse(_swapped(x, at), [at + 1]) if quarters else x


# ---- crops and padding ------------------------------------------------------------------------


@deferrable
@states(_stated_target)
def crop_to_bounding_box(
    image: TensorLike,
    offset_height: IntLike,
    offset_width: IntLike,
    target_height: IntLike,
    target_width: IntLike,
) -> Tensor:
    """Crop the image to a box, given by its upper left corner and its size.

    >>> image = tf.reshape(tf.range(9), [3, 3, 1])
    >>> tf.image.crop_to_bounding_box(image, 1, 0, 1, 2).numpy().ravel().tolist()
    [3, 4]
    """
    numbers = (offset_height, offset_width, target_height, target_width)
    top, left, tall, wide = (_number(n) for n in numbers)

    def change(x: Tensor) -> Tensor:
        count, height, width, depth = dims(x)
        _check_not_empty(dims(x))
        _require(left >= 0, "offset_width must be >= 0.", left)
        _require(top >= 0, "offset_height must be >= 0.", top)
        _require(wide > 0, "target_width must be > 0.", wide)
        _require(tall > 0, "target_height must be > 0.", tall)
        _require(width >= wide + left, "width must be >= target + offset.", width, wide, left)
        _require(height >= tall + top, "height must be >= target + offset.", height, tall, top)
        return slice_(x, [0, top, left, 0], [count, tall, wide, depth])

    return _as_batch(image, change)


@deferrable
@states(_stated_target)
def pad_to_bounding_box(
    image: TensorLike,
    offset_height: IntLike,
    offset_width: IntLike,
    target_height: IntLike,
    target_width: IntLike,
) -> Tensor:
    """Pad the image with zeros to a larger one, with its upper left corner at an offset.

    >>> tf.image.pad_to_bounding_box([[[1.0]]], 0, 1, 1, 3).numpy().ravel().tolist()
    [0.0, 1.0, 0.0]
    """
    numbers = (offset_height, offset_width, target_height, target_width)
    top, left, tall, wide = (_number(n) for n in numbers)

    def change(x: Tensor) -> Tensor:
        _check_not_empty(dims(x))
        height, width = dims(x)[1:3]
        right, under = wide - left - width, tall - top - height
        _require(top >= 0, "offset_height must be >= 0", top)
        _require(left >= 0, "offset_width must be >= 0", left)
        _require(right >= 0, "width must be <= target - offset", width, wide, left)
        _require(under >= 0, "height must be <= target - offset", height, tall, top)
        return pad(x, [[0, 0], [top, under], [left, right], [0, 0]])

    return _as_batch(image, change)


def _target(target_height: IntLike, target_width: IntLike) -> tuple[int, int]:
    tall, wide = _number(target_height), _number(target_width)
    _require(wide > 0, "target_width must be > 0.", wide)
    _require(tall > 0, "target_height must be > 0.", tall)
    return tall, wide


@deferrable
@states(_stated_target)
def resize_with_crop_or_pad(
    image: TensorLike, target_height: IntLike, target_width: IntLike
) -> Tensor:
    """Crop the image to its middle where it is too large, pad it with zeros where it is too small.

    >>> tf.image.resize_with_crop_or_pad([[[1.0], [2.0], [3.0]]], 1, 1).numpy().tolist()
    [[[2.0]]]
    """

    def change(x: Tensor) -> Tensor:
        tall, wide = _target(target_height, target_width)
        height, width = dims(x)[1:3]
        cut = crop_to_bounding_box(
            x,
            max((height - tall) // 2, 0),
            max((width - wide) // 2, 0),
            min(tall, height),
            min(wide, width),
        )
        at = max((tall - height) // 2, 0), max((wide - width) // 2, 0)
        return pad_to_bounding_box(cut, *at, tall, wide)

    return _as_batch(image, change)


@deferrable
@states(_stated_target)
def resize_with_pad(
    image: TensorLike,
    target_height: IntLike,
    target_width: IntLike,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """Resize the image, keeping its aspect ratio, and pad it with zeros to the target size.

    >>> tf.image.resize_with_pad([[[1.0], [1.0]]], 2, 2).numpy().ravel().tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    return resize_to_fit(
        image,
        target_height,
        target_width,
        lambda x, size: resize(x, size, method, antialias=antialias),
    )


def resize_to_fit(
    image: TensorLike,
    target_height: IntLike,
    target_width: IntLike,
    change: Callable[[Tensor, Dims], Tensor],
) -> Tensor:
    """Resize an image by a function to fit into a target, centred and padded with zeros."""

    def padded(x: Tensor) -> Tensor:
        target = _target(target_height, target_width)
        size, (top, left) = _fitted(dims(x)[1:3], target)
        return pad_to_bounding_box(change(x, size), top, left, *target)

    return _as_batch(image, padded)


def _fitted(have: Dims, target: Dims) -> tuple[Dims, Dims]:
    """Size and offset in the target, in single precision, so as to round like TensorFlow."""
    f = np.float32
    ratio = max(f(have[1]) / f(target[1]), f(have[0]) / f(target[0]))
    exact = [f(n) / ratio for n in have]
    size = tuple(int(np.floor(e)) for e in exact)
    at = [max(int(np.floor((f(t) - e) / f(2))), 0) for t, e in zip(target, exact, strict=True)]
    return size, tuple(at)


@deferrable
@states(_central_shape)
def central_crop(image: TensorLike, central_fraction: FloatLike) -> Tensor:
    """Crop the image to its middle, a fraction of its height and width.

    >>> tf.image.central_crop([[[1.0], [2.0], [3.0], [4.0]]], 0.5).numpy().ravel().tolist()
    [2.0, 3.0]
    """
    fraction = float(central_fraction)
    if not 0.0 < fraction <= 1.0:
        raise ValueError(f"central_fraction must be within (0, 1], got {fraction}")
    x, at = image_of(image)
    if fraction == 1.0:
        return x
    shape = dims(x)
    edges = [_edge(n, fraction) for n in shape[at : at + 2]]
    begin = [0] * at + [*edges, 0]
    return slice_(x, begin, [n - 2 * b for n, b in zip(shape, begin, strict=True)])
