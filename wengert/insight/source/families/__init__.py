"""Operations whose text is a helper of a few lines, put before the program: by family.

windows    Convolutions and pooling
rows       Gathers, scatters, segments; sorting, and sums along an axis
matrices   Linear algebra
functions  Special functions, which are SciPy's
images     Resizing, crops, normalization

A convolution or a mean is added up in another order than by the tape: there, and in what is resized,
solved by substitution or normalized, the last digit may differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.insight.source.families import functions, images, matrices, rows, windows

_ROOMS: Final = (windows, rows, matrices, functions, images)
TEMPLATES: Final[dict[str, Callable[..., Any]]] = {
    name: template for room in _ROOMS for name, template in room.TEMPLATES.items()
}
HELPERS: Final[dict[str, str]] = {
    name: text for room in _ROOMS for name, text in room.HELPERS.items()
}
