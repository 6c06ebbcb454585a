"""Signal processing: inverses, laws, sizes, messages."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wengert as tf

INVALID = tf.errors.InvalidArgumentError


def noise(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


@given(size=st.integers(1, 12), wanted=st.integers(1, 15), seed=st.integers(0, 999))
@settings(max_examples=60, deadline=None)
def test_cut_and_filled_transforms(size: int, wanted: int, seed: int) -> None:
    """A signal of another length is cut, or filled up with zeros; the gradient follows."""
    x = tf.constant(noise(size, seed=seed))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.signal.rfft(x, [wanted])
        energy = tf.reduce_sum(tf.abs(y) ** 2)
    assert np.allclose(y, np.fft.rfft(x.numpy(), wanted))
    spectrum = np.fft.rfft(x.numpy(), wanted)
    # Differences of a quadratic function are exact but for rounding.
    slope = np.array([
        (np.sum(np.abs(np.fft.rfft(x.numpy() + e, wanted)) ** 2)
         - np.sum(np.abs(np.fft.rfft(x.numpy() - e, wanted)) ** 2)) / 2
        for e in np.eye(size)
    ])  # fmt: skip
    assert len(spectrum) == wanted // 2 + 1
    assert np.allclose(tape.gradient(energy, x), slope)


@given(size=st.integers(1, 11), seed=st.integers(0, 999))
@settings(max_examples=40, deadline=None)
def test_there_and_back(size: int, seed: int) -> None:
    """The inverse of the transform of a real signal is the signal, whatever its size."""
    x = tf.constant(noise(2, size, seed=seed))
    assert np.allclose(tf.signal.irfft(tf.signal.rfft(x), [size]), x)
    assert np.allclose(tf.signal.ifft(tf.signal.fft(tf.cast(x, tf.complex128))), x)
    for kind in (2, 3, 4):
        back = tf.signal.idct(tf.signal.dct(x, kind, norm="ortho"), kind, norm="ortho")
        assert np.allclose(back, x)


def test_an_ignored_part_has_no_gradient() -> None:
    """The inverse for real signals does not look at the imaginary parts of its ends."""
    z = tf.constant([1 + 2j, 3 + 4j, 5 + 6j])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = tf.reduce_sum(tf.signal.irfft(z) * [1.0, 2.0, 3.0, 4.0])
    slope = tape.gradient(y, z).numpy()
    assert slope[0].imag == slope[2].imag == 0.0
    assert slope[1].imag != 0.0


def test_norms() -> None:
    """As in NumPy."""
    x = noise(3, 4)
    z = np.fft.rfftn(x)
    for norm in (None, "backward", "ortho", "forward"):
        there, back = np.fft.rfftn(x, norm=norm), np.fft.irfftn(z, norm=norm)
        assert np.allclose(tf.signal.rfftnd(tf.constant(x), norm=norm), there)
        assert np.allclose(tf.signal.irfftnd(tf.constant(z), norm=norm), back)
    with pytest.raises(ValueError, match="`norm` must be"):
        tf.signal.fftnd(x + 0j, norm="unit")


# What TensorFlow 2.21 gives for arrays and tensors of KINDS, and for lists of floats, integers and
# complex numbers; a dash where it raises. The functions of a line have these dtypes in common.
KINDS = ("float32", "float64", "complex64", "complex128")
SHORT = {"f": "float32", "d": "float64", "c": "complex64", "z": "complex128", "i": "int32"}
GIVEN = {
    "fft ifft fft2d ifft2d fft3d ifft3d": {"arrays": "cccc", "tensors": "--cz", "lists": "ccz"},
    "rfft rfft2d rfft3d": {"arrays": "cccc", "tensors": "cz--", "lists": "cc-"},
    "irfft irfft2d irfft3d": {"arrays": "ffff", "tensors": "--fd", "lists": "fff"},
    "fftshift ifftshift": {"arrays": "fdcz", "tensors": "fdcz", "lists": "fiz"},
    "stft": {"arrays": "cz--", "tensors": "cz--", "lists": "c--"},
    "dct idct mdct inverse_mdct": {"arrays": "fd--", "tensors": "fd--", "lists": "f--"},
    "inverse_stft": {"arrays": "--fd", "tensors": "--fd", "lists": "--d"},
}
# TensorFlow has no kernel for them on a processor; these are the dtypes that it asks for.
GIVEN |= {
    "fftnd ifftnd": {"arrays": "cccc", "tensors": "--cz", "lists": "ccc"},
    "rfftnd": GIVEN["rfft rfft2d rfft3d"],
    "irfftnd": GIVEN["irfft irfft2d irfft3d"],
}
ARGUMENTS = {"stft": (4, 2), "inverse_stft": (6, 2, 6), "mdct": (4,)}
FUNCTIONS = [(name, names) for names in GIVEN for name in names.split()]


def values_of(name: str) -> dict[str, list[Any]]:
    """Values of every kind, of the rank that a function takes."""
    rank = 3 if "3d" in name else 2
    arrays = [np.ones([4] * rank, kind) for kind in KINDS]
    return {
        "arrays": arrays,
        "tensors": [tf.constant(a) for a in arrays],
        "lists": [np.ones([4] * rank, kind).tolist() for kind in (float, int, complex)],
    }


def dtype_given(call: Any) -> str:
    try:
        return str(call().dtype.name)
    except (TypeError, ValueError):
        return "-"


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize(("name", "names"), FUNCTIONS, ids=[name for name, _ in FUNCTIONS])
def test_dtypes(name: str, names: str, in_function: bool) -> None:
    """As TensorFlow's, which casts arrays where it prefers a dtype, and never a tensor."""
    function = getattr(tf.signal, name)
    for form, values in values_of(name).items():
        wanted = GIVEN[names][form]
        if in_function and form == "arrays" and name.lstrip("i") in ("fft", "fft2d", "fft3d"):
            wanted = "cccz"  # eager mode casts these, too
        for value, letter in zip(values, wanted, strict=True):
            call = partial(function, value, *ARGUMENTS.get(name, ()))
            found = dtype_given(tf.function(call) if in_function else call)
            assert found == SHORT.get(letter, "-"), (form, value)


def test_short_time_spectra_invert() -> None:
    """With the window made for it, the signal comes back, but for its ends."""
    x = noise(2, 64)
    window = tf.signal.inverse_stft_window_fn(4)
    back = tf.signal.inverse_stft(tf.signal.stft(x, 16, 4), 16, 4, window_fn=window)
    assert np.allclose(back.numpy()[:, 16:48], x[:, 16:48])


def test_cosine_frames_invert() -> None:
    """For every window whose squares overlap to one."""
    x = noise(32)
    for window in (tf.signal.vorbis_window, tf.signal.kaiser_bessel_derived_window, None):
        for norm in (None, "ortho"):
            there = tf.signal.mdct(x, 8, window_fn=window, norm=norm)
            back = tf.signal.inverse_mdct(there, window_fn=window, norm=norm)
            assert np.allclose(back.numpy()[4:-4], x[4:-4])


def test_frames_at_the_end() -> None:
    """With pad_end every element starts a frame that is due; without, frames are full."""
    x = np.arange(5.0)
    assert tf.signal.frame(x, 3, 2).shape == (2, 3)
    padded = tf.signal.frame(x, 3, 2, pad_end=True, pad_value=-1.0).numpy()
    assert padded.tolist() == [[0.0, 1.0, 2.0], [2.0, 3.0, 4.0], [4.0, -1.0, -1.0]]
    assert tf.signal.frame(x, 9, 2).shape == (0, 9)
    assert tf.signal.frame(x[:, None], 3, 2, axis=0).shape == (2, 3, 1)


def test_windows() -> None:
    """Their formulas, from NumPy; the even periodic ones leave out their last element."""
    assert np.allclose(tf.signal.hann_window(7, periodic=False), np.hanning(7), atol=1e-6)
    assert np.allclose(tf.signal.hann_window(6), np.hanning(7)[:-1], atol=1e-6)
    assert np.allclose(tf.signal.hamming_window(6), np.hamming(7)[:-1], atol=1e-6)
    assert np.allclose(tf.signal.kaiser_window(6, 3.0), np.kaiser(6, 3.0), atol=1e-6)
    for n in (4, 8):
        for window in (tf.signal.vorbis_window(n), tf.signal.kaiser_bessel_derived_window(n)):
            squares = window.numpy() ** 2
            assert np.allclose(squares[: n // 2] + squares[n // 2 :], 1.0)
    assert tf.signal.hann_window(1).numpy().tolist() == [1.0]
    assert tf.signal.hann_window(3, dtype=tf.float64).dtype is tf.float64


def test_mel_matrix() -> None:
    """Triangles that overlap: each bin between the first and last centre is shared by two."""
    weights = tf.signal.linear_to_mel_weight_matrix(8, 257, 16000, 100.0, 7000.0).numpy()
    hertz = np.linspace(0, 8000, 257)
    inside = (hertz > 400) & (hertz < 5000)
    assert np.allclose(weights[inside].sum(1), 1.0, atol=1e-5)
    assert weights[0].tolist() == [0.0] * 8
    with pytest.raises(ValueError, match="Nyquist"):
        tf.signal.linear_to_mel_weight_matrix(upper_edge_hertz=5000.0)
    with pytest.raises(ValueError, match="num_mel_bins must be positive"):
        tf.signal.linear_to_mel_weight_matrix(num_mel_bins=0)


def test_messages() -> None:
    """What cannot be done, and the way out."""
    with pytest.raises(INVALID, match=r"Tcomplex.*FFT.*tf\.cast"):
        tf.signal.fft(tf.constant([1.0, 2.0]))
    with pytest.raises(INVALID, match=r"must have rank of at least 2 but got: \[2\]"):
        tf.signal.rfft2d([1.0, 2.0])
    with pytest.raises(INVALID, match=r"fft_length must have shape \[1\]"):
        tf.signal.rfft([1.0, 2.0], [2, 2])
    with pytest.raises(ValueError, match="Type-I DCT requires"):
        tf.signal.dct([1.0], type=1)
    with pytest.raises(ValueError, match="Types I, II, III and IV"):
        tf.signal.dct([1.0], type=5)
    with pytest.raises(ValueError, match="multiple of 4"):
        tf.signal.mdct(noise(12), 6)


def test_gradient_of_frames_of_a_vector_is_dense() -> None:
    """As TensorFlow's, although each frame is gathered."""
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.signal.frame(x, 2, 1)
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 2.0, 2.0, 1.0]


def test_frames_of_an_unknown_number_have_a_known_length() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def framed(x: Any) -> Any:
        y = tf.signal.frame(x, 2, 1)
        assert y.shape.as_list() == [None, None, 2]
        return y

    assert framed(tf.ones([2, 3])).shape == (2, 2, 2)
    assert framed(tf.ones([2, 1])).shape == (2, 0, 2)
