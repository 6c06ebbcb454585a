"""Window functions, by which frames of a signal are multiplied."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import static
from wengert.ops.arrays.slicing import reverse
from wengert.ops.math.elementwise import cast, sin, sqrt, square
from wengert.ops.reductions.cumulative import cumsum
from wengert.ops.special.bessel import bessel_i0
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, IntLike, TensorLike


def _length(window_length: IntLike) -> int:
    size = static(window_length)
    if size.ndim:
        raise ValueError(f"window_length must be a scalar, got shape {size.shape}.")
    return int(size)


def _kind(dtype: DTypeLike) -> DType:
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"Argument `dtype` must be a floating point type. Received: dtype={dtype}")
    return kind


def _raised_cosine(
    window_length: IntLike, periodic: bool, dtype: DTypeLike, a: float, b: float
) -> Tensor:
    size, kind = _length(window_length), _kind(dtype)
    if size == 1:
        return convert(np.ones(1), kind)
    turns = size - 1 + (1 if periodic and size % 2 == 0 else 0)  # an odd window is symmetric anyway
    angles = 2 * math.pi * np.arange(size) / turns
    return cast(convert(a - b * np.cos(angles)), kind)


@deferrable
def hann_window(
    window_length: IntLike,
    periodic: bool = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The Hann window, a raised cosine that falls to zero.

    >>> tf.signal.hann_window(4).numpy().round(3).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@deferrable
def hamming_window(
    window_length: IntLike,
    periodic: bool = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The Hamming window, a raised cosine that does not quite fall to zero.

    >>> tf.signal.hamming_window(4).numpy().round(2)
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


@deferrable
def vorbis_window(
    window_length: IntLike, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window of the Vorbis codec, whose overlapping squares sum to one.

    >>> tf.signal.vorbis_window(4).numpy().round(3)
    array([0.228, 0.974, 0.974, 0.228], dtype=float32)
    """
    size, kind = _length(window_length), _kind(dtype)
    angles = math.pi / size * (np.arange(size) + 0.5)
    return cast(sin(math.pi / 2 * square(sin(convert(angles)))), kind)


@deferrable
def kaiser_window(
    window_length: IntLike,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The Kaiser window; gradients flow to `beta`.

    >>> print(tf.signal.kaiser_window(3, beta=2.0).numpy().round(4))
    [0.4387 1.     0.4387]
    """
    size, kind = _length(window_length), _kind(dtype)
    if size == 1:
        return convert(np.ones(1), kind)
    half = (size - 1) / 2
    inside = np.sqrt(np.maximum(1 - ((np.arange(size) - half) / half) ** 2, 0))
    shape = cast(convert(beta, hint=kind), kind)
    window: Tensor = bessel_i0(shape * convert(inside, kind)) / bessel_i0(shape)
    return window


@deferrable
def kaiser_bessel_derived_window(
    window_length: IntLike,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The Kaiser-Bessel-derived window, from running sums of Kaiser's; its squares sum to one.

    >>> tf.signal.kaiser_bessel_derived_window(4, beta=2.0).numpy().round(3)
    array([0.483, 0.875, 0.875, 0.483], dtype=float32)
    """
    size = _length(window_length)
    kaiser = kaiser_window(size // 2 + 1, beta, dtype)
    running = cumsum(kaiser)
    rising = sqrt(running[:-1] / running[-1])
    return concat([rising, reverse(rising, [0])], 0)
