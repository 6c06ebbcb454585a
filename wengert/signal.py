"""tf.signal: Fourier transforms, frames, spectra, windows."""

from wengert.ops.signal.fourier import fft as fft
from wengert.ops.signal.fourier import fft2d as fft2d
from wengert.ops.signal.fourier import fft3d as fft3d
from wengert.ops.signal.fourier import fftnd as fftnd
from wengert.ops.signal.fourier import fftshift as fftshift
from wengert.ops.signal.fourier import ifft as ifft
from wengert.ops.signal.fourier import ifft2d as ifft2d
from wengert.ops.signal.fourier import ifft3d as ifft3d
from wengert.ops.signal.fourier import ifftnd as ifftnd
from wengert.ops.signal.fourier import ifftshift as ifftshift
from wengert.ops.signal.fourier import irfft as irfft
from wengert.ops.signal.fourier import irfft2d as irfft2d
from wengert.ops.signal.fourier import irfft3d as irfft3d
from wengert.ops.signal.fourier import irfftnd as irfftnd
from wengert.ops.signal.fourier import rfft as rfft
from wengert.ops.signal.fourier import rfft2d as rfft2d
from wengert.ops.signal.fourier import rfft3d as rfft3d
from wengert.ops.signal.fourier import rfftnd as rfftnd
from wengert.ops.signal.spectral import dct as dct
from wengert.ops.signal.spectral import frame as frame
from wengert.ops.signal.spectral import idct as idct
from wengert.ops.signal.spectral import inverse_mdct as inverse_mdct
from wengert.ops.signal.spectral import inverse_stft as inverse_stft
from wengert.ops.signal.spectral import inverse_stft_window_fn as inverse_stft_window_fn
from wengert.ops.signal.spectral import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from wengert.ops.signal.spectral import mdct as mdct
from wengert.ops.signal.spectral import (
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)
from wengert.ops.signal.spectral import overlap_and_add as overlap_and_add
from wengert.ops.signal.spectral import stft as stft
from wengert.ops.signal.window_functions import hamming_window as hamming_window
from wengert.ops.signal.window_functions import hann_window as hann_window
from wengert.ops.signal.window_functions import (
    kaiser_bessel_derived_window as kaiser_bessel_derived_window,
)
from wengert.ops.signal.window_functions import kaiser_window as kaiser_window
from wengert.ops.signal.window_functions import vorbis_window as vorbis_window
