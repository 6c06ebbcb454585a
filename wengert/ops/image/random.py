"""Random image augmentations, stateful or with a seed for each call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import range_, shape
from wengert.ops.arrays.creation import size as size_of
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.indexing import slice_
from wengert.ops.arrays.shaping import as_shape, expand_dims, reshape, squeeze
from wengert.ops.arrays.slicing import reverse
from wengert.ops.control.asserts import assert_less_equal
from wengert.ops.image.adjust import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
)
from wengert.ops.image.geometry import image_of
from wengert.ops.math.comparison import less, where
from wengert.ops.math.elementwise import cast, round
from wengert.ops.random.stateful import uniform
from wengert.ops.random.stateless import stateless_uniform
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import Tensor, dims
from wengert.values.typed_calls import of_one

if TYPE_CHECKING:
    from wengert.values.typing import IntLike, TensorLike

Draw = Callable[..., Tensor]


def _drawn(seed: IntLike | None) -> Draw:
    return partial(uniform, seed=seed)


def _fixed(seed: TensorLike | None) -> Draw:
    return partial(stateless_uniform, seed=seed)


def _not_negative(what: str, value: float) -> None:
    if value < 0:
        raise ValueError(f"{what} must be non-negative. It is {value}.")


def _between(draw: Draw, lower: float, upper: float) -> Tensor:
    if upper <= lower:
        raise ValueError(f"upper must be > lower. They are {upper} and {lower}.")
    _not_negative("lower", lower)
    return draw(shape=[], minval=lower, maxval=upper)


# ---- brightness, contrast, hue, saturation ----------------------------------------------------


def _about_zero(draw: Draw, reach: float) -> Tensor:
    _not_negative("max_delta", reach)
    return draw(shape=[], minval=-reach, maxval=reach)


def _hue(draw: Draw, image: TensorLike, reach: float) -> Tensor:
    if reach > 0.5:
        raise ValueError(f"max_delta must be <= 0.5. It is {reach}.")
    return adjust_hue(image, _about_zero(draw, reach))


@of_one
@deferrable
def random_brightness(image: TensorLike, max_delta: float, seed: IntLike | None = None) -> Tensor:
    """Add a random number from -max_delta to max_delta to the image.

    >>> tf.random.set_seed(1)
    >>> tf.image.random_brightness([[[1.0]]], 0.5).shape
    TensorShape([1, 1, 1])
    """
    return adjust_brightness(image, _about_zero(_drawn(seed), max_delta))


@of_one
@deferrable
def stateless_random_brightness(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """random_brightness as a function of a seed of two numbers.

    >>> print(tf.image.stateless_random_brightness([[[1.0]]], 0.5, [1, 2]).numpy().ravel())
    [1.3440604]
    """
    return adjust_brightness(image, _about_zero(_fixed(seed), max_delta))


@deferrable
def random_contrast(
    image: TensorLike, lower: float, upper: float, seed: IntLike | None = None
) -> Tensor:
    """Multiply the contrast of the image by a random number from `lower` to `upper`.

    >>> tf.random.set_seed(1)
    >>> tf.image.random_contrast([[[1.0]]], 0.5, 1.5).numpy().item()
    1.0
    """
    return adjust_contrast(image, _between(_drawn(seed), lower, upper))


@deferrable
def stateless_random_contrast(
    image: TensorLike, lower: float, upper: float, seed: TensorLike
) -> Tensor:
    """random_contrast as a function of a seed of two numbers.

    >>> tf.image.stateless_random_contrast([[[1.0]]], 0.5, 1.5, [1, 2]).numpy().item()
    1.0
    """
    return adjust_contrast(image, _between(_fixed(seed), lower, upper))


@deferrable
def random_hue(image: TensorLike, max_delta: float, seed: IntLike | None = None) -> Tensor:
    """Rotate the hue of the image by a random number from -max_delta to max_delta.

    >>> tf.random.set_seed(1)
    >>> tf.image.random_hue([[[0.5, 0.5, 0.5]]], 0.2).numpy().ravel().tolist()
    [0.5, 0.5, 0.5]
    """
    return _hue(_drawn(seed), image, max_delta)


@deferrable
def stateless_random_hue(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """random_hue as a function of a seed of two numbers.

    >>> tf.image.stateless_random_hue([[[0.5, 0.5, 0.5]]], 0.2, [1, 2]).numpy().ravel().tolist()
    [0.5, 0.5, 0.5]
    """
    return _hue(_fixed(seed), image, max_delta)


@deferrable
def random_saturation(
    image: TensorLike, lower: float, upper: float, seed: IntLike | None = None
) -> Tensor:
    """Multiply the saturation of the image by a random number from `lower` to `upper`.

    >>> tf.random.set_seed(1)
    >>> tf.image.random_saturation([[[0.5, 0.5, 0.5]]], 0.5, 1.5).numpy().ravel().tolist()
    [0.5, 0.5, 0.5]
    """
    return adjust_saturation(image, _between(_drawn(seed), lower, upper))


@deferrable
def stateless_random_saturation(
    image: TensorLike, lower: float, upper: float, seed: TensorLike | None = None
) -> Tensor:
    """random_saturation as a function of a seed of two numbers.

    >>> f = tf.image.stateless_random_saturation
    >>> f([[[0.5, 0.5, 0.5]]], 0.5, 1.5, [1, 2]).numpy().ravel().tolist()
    [0.5, 0.5, 0.5]
    """
    return adjust_saturation(image, _between(_fixed(seed), lower, upper))


# ---- flips ------------------------------------------------------------------------------------


def _flipped(draw: Draw, image: TensorLike, axis: int) -> Tensor:
    """Flip an image, or each image of a batch, or not, at random."""
    x, at = image_of(image)
    mirrored = reverse(x, [at + axis])
    if not at:
        return where(less(draw(shape=[], minval=0, maxval=1.0), 0.5), mirrored, x)
    drawn = round(draw(shape=[dims(x)[0]], minval=0, maxval=1.0))
    return where(reshape(cast(drawn, dtypes.bool_), (-1, 1, 1, 1)), mirrored, x)


@deferrable
def random_flip_left_right(image: TensorLike, seed: IntLike | None = None) -> Tensor:
    """Flip an image, or each of a batch, left to right with probability 1/2.

    >>> tf.random.set_seed(1)
    >>> tf.image.random_flip_left_right([[[1.0], [2.0]]]).shape
    TensorShape([1, 2, 1])
    """
    return _flipped(_drawn(seed), image, 1)


@deferrable
def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """random_flip_left_right as a function of a seed of two numbers.

    >>> f = tf.image.stateless_random_flip_left_right
    >>> [f([[[1.0], [2.0]]], [1, s]).numpy().ravel().tolist() for s in (1, 2)]
    [[2.0, 1.0], [1.0, 2.0]]
    """
    return _flipped(_fixed(seed), image, 1)


@deferrable
def random_flip_up_down(image: TensorLike, seed: IntLike | None = None) -> Tensor:
    """Flip an image, or each of a batch, upside down with probability 1/2.

    >>> tf.random.set_seed(1)
    >>> tf.image.random_flip_up_down([[[1.0], [2.0]]]).shape
    TensorShape([1, 2, 1])
    """
    return _flipped(_drawn(seed), image, 0)


@deferrable
def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """random_flip_up_down as a function of a seed of two numbers.

    >>> f = tf.image.stateless_random_flip_up_down
    >>> [f([[[1.0]], [[2.0]]], [1, s]).numpy().ravel().tolist() for s in (1, 2)]
    [[2.0, 1.0], [1.0, 2.0]]
    """
    return _flipped(_fixed(seed), image, 0)


# ---- crops ------------------------------------------------------------------------------------


def _cropped(draw: Draw, value: TensorLike, size: TensorLike) -> Tensor:
    """A crop at a random offset, by gathers, as the offset is known only at run time."""
    x = convert(value)
    if isinstance(size, SymbolicTensor) or not is_certain(dims(x)):
        return _cropped_later(draw, x, convert(size, dtypes.int32))
    wanted, have = as_shape(size), dims(x)
    if len(wanted) != len(have) or any(w > h for w, h in zip(wanted, have, strict=True)):
        raise InvalidArgumentError(
            f"Need value.shape >= size, got {shape_text(have)} and {shape_text(wanted)}"
        )
    drawn = draw(shape=[len(have)], minval=0, maxval=dtypes.int32.max, dtype=dtypes.int32)
    x = expand_dims(x, 0)  # along the first axis the gradient would be rows with their indices
    for axis, (w, h) in enumerate(zip(wanted, have, strict=True)):
        if w < h:
            x = gather(x, drawn[axis] % (h - w + 1) + range_(w), axis=axis + 1)
    return squeeze(x, [0])


def _cropped_later(draw: Draw, x: Tensor, wanted: Tensor) -> Tensor:
    """The same where sizes are known only at run time."""
    have = shape(x)
    rank = size_of(wanted)
    assert_less_equal(wanted, have, message="Need value.shape >= size")
    drawn = draw(shape=[rank], minval=0, maxval=dtypes.int32.max, dtype=dtypes.int32)
    return slice_(x, drawn % (have - wanted + 1), wanted)


@deferrable
def random_crop(
    value: TensorLike, size: TensorLike, seed: IntLike | None = None, name: str | None = None
) -> Tensor:
    """Crop the tensor to a given shape at a random offset.

    >>> tf.random.set_seed(1)
    >>> tf.image.random_crop(tf.zeros([4, 4, 3]), [2, 3, 3]).shape
    TensorShape([2, 3, 3])
    """
    return _cropped(_drawn(seed), value, size)


@deferrable
def stateless_random_crop(
    value: TensorLike, size: TensorLike, seed: TensorLike, name: str | None = None
) -> Tensor:
    """random_crop as a function of a seed of two numbers.

    >>> tf.image.stateless_random_crop([1, 2, 3, 4, 5], [2], [1, 2]).shape
    TensorShape([2])
    """
    return _cropped(_fixed(seed), value, size)
