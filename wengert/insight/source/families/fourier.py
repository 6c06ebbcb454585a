"""Fourier transforms, which are NumPy's."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from wengert.insight.source.kernels import Symbol
from wengert.insight.source.text import Text, call
from wengert.values.shapes import Dims

_NAMES: Final = {1: "", 2: "2"}


def _transformed(name: str, x: Symbol, *, axes: Dims, size: Any = None) -> Text:
    """Along the last axis or two, as NumPy has functions for; else along those that are named."""
    sizes = None if size is None else [*[x.shape[a] for a in axes[:-1]], size]
    is_last = tuple(axes) == tuple(range(x.ndim - len(axes), x.ndim))
    if is_last and len(axes) in _NAMES:
        given = () if sizes is None else (sizes[0] if len(axes) == 1 else tuple(sizes),)
        return call(f"np.fft.{name}{_NAMES[len(axes)]}", x.text, *given)
    given = () if sizes is None else (tuple(sizes),)
    return call(f"np.fft.{name}n", x.text, *given, axes=tuple(axes))


def _real(x: Symbol, *, axes: Dims, size: int) -> Text:
    return _transformed("rfft", x, axes=axes)


_KINDS: Final = ("FFT", "FFT2D", "FFT3D", "FFTND")
TEMPLATES: Final[dict[str, Any]] = {
    **{kind: partial(_transformed, "fft") for kind in _KINDS},
    **{f"I{kind}": partial(_transformed, "ifft") for kind in _KINDS},
    **{f"R{kind}": _real for kind in _KINDS},
    **{f"IR{kind}": partial(_transformed, "irfft") for kind in _KINDS},
}
HELPERS: Final[dict[str, str]] = {}
