"""Epilogues: loops fused into what computes their operand, run on each block as soon as it is complete.

A bias, an activation, the factor that a gradient is multiplied by: elementwise work on a product is
done while the block is in the L1 cache, and the product itself is stored only if something else
reads it. What a kernel computes tile by tile is done with while the tile is in the L2 cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from wengert.engines.native.codegen.combine import combine, neutral
from wengert.engines.native.codegen.layout import Load
from wengert.engines.native.codegen.loop_emitter import Emitter, KnownOfRow, combined_launches
from wengert.engines.native.codegen.vectors import literal
from wengert.engines.native.frontend.arrays import (
    Base,
    Gather,
    Map,
    Product,
    Reduction,
    Tiled,
    View,
    is_plain,
)
from wengert.engines.native.optimize.fuse import END, FULL, Fusion, Group, common
from wengert.engines.native.program.steps import may_have_epilogue
from wengert.engines.native.runtime.processor import vector_bytes

LIGHT: Final = 12  # instructions up to which the code is repeated for each row of a block


def finish(fusion: Fusion, fixed: Iterable[Base]) -> None:
    """Fuse loops over the elements of a product or of tiles into these, as their epilogue.

    The `fixed` arrays are not moved: their memory must not be written before their loop runs.
    """
    kept = set(fixed)
    for group in list(fusion.groups):
        if group.is_loop and all(_is_simple(group, item) for item in group.members):
            made = _made_for(fusion, group)
            if made is not None and not kept.intersection([made, *group.members]):
                _put_in_rows(group, made)
                fusion.join(made.group, group)


def _is_simple(group: Group, item: Any) -> bool:
    """Whether an item is elementwise, or a sum over the rows."""
    if type(item) is Reduction:
        return item.along == "first" and group.levels[item] == END
    return isinstance(item, Map) and group.levels[item] == FULL


def _made_for(fusion: Fusion, group: Group) -> Product | Tiled | None:
    """The last of the arrays into whose computation a loop can be fused, or None."""
    views: dict[Product | Tiled, list[View]] = {}
    for item in group.members:
        for view in item.operands:
            if isinstance(view.base, (Product, Tiled)) and view.base.group is not group:
                views.setdefault(view.base, []).append(view)
    # What is read at an index must have been stored.
    tables = {item.views[1].base for item in group.members if type(item) is Gather}
    found = [p for p, used in views.items() if p not in tables and _fits(group, p, used)]
    found = [p for p in found if not fusion.between(p.group, group)]
    return max(found, key=lambda p: p.group.number, default=None)


def _fits(group: Group, made: Product | Tiled, views: Iterable[View]) -> bool:
    """Whether the rows of the array are those of the loop."""
    if type(made) is Product and (made.places is not None or not may_have_epilogue(made)):
        return False
    columns = made.shape[-1]
    if len(made.group.members) > 1 or made.size != group.size or not all(map(is_plain, views)):
        return False
    if group.columns not in (None, columns) or not common(group.boundaries, (columns, group.size)):
        return False
    before = group.columns, group.boundaries
    _put_in_rows(group, made)
    last = Finish(group, set(group.members), made)
    fits = len(last.inner) == 1 and (last.is_short or _fill_vectors(made))
    group.columns, group.boundaries = before
    return fits


def _fill_vectors(made: Product | Tiled) -> bool:
    """Whether long code is as quick on rows as on all elements one after the other."""
    return type(made) is Product or made.shape[-1] * int(made.kind[1]) >= vector_bytes()


def _put_in_rows(group: Group, made: Product | Tiled) -> None:
    """Give a loop the rows of an array."""
    group.columns = made.shape[-1]
    boundaries = common(group.boundaries, (group.columns, group.size))
    assert boundaries is not None
    group.boundaries = boundaries


class Finish(Emitter):
    """Writes the epilogue of a product, or of tiles, for some rows and columns.

    Short code works on the sums in registers, and is repeated for each row of a block. Long code is
    emitted once, as a loop over the block's rows, and reads the sums from memory; so do tiles.
    Column sums are first taken per block, since the parts depend on the number of threads.
    """

    is_free = False

    def __init__(
        self, group: Group, memory: set[Base], product: Product | Tiled, blocks: int = 1
    ) -> None:
        super().__init__(group, memory)
        self.product = product
        self.in_memory = product in memory
        self.is_short = sum(self.full) <= LIGHT and len(self.outer) <= 1
        self.is_light = self.is_short and type(product) is Product
        self._given = ""  # a vector of the product, or the address of the row's elements of it
        self._collect_arrays()
        for k, s in enumerate(self.sums):
            columns = Base((blocks, self.columns), s.item.kind, s.item.place)
            self.partial[k] = columns
            self.more += combined_launches(s.item, columns, self.memory)
            self._pointer(columns)

    def _split(self) -> None:
        """The parts are the product's."""
        self.row, self.strips, self.parts = self.columns, False, 1

    def _pointer(self, base: Base, offset: int = 0) -> str:
        if base is self.product and not self.in_memory:
            return ""  # its sums are read where they are
        return super()._pointer(base, offset)

    def begin(self, body: Any, first: int, width: int) -> None:
        """Begin, in the same body as the product; the arrays follow the product's."""
        self.write_into(body, width)
        self._find_arrays(first)

    def begin_block(self, number: str) -> None:
        """Set the pointers to the block's column sums."""
        self.column_sums = {}
        for k, columns in self.partial.items():
            at = self.body.set(f"mul i64 {number}, {self.columns}")
            self.column_sums[k] = self.access.element(self._pointer(columns), columns.kind, at)

    def begin_row(self, r: str, given: str = "") -> None:
        """Compute what is constant along a row; `given` is the address of its sums."""
        self._given = given
        self.known = KnownOfRow()
        self._row_pointers(r)
        self._row_values(0)
        wanted = [*self.stored.values(), *[s.value for s in self.sums]]
        self._wanted = self._order(wanted, 0)
        self._splat(self._wanted, wanted)

    def vector(self, at: str, mask: str | None, given: str = "") -> list[str]:
        """Process a vector of the row, `given` or in memory; its terms of the column sums."""
        self._given = given or self._given
        names = self._elements(self._wanted, at, self.width, mask, 0)
        for base, value in self.stored.items():
            self._put(base, at, names[value], mask, self.width)
        return [names[s.value] for s in self.sums]

    def added(self, one: list[str], other: list[str]) -> list[str]:
        return [
            combine(self.body, s.item.how, s.item.kind, x, y, self.width)
            for s, x, y in zip(self.sums, one, other, strict=True)
        ]

    def start_columns(self, at: str, mask: str | None) -> None:
        """Initialize the column sums that are accumulated in memory."""
        items = [s.item for s in self.sums]
        nothing = [literal(x.kind, neutral(x.how, x.kind), self.width) for x in items]
        self.put_columns(at, mask, nothing)

    def add_columns(self, at: str, mask: str | None, values: list[str]) -> None:
        before = [
            self.access.read(self.column_sums[k], s.item.kind, at, self.width, mask)
            for k, s in enumerate(self.sums)
        ]
        self.put_columns(at, mask, self.added(before, values))

    def put_columns(self, at: str, mask: str | None, values: list[str]) -> None:
        for k, value in enumerate(values):
            kind = self.sums[k].item.kind
            self.access.store(self.column_sums[k], kind, at, value, mask, self.width)

    def _row_of(self, x: Load, r: str, index: Any) -> str:
        if x.base is self.product and not self.in_memory:
            return self._given
        return super()._row_of(x, r, index)

    def _load(self, k: int, j: str, width: int, mask: str | None) -> str:
        if self.is_light and self.loads[k].base is self.product:
            return self._given
        return super()._load(k, j, width, mask)
