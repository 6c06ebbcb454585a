"""scipy.signal: convolutions and correlations, of signals with any number of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from wengert.api.numpy import fourier
from wengert.api.numpy.elementwise import conjugate
from wengert.api.numpy.further import convolve as convolve_line
from wengert.api.numpy.promotion import as_tensor, promoted_floats
from wengert.api.numpy.shapes import flip
from wengert.scipy.arguments import as_in_scipy, no_such
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.tensor import Tensor

_MOST: Final = 1 << 16  # products, of more of which Fourier transforms are faster


def _cut(
    full: Tensor,
    a: Sequence[int],
    b: Sequence[int],
    mode: str,
    axes: Sequence[int] | None = None,
    later: int = 0,
) -> Tensor:
    """The part of a full convolution of signals of these sizes that is asked for: its middle, or half a step later."""
    if mode == "full":
        return full
    if mode not in ("same", "valid"):
        raise ValueError(f"acceptable mode flags are 'valid', 'same', or 'full', not {mode!r}.")
    parts = []
    for i, (n, m) in enumerate(zip(a, b, strict=True)):
        if axes is not None and i not in axes:
            parts.append(slice(None))
            continue
        size = n if mode == "same" else max(n, m) - min(n, m) + 1
        begin = (n + m - 1 - size + later) // 2
        parts.append(slice(begin, begin + size))
    return full[tuple(parts)]


def _signals(in1: Numeric, in2: Numeric, mode: str) -> tuple[Tensor, Tensor]:
    a, b = promoted_floats(in1, in2)
    sizes = list(zip(dims(a), dims(b), strict=False))
    if len(dims(a)) != len(dims(b)):
        raise ValueError("in1 and in2 should have the same dimensionality")
    if mode == "valid" and not (all(n >= m for n, m in sizes) or all(n <= m for n, m in sizes)):
        raise ValueError(
            "For 'valid' mode, one must be at least as large as the other in every dimension"
        )
    return a, b


@as_in_scipy
def fftconvolve(
    in1: Numeric, in2: Numeric, mode: str = "full", axes: int | Sequence[int] | None = None
) -> Tensor:
    """A convolution by Fourier transforms, along all axes or along these; the others are broadcast."""
    a, b = _signals(in1, in2, mode if axes is None else "full")
    if not dims(a):
        return a * b
    rank = len(dims(a))
    along = range(rank) if axes is None else [axes] if isinstance(axes, int) else axes
    chosen = sorted(axis % rank for axis in along)
    shape = [dims(a)[i] + dims(b)[i] - 1 for i in chosen]
    if a.dtype.is_complex:
        product = fourier.fftn(a, shape, chosen) * fourier.fftn(b, shape, chosen)
        full = fourier.ifftn(product, shape, chosen)
    else:
        product = fourier.rfftn(a, shape, chosen) * fourier.rfftn(b, shape, chosen)
        full = fourier.irfftn(product, shape, chosen)
    return _cut(full, dims(a), dims(b), mode, chosen)


oaconvolve = fftconvolve  # which is faster where one of them is short


@as_in_scipy
def convolve(in1: Numeric, in2: Numeric, mode: str = "full") -> Tensor:
    """The sum of one signal, shifted, times each element of the other.

    >>> from wengert.scipy.signal import convolve
    >>> convolve([1.0, 2.0, 3.0], [0.0, 1.0], mode="same").numpy().tolist()
    [0.0, 1.0, 2.0]
    """
    a, b = _signals(in1, in2, mode)
    if not dims(a):
        return a * b
    if len(dims(a)) != 1 or dims(a)[0] * dims(b)[0] > _MOST:
        return fftconvolve(a, b, mode)  # type: ignore[no-any-return]
    return _cut(convolve_line(a, b), dims(a), dims(b), mode)


@as_in_scipy
def correlate(in1: Numeric, in2: Numeric, mode: str = "full") -> Tensor:
    """The convolution with the other signal turned around, and conjugate."""
    return convolve(in1, conjugate(flip(as_tensor(in2))), mode)  # type: ignore[no-any-return]


def convolve2d(
    in1: Numeric,
    in2: Numeric,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
) -> Tensor:
    """The convolution of images; around them is nothing."""
    _check_boundary(boundary, fillvalue)
    return convolve(in1, in2, mode)  # type: ignore[no-any-return]


def correlate2d(
    in1: Numeric,
    in2: Numeric,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
) -> Tensor:
    """The correlation of images; around them is nothing."""
    _check_boundary(boundary, fillvalue)
    a, b = _signals(in1, in2, mode)
    return _cut(correlate(a, b), dims(a), dims(b), mode, later=1)


def _check_boundary(boundary: str, fillvalue: float) -> None:
    if boundary != "fill" or fillvalue != 0:
        raise ValueError(
            f"Around an image there are zeros here, boundary='fill' and fillvalue=0, not {boundary!r} and "
            f"{fillvalue}: pad it before, with np.pad."
        )


def __getattr__(name: str) -> Any:
    raise no_such("signal", name)
