"""Operations whose text is a helper of a few lines, put before the program: by family.

windows       Convolutions and pooling
patches       Patches of images, morphology, pooling that says where its maxima are
rows          Gathers, scatters, segments; sorting, and sums along an axis
sparse        Sparse and ragged values
matrices      Linear algebra
diagonals     Diagonals of matrices
fourier       Fourier transforms
functions     Special functions, which are SciPy's
images        Resizing, crops, normalization
colours       Hue, saturation, contrast
alignments    The loss of CTC
quantization  Numbers as if rounded to levels
lists         Lists of arrays, which loops write and read

A convolution or a mean is added up in another order than by the tape: there, and in what is resized,
solved by substitution or normalized, the last digit may differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.insight.source.families import (
    alignments,
    colours,
    diagonals,
    fourier,
    functions,
    images,
    lists,
    matrices,
    patches,
    quantization,
    rows,
    sparse,
    windows,
)

_ROOMS: Final = (
    windows, patches, rows, sparse, matrices, diagonals, fourier, functions, images, colours,
    alignments, quantization, lists,
)  # fmt: skip
TEMPLATES: Final[dict[str, Callable[..., Any]]] = {
    name: template for room in _ROOMS for name, template in room.TEMPLATES.items()
}
HELPERS: Final[dict[str, str]] = {
    name: text for room in _ROOMS for name, text in room.HELPERS.items()
}
