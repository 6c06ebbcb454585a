"""Arrays that loops would read across: the elements that follow each other lie far apart.

A vector of such elements is gathered from as many lines of the cache, of which each holds more than one number
that is needed later, when it is gone. So large ones are transposed by a kernel first, in tiles; a loop over their elements
becomes the epilogue of that and finds each tile in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from wengert.engines.native.frontend.arrays import (
    Base,
    Dims,
    Input,
    Map,
    Outside,
    Product,
    Reduction,
    Tiled,
    Tiles,
    View,
    row_major,
)
from wengert.engines.native.runtime.named_kernels import KERNELS

TILE: Final = 1 << 15  # elements of a tile, about, which fits the cache
SQUARE: Final = 32  # rows of a tile at least: whole lines of the cache
LEAST: Final = 1 << 16  # elements that are worth it
FAR: Final = 64  # bytes between two elements
MANY: Final = 256  # elements of a row, whose lines are gone until the next row is read;
# or fewer, if so many bytes between them put all lines in the same places of the cache.
CLASH: Final = 1 << 10
FEW: Final = 16  # elements of a column, or of such a row
_IN_MEMORY: Final = (Input, Map, Outside, Product, Reduction, Tiled)


def read_along(items: Sequence[Any]) -> list[Any]:
    """The items, and before those that read an array across what transposes it."""
    found: list[Any] = []
    made: dict[Any, Tiled] = {}

    def along(view: View, place: Any) -> View:
        turned = _turned(view) if view.size >= LEAST else None
        if turned is None:
            return view
        key = view.base, view.offset, view.shape, view.strides
        if key not in made:
            made[key] = Tiled(turned.shape, view.kind, turned.tiles, [view], place)
            found.append(made[key])
        return View(made[key], view.shape, 0, row_major(view.shape))

    for item in items:
        if type(item) is Map:
            item.views = [along(view, item.place) for view in item.views]
        elif type(item) is Reduction:
            item.view = along(item.view, item.place)
        found.append(item)
    return found


class _Turned(NamedTuple):
    """Matrices that are transposed, and how that is done in tiles of their rows."""

    shape: Dims
    tiles: Tiles


def _turned(view: View) -> _Turned | None:
    """How the view is computed in tiles; None where it is read well, or is no transposed matrix."""
    base: Base = view.base
    if type(base) not in _IN_MEMORY or base.kind not in ("f4", "f8"):
        return None
    axes = _merged(view)
    if axes is None or len(axes) not in (2, 3):
        return None
    (count, apart), (rows, next_row), (columns, step) = [(1, 0), *axes][-3:]
    between = step * int(base.kind[1])
    many = FEW if between % CLASH == 0 else MANY
    if next_row != 1 or between < FAR or rows < FEW or columns < many:
        return None
    high = max(TILE // columns // SQUARE, 1) * SQUARE
    tiles = -(-rows // high)
    numbers = (rows, columns, step, apart, high, tiles)
    name = f"{KERNELS}transposes.{base.kind}"
    return _Turned(
        (count, rows, columns), Tiles(name, numbers, count * tiles, 1, high, rows, flops=0)
    )


def _merged(view: View) -> list[tuple[int, int]] | None:
    """Sizes and strides of as few axes as possible; None if a size is open, or an axis goes nowhere or back."""
    found: list[tuple[int, int]] = []
    for size, stride in zip(view.shape, view.strides, strict=True):
        if type(size) is not int or type(stride) is not int or (size > 1 and stride <= 0):
            return None
        if size == 1:
            continue
        if found and found[-1][1] == stride * size:
            found[-1] = found[-1][0] * size, stride
        else:
            found.append((size, stride))
    return found
