"""A curve in a terminal, of dots of which a character has two by four."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

_BLANK: Final = 0x2800
_WIDE, _HIGH = 2, 4
# The bits of the dots of a character, by row and column.
_BITS: Final = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


def lines_of(values: Sequence[float], columns: int, rows: int) -> list[str]:
    """The curve, with its highest and lowest value at the left; means, where there are many values."""
    if not values:
        return [""] * rows
    heights = _means(np.asarray(values, np.float64), columns * _WIDE)
    top, bottom = float(heights.max()), float(heights.min())
    cells = np.full((rows, columns), _BLANK)
    most = rows * _HIGH - 1
    ys = np.rint((top - heights) / ((top - bottom) or 1.0) * most).astype(int)
    for x, y in enumerate(ys.tolist()):
        cells[y // _HIGH, x // _WIDE] |= int(_BITS[y % _HIGH, x % _WIDE])
    marks = {0: f"{top:9.4g} ", rows - 1: f"{bottom:9.4g} "}
    return [marks.get(n, " " * 10) + "".join(map(chr, row)) for n, row in enumerate(cells.tolist())]


def _means(values: Any, count: int) -> Any:
    if len(values) <= count:
        return values
    edges = np.linspace(0, len(values), count + 1).astype(int)
    return np.add.reduceat(values, edges[:-1]) / np.diff(edges)
