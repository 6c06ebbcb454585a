"""Patches of images and volumes: each window laid out along the channels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import TABLE, op
from wengert.errors import InvalidArgumentError, UnimplementedError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.window_geometry import (
    Windows,
    check_positive,
    check_rank,
    taps,
    window_numbers,
    windows,
)
from wengert.ops.support.batch_rules import merged_batch
from wengert.ops.support.half_precision import widen
from wengert.values.convert import convert
from wengert.values.shapes import Dims
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Integers, Namespace, TensorLike


def _windows(shape: Dims, attrs: Attrs, who: str) -> Windows:
    ones = (1,) * len(shape)
    return windows(
        tuple(shape[1:-1]),
        attrs["ksizes"][1:-1],
        attrs["strides"][1:-1],
        attrs.get("rates", ones)[1:-1],
        attrs["padding"],
        (),
        who,
    )


def _taps_first(patches: Array, spatial: int) -> Array:
    """Windows with the axes of positions within them in front."""
    return np.moveaxis(patches, range(1 + spatial, 1 + 2 * spatial), range(spatial))


def _at(array: Array, slices: tuple[slice, ...]) -> Array:
    """A slice of all images."""
    return array[tuple([slice(None), *slices])]


def _family(name: str) -> Row:
    def kernel(_: Namespace, x: Array, **attrs: Any) -> Array:
        at = _windows(x.shape, attrs, name)
        y = np.zeros((len(x), *at.out, *at.kernel, x.shape[-1]), x.dtype)
        apart = _taps_first(y, len(at.out))
        for tap in taps(at):
            _at(apart[tap.at], tap.out)[...] = _at(x, tap.size)
        return y.reshape(_shape(x.shape, **attrs))

    def back(_: Namespace, g: Array, *, input_shape: Dims, **attrs: Any) -> Array:
        at = _windows(input_shape, attrs, name)
        wide = widen(g).reshape(len(g), *at.out, *at.kernel, input_shape[-1])
        apart = _taps_first(wide, len(at.out))
        x = np.zeros(input_shape, wide.dtype)
        for tap in taps(at):
            part = _at(x, tap.size)
            part += _at(apart[tap.at], tap.out)
        return x.astype(g.dtype, copy=False)

    def _shape(have: Dims, **attrs: Any) -> Dims:
        at = _windows(have, attrs, name)
        return (have[0], *at.out, math.prod(at.kernel) * have[-1])

    grad = f"{name}Grad"
    row = op(
        name,
        kernel,
        vjp=(lambda g, y, x, **attrs: apply(TABLE[grad], (g,), {"input_shape": dims(x), **attrs}),),
        shape=_shape,
        linear=(0,),
        batch=merged_batch(name),
        saves="",
    )
    op(
        grad,
        back,
        vjp=(lambda u, x, g, *, input_shape, **attrs: apply(TABLE[name], (u,), attrs),),
        shape=lambda g, *, input_shape, **attrs: input_shape,
        linear=(0,),
        batch=merged_batch(grad, sizes="input_shape"),
        saves="",
    )
    return row


IMAGE_PATCHES: Row = _family("ExtractImagePatches")
VOLUME_PATCHES: Row = _family("ExtractVolumePatches")


def _numbers(value: TensorLike | Integers, rank: int, name: str, who: str) -> Dims:
    numbers = window_numbers(value)
    if len(numbers) != rank:
        raise InvalidArgumentError(
            f"Length for attr '{name}' of {len(numbers)} must be {rank} [Op:{who}]"
        )
    check_positive(numbers, f"All of {name} must be positive", who)
    if numbers[0] != 1 or numbers[-1] != 1:
        raise UnimplementedError(f"Only support {name} across space. [Op:{who}]")
    return numbers


def _padding(value: str, who: str) -> str:
    padding = str(value).upper()
    if padding not in ("SAME", "VALID"):
        raise InvalidArgumentError(
            f"Value for attr 'padding' of {value!r} is not in the list of allowed values: "
            f'"SAME", "VALID" [Op:{who}]'
        )
    return padding


@deferrable
def extract_patches(
    images: TensorLike,
    sizes: Integers,
    strides: Integers,
    rates: Integers,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The pixels of each window of an image, laid out along the channels.

    >>> x, one = tf.reshape(tf.range(4.0), [1, 2, 2, 1]), [1, 1, 1, 1]
    >>> from wengert.ops.image.patches import extract_patches
    >>> extract_patches(x, [1, 2, 2, 1], one, one, "VALID").numpy().tolist()
    [[[[0.0, 1.0, 2.0, 3.0]]]]
    """
    x, who = convert(images), "ExtractImagePatches"
    check_rank(dims(x), 4, who)
    attrs = {
        "ksizes": _numbers(sizes, 4, "ksizes", who),
        "strides": _numbers(strides, 4, "strides", who),
        "rates": _numbers(rates, 4, "rates", who),
        "padding": _padding(padding, who),
    }
    result: Tensor = apply(IMAGE_PATCHES, (x,), attrs)
    return result


@deferrable
def extract_volume_patches(
    input: TensorLike, ksizes: TensorLike, strides: Integers, padding: str, name: str | None = None
) -> Tensor:
    """The elements of each window of a volume, laid out along the channels.

    >>> x, one = tf.reshape(tf.range(4.0), [1, 1, 2, 2, 1]), [1, 1, 1, 1, 1]
    >>> tf.extract_volume_patches(x, [1, 1, 2, 2, 1], one, "VALID").numpy().ravel().tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    x, who = convert(input), "ExtractVolumePatches"
    check_rank(dims(x), 5, who)
    attrs = {
        "ksizes": _numbers(ksizes, 5, "ksizes", who),
        "strides": _numbers(strides, 5, "strides", who),
        "padding": _padding(padding, who),
    }
    result: Tensor = apply(VOLUME_PATCHES, (x,), attrs)
    return result
