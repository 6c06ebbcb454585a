"""Which columns, or rows, one product may compute together: those that never meet.

A color is a product. Columns of one color share no row, so their values stand in the product one beside the
other. Of a symmetric matrix each value stands in two places, and one of them must be alone (a star
coloring), or be so once the others are subtracted (an acyclic coloring).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.derivatives.sparse.pattern import Links, Pattern


class Coloring(NamedTuple):
    """A color for each column; `total` of them are in use. -1 where a column needs none."""

    colors: Any
    total: int
    symmetric: str = ""  # "star" or "acyclic", where a value may be read off at its mirror image


def color_columns(links: Links, width: int, limit: int | None = None) -> Coloring | None:
    """Columns that share a row get different colors; None beyond a limit of colors."""
    if not links.total:
        return Coloring(np.full(width, -1), 0)
    at_least = int(np.bincount(links.rows).max())
    if limit is not None and at_least > limit:
        return None
    return _in_turn(links, width, at_least) or _one_by_one(links, width, limit)


def color_rows(links: Links, height: int, limit: int | None = None) -> Coloring | None:
    """The same for rows."""
    return color_columns(Links(links.columns, links.rows), height, limit)


def _in_turn(links: Links, width: int, count: int) -> Coloring | None:
    """The colors 0, 1, 2, 0, 1, 2, ...: the fewest there can be, if the matrix is a band."""
    colors = links.columns % count
    keys = np.sort(links.rows * np.int64(count) + colors)
    if np.any(keys[1:] == keys[:-1]):
        return None
    found = np.full(width, -1)
    found[links.columns] = colors
    return Coloring(found, count)


def _one_by_one(links: Links, width: int, limit: int | None) -> Coloring | None:
    """Column after column the first color that none of its rows has met: bits of an integer."""
    columns, starts, rows = _by_column(links)
    met = [0] * (int(links.rows.max()) + 1)
    colors, all_taken = [], 0
    for start, end in pairwise(starts):
        own = rows[start:end]
        taken = 0
        for row in own:
            taken |= met[row]
        free = ~taken & (taken + 1)
        for row in own:
            met[row] |= free
        colors.append(free.bit_length() - 1)
        all_taken |= free
        if limit is not None and all_taken >> limit:
            return None
    found = np.full(width, -1)
    found[columns] = colors
    return Coloring(found, all_taken.bit_length())


def _by_column(links: Links) -> tuple[Any, list[int], list[int]]:
    """The columns that have elements, where the rows of each begin, and the rows."""
    order = np.argsort(links.columns, kind="stable")
    columns, starts = np.unique(links.columns[order], return_index=True)
    return columns, [*starts.tolist(), links.total], links.rows[order].tolist()


# ---- rows and columns at once -------------------------------------------------------------------


class Split(NamedTuple):
    """Some values by products of rows (reverse mode), the others by products of columns (forward)."""

    rows: Coloring
    columns: Coloring
    by_rows: Any  # for each link whether its value is read off a product of rows

    @property
    def cost(self) -> float:
        """Roughly in evaluations of the function; measurements are in docs/derivatives.md."""
        forward = 1.0 + 1.5 * self.columns.total if self.columns.total else 0.0
        return forward + 2.0 * self.rows.total


KINDS: Final = ("auto", "columns", "rows", "both")
SYMMETRIC_KINDS: Final = (*KINDS, "star", "acyclic")

# Beyond this many steps a symmetric coloring is tried only on request.
_PATIENCE: Final = 3_000_000


def color(pattern: Pattern, kind: str = "auto", symmetric: bool = False) -> Split:
    """The cheapest split: all columns, all rows, or the dense rows or columns apart from the others."""
    best = _symmetric_split(pattern, kind) if symmetric else None
    if best is not None and kind in _SYMMETRIC:
        return best
    for by_rows in _masks(pattern, kind):
        found = _split(pattern, by_rows, best)
        if found is not None and (best is None or found.cost < best.cost):
            best = found
    assert best is not None
    return best


def _symmetric_split(pattern: Pattern, kind: str) -> Split | None:
    links = pattern.links
    mirrored = np.sort(links.columns * np.int64(pattern.width) + links.rows)
    if not np.array_equal(links.rows * np.int64(pattern.width) + links.columns, mirrored):
        return None  # a superset of the pattern that is not symmetric
    if kind == "auto":
        degrees = np.bincount(links.rows, minlength=pattern.height)
        if int(degrees[links.columns].sum()) > _PATIENCE:
            return None
    elif kind not in _SYMMETRIC:
        return None
    colors = _SYMMETRIC.get(kind, color_star)(links, pattern.width)
    return Split(Coloring(colors.colors, 0), colors, np.zeros(links.total, bool))


def _masks(pattern: Pattern, kind: str) -> list[Any]:
    """Which links may be read off products of rows."""
    links, every = pattern.links, np.ones(pattern.links.total, bool)
    masks = {"rows": [every], "columns": [~every]}.get(kind)
    if masks is not None:
        return masks
    masks = [] if kind == "both" else [every, ~every]
    counts = np.bincount(links.rows, minlength=pattern.height)
    masks += [(counts > size)[links.rows] for size in _jumps(counts)]
    counts = np.bincount(links.columns, minlength=pattern.width)
    masks += [(counts <= size)[links.columns] for size in _jumps(counts)]
    return masks or [every, ~every]


def _jumps(counts: Any) -> list[int]:
    """Line sizes whose next larger size is at least double: lines above that count as dense."""
    sizes = np.unique(counts[counts > 0])
    return [int(size) for size in sizes[:-1][sizes[1:] >= 2 * sizes[:-1]][-4:]]


def _split(pattern: Pattern, by_rows: Any, best: Split | None) -> Split | None:
    links, ends = pattern.links, pattern.end_links
    limit = None if best is None else int(best.cost / 1.5)
    columns = color_columns(Links(*(part[~by_rows] for part in links)), pattern.width, limit)
    if columns is None:
        return None
    mine = by_rows[pattern.belongs]
    limit = None if best is None else int(best.cost / 2.0)
    rows = color_rows(Links(*(part[mine] for part in ends)), pattern.height, limit)
    return None if rows is None else Split(rows, columns, by_rows)


# ---- symmetric ----------------------------------------------------------------------------------


def color_star(links: Links, size: int) -> Coloring:
    """Neighbours differ, and no path of four has only two colors: each value stands alone once."""
    near = _neighbours(links, size)
    colors = [-1] * size
    for v in range(size):
        taken = 0
        for w in near[v]:
            if colors[w] >= 0:
                taken |= 1 << colors[w]
            for x in near[w]:
                if (
                    x != v
                    and colors[x] >= 0
                    and colors[x] < (colors[w] if colors[w] >= 0 else size)
                ):
                    taken |= 1 << colors[x]
        colors[v] = _first_free(taken)
    return Coloring(np.array(colors, np.int64), max(colors, default=-1) + 1, "star")


def color_acyclic(links: Links, size: int) -> Coloring:
    """Neighbours differ, and no cycle has only two colors: the values follow by subtraction."""
    near = _neighbours(links, size)
    colors = [-1] * size
    trees = _Trees()
    for v in range(size):
        colors[v] = _first_free(_taken(trees, v, near, colors))
        _join_own(trees, v, near, colors)
    return Coloring(np.array(colors, np.int64), max(colors, default=-1) + 1, "acyclic")


def _taken(trees: _Trees, v: int, near: list[list[int]], colors: list[int]) -> int:
    """The colors of neighbours, and those in which v would close a cycle."""
    taken = 0
    met: dict[tuple[int, Any], int] = {}  # (color, tree): the neighbour through which it was met
    for w in near[v]:
        if colors[w] >= 0:
            taken |= 1 << colors[w]
            for x in near[w]:
                if x != v and colors[x] >= 0:
                    tree = trees.find(_edge(w, x))
                    if met.setdefault((colors[x], tree), w) != w:
                        taken |= 1 << colors[x]
    return taken


def _join_own(trees: _Trees, v: int, near: list[list[int]], colors: list[int]) -> None:
    """The edges from v: with those behind them, and those to one color with each other."""
    first: dict[int, int] = {}
    for w in near[v]:
        if colors[w] >= 0:
            trees.join(_edge(v, first.setdefault(colors[w], w)), _edge(v, w))
            for x in near[w]:
                if x != v and colors[x] == colors[v]:
                    trees.join(_edge(v, w), _edge(w, x))


def _edge(v: int, w: int) -> tuple[int, int]:
    return (v, w) if v < w else (w, v)


class _Trees:
    """Connected edges of two colors (union-find)."""

    def __init__(self) -> None:
        self._above: dict[Any, Any] = {}

    def find(self, edge: Any) -> Any:
        above = self._above
        while above.setdefault(edge, edge) != edge:
            above[edge] = edge = above[above[edge]]
        return edge

    def join(self, a: Any, b: Any) -> None:
        self._above[self.find(a)] = self.find(b)


def _neighbours(links: Links, size: int) -> list[list[int]]:
    """For each column the others with which it has an element, in both directions."""
    near: list[set[int]] = [set() for _ in range(size)]
    for i, j in zip(links.rows.tolist(), links.columns.tolist(), strict=True):
        if i != j:
            near[i].add(j)
            near[j].add(i)
    return [sorted(some) for some in near]


def _first_free(taken: int) -> int:
    return (~taken & (taken + 1)).bit_length() - 1


_SYMMETRIC: Final = {"star": color_star, "acyclic": color_acyclic}
