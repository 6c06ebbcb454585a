"""Diagonals of matrices, and matrices that have only some."""

from __future__ import annotations

from typing import Any, Final

from wengert.insight.source.kernels import Symbol
from wengert.insight.source.text import Text, call

LEFT: Final = "LEFT_LEFT"


def _as_diagonals(
    x: Symbol, *, band: Any, rows: int, columns: int, padding: Any, align: str
) -> Text:
    named = {} if not padding else {"padding": padding}
    low, high = map(int, band)
    if low == high:
        shape = (*x.shape[:-1], int(rows), int(columns))
        return call("_as_diagonal", x.text, shape, low, **named)
    shape = (*x.shape[:-2], int(rows), int(columns))
    return call("_as_diagonals", x.text, shape, (low, high), *_aligned(align), **named)


def _diagonals(x: Symbol, *, band: Any, padding: Any, align: str) -> Text:
    low, high = map(int, band)
    if low == high:
        return call("np.diagonal", x.text, **({"offset": low} if low else {}), axis1=-2, axis2=-1)
    named = {} if not padding else {"padding": padding}
    return call("_diagonals", x.text, (low, high), *_aligned(align), **named)


def _with_diagonals(x: Symbol, d: Symbol, *, band: Any, align: str) -> Text:
    low, high = map(int, band)
    if low == high:
        return call("_with_diagonal", x.text, d.text, low)
    return call("_with_diagonals", x.text, d.text, (low, high), *_aligned(align))


def _aligned(align: str) -> list[Any]:
    """Whether diagonals above and below begin at the left: as most do, above at the right."""
    above, below = align.split("_")
    return [] if align == "RIGHT_LEFT" else [(above == "LEFT", below == "LEFT")]


def _banded(bands: Symbol, *, lower: bool) -> Text:
    return call("_banded", bands.text, lower)


def _bands(a: Symbol, *, count: int, lower: bool) -> Text:
    return call("_bands", a.text, int(count), lower)


TEMPLATES: Final = {
    "MatrixDiagV3": _as_diagonals,
    "MatrixDiagPartV3": _diagonals,
    "MatrixSetDiagV3": _with_diagonals,
    "MatrixFromBands": _banded,
    "MatrixToBands": _bands,
}

HELPERS: Final = {
    "_as_diagonal": """
def _as_diagonal(x, shape, offset, padding=0):
    y = np.full(shape, padding, x.dtype)
    at = np.arange(x.shape[-1])
    y[..., at - min(offset, 0), at + max(offset, 0)] = x
    return y
""",
    "_with_diagonal": """
def _with_diagonal(x, diagonal, offset):
    y = x.copy()
    at = np.arange(diagonal.shape[-1])
    y[..., at - min(offset, 0), at + max(offset, 0)] = diagonal
    return y
""",
    "_band_places": """
def _band_places(band, rows, columns, left):
    found = []
    longest = min(rows + min(band[1], 0), columns - max(band[0], 0))
    for number, d in enumerate(range(band[1], band[0] - 1, -1)):
        at = np.arange(max(0, min(rows + min(0, d), columns - max(0, d))))
        is_left = (d >= 0 and left[0]) or (d <= 0 and left[1])
        start = 0 if is_left else longest - len(at)
        found.append((at - min(0, d), at + max(0, d), 0 * at + number, at + start))
    return [np.concatenate(parts) for parts in zip(*found)], longest
""",
    "_as_diagonals": """
def _as_diagonals(x, shape, band, left=(False, True), padding=0):
    y = np.full(shape, padding, x.dtype)
    (r, c, m, n), _ = _band_places(band, *shape[-2:], left)
    y[..., r, c] = x[..., m, n]
    return y
""",
    "_diagonals": """
def _diagonals(x, band, left=(False, True), padding=0):
    (r, c, m, n), longest = _band_places(band, *x.shape[-2:], left)
    shape = (*x.shape[:-2], band[1] - band[0] + 1, longest)
    y = np.full(shape, padding, x.dtype)
    y[..., m, n] = x[..., r, c]
    return y
""",
    "_with_diagonals": """
def _with_diagonals(x, diagonals, band, left=(False, True)):
    y = x.copy()
    (r, c, m, n), _ = _band_places(band, *x.shape[-2:], left)
    y[..., r, c] = diagonals[..., m, n]
    return y
""",
    "_on_band": """
def _on_band(k, count, size, lower):
    distance = -k if lower else count - 1 - k
    i = np.arange(max(0, -distance), size - max(0, distance))
    return i, i + distance
""",
    "_banded": """
def _banded(bands, lower):
    count, size = bands.shape[-2:]
    a = np.zeros((*bands.shape[:-2], size, size), bands.dtype)
    for k in range(count):
        i, j = _on_band(k, count, size, lower)
        a[..., i, j] = bands[..., k, i]
    return a
""",
    "_bands": """
def _bands(a, count, lower):
    bands = np.zeros((*a.shape[:-2], count, a.shape[-1]), a.dtype)
    for k in range(count):
        i, j = _on_band(k, count, a.shape[-1], lower)
        bands[..., k, i] = a[..., i, j]
    return bands
""",
}
