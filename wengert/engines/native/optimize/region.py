"""The items of a plan that one loop over blocks computes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from wengert.engines.native.frontend.arrays import (
    Base,
    Count,
    Map,
    Piece,
    Pieces,
    Product,
    View,
    whole,
)
from wengert.engines.native.frontend.lowering import copy_of, piece_of
from wengert.engines.native.optimize.aliases import Alias, before, maker
from wengert.engines.native.optimize.block_body import BlockLoop, Blocks, plus
from wengert.engines.native.optimize.cuts import (
    Cut,
    axis_of,
    cuts,
    is_aligned,
    is_divided,
    span_of,
    target,
)

ROWS: Final = 256  # with fewer rows products are slower,
WIDTHS: Final = 2  # or with fewer than so many times the smaller side of the other matrix


class Reading:
    """The items of a plan, who reads what, and how each may be divided."""

    def __init__(self, items: list[Any], wanted: Sequence[View]) -> None:
        self.items = items
        self.wanted: set[Any] = {v.base for v in wanted}
        self.there = set(items)
        self.readers: dict[Base, list[tuple[Any, int]]] = {}
        for item in items:
            for at, view in enumerate(item.operands):
                self.readers.setdefault(view.base, []).append((item, at))
        self.before = {item: self._before(item) for item in items}
        self.bit = {item: 1 << at for at, item in enumerate(items)}
        self._with_ancestors: dict[Any, int] = {}  # as bit sets; the items are in order
        for item in items:
            found = self.bit[item]
            for b in self.before[item]:
                found |= self._with_ancestors.get(b, 0)
            self._with_ancestors[item] = found
        self._cuts: dict[Any, list[Cut]] = {}
        self._aligned: dict[tuple[Any, int, int], bool] = {}

    def is_free(self, item: Any) -> bool:
        """Whether a copy that is to wait may be there early: a small one of what no item computes."""
        return (
            type(item) is Map
            and any(item.size < b.size for b in item.after)
            and item.views[0].base not in self.there
        )

    def _before(self, item: Any) -> list[Any]:
        return [] if self.is_free(item) else before(item)

    def cuts(self, item: Any) -> list[Cut]:
        found = self._cuts.get(item)
        if found is None:
            found = self._cuts[item] = list(cuts(item))
        return found

    def is_aligned(self, view: View, axis: int, units: int) -> bool:
        key = id(view), axis, units  # of an operand, which its item holds
        found = self._aligned.get(key)
        if found is None:
            found = self._aligned[key] = is_aligned(view, axis, units)
        return found

    def all_before(self, bases: Sequence[Base]) -> int:
        """These, as far as items compute them, and all that they depend on, as a bit set."""
        found = 0
        for base in bases:
            found |= self._with_ancestors.get(maker(base), 0)
        return found

    def bytes_of(self, members: int) -> int:
        """The bytes of all arrays in a bit set."""
        total = 0
        while members:
            last = members.bit_length() - 1
            total += self.items[last].bytes
            members ^= 1 << last
        return total


class Region:
    """The items that a loop over blocks computes, of which one is given, and how that is divided.

    Blocks consist of whole units: of so many equal parts of each array that is divided.
    """

    def __init__(self, reading: Reading, seed: Product, cut: Cut, units: int) -> None:
        self.reading = reading
        self.items = reading.items
        self.seed = seed
        self.cut = cut
        self.units = units
        self.cuts: dict[Any, Cut] = {}  # of the items of the region
        self.after: set[Any] = set()  # the items that need its results
        self.connected = self._connected()
        candidates = self._candidates()
        while candidates:  # without those whose whole turns out to be no part of the region
            self.cuts, self.after = {}, set()
            self._divide(candidates)
            alone = self._alone()
            if not alone:
                break
            candidates -= alone
        # Whole arrays that the loop makes, block by block.
        self.emitted = [
            item for item, cut in self.cuts.items()
            if not cut.adds and type(item) is not Piece and (item in reading.wanted or self._is_read_after(item))
        ]  # fmt: skip

    def _is_read_after(self, item: Any) -> bool:
        return any(reader not in self.cuts for reader, _ in self.reading.readers.get(item, ()))

    # ---- which items -----------------------------------------------------------------------------

    def _connected(self) -> dict[Any, list[Cut]]:
        """The items that pass blocks on to each other, and how they are divided then."""
        found: dict[Any, list[Cut]] = {}
        waiting = [(self.seed, self.cut)]
        for item, cut in waiting:
            ways = found.setdefault(item, [])
            if cut not in ways and self._writes_parts(item, cut):
                ways.append(cut)
                waiting += self._neighbours(item, cut)
        return {item: ways for item, ways in found.items() if ways}

    def _writes_parts(self, item: Any, cut: Cut) -> bool:
        """Whether the blocks of a result lie in parts of their own."""
        if cut.span is None or type(item) is Pieces:
            return True
        to = target(item)
        axis = axis_of(to, cut.span)
        return axis is not None and is_aligned(to, axis, self.units)

    def _neighbours(self, item: Any, cut: Cut) -> Iterator[tuple[Any, Cut]]:
        for view, axis in zip(item.operands, cut.axes, strict=True):
            if axis is not None and view.base in self.reading.there:
                span = self._span_read(item, cut, view, axis)
                yield from [
                    (view.base, c) for c in self.reading.cuts(view.base) if span and c.span == span
                ]
        if cut.span is None:
            return
        for reader, at in self.reading.readers.get(item, ()):
            for c in self.reading.cuts(reader):
                axis = c.axes[at]
                if axis is not None and cut.span == self._span_read(
                    reader, c, reader.operands[at], axis
                ):
                    yield reader, c

    def _span_read(self, item: Any, cut: Cut, view: View, axis: int) -> int | None:
        """How its operand must be divided for an item to find its part; None if it never does."""
        if type(item) is Pieces:
            return cut.span
        return span_of(view, axis) if self.reading.is_aligned(view, axis, self.units) else None

    def _candidates(self) -> set[Any]:
        """The items that may be divided; what nearer ones read as a whole is computed ahead.

        That is little besides the given item: it is taken out of the loop where all that it depends
        on needs less memory.
        """
        bit = self.reading.bit
        found: set[Any] = set()
        kept = ahead = 0  # bit sets
        all_connected = sum(bit[item] for item in self.connected)
        for item, ways in self.connected.items():
            if bit[item] & ahead:
                continue
            for cut in ways:
                needs = self.reading.all_before(self._read_whole(item, cut)) & all_connected
                if needs & (kept | bit[item]):
                    continue
                if self.reading.bytes_of(needs & ~ahead) <= self.seed.bytes:
                    ahead |= needs
                    kept |= bit[item]
                    found.add(item)
                    break
        return found

    def _read_whole(self, item: Any, cut: Cut) -> list[Base]:
        pairs = zip(item.operands, cut.axes, strict=True)
        found = [view.base for view, axis in pairs if not is_divided(view, axis)]
        if type(item) is Product and item.onto is not None and cut.adds:
            other = item.onto.base  # it can be added in the end, unless it is divided
            ways = self.connected.get(other)
            if ways is None or any(c.adds for c in ways):
                found.remove(other)
        return found

    def _divide(self, candidates: set[Any]) -> None:
        """Choose a cut for each candidate; what needs a whole result of the loop comes after it."""
        for item in self.items:
            earlier = self.reading.before[item]
            late = {b for b in earlier if b in self.after or self.is_sum(b)}
            ways = self.connected[item] if item in candidates else []
            cut = next((c for c in ways if self._can_read(item, c, late)), None)
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
        """Whether it is such a sum, and what it is added to is there only after the loop."""
        return self._carries(item, self.cuts[item])

    def _carries(self, item: Any, cut: Cut) -> bool:
        if type(item) is not Product or item.onto is None or not cut.adds:
            return False
        other = item.onto.base
        return self.is_sum(other) or maker(other) in self.after

    def _can_read(self, item: Any, cut: Cut, late: set[Any]) -> bool:
        """Whether an item finds what it reads in its block, or outside of the loop."""
        if self._carries(item, cut):
            late = late - {maker(item.onto.base)}
            cut = Cut(cut.axes[:2], None)
        if late:
            return False
        if type(item) is Pieces:
            return all(
                piece in self.cuts and self.cuts[piece].span == cut.span for piece in item.pieces
            )
        pairs = zip(item.operands, cut.axes, strict=False)
        return all(self._finds(view, axis) for view, axis in pairs)

    def _finds(self, view: View, axis: int | None) -> bool:
        """Whether each block finds its part of a view."""
        base = view.base
        if axis is None or not is_divided(view, axis):
            return base not in self.cuts
        if base in self.cuts:
            same = span_of(view, axis) == self.cuts[base].span
            return same and self.reading.is_aligned(view, axis, self.units)
        return view.shape[axis] % self.units == 0 and (
            type(base) is Count or view.strides[axis] > 0
        )

    # ---- what it is worth ------------------------------------------------------------------------

    def between(self) -> int:
        """Bytes of what is in memory at once between the items, apart from what the loop makes."""
        return self._most_at_once(set(self.emitted))

    def pays(self, blocks: int) -> bool:
        """Whether the loop saves a quarter of the memory."""
        return self.most(blocks) < self._most_at_once(self.reading.wanted) * 3 // 4

    def most(self, blocks: int) -> int:
        """The bytes that the loop needs: what it makes is all there when it ends."""
        made = 0
        for item in self.emitted:
            if item not in self.reading.wanted:
                made += item.bytes
            if self.cuts[item].span != item.size:  # put together after the loop
                made += item.bytes
        return made + self.between() // blocks

    def _most_at_once(self, without: set[Any]) -> int:
        """The most bytes that stored items need at once, without some of them."""
        ends: dict[int, list[int]] = {}
        now = most = 0
        readers = self.reading.readers
        places = {item: at for at, item in enumerate(self.items)}
        for at, item in enumerate(self.items):
            if item in self.cuts and item not in without and self._is_stored(item):
                now += item.bytes
                last = max(places[reader] for reader, _ in readers[item])
                ends.setdefault(last, []).append(item.bytes)
            most = max(most, now)
            now -= sum(ends.pop(at, ()))
        return most

    def _is_stored(self, item: Any) -> bool:
        """Whether an array is in memory, as far as one can tell before loops are fused."""
        readers = self.reading.readers
        if self.cuts[item].adds or type(item) is Piece or item not in readers:
            return False
        return type(item) in (Product, Pieces) or any(
            type(reader) is Product for reader, _ in readers[item]
        )

    def division(self, least: int) -> tuple[int, int] | None:
        """The number of units that divide all rows, and how many are a block; None if there are too few.

        There are about `least` blocks. All are equal where the number of rows has a factor for it.
        """
        sizes = [
            view.shape[axis]
            for item, cut in self.cuts.items()
            for view, axis in zip(item.operands, cut.axes, strict=True)
            if axis is not None
        ]
        common = math.gcd(*sizes)
        blocks = min(least, self._most_blocks(), common)
        if blocks < 2:
            return None
        factor = next((d for d in range(blocks, 2 * blocks) if common % d == 0), 0)
        if factor > 1:
            return factor, 1
        units = -(-common // blocks)
        return common, units

    def _most_blocks(self) -> int:
        """With how many blocks the products are together as fast as with one."""
        products = [(item, cut) for item, cut in self.cuts.items() if type(item) is Product]
        work = sum(_work(item) for item, _ in products)
        least = sum(_least_work(item, cut) for item, cut in products)
        return work // max(least, 1)

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
            made += self._put_together(item, loops)
        outside = [item for item in self.items if item not in self.cuts]
        for item in filter(self.reading.is_free, outside):
            item.after = [
                b for b in item.after if b not in self.cuts and maker(b) not in self.after
            ]
        ahead = [item for item in outside if item not in self.after]
        for loop in loops:
            ahead += [*loop.ahead, loop.repeat]
        return [*ahead, *made, *[item for item in outside if item in self.after]]

    def _put_together(self, item: Any, loops: Sequence[BlockLoop]) -> list[Any]:
        """What an array is replaced by: what the only loop makes of it, or what all of them make."""
        span = self.cuts[item].span
        assert span is not None
        stretches = item.size // span
        if len(loops) > 1:
            return _from_parts(
                item, stretches, [loop.in_stretches(item, stretches) for loop in loops]
            )
        if stretches == 1:
            return [Alias(item, loops[0].made[item], 0)]
        only = copy_of(loops[0].in_stretches(item, stretches), item.place)
        return [only, Alias(item, only, 0)]


def _from_parts(item: Any, stretches: int, parts: Sequence[View]) -> list[Any]:
    """An array that parts of its stretches are written into."""
    made, begin = Pieces(item.shape, item.kind, item.place), 0
    for part in parts:
        goal = View(made, part.shape, begin, (item.size // stretches, part.shape[2], 1))
        made.pieces.append(piece_of(part, goal, item.place))
        begin += part.shape[1] * part.shape[2]
    return [*made.pieces, made, Alias(item, made, 0)]


def _work(item: Product) -> int:
    return item.size * item.views[0].shape[-1]


def _least_work(item: Product, cut: Cut) -> int:
    """How much a block must have of a product for it to be as fast as in one: see WIDTHS."""
    (rows, inner), columns = item.views[0].shape[-2:], item.views[1].shape[-1]
    first = len(item.views[0].shape) - 2
    a, b = cut.axes[:2]
    if b == first + 1:
        others, divided = (rows, inner), columns
    elif a == first:
        others, divided = (inner, columns), rows
    elif a == first + 1:
        others, divided = (rows, columns), inner
    else:
        return 0  # whole matrices
    return _work(item) // divided * max(ROWS, WIDTHS * min(others))
