"""The columns of a panel of the right matrix: as many as fit, or what is left at its edge."""

from __future__ import annotations

from typing import Any

from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.memory_access import first


class PanelColumns:
    """So many columns, in vectors of which the last one may be masked."""

    def __init__(self, writer: FunctionWriter, width: int, count: int) -> None:
        self._writer = writer
        self._count = count
        self._width = width  # of a vector
        self.vectors = -(-count // width)

    def mask(self, v: int, width: int = 0) -> str | None:
        """The mask of the columns in a vector; None if it is full."""
        width = width or self._width
        return mask_of(self._count - v * width, width)

    def inside(self, j: Any) -> int | str:
        """A column, or the last one instead of one beyond it."""
        if self._count == self.vectors * self._width:
            return j  # type: ignore[no-any-return]
        return self._writer.least(j, self._count - 1)


class OpenPanelColumns(PanelColumns):
    """As many columns as turn out to be left, in so many vectors."""

    def __init__(self, writer: FunctionWriter, width: int, vectors: int, left: str) -> None:
        super().__init__(writer, width, vectors * width)
        self._last = writer.sub(left, 1)
        places = [(v, width) for v in range(vectors)] + [(0, vectors * width)]
        # Written where the panel begins, so that all that is written for it can use them.
        self._masks = {(v, w): first(writer, left, v * w, w) for v, w in places}

    def mask(self, v: int, width: int = 0) -> str | None:
        """The mask of the columns in a vector."""
        return self._masks[v, width or self._width]

    def inside(self, j: Any) -> int | str:
        """A column, or the last one instead of one beyond it."""
        return self._writer.least(j, self._last)


def mask_of(count: int, width: int) -> str | None:
    """The mask of the first so many elements of a vector; None if these are all."""
    if count >= width:
        return None
    bits = ", ".join(f"i1 {'true' if x < count else 'false'}" for x in range(width))
    return f"<{bits}>"
