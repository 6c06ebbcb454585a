"""tf.compat.v1.spectral: Fourier transforms, which are in tf.signal now."""

from wengert.signal import dct as dct
from wengert.signal import fft as fft
from wengert.signal import fft2d as fft2d
from wengert.signal import fft3d as fft3d
from wengert.signal import idct as idct
from wengert.signal import ifft as ifft
from wengert.signal import ifft2d as ifft2d
from wengert.signal import ifft3d as ifft3d
from wengert.signal import irfft as irfft
from wengert.signal import irfft2d as irfft2d
from wengert.signal import irfft3d as irfft3d
from wengert.signal import rfft as rfft
from wengert.signal import rfft2d as rfft2d
from wengert.signal import rfft3d as rfft3d
