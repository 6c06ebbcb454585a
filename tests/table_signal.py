"""Lines of the table of samples: Fourier transforms and signal processing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.fft
from samples import Line, anywhere, between, complexes, line

import wengert as tf

COMPLEX: dict[int, Any] = {1: [[(2, 3)], [(4,)]], 2: [[(2, 2, 3)]], 3: [[(2, 1, 3)]]}


def last(count: int) -> tuple[int, ...]:
    return tuple(range(-count, 0))


def np_dct(x: Any, type: int = 2, norm: Any = None) -> Any:
    return scipy.fft.dct(x, type, norm=norm, orthogonalize=norm is not None)


def np_frame(x: Any) -> Any:
    return np.lib.stride_tricks.sliding_window_view(x, 3, -1)[..., ::2, :]


def np_overlap(x: Any) -> Any:
    out = np.zeros((*x.shape[:-2], 2 * (x.shape[-2] - 1) + x.shape[-1]), x.dtype)
    for i in range(x.shape[-2]):
        out[..., 2 * i : 2 * i + x.shape[-1]] += x[..., i, :]
    return out


TRANSFORMS: Sequence[tuple[str, int]] = [("FFT", 1), ("FFT2D", 2), ("FFT3D", 3)]
LENGTHS: dict[str, Sequence[Any]] = {
    "FFT": [None, [5], [2]],
    "FFT2D": [None, [3, 2]],
    "FFT3D": [None, [1, 2, 4]],
}
DCTS: Sequence[dict[str, Any]] = [
    {"type": 1},
    {"type": 2},
    {"type": 2, "norm": "ortho"},
    {"type": 3},
    {"type": 3, "norm": "ortho"},
    {"type": 4},
    {"type": 4, "norm": "ortho"},
]

LINES: Sequence[Line] = [
    *(line(name, getattr(tf.signal, name.lower()), lambda z, n=n: np.fft.fftn(z, axes=last(n)),
           complexes, shapes=COMPLEX[n], small=False) for name, n in TRANSFORMS),
    *(line(f"I{name}", getattr(tf.signal, f"i{name.lower()}"),
           lambda z, n=n: np.fft.ifftn(z, axes=last(n)), complexes, shapes=COMPLEX[n], small=False)
      for name, n in TRANSFORMS),
    *(line(f"R{name}", getattr(tf.signal, f"r{name.lower()}"),
           lambda x, fft_length, n=n: np.fft.rfftn(x, fft_length, axes=last(n)),
           shapes=COMPLEX[n], attrs=[{"fft_length": k} for k in LENGTHS[name]], small=False)
      for name, n in TRANSFORMS),
    *(line(f"IR{name}", getattr(tf.signal, f"ir{name.lower()}"),
           lambda z, fft_length, n=n: np.fft.irfftn(z, fft_length, axes=last(n)), complexes,
           shapes=COMPLEX[n], attrs=[{"fft_length": k} for k in LENGTHS[name]], small=False)
      for name, n in TRANSFORMS),
    line("FFTND", partial(tf.signal.fftnd, axes=[0, 2]), partial(np.fft.fftn, axes=[0, 2]),
         complexes, shapes=[[(2, 3, 2)]], small=False),
    line("IFFTND", partial(tf.signal.ifftnd, axes=[0, 2]), partial(np.fft.ifftn, axes=[0, 2]),
         complexes, shapes=[[(2, 3, 2)]], small=False),
    line("RFFTND", partial(tf.signal.rfftnd, axes=[0, 1]), partial(np.fft.rfftn, axes=[0, 1]),
         shapes=[[(2, 3, 2)]], small=False),
    line("IRFFTND", partial(tf.signal.irfftnd, axes=[0, 1], norm="ortho"),
         partial(np.fft.irfftn, axes=[0, 1], norm="ortho"), complexes, shapes=[[(2, 3, 2)]],
         small=False),
    line("[fftshift]", tf.signal.fftshift, np.fft.fftshift, shapes=[[(2, 5)]], complex=True),
    line("[dct]", tf.signal.dct, np_dct, shapes=[[(2, 5)], [(4,)]], attrs=DCTS, small=False),
    line("[frame]", lambda x: tf.signal.frame(x, 3, 2), np_frame, shapes=[[(2, 8)]], complex=True),
    line("[overlap_and_add]", lambda x: tf.signal.overlap_and_add(x, 2), np_overlap,
         shapes=[[(2, 3, 3)]], complex=True),
    line("[stft]", lambda x: tf.signal.stft(x, 4, 2), None, shapes=[[(2, 9)]], small=False),
    line("[inverse_stft]", lambda z: tf.signal.inverse_stft(z, 4, 2), None, complexes,
         shapes=[[(3, 3)]], small=False),
    line("[mdct]", lambda x: tf.signal.mdct(x, 4), None, shapes=[[(2, 8)]], small=False),
    line("[kaiser_window]", lambda b: tf.signal.kaiser_window(5, b, b.dtype),
         lambda b: np.kaiser(5, b), between(1.0, 5.0), shapes=[[()]]),
    line("[mfccs]", tf.signal.mfccs_from_log_mel_spectrograms, None, anywhere, shapes=[[(2, 4)]],
         small=False),
]  # fmt: skip
