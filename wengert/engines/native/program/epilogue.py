"""Loops that a product carries out itself, on each block as soon as its sums are there.

A bias, an activation, the factor that a gradient is multiplied by: what is done with every element of a
product is done while the element is in the nearest cache, and the product itself is written
only if somebody else reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from wengert.engines.native.codegen.combine import combine, neutral
from wengert.engines.native.codegen.layout import Load
from wengert.engines.native.codegen.loop_emitter import Emitter, KnownOfRow, combined_launches
from wengert.engines.native.codegen.vectors import literal
from wengert.engines.native.frontend.arrays import Base, Map, Product, Reduction, View, is_plain
from wengert.engines.native.optimize.fuse import END, FULL, Fusion, Group, common
from wengert.engines.native.program.steps import is_ours

LIGHT: Final = 12  # instructions and arrays that are worth writing again for each row


def finish(fusion: Fusion, fixed: Iterable[Base]) -> None:
    """Let products of ours carry out the loops that go along their elements.

    What is fixed is computed in memory that must not be written earlier than its loop does.
    """
    kept = set(fixed)
    for group in list(fusion.groups):
        if group.is_loop and all(_is_simple(group, item) for item in group.members):
            product = _product_for(fusion, group)
            if product is not None and not kept.intersection([product, *group.members]):
                _put_in_rows(group, product)
                fusion.join(product.group, group)


def _is_simple(group: Group, item: Any) -> bool:
    """Whether it has an element for each place, or is a sum of columns."""
    if type(item) is Reduction:
        return item.along == "first" and group.levels[item] == END
    return isinstance(item, Map) and group.levels[item] == FULL


def _product_for(fusion: Fusion, group: Group) -> Product | None:
    """The last of the products that a loop goes along, if it can be computed with it."""
    views: dict[Product, list[View]] = {}
    for item in group.members:
        for view in item.operands:
            if type(view.base) is Product and view.base.group is not group:
                views.setdefault(view.base, []).append(view)
    found = [p for p, used in views.items() if _fits(group, p, used)]
    found = [p for p in found if not fusion.between(p.group, group)]
    return max(found, key=lambda p: p.group.number, default=None)


def _fits(group: Group, product: Product, views: Iterable[View]) -> bool:
    """Whether rows of the product are rows of the loop."""
    if product.places is not None or len(product.group.members) > 1 or not is_ours(product):
        return False
    columns = product.shape[-1]
    if product.size != group.size or not all(map(is_plain, views)):
        return False
    if group.columns not in (None, columns) or not common(group.boundaries, (columns, group.size)):
        return False
    before = group.columns, group.boundaries
    _put_in_rows(group, product)
    fits = len(Finish(group, set(group.members), product).inner) == 1
    group.columns, group.boundaries = before
    return fits


def _put_in_rows(group: Group, product: Product) -> None:
    """Let the rows of a loop be those of a product."""
    group.columns = product.shape[-1]
    boundaries = common(group.boundaries, (group.columns, group.size))
    assert boundaries is not None
    group.boundaries = boundaries


class Finish(Emitter):
    """Writes what is done with some rows and columns of a product.

    Little is done with the sums while they are in registers, once more for each row of a block. What is
    long is written once, as a loop along the block's rows, and finds the sums in memory. Sums of
    columns are those of blocks first: what a part is depends on the number of threads.
    """

    def __init__(self, group: Group, memory: set[Base], product: Product, blocks: int = 1) -> None:
        super().__init__(group, memory)
        self.product = product
        self.in_memory = product in memory
        self.is_light = sum(self.full) <= LIGHT and len(self.outer) <= 1
        self._given = ""  # a vector of the product, or where the row has its elements
        self._collect_arrays()
        for k, s in enumerate(self.sums):
            columns = Base((blocks, self.columns), s.item.kind, s.item.place)
            self.partial[k] = columns
            self.more += combined_launches(s.item, columns, self.memory)
            self._pointer(columns)

    def _split(self) -> None:
        """The product says what a part is."""
        self.row, self.strips, self.parts = self.columns, False, 1

    def _pointer(self, base: Base, offset: int = 0) -> str:
        if base is self.product and not self.in_memory:
            return ""  # it is read where its sums are
        return super()._pointer(base, offset)

    def begin(self, body: Any, first: int, width: int) -> None:
        """The arrays follow those of the product, which is written into the same body."""
        self.write_into(body, width)
        self._find_arrays(first)

    def begin_block(self, number: str) -> None:
        """Where its sums of columns go."""
        self.column_sums = {}
        for k, columns in self.partial.items():
            at = self.body.set(f"mul i64 {number}, {self.columns}")
            self.column_sums[k] = self.access.element(self._pointer(columns), columns.kind, at)

    def begin_row(self, r: str, given: str = "") -> None:
        """What is known for the row; `given` is where its elements of the product begin."""
        self._given = given
        self.known = KnownOfRow()
        self._row_pointers(r)
        self._row_values(0)
        wanted = [*self.stored.values(), *[s.value for s in self.sums]]
        self._wanted = self._order(wanted, 0)
        self._splat(self._wanted, wanted)

    def vector(self, at: str, mask: str | None, given: str = "") -> list[str]:
        """A vector of the row, `given` or in memory; gives the sums of columns of that row."""
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
        """Sums of columns that are added up in memory begin with nothing."""
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
