"""Framing, short-time Fourier and cosine transforms, the mel scale."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, number_of, sizes_of, states
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.gathering import GATHER_GRAD, gather_densely
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import one_axis, reshape, static, tile
from wengert.ops.arrays.slicing import pad, reverse
from wengert.ops.math.complex import real
from wengert.ops.math.elementwise import square
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.signal.fourier import REAL, as_complex, as_signal, fft, fit_to, irfft, rfft
from wengert.ops.signal.window_functions import hann_window, vorbis_window
from wengert.values import dtypes, sizes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import Array, DTypeLike, FloatLike, Integers, IntLike, TensorLike

# ---- frames -----------------------------------------------------------------------------------


def _places(frames: int, length: int, step: int) -> Tensor | Array:
    """The indices of each frame's elements; the number of frames may be unknown."""
    first = np.arange(frames, dtype=np.int32) if type(frames) is int else range_(frames)
    return first[:, None] * step + np.arange(length, dtype=np.int32)


def check_scalar(what: str, value: TensorLike) -> None:
    """Raise unless an argument is one value."""
    if convert(value).shape.rank:
        raise ValueError(f"{what} must be a scalar, got shape {convert(value).shape}.")


def one_integer(what: str, value: TensorLike) -> int:
    """An argument that is one integer."""
    check_scalar(what, value)
    if not convert(value).dtype.is_integer:
        raise ValueError(f"{what} must be an integer, got {value!r}.")
    return int(static(value))


def _stated_frames(signal: TensorLike, axis: Integers) -> Stated:
    """An axis becomes two; the others stay."""
    x, at = sizes_of(signal), number_of(axis)
    if x is None or at is None or not -len(x) <= at < len(x):
        return None
    return (*x[: at % len(x)], None, None, *x[at % len(x) + 1 :])


@deferrable
@states(_stated_frames)
def frame(
    signal: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: Integers = -1,
    name: str | None = None,
) -> Tensor:
    """Divide a signal into overlapping frames: the axis becomes two, frames and their elements.

    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()
    [[1, 2, 3], [3, 4, 5]]
    """
    check_scalar("pad_value", pad_value)
    x, length = convert(signal), one_integer("frame_length", frame_length)
    step = one_integer("frame_step", frame_step)
    if step == 0:
        raise InvalidArgumentError("frame_step must not be zero [Op:FloorDiv]")
    at = one_axis(axis, len(dims(x)), "Frame")
    size = dims(x)[at]
    if pad_end:
        count = -(-size // step)
        missing = max((count - 1) * step + length - size, 0)
        room = [[0, missing if a == at else 0] for a in range(len(dims(x)))]
        x = pad(x, room, constant_values=pad_value)
    else:
        count = sizes.maximum(1 + (size - length) // step, 0)
    return gather_densely(x, _places(count, length, step), at)


@deferrable
def overlap_and_add(signal: TensorLike, frame_step: IntLike, name: str | None = None) -> Tensor:
    """Reconstruct a signal from overlapping frames, which are added where they overlap.

    >>> tf.signal.overlap_and_add([[1, 1], [1, 1]], 1).numpy().tolist()
    [1, 2, 1]
    """
    x, step = convert(signal), one_integer("frame_step", frame_step)
    *outer, count, length = dims(x)
    shape = (*outer, max((count - 1) * step + length, 0))
    attrs = {"axis": len(outer), "batch_dims": 0, "shape": shape}
    places = convert(_places(count, length, step))
    result: Tensor = apply(GATHER_GRAD, (x, places), attrs)
    return result


# ---- short-time Fourier transforms ------------------------------------------------------------

Window = Callable[..., Any]


@deferrable
def stft(
    signals: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    fft_length: TensorLike | None = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform: the spectra of overlapping, windowed frames.

    >>> tf.signal.stft([1.0, 1.0, 1.0, 1.0], 2, 2, window_fn=None).numpy().real.tolist()
    [[2.0, 0.0], [2.0, 0.0]]
    """
    x, length = convert(signals), one_integer("frame_length", frame_length)
    size = _enclosing_power(length) if fft_length is None else one_integer("fft_length", fft_length)
    frames = frame(x, length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    spectra: Tensor = rfft(frames, [size])
    return spectra


def _enclosing_power(length: int) -> int:
    return 1 << max(length - 1, 0).bit_length()


@deferrable
def inverse_stft(
    stfts: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    fft_length: TensorLike | None = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal with the given short-time spectra; see `inverse_stft_window_fn`.

    >>> spectra = tf.signal.stft([1.0, 2.0, 3.0, 4.0], 2, 2, window_fn=None)
    >>> tf.signal.inverse_stft(spectra, 2, 2, window_fn=None).numpy().tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    length = one_integer("frame_length", frame_length)
    size = _enclosing_power(length) if fft_length is None else one_integer("fft_length", fft_length)
    frames = irfft(convert(stfts), [size])  # an array keeps its precision, as in stft
    frames = fit_to(frames, [length], (len(dims(frames)) - 1,))
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: IntLike, forward_window_fn: Window = hann_window, name: str | None = None
) -> Window:
    """The window with which inverse_stft inverts stft: their overlapping products sum to one.

    >>> window = tf.signal.inverse_stft_window_fn(2)
    >>> print(window(4, dtype=tf.float32).numpy().round(3))
    [0. 1. 1. 1.]
    """

    def window(frame_length: int, dtype: DType) -> Tensor:
        length, step = (
            one_integer("frame_length", frame_length),
            one_integer("frame_step", frame_step),
        )
        forward = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        squares = pad(square(forward), [[0, overlaps * step - length]])
        total = reduce_sum(reshape(squares, (overlaps, step)), 0, keepdims=True)
        spread = reshape(tile(total, (overlaps, 1)), (overlaps * step,))[:length]
        inverse: Tensor = forward / spread
        return inverse

    return window


# ---- cosine transforms ------------------------------------------------------------------------


def _check_transform(type: int, axis: int, norm: str | None, n: IntLike | None, size: int) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and one_integer("n", n) < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if type == 1 and size < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


@deferrable
def dct(
    input: TensorLike,
    type: int = 2,
    n: IntLike | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform of type 1, 2, 3 or 4 along the last axis.

    >>> print(tf.signal.dct([1.0, 2.0]).numpy().round(4))
    [ 6.     -1.4142]
    """
    x = convert(input)
    _check_transform(type, axis, norm, n, dims(x)[-1])
    if not x.dtype.is_differentiable:
        raise TypeError(
            f"dct takes floats, got {x.dtype.spoken}. Use tf.cast to convert them first."
        )
    x = as_signal(x, REAL, "RFFT")
    if n is not None:
        x = fit_to(x, [one_integer("n", n)], (len(dims(x)) - 1,))
    return {1: _dct1, 2: _dct2, 3: _dct3, 4: _dct4}[type](x, norm == "ortho")


@deferrable
def idct(
    input: TensorLike,
    type: int = 2,
    n: IntLike | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of dct of the same type, except for a factor if there is no norm.

    >>> x = tf.constant([1.0, 2.0])
    >>> tf.signal.idct(tf.signal.dct(x, norm="ortho"), norm="ortho").numpy().round(4).tolist()
    [1.0, 2.0]
    """
    return dct(input, {1: 1, 2: 3, 3: 2, 4: 4}.get(type, type), n, axis, norm)


def _turned(size: int, like: Tensor, offset: float, count: int) -> Tensor:
    """exp(-i pi (k + offset) / 2n) for k below a count."""
    angles = -np.pi * (np.arange(count) + offset) * 0.5 / size
    return as_complex(convert(np.cos(angles), like.dtype)) + 1j * as_complex(
        convert(np.sin(angles), like.dtype)
    )


def _dct1(x: Tensor, ortho: bool) -> Tensor:
    """The spectrum of the signal extended by its mirror image."""
    both = concat([x, reverse(x[..., 1:-1], [len(dims(x)) - 1])], -1)
    return real(rfft(both))


def _dct2(x: Tensor, ortho: bool) -> Tensor:
    size = dims(x)[-1]
    spectrum = rfft(x, [2 * size])[..., :size]
    y = real(spectrum * _turned(size, x, 0.0, size)) * 2.0
    return y * _orthogonal(size, x, 0.5) if ortho else y


def _orthogonal(size: int, like: Tensor, factor: float) -> Tensor:
    """The scale that makes the transform orthogonal; the first element's is different."""
    weights = _but_first(size, factor * math.sqrt(2.0 / size), factor * math.sqrt(1.0 / size))
    return convert(weights, like.dtype)


def _but_first(size: int, value: float, first: float) -> Array:
    return np.where(np.arange(size) == 0, first, value)


def _dct3(x: Tensor, ortho: bool) -> Tensor:
    """x[0] + 2 sum of x[k] cos(pi k (j + 1/2) / n)."""
    size = dims(x)[-1]
    if ortho:
        weights = _but_first(size, math.sqrt(0.5 / size), math.sqrt(1.0 / size))
        x = x * convert(weights, x.dtype)
    doubled = convert(_but_first(size, 2.0, 1.0), x.dtype)
    scaled = as_complex(x * doubled) * _turned(size, x, 0.0, size)
    padded = fit_to(scaled, [2 * size], (len(dims(x)) - 1,))
    return real(fft(padded))[..., :size]


def _dct4(x: Tensor, ortho: bool) -> Tensor:
    """2 sum of x[k] cos(pi (2k + 1) (2j + 1) / 4n)."""
    size = dims(x)[-1]
    turned = as_complex(x) * _turned(size, x, 0.0, size)
    spectrum = fft(fit_to(turned, [2 * size], (len(dims(x)) - 1,)))[..., :size]
    y = real(spectrum * _turned(size, x, 0.5, size)) * 2.0
    return y * math.sqrt(0.5 / size) if ortho else y


@deferrable
def mdct(
    signals: TensorLike,
    frame_length: IntLike,
    window_fn: Window | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform: frames overlap by half, without redundancy.

    >>> tf.signal.mdct([1.0, 2.0, 3.0, 4.0], 4, window_fn=None).numpy().round(3)
    array([[-9.687, -2.482]], dtype=float32)
    """
    length = one_integer("frame_length", frame_length)
    if length % 4:
        raise ValueError(f"The frame length must be a multiple of 4, got {length}.")
    half, quarter = length // 2, length // 4
    frames = frame(signals, length, half, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    else:
        frames = frames * (1.0 / math.sqrt(2.0))
    a, b, c, d = [frames[..., i * quarter : (i + 1) * quarter] for i in range(4)]
    last = [len(dims(frames)) - 1]
    folded = concat([-reverse(c, last) - d, a - reverse(b, last)], -1)
    return dct(folded, type=4, norm=norm)


@deferrable
def inverse_mdct(
    mdcts: TensorLike,
    window_fn: Window | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The signal with the given modified cosine transforms, except for its ends.

    >>> spectra = tf.signal.mdct(tf.range(8.0), 4)
    >>> tf.signal.inverse_mdct(spectra).numpy()[2:-2].round(3).tolist()
    [2.0, 3.0, 4.0, 5.0]
    """
    spectra = convert(mdcts)
    half = dims(spectra)[-1]
    if half % 2:
        raise InvalidArgumentError(f"The number of coefficients must be even, got {half}.")
    back = dct(spectra, type=4, norm=norm)
    scaled = back if norm == "ortho" else back * (0.5 / half)
    first, second = scaled[..., : half // 2], scaled[..., half // 2 :]
    last = [len(dims(spectra)) - 1]
    frames = concat([second, -reverse(second, last), -reverse(first, last), -first], -1)
    if window_fn is not None:
        frames = frames * window_fn(2 * half, dtype=frames.dtype)
    else:
        frames = frames * (1.0 / math.sqrt(2.0))
    return overlap_and_add(frames, half)


# ---- mel --------------------------------------------------------------------------------------


def _mel(hertz: Array | float) -> Array:
    return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)


@deferrable
def linear_to_mel_weight_matrix(
    num_mel_bins: IntLike = 20,
    num_spectrogram_bins: IntLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: FloatLike = 125.0,
    upper_edge_hertz: FloatLike = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The matrix that sums the bins of a spectrum with overlapping triangles on the mel scale.

    >>> tf.signal.linear_to_mel_weight_matrix(4, 9).shape
    TensorShape([9, 4])
    """
    mels, bins = (
        one_integer("num_mel_bins", num_mel_bins),
        one_integer("num_spectrogram_bins", num_spectrogram_bins),
    )
    rate = float(np.asarray(convert(sample_rate)))
    low, high = float(lower_edge_hertz), float(upper_edge_hertz)
    _check_mel(mels, rate, low, high)
    if not as_dtype(dtype).is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {as_dtype(dtype)!r}")
    spectrum = _mel(np.linspace(0.0, rate / 2, bins)[1:])[:, None]  # without the zero frequency
    edges = np.linspace(_mel(low), _mel(high), mels + 2)
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (spectrum - left) / (centre - left), (right - spectrum) / (right - centre)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return convert(np.pad(weights, [[1, 0], [0, 0]]), as_dtype(dtype))


def _check_mel(mels: int, rate: float, low: float, high: float) -> None:
    for wrong, message in (
        (mels <= 0, f"num_mel_bins must be positive. Got: {mels}"),
        (low < 0, f"lower_edge_hertz must be non-negative. Got: {low}"),
        (low >= high, f"lower_edge_hertz {low:.1f} >= upper_edge_hertz {high:.1f}"),
        (rate <= 0, f"sample_rate must be positive. Got: {rate}"),
        (
            high > rate / 2,
            f"upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {high} for sample_rate: {rate}",
        ),
    ):
        if wrong:
            raise ValueError(message)


@deferrable
def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: TensorLike, name: str | None = None
) -> Tensor:
    """The mel-frequency cepstral coefficients (MFCCs) of logarithmic mel spectra.

    >>> tf.signal.mfccs_from_log_mel_spectrograms([[1.0, 1.0]]).numpy().round(3)
    array([[2., 0.]], dtype=float32)
    """
    x = convert(log_mel_spectrograms)
    size = dims(x)[-1]
    if size == 0:
        raise ValueError("num_mel_bins must be positive. Got: 0")
    coefficients: Tensor = dct(x, type=2) * (1.0 / math.sqrt(2.0 * size))
    return coefficients
