"""tf.signal: transforms of every dimension, windows, frames, and back again."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, everywhere, internal, named, refusal


def programs(tf: Any) -> Programs:
    return fourier(tf) | cosine(tf) | framed(tf) | derived(tf)


def counted(tf: Any, *shape: int, dtype: Any = None) -> Any:
    return tf.cast(np.cos(np.arange(np.prod(shape)) * 1.3).reshape(shape), dtype or tf.float32)


def fourier(tf: Any) -> Programs:
    """Discrete Fourier transforms."""
    s = tf.signal
    c = tf.complex64

    def fourier_lengths() -> Any:
        x = counted(tf, 2, 7)
        return [s.rfft(x, [n]) for n in (4, 7, 9)] + [s.irfft(s.rfft(x), [n]) for n in (6, 7, 10)]

    def fourier_of_two() -> Any:
        x = counted(tf, 3, 4)
        return [
            s.fft2d(tf.cast(x, c)), s.ifft2d(tf.cast(x, c)), s.rfft2d(x), s.rfft2d(x, [2, 5]), s.irfft2d(tf.cast(x, c)),
            s.irfft2d(tf.cast(x, c), [3, 5]),
        ]  # fmt: skip

    def fourier_of_three() -> Any:
        x = counted(tf, 2, 2, 3)
        return [
            s.fft3d(tf.cast(x, c)),
            s.ifft3d(tf.cast(x, c)),
            s.rfft3d(x),
            s.irfft3d(tf.cast(x, c), [2, 2, 3]),
        ]

    def fourier_of_empty() -> Any:
        return [
            s.fft(tf.zeros([0, 3], c)),
            s.rfft(tf.zeros([2, 0, 4])),
            s.irfft(tf.zeros([0, 3], c)),
        ]

    def fourier_dtypes() -> Any:
        wide = counted(tf, 5, dtype=tf.float64)
        return [
            s.rfft(wide),
            s.fft(tf.cast(wide, tf.complex128)),
            s.irfft(s.rfft(wide)),
            refusal(lambda: s.rfft(counted(tf, 4, dtype=tf.float16))),
        ]

    def fourier_refused() -> Any:
        return [
            refusal(lambda: s.rfft(1.0), ""), refusal(lambda: s.fft([1.0, 2.0]), ""), refusal(lambda: s.rfft2d([1.0]), ""),
            refusal(lambda: s.rfft([1.0, 2.0], [[1]]), ""), refusal(lambda: s.rfft([1.0, 2.0], [1, 2]), ""),
            refusal(lambda: s.rfft([1.0, 2.0], [-1]), ""), refusal(lambda: s.irfft(tf.constant([1j]), [4, 4]), ""),
            refusal(lambda: s.rfft(tf.constant([1, 2])), ""),
        ]  # fmt: skip

    def fourier_shapes() -> Any:
        with tf.Graph().as_default():
            x = tf.compat.v1.placeholder(tf.float32, [None, 5])
            y = tf.compat.v1.placeholder(tf.complex64, None)
            return [
                s.rfft(x).shape,
                s.rfft(x, [8]).shape,
                s.irfft(tf.cast(x, c)).shape,
                s.fft(y).shape.rank,
                s.rfft(x, tf.compat.v1.placeholder(tf.int32, [1])).shape,
            ]

    def fourier_shifted() -> Any:
        x = tf.reshape(tf.range(6.0), [2, 3])
        return [
            s.fftshift(x),
            s.ifftshift(x),
            s.fftshift(x, 0),
            s.ifftshift(x, [0, 1]),
            s.fftshift(x, axes=-1),
        ]

    def fourier_in_modes() -> Any:
        return everywhere(
            tf, lambda: [s.rfft(counted(tf, 4)), s.fft2d(tf.cast(counted(tf, 2, 2), c))]
        )

    def fourier_internal() -> Any:
        ops = internal("ops.signal.fft_ops")
        x = counted(tf, 2, 4)
        return [ops.rfft(x), ops.fft(tf.cast(x, c)), ops.irfft(tf.cast(x, c)), ops.fftshift(x)]

    return named(
        fourier_lengths, fourier_of_two, fourier_of_three, fourier_of_empty, fourier_dtypes, fourier_refused,
        fourier_shapes, fourier_shifted, fourier_in_modes, fourier_internal,
    )  # fmt: skip


def cosine(tf: Any) -> Programs:
    """Cosine transforms of every type."""
    s = tf.signal

    def cosines() -> Any:
        x = counted(tf, 2, 5)
        return [
            s.dct(x, type=t, norm=norm)
            for t in (1, 2, 3, 4)
            for norm in (None, "ortho")
            if (t, norm) != (1, "ortho")
        ]

    def cosines_back() -> Any:
        x = counted(tf, 2, 5)
        return [
            s.idct(s.dct(x, type=t, norm=n), type=t, norm=n)
            for t, n in ((1, None), (2, None), (2, "ortho"), (3, None), (4, "ortho"))
        ]

    def cosines_of_lengths() -> Any:
        x = counted(tf, 2, 5)
        return [s.dct(x, type=t, n=n) for t in (1, 2, 3, 4) for n in (3, 8)]

    def cosines_refused() -> Any:
        x = counted(tf, 4)
        return [
            refusal(lambda: s.dct(x, type=5), "Types I, II, III and IV"), refusal(lambda: s.dct(x, type=1, norm="ortho"), "Normalization is not supported for the Type-I"),
            refusal(lambda: s.dct(x, norm="no"), "Unknown normalization"), refusal(lambda: s.dct(x, axis=0), "axis must be -1"),
            refusal(lambda: s.dct(x, n=-2), "should be a positive integer"), refusal(lambda: s.idct(x, n=3), "n is not implemented"),
            refusal(lambda: s.dct(tf.ones([1]), type=1), "dimension greater than one"), refusal(lambda: s.dct(tf.ones([2], tf.int32))),
        ]  # fmt: skip

    def cosines_modified() -> Any:
        x = counted(tf, 2, 24)
        m = s.mdct(x, 8, norm="ortho", pad_end=True)
        return [
            m,
            s.mdct(x, 8, None),
            s.inverse_mdct(m, norm="ortho"),
            s.inverse_mdct(m),
            refusal(lambda: s.mdct(x, 10), "multiple of 4"),
            refusal(lambda: s.mdct(x, [8]), ""),
        ]

    return named(cosines, cosines_back, cosines_of_lengths, cosines_refused, cosines_modified)


def framed(tf: Any) -> Programs:
    """Windows, frames, and transforms of frames."""
    s = tf.signal

    def frames() -> Any:
        x = counted(tf, 2, 9)
        return [
            s.frame(x, 4, 2), s.frame(x, 4, 3, pad_end=True), s.frame(x, 4, 4, pad_end=True, pad_value=7), s.frame(x, 2, 1, axis=0),
            s.frame(x, 12, 1), s.frame(x, 12, 1, pad_end=True), s.frame(tf.range(6), 2, 3), s.frame(counted(tf, 3, 5, 2), 3, 2, axis=1),
        ]  # fmt: skip

    def frames_in_modes() -> Any:
        return everywhere(tf, lambda: s.frame(counted(tf, 9), 4, 3, pad_end=True))

    def frames_refused() -> Any:
        x = counted(tf, 9)
        return [
            refusal(lambda: s.frame(x, 0, 1), ""), refusal(lambda: s.frame(x, 2, 0), ""), refusal(lambda: s.frame(x, [2], 1), ""),
            refusal(lambda: s.frame(x, 2, 1, axis=2), ""), refusal(lambda: s.frame(1.0, 2, 1), ""), refusal(lambda: s.frame(x, 2, 1, pad_end=True, pad_value=[1.0]), ""),
        ]  # fmt: skip

    def frames_shapes() -> Any:
        with tf.Graph().as_default():
            p = tf.compat.v1.placeholder
            return [
                s.frame(p(tf.float32, [None, 9]), 4, 2).shape, s.frame(p(tf.float32, [3, None]), 4, 2).shape,
                s.frame(p(tf.float32, None), 4, 2).shape.rank, s.frame(p(tf.float32, [2, 9]), p(tf.int32, []), 2).shape,
            ]  # fmt: skip

    def frames_added() -> Any:
        x = counted(tf, 2, 4, 3)
        return [s.overlap_and_add(x, n) for n in (1, 2, 3, 5)] + [
            s.overlap_and_add(tf.ones([3, 2], tf.int32), 1)
        ]

    def frames_added_refused() -> Any:
        x = counted(tf, 4, 3)
        return [
            refusal(lambda: s.overlap_and_add(x[0], 1), "at least 2"),
            refusal(lambda: s.overlap_and_add(x, [1]), "scalar"),
            refusal(lambda: s.overlap_and_add(x, 1.5), "integer"),
            everywhere(tf, lambda: s.overlap_and_add(counted(tf, 4, 3), 2)),
        ]

    def windows() -> Any:
        return [
            [w(n, periodic=p) for w in (s.hann_window, s.hamming_window) for n in (1, 4, 5) for p in (True, False)],
            [s.kaiser_window(n, b) for n in (1, 5) for b in (0.0, 8.0)], [s.kaiser_bessel_derived_window(n) for n in (4, 6)],
            [s.vorbis_window(n) for n in (2, 6)], s.hann_window(4, dtype=tf.float64), refusal(lambda: s.hann_window(4, dtype=tf.int32), "floating"),
            refusal(lambda: s.hann_window([4]), ""), everywhere(tf, lambda: s.hamming_window(tf.constant(5))),
        ]  # fmt: skip

    def spectra() -> Any:
        x = counted(tf, 2, 32)
        one = s.stft(x, 8, 4)
        return [
            one, s.stft(x, 8, 4, fft_length=16), s.stft(x, 8, 4, window_fn=None, pad_end=True), s.stft(x, 5, 2, fft_length=8),
            s.inverse_stft(one, 8, 4), s.inverse_stft(one, 8, 4, window_fn=s.inverse_stft_window_fn(4)), s.inverse_stft(one, 6, 2, fft_length=8, window_fn=None),
        ]  # fmt: skip

    def spectra_refused() -> Any:
        x = counted(tf, 32)
        return [
            refusal(lambda: s.stft(1.0, 8, 4), ""), refusal(lambda: s.stft(x, [8], 4), ""), refusal(lambda: s.stft(x, 8, [4]), ""), refusal(lambda: s.stft(x, 8, 4, fft_length=[8]), ""),
            refusal(lambda: s.inverse_stft(tf.constant([1j]), 8, 4), ""), refusal(lambda: s.inverse_stft(s.stft(x, 8, 4), [8], 4), ""),
        ]  # fmt: skip

    def spectra_in_modes() -> Any:
        return everywhere(tf, lambda: s.inverse_stft(s.stft(counted(tf, 32), 8, 4), 8, 4))

    def mel() -> Any:
        return [
            s.linear_to_mel_weight_matrix(4, 9, 8000.0, 80.0, 4000.0), s.linear_to_mel_weight_matrix(3, 5, 100, 10.0, 50.0, tf.float64),
            s.mfccs_from_log_mel_spectrograms(counted(tf, 2, 5)), refusal(lambda: s.linear_to_mel_weight_matrix(0, 5, 100, 10.0, 50.0), "num_mel_bins must be positive"),
            refusal(lambda: s.linear_to_mel_weight_matrix(3, 5, 100, 60.0, 50.0), "lower_edge_hertz"), refusal(lambda: s.linear_to_mel_weight_matrix(3, 5, 100, 10.0, 90.0), "upper_edge_hertz|Nyquist"),
            refusal(lambda: s.linear_to_mel_weight_matrix(3, 5, -1, 10.0, 50.0), "sample_rate"), refusal(lambda: s.linear_to_mel_weight_matrix(3, 5, 100, 10.0, 50.0, tf.int32), "floating"),
        ]  # fmt: skip

    def internal_signal() -> Any:
        shape, rec, util = (
            internal(f"ops.signal.{m}") for m in ("shape_ops", "reconstruction_ops", "util_ops")
        )
        win, spec, mel_ops, mfcc = (
            internal(f"ops.signal.{m}")
            for m in ("window_ops", "spectral_ops", "mel_ops", "mfcc_ops")
        )
        x = counted(tf, 12)
        return [
            shape.frame(x, 4, 2), rec.overlap_and_add(shape.frame(x, 4, 2), 2), util.gcd(12, 18), win.hann_window(4), spec.stft(x, 4, 2),
            mel_ops.linear_to_mel_weight_matrix(3, 5, 100, 10.0, 50.0).shape, mfcc.mfccs_from_log_mel_spectrograms(counted(tf, 1, 4)),
        ]  # fmt: skip

    return named(
        frames, frames_in_modes, frames_refused, frames_shapes, frames_added, frames_added_refused, windows, spectra,
        spectra_refused, spectra_in_modes, mel, internal_signal,
    )  # fmt: skip


def derived(tf: Any) -> Programs:
    """Gradients of transforms, by both checkers."""
    s = tf.signal
    checker = internal("ops.gradient_checker_v2")
    old = internal("ops.gradient_checker")

    def near(f: Any, x: Any) -> Any:
        return bool(checker.max_error(*checker.compute_gradient(f, [x])) < 1e-2)

    def transforms_checked() -> Any:
        x = counted(tf, 2, 6)

        def parts(y: Any) -> Any:
            return tf.math.real(y) * 2.0 + tf.math.imag(y)

        return [
            near(lambda v: parts(s.rfft(v)), x), near(lambda v: parts(s.rfft2d(v)), x), near(lambda v: s.irfft(tf.cast(v, tf.complex64)), x),
            near(lambda v: parts(s.fft(tf.complex(v, v))), x), near(lambda v: s.dct(v), x), near(lambda v: s.dct(v, 4, norm="ortho"), x),
            near(lambda v: s.frame(v, 3, 2), x), near(lambda v: s.overlap_and_add(v, 2), x), near(lambda v: parts(s.stft(v, 4, 2)), x),
            near(lambda v: s.mdct(v, 4, pad_end=True), x), near(lambda v: s.fftshift(v), x),
        ]  # fmt: skip

    def transforms_checked_in_sessions() -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session():
            x = counted(tf, 3, 4)
            y = tf.abs(s.rfft(x))
            return bool(
                old.compute_gradient_error(
                    x,
                    [3, 4],
                    y,
                    [3, 3],
                    x_init_value=np.cos(np.arange(12.0)).reshape(3, 4).astype(np.float32),
                )
                < 1e-2
            )

    def transforms_complex() -> Any:
        x = tf.complex(counted(tf, 4), counted(tf, 4) * 2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            ys = [s.fft(x), s.ifft(x), s.irfft(x), tf.abs(s.fft(x)) ** 2]
        return [tape.gradient(y, x) for y in ys]

    return named(transforms_checked, transforms_checked_in_sessions, transforms_complex)
