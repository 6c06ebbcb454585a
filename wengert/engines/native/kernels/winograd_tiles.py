"""Shared by kernels of convolutions with fewer products: the sums and differences of what tiles see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

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


def to_windows(w: FunctionWriter, kinds: str, products: Grid, share: str) -> Grid:
    """The results of a tile's four windows, from its products, of which they are a share."""

    def line(m: Sequence[str]) -> list[str]:
        return [
            plus(w, kinds, plus(w, kinds, m[0], m[1]), m[2]),
            minus(w, kinds, minus(w, kinds, m[1], m[2]), m[3]),
        ]

    return [[w.set(f"fmul {kinds} {y}, {share}") for y in row] for row in both_ways(line, products)]


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


def enter_image(w: Any, factors: Factors, rows: Any, pieces: int) -> None:
    """Put the factors of the padded lines that so many rows of tiles see."""

    def row(r: str, _: list[str]) -> None:
        line = w.place(w.kind, w.base, w.mul(r, 2, w.line))

        def tile(s: str, _: list[str]) -> None:
            _enter(w, w.place(w.kind, line, w.mul(s, 2, factors.channels)), factors, r, s)

        w.loop(0, factors.across, 1, tile)

    w.loop(0, w.add(rows, pieces - 1), 1, row)


def _enter(w: Any, source: str, factors: Factors, r: str, s: str) -> None:
    """Put the factors of a tile whose numbers begin at an address."""
    kinds = llvm_type(w.kind, w.width)

    def vector(c: str, at: str, mask: str | None) -> None:
        steps = [
            [w.add(w.mul(w.line, a), w.mul(factors.channels, b), c) for b in range(SEEN)]
            for a in range(SEEN)
        ]
        seen = [[w.read(w.kind, source, x, w.width, mask) for x in row] for row in steps]
        factors.put(at, of_image(w, kinds, seen), mask)

    factors.each(r, s, vector)


class Product(NamedTuple):
    """The product of a position with a piece of the filter, of which there are several down and along."""

    position: str
    piece: tuple[str, str]
    before: str  # of the pieces of this position; zero for the first one
    filters: str  # the address of the filter's numbers


def each_product(
    w: Any, pieces: int, filters: str, size: Any, body: Callable[[Product], None]
) -> None:
    """All products, in the order of `of_filter`; each takes so many numbers of the filter."""

    def along_pieces(i: str, j: str, p: str, now: list[str]) -> list[str]:
        left = _first_piece(w, pieces, j)
        earlier = w.sub(p, _first_piece(w, pieces, i))

        def piece(q: str, now: list[str]) -> list[str]:
            before = w.add(earlier, w.sub(q, left))
            body(Product(w.add(w.mul(i, SEEN), j), (p, q), before, now[0]))
            return [w.place(w.kind, now[0], size)]

        return nested(left, pieces, piece, now)

    def nested(begin: Any, end: Any, step: Any, now: list[str]) -> list[str]:
        return list(w.loop(begin, end, 1, step, [("ptr", now[0])]))

    def position(i: str, j: str, now: list[str]) -> list[str]:
        top = _first_piece(w, pieces, i)
        return nested(top, pieces, lambda p, now: along_pieces(i, j, p, now), now)

    nested(
        0, SEEN, lambda i, now: nested(0, SEEN, lambda j, now: position(i, j, now), now), [filters]
    )


def _first_piece(w: Any, pieces: int, position: str) -> str:
    """Of a line of the filter: in the last position only its last piece has a product."""
    is_last = w.set(f"icmp eq i64 {position}, {SEEN - 1}")
    return str(w.set(f"select i1 {is_last}, i64 {pieces - 1}, i64 0"))
