"""Large intermediate arrays that are never there as a whole: computed a block of rows at a time.

A network treats the rows of its batch alike, forth and back, and the gradient of a weight is a sum
over them. So a loop takes a block of rows through all layers and back again, and adds what the block
contributes to the sums; only one block needs memory for what lies between. The same holds for the
heads and the rows of attention. A block is a part of the elements of an array, in their order; what is
left over is a block of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from wengert.engines.native.frontend.arrays import (
    Base,
    Count,
    Gather,
    Map,
    Piece,
    Pieces,
    Product,
    Reduction,
    View,
    whole,
)
from wengert.engines.native.frontend.lowering import piece_of
from wengert.engines.native.optimize.aliases import Alias, before, first_axis, in_order, resolved
from wengert.engines.native.optimize.block_body import HOW_ADDED, BlockLoop, Blocks, plus

LEAST: Final = 1 << 25  # bytes of intermediate arrays that are worth a loop
BLOCK: Final = 1 << 22  # bytes of what a block is meant to need
ROWS: Final = 512  # with fewer rows products are slower,
WIDTHS: Final = 2  # or with fewer than so many times the smaller side of the other matrix
LOOPS: Final = 8  # at most, one after the other


def in_blocks(items: list[Any], wanted: Sequence[View]) -> list[Any]:
    """The items; where large arrays lie between some of them, a loop over blocks instead of these."""
    for _ in range(LOOPS):
        if sum(item.bytes for item in items if type(item) is Product) < LEAST:
            break
        found = _worthwhile(in_order(items), wanted)
        if found is None:
            break
        region, size = found
        items = resolved(region.replaced(size), wanted)
    return items


def _worthwhile(items: list[Any], wanted: Sequence[View]) -> tuple[Region, int] | None:
    """Items that a loop over blocks may compute, and the size of a block in its units."""
    products = [item for item in items if type(item) is Product and item.bytes >= LEAST // 16]
    tried: set[Any] = set()
    for seed in sorted(products, key=lambda p: -p.bytes):
        axis = first_axis(seed.written.shape)
        if seed in tried or axis is None:
            continue
        few = Region(items, wanted, seed, _smallest_factor(seed.written.shape[axis]))
        tried |= few.connected
        need = few.between()
        division = few.division(-(-need // BLOCK)) if need >= LEAST else None
        if division is None:
            continue
        units, size = division
        region = Region(items, wanted, seed, units)
        if need - region.between() < need // 8 and region.pays(units // size):
            return region, size
    return None


def _smallest_factor(number: int) -> int:
    return next((d for d in range(2, math.isqrt(number) + 1) if number % d == 0), number)


def _least_rows(item: Product, axis: int) -> int:
    """The rows of a block with which a product is as fast as with all: see WIDTHS."""
    a, b = item.views
    others = [size for k, size in enumerate(a.shape[-2:], len(a.shape) - 2) if k != axis]
    return max(ROWS, WIDTHS * min(*others, b.shape[-1]))


# ---- how an item is divided -----------------------------------------------------------------------


class Cut(NamedTuple):
    """How an item is divided: along which axis of each operand; None is an operand read as a whole."""

    axes: tuple[int | None, ...]
    adds: bool  # whether its result is the sum of what the blocks contribute


def is_aligned(view: View, axis: int, count: int) -> bool:
    """Whether each of so many parts of a view, along an axis, lies in the same part of its base."""
    size, rest = divmod(view.base.size, count)
    rows, more = divmod(view.shape[axis], count)
    if rest or more or view.strides[axis] * rows != size:
        return False
    sizes = [*view.shape[:axis], rows, *view.shape[axis + 1 :]]
    reach = [(n - 1) * stride for n, stride in zip(sizes, view.strides, strict=True)]
    return (
        view.offset + sum(r for r in reach if r < 0) >= 0
        and view.offset + sum(r for r in reach if r > 0) < size
    )


def _cuts(item: Any) -> Iterator[Cut]:
    """The ways to divide an item, whatever it reads."""
    if type(item) is Product:
        yield from _cuts_of_product(item)
    elif type(item) is Reduction:
        axis = first_axis(item.view.shape)
        if item.along == "last" or item.how in HOW_ADDED:
            yield Cut((axis,), item.along != "last")
    elif type(item) is Gather:
        axis = first_axis(item.shape)
        if axis is not None and item.views[1].strides[axis] == 0:  # a table for all rows
            yield Cut((axis, axis), False)
    elif type(item) in (Map, Piece):
        axis = first_axis(item.shape)
        if axis is not None:
            yield Cut((axis,) * len(item.views), False)
    elif type(item) is Pieces:
        axes = tuple([first_axis(piece.shape) for piece in item.pieces])
        if None not in axes:
            yield Cut(axes, False)


def _cuts_of_product(item: Product) -> Iterator[Cut]:
    """By the matrices of a batch, by the rows of one matrix, or by the inner axis."""
    shape = item.written.shape
    rows, columns = len(shape) - 2, len(shape) - 1
    axis = first_axis(shape)
    more = () if item.onto is None else (axis,)
    if axis is not None and axis < columns:
        yield Cut((axis, axis if axis < rows else None, *more), False)
    if all(size == 1 for size in shape[:-2]):
        yield Cut((columns, rows, *(None for _ in more)), True)


# ---- what a loop computes ----------------------------------------------------------------------------


class Region:
    """The items that a loop over blocks computes, of which one is given.

    Blocks consist of whole units: of so many equal parts of each array that is divided.
    """

    def __init__(self, items: list[Any], wanted: Sequence[View], seed: Base, units: int) -> None:
        self.items = items
        self.seed = seed
        self.units = units
        self._there = set(items)
        self._readers: dict[Base, list[tuple[Any, int]]] = {}
        for item in items:
            for at, view in enumerate(item.operands):
                self._readers.setdefault(view.base, []).append((item, at))
        self._ways: dict[Any, list[Cut]] = {}
        self.cuts: dict[Any, Cut] = {}  # of the items of the region
        self.after: set[Any] = set()  # the items that need its results
        self.connected = self._connected(seed)
        candidates = set(self.connected)
        while candidates:  # without those whose whole turns out to be no part of the region
            self.cuts, self.after = {}, set()
            self._divide(candidates)
            alone = self._alone()
            if not alone:
                break
            candidates -= alone
        self._asked: set[Any] = {v.base for v in wanted}
        # Whole arrays that the loop makes, block by block.
        self.emitted = [
            item for item, cut in self.cuts.items()
            if not cut.adds and type(item) is not Piece and (item in self._asked or self._is_read_after(item))
        ]  # fmt: skip

    def _is_read_after(self, item: Any) -> bool:
        return any(reader not in self.cuts for reader, _ in self._readers.get(item, ()))

    # ---- which items -----------------------------------------------------------------------------

    def _connected(self, seed: Any) -> set[Any]:
        """The items that pass blocks on to each other."""
        found, waiting = {seed}, [seed]
        while waiting:
            for other in self._neighbours(waiting.pop()):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        return found

    def _neighbours(self, item: Any) -> Iterator[Any]:
        for cut in self._possible(item):
            for view, axis in zip(item.operands, cut.axes, strict=True):
                if view.base in self._there and axis is not None and view.strides[axis]:
                    yield view.base
        for reader, at in self._readers.get(item, ()):
            for cut in self._possible(reader):
                axis = cut.axes[at]
                if axis is not None and reader.operands[at].strides[axis]:
                    yield reader

    def _possible(self, item: Any) -> list[Cut]:
        """The ways to divide an item that suit the order in which its operands lie in memory."""
        found = self._ways.get(item)
        if found is None:
            found = self._ways[item] = [cut for cut in _cuts(item) if self._suits(item, cut)]
        return found

    def _suits(self, item: Any, cut: Cut) -> bool:
        if not cut.adds and not self._divides(item, cut):
            return False
        return all(
            axis is None
            or view.strides[axis] == 0
            or type(view.base) is Count
            or is_aligned(view, axis, self.units)
            for view, axis in zip(item.operands, cut.axes, strict=True)
        )

    def _divides(self, item: Any, cut: Cut) -> bool:
        """Whether the blocks of a result lie one after the other."""
        axis = first_axis(item.shape)
        if axis is None or item.shape[axis] % self.units:
            return False
        if type(item) is Product and item.places is not None:
            axis = first_axis(item.places.shape)
            return axis is not None and is_aligned(item.places, axis, self.units)
        return type(item) is not Piece or is_aligned(item.target, axis, self.units)

    def _divide(self, candidates: set[Any]) -> None:
        """Choose a cut for each candidate; what needs a whole result of the loop comes after it."""
        for item in self.items:
            earlier = before(item)
            late = {b for b in earlier if b in self.after or self.is_sum(b)}
            cuts = self._possible(item) if item in candidates else []
            cut = next((c for c in cuts if self._can_read(item, c, late)), None)
            if cut is not None:
                self.cuts[item] = cut
            elif late or any(b in self.cuts for b in earlier):
                self.after.add(item)

    def _alone(self) -> set[Any]:
        """Pieces of arrays that are not in the region."""
        arrays = [i for i in self.items if type(i) is Pieces and i not in self.cuts]
        return {piece for array in arrays for piece in array.pieces if piece in self.cuts}

    def is_sum(self, base: Base) -> bool:
        """Whether it is a sum of what the blocks contribute."""
        return base in self.cuts and self.cuts[base].adds

    def is_chained(self, item: Any) -> bool:
        """Whether it is such a sum, added to another one: each is carried by itself."""
        return type(item) is Product and item.onto is not None and self.is_sum(item.onto.base)

    def _can_read(self, item: Any, cut: Cut, late: set[Any]) -> bool:
        """Whether an item finds what it reads in its block, or outside of the loop."""
        if cut.adds and self.is_chained(item):
            late = late - {item.onto.base}
            cut = Cut(cut.axes[:2], True)
        if late:
            return False
        if type(item) is Pieces and any(piece not in self.cuts for piece in item.pieces):
            return False
        pairs = zip(item.operands, cut.axes, strict=False)
        undivided = [v.base for v, axis in pairs if axis is None or v.strides[axis] == 0]
        return not any(base in self.cuts for base in undivided) and all(
            b not in self.cuts or type(b) is Piece for b in item.after
        )

    # ---- what it is worth ------------------------------------------------------------------------

    def between(self) -> int:
        """Bytes of what is in memory at once between the items, apart from what the loop makes."""
        return self._most(set(self.emitted))

    def pays(self, blocks: int) -> bool:
        """Whether the loop saves a quarter of the memory: what it makes is all there when it ends."""
        made = sum(item.bytes for item in self.emitted if item not in self._asked)
        most: int = made + self.between() // blocks
        return most < self._most(self._asked) * 3 // 4

    def _most(self, without: set[Any]) -> int:
        """The most bytes that stored items need at once, without some of them."""
        ends: dict[int, list[int]] = {}
        now = most = 0
        places = {item: at for at, item in enumerate(self.items)}
        for at, item in enumerate(self.items):
            if item in self.cuts and item not in without and self._is_stored(item):
                now += item.bytes
                last = max(places[reader] for reader, _ in self._readers[item])
                ends.setdefault(last, []).append(item.bytes)
            most = max(most, now)
            now -= sum(ends.pop(at, ()))
        return most

    def _is_stored(self, item: Any) -> bool:
        """Whether an array is in memory, as far as one can tell before loops are fused."""
        if self.cuts[item].adds or type(item) is Piece or item not in self._readers:
            return False
        return type(item) in (Product, Pieces) or any(
            type(reader) is Product for reader, _ in self._readers[item]
        )

    def division(self, least: int) -> tuple[int, int] | None:
        """The number of units that divide all rows, and how many are a block; None if there are too few.

        There are about `least` blocks. All are equal where the number of rows has a factor for it.
        """
        sizes, most = [], least
        for item, cut in self.cuts.items():
            axis = cut.axes[0]
            assert axis is not None
            size = item.operands[0].shape[axis]
            sizes.append(size)
            if type(item) is Product and axis >= len(item.operands[0].shape) - 2:
                most = min(most, size // _least_rows(item, axis))
        common = math.gcd(*sizes)
        blocks = min(most, common)
        if blocks < 2:
            return None
        factor = next((d for d in range(blocks, 2 * blocks) if common % d == 0), 0)
        if factor > 1:
            return factor, 1
        units = -(-common // blocks)
        return common, units

    # ---- the loop --------------------------------------------------------------------------------

    def replaced(self, size: int) -> list[Any]:
        """All items, those of the region replaced by a loop over blocks of so many units.

        What is left over at the end is a block of its own.
        """
        count, rest = divmod(self.units, size)
        loops = [BlockLoop(self, Blocks(0, size, count))]
        if rest:
            loops.append(BlockLoop(self, Blocks(count * size, rest, 1), loops[0]))
        last = loops[-1]
        made: list[Any] = []
        sums: dict[Any, Base] = last.sums
        for item, total in sums.items():
            new: Any = plus(item.onto, whole(total), item.place) if self.is_chained(item) else total
            made += [*([] if new is total else [new]), Alias(item, new, 0)]
        for item in self.emitted:
            made += _joined(item, [loop.made[item] for loop in loops])
        outside = [item for item in self.items if item not in self.cuts]
        ahead = [item for item in outside if item not in self.after]
        for loop in loops:
            ahead += [*loop.ahead, loop.repeat]
        return [*ahead, *made, *[item for item in outside if item in self.after]]


def _joined(item: Any, parts: Sequence[Base]) -> list[Any]:
    """What an array is replaced by: the only part, or an array into which the parts are written."""
    if len(parts) == 1:
        return [Alias(item, parts[0], 0)]
    target, begin = Pieces(item.shape, item.kind, item.place), 0
    for part in parts:
        goal = View(target, (part.size,), begin, (1,))
        flat = View(part, (part.size,), 0, (1,))
        target.pieces.append(piece_of(flat, goal, item.place))
        begin += part.size
    return [*target.pieces, target, Alias(item, target, 0)]
