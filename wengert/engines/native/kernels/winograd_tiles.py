"""Shared by kernels of convolutions with fewer products: the sums and differences of what tiles see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.images.winograd import SEEN

LINE: Final = (
    16  # numbers between those of two positions, so that these do not lie a power of two apart
)


def plus(w: FunctionWriter, kinds: str, x: str, y: str) -> str:
    return w.set(f"fadd {kinds} {x}, {y}")


def minus(w: FunctionWriter, kinds: str, x: str, y: str) -> str:
    return w.set(f"fsub {kinds} {x}, {y}")


Grid = list[list[str]]


def of_image(w: FunctionWriter, kinds: str, seen: Grid) -> Grid:
    """The factors that a tile's numbers give: sums and differences down, then along."""

    def line(d: Sequence[str]) -> list[str]:
        return [
            minus(w, kinds, d[0], d[2]),
            plus(w, kinds, d[1], d[2]),
            minus(w, kinds, d[2], d[1]),
            minus(w, kinds, d[1], d[3]),
        ]

    return both_ways(line, seen)


def of_windows(w: FunctionWriter, kinds: str, given: Grid) -> Grid:
    """The factors that the cotangents of four windows give: the transpose of `to_windows`."""

    def line(g: Sequence[str]) -> list[str]:
        return [
            g[0],
            plus(w, kinds, g[0], g[1]),
            minus(w, kinds, g[0], g[1]),
            w.set(f"fneg {kinds} {g[1]}"),
        ]

    return both_ways(line, given)


def to_windows(w: FunctionWriter, kinds: str, products: Grid) -> Grid:
    """The results of a tile's four windows, from its products."""

    def line(m: Sequence[str]) -> list[str]:
        return [
            plus(w, kinds, plus(w, kinds, m[0], m[1]), m[2]),
            minus(w, kinds, minus(w, kinds, m[1], m[2]), m[3]),
        ]

    return both_ways(line, products)


def both_ways(line: Any, grid: Grid) -> Grid:
    """A linear map of the columns, then of the rows."""
    down = [line(column) for column in zip(*grid, strict=True)]
    return [line(row) for row in zip(*down, strict=True)]


class Factors:
    """Vectors for each of 4 x 4 positions in memory: by groups of channels, of each tile of some rows.

    The last group may overlap the one before.
    """

    def __init__(
        self, w: Any, tiles: tuple[Any, Any], channels: Any, group: Any = None, more: int = 0
    ) -> None:
        rows, self.across = tiles
        self.channels = channels
        self.group = channels if group is None else group
        self.groups = 1 if group is None else w.div(w.add(channels, group - 1), group)[0]
        self.size = w.mul(w.add(w.mul(rows, self.across), more), self.group)
        self.pitch = w.add(w.mul(self.size, self.groups), LINE)
        self._writer = w
        self.base = w.room(w.kind, w.mul(self.pitch, SEEN**2))

    def at(self, position: Any) -> str:
        """The address of those of a position."""
        w = self._writer
        return str(w.place(w.kind, self.base, w.mul(self.pitch, position)))

    def tile(self, r: Any, s: Any) -> str:
        """Where a tile's numbers begin in a group."""
        w = self._writer
        return str(w.mul(w.add(w.mul(r, self.across), s), self.group))

    def each(self, r: Any, s: Any, body: Any) -> None:
        """`body(c, at, mask)` for the vectors of a tile: their first channel, and where they lie."""
        w, tile = self._writer, self.tile(r, s)

        def of_group(k: str, _: list[str]) -> None:
            first = self.first(k)
            begin = w.add(w.mul(k, self.size), tile)
            w.along(
                str(self.group),
                w.width,
                lambda c, mask, _: body(w.add(first, c), w.add(begin, c), mask),
            )

        w.loop(0, self.groups, 1, of_group)

    def first(self, k: str) -> str:
        """The first channel of a group."""
        w = self._writer
        return str(w.least(w.mul(k, self.group), w.sub(self.channels, self.group)))

    def put(self, at: str, values: Grid, mask: str | None) -> None:
        """Write vectors of all positions."""
        w = self._writer
        for a, row in enumerate(values):
            for b, value in enumerate(row):
                w.write(w.kind, self.at(SEEN * a + b), at, value, w.width, mask)


def enter(w: Any, source: str, down: Any, along: Any, factors: Factors, r: Any, s: Any) -> None:
    """Put the factors of a tile whose numbers begin at an address, with steps down and along."""
    kinds = llvm_type(w.kind, w.width)

    def vector(c: str, at: str, mask: str | None) -> None:
        steps = [
            [w.add(w.mul(down, a), w.mul(along, b), c) for b in range(SEEN)] for a in range(SEEN)
        ]
        seen = [[w.read(w.kind, source, x, w.width, mask) for x in row] for row in steps]
        factors.put(at, of_image(w, kinds, seen), mask)

    factors.each(r, s, vector)
