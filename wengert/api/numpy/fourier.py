"""np.fft on tensors, with NumPy's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.numpy.promotion import in_complex, in_floats
from wengert.inference.public_functions import deferrable
from wengert.ops.math.complex import conj
from wengert.ops.signal import fourier
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

_Transform = Callable[..., Tensor]


def _along_one(transform: _Transform, enter: Callable[[Any], Tensor]) -> _Transform:
    def function(a: Numeric, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
        return transform(enter(a), None if n is None else [n], [axis], _known(norm))

    return deferrable(function)


def _along_some(transform: _Transform, enter: Callable[[Any], Tensor], last: int) -> _Transform:
    """Along two axes where `last` is two, along all where it is none."""

    def function(a: Numeric, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
        tensor = enter(a)
        count = last or (len(dims(tensor)) if s is None else len(s))
        along = list(range(-count, 0)) if axes is None else list(axes)
        return transform(tensor, None if s is None else list(s), along, _known(norm))

    return deferrable(function)


def _known(norm: str | None) -> str:
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return norm or "backward"


fft = _along_one(fourier.fftnd, in_complex)
ifft = _along_one(fourier.ifftnd, in_complex)
rfft = _along_one(fourier.rfftnd, in_floats)
irfft = _along_one(fourier.irfftnd, in_complex)
fft2 = _along_some(fourier.fftnd, in_complex, 2)
ifft2 = _along_some(fourier.ifftnd, in_complex, 2)
rfft2 = _along_some(fourier.rfftnd, in_floats, 2)
irfft2 = _along_some(fourier.irfftnd, in_complex, 2)
fftn = _along_some(fourier.fftnd, in_complex, 0)
ifftn = _along_some(fourier.ifftnd, in_complex, 0)
rfftn = _along_some(fourier.rfftnd, in_floats, 0)
irfftn = _along_some(fourier.irfftnd, in_complex, 0)


_OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


@deferrable
def hfft(a: Numeric, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """Of a signal with Hermitian symmetry: its spectrum is real."""
    return irfft(conj(in_complex(a)), n, axis, _OPPOSITE[_known(norm)])


@deferrable
def ihfft(a: Numeric, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    return conj(rfft(a, n, axis, _OPPOSITE[_known(norm)]))


def _shift(function: _Transform) -> _Transform:
    return deferrable(lambda x, axes=None: function(in_floats(x), axes))


fftshift = _shift(fourier.fftshift)
ifftshift = _shift(fourier.ifftshift)

FUNCTIONS = {
    getattr(np.fft, name): function
    for name, function in list(globals().items())
    if name.endswith(("fft", "fft2", "fftn", "shift")) and not name.startswith("_")
}
