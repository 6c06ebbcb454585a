"""The body of a loop over blocks: the items of a region, each for one block of rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wengert.engines.native.frontend.arrays import (
    Base,
    Count,
    Dims,
    Gather,
    Input,
    Literal,
    Map,
    Piece,
    Pieces,
    Product,
    Reduction,
    Repeat,
    View,
    Write,
    reshape,
    whole,
)
from wengert.engines.native.frontend.lanes import LANES
from wengert.engines.native.frontend.lowering import as_it_is, code_of
from wengert.engines.native.optimize.aliases import first_axis

if TYPE_CHECKING:
    from wengert.engines.native.optimize.blocks import Cut, Region

# How what the blocks contribute to a reduction is put together, and what that begins with: adding
# -0.0 changes nothing, not even -0.0.
HOW_ADDED: Final[dict[str, tuple[Callable[..., Any], Any]]] = {
    "sum": (LANES.add, -0.0),
    "prod": (LANES.multiply, 1),
    "any": (LANES.logical_or, False),
    "all": (LANES.logical_and, True),
}


def plus(a: View, b: View, place: Any, add: Callable[..., Any] = LANES.add) -> Map:
    """Two arrays of one form, put together."""
    code, (result,) = code_of(lambda x, y: [add(x, y)], [a.kind, b.kind])
    return Map(a.shape, a.kind, code, result, [a, b], place)


def copy_of(view: View, place: Any = None) -> Map:
    """What a view reads, as an array."""
    return Map(view.shape, view.kind, *as_it_is(view.kind), [view], place)


class Emitted(NamedTuple):
    """A whole array that the loop makes, as the loop of a graph makes one of what it emits."""

    inside: View
    backward: bool = False


class Taken(NamedTuple):
    """An array of which each block gets its part, from the first to the last."""

    backward: bool = False


class Lowered:
    """The items of the body, and what it carries, as a lowering of a graph would hold them."""

    is_simple = True

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.cells: dict[Base, Any] = {}
        self.writes: list[Write] = []
        self.views: dict[int, View] = {}
        self.lists: dict[int, View] = {}
        self.constants: dict[Base, int] = {}

    def left_over(self) -> tuple[list[View], list[Write]]:
        return [], self.writes

    def stored(self, view: View) -> View:
        return view


class Body:
    """The body: which arrays of it stand for what."""

    numbers = ()

    def __init__(self) -> None:
        self.low = Lowered()
        self.carried: dict[Base, int] = {}
        self.fixed: dict[Base, int] = {}
        self.taken: dict[Base, int] = {}


class Blocks(NamedTuple):
    """Equal blocks that follow each other, in units of the region."""

    first: int  # the units before them
    units: int  # in each of them
    number: int


class BlockLoop:
    """A loop over blocks of a region; what must be computed ahead of it, and what it makes.

    It goes on from the sums of the loop before it, if there is one.
    """

    condition = None

    def __init__(self, region: Region, blocks: Blocks, before: BlockLoop | None = None) -> None:
        self._cuts = region.cuts
        self._is_chained = region.is_chained
        self._units = region.units
        self._blocks = blocks
        self._before = before
        self.count = blocks.number
        self.body = Body()
        self.parts = [self.body]
        self.loop = self  # of which the loop that is written asks what is taken
        self.taken: list[Taken] = []
        self.ahead: list[Any] = []
        self._parts: dict[Base, Any] = {}  # of arrays that are divided, those of a block
        self._fixed: dict[Base, Input] = {}
        self._taken: dict[Base, Input] = {}
        self._numbers: dict[Any, View] = {}  # indices in a block, by what they are in all
        self._initial: list[View] = []
        added: list[Base] = []
        for item in region.items:
            if item in self._cuts:
                self._add(item, self._cuts[item])
                if self._cuts[item].adds:
                    added.append(item)
        self.emitted = [whole(self._parts[item]) for item in region.emitted]
        self.emits = [(Emitted(view), None) for view in self.emitted]
        self.taken = [Taken()] * len(self._taken)
        self.repeat = Repeat(
            self, self._initial, {at: whole(base) for at, base in enumerate(self._fixed)},
            [self._of_blocks(base) for base in self._taken], region.seed.place, self.count,
        )  # fmt: skip
        count = len(added)
        self.sums: dict[Any, Base] = dict(zip(added, self.repeat.results[:count], strict=True))
        self.made = dict(zip(region.emitted, self.repeat.results[count:], strict=True))

    def _of_blocks(self, base: Base) -> View:
        """An array of which each block gets its part, from its first element on."""
        first = base.size // self._units * self._blocks.first
        if not first or base in self.ahead:
            return whole(base)
        rest = View(base, (self._size_of(base.size) * self.count,), first, (1,))
        return self._made_ahead(rest, base.place)

    def _made_ahead(self, view: View, place: Any = None) -> View:
        """An array in memory that is there before the loop begins."""
        made = copy_of(view, place)
        self.ahead.append(made)
        return whole(made)

    def _size_of(self, size: int) -> int:
        """How much of so much a block has."""
        return size // self._units * self._blocks.units

    # ---- views -----------------------------------------------------------------------------------

    def _part_of(self, shape: Dims, axis: int | None) -> Dims:
        if axis is None:
            return shape
        return (*shape[:axis], self._size_of(shape[axis]), *shape[axis + 1 :])

    def _view(self, view: View, axis: int | None) -> View:
        """What a view is in a block."""
        if type(view.base) is Count and axis is not None and view.strides[axis]:
            return self._counted(view, axis)
        shape = self._part_of(view.shape, axis)
        return View(self._base(view, axis), shape, view.offset, view.strides)

    def _counted(self, view: View, axis: int) -> View:
        """Indices, which go on from block to block: what each begins with is added."""
        key = view.base, view.shape, view.offset, view.strides, axis
        if key not in self._numbers:  # equal expressions stay equal
            self._numbers[key] = self._newly_counted(view, axis)
        return self._numbers[key]

    def _newly_counted(self, view: View, axis: int) -> View:
        shape = self._part_of(view.shape, axis)
        first = view.strides[axis] * (view.shape[axis] // self._units) * self._blocks.first
        steps = View(view.base, (self.count,), first, (view.strides[axis] * shape[axis],))
        begins = self._made_ahead(steps).base
        begin = self._input(begins, (1,), self._taken, self.body.taken)
        own = View(view.base, shape, view.offset, view.strides)
        made = plus(own, View(begin, shape, 0, (0,) * len(shape)), None)
        self.body.low.items.append(made)
        return whole(made)

    def _base(self, view: View, axis: int | None) -> Base:
        base = view.base
        if type(base) in (Literal, Count):
            return base
        own: Base | None = self._parts.get(base)
        if own is not None:
            return own
        if axis is None or view.strides[axis] == 0:
            return self._input(base, base.shape, self._fixed, self.body.fixed)
        return self._input(base, (self._size_of(base.size),), self._taken, self.body.taken)

    def _input(
        self, base: Base, shape: Dims, known: dict[Base, Input], places: dict[Base, int]
    ) -> Input:
        """An array outside of the loop, or its part, as the body sees it."""
        found = known.get(base)
        if found is None:
            found = known[base] = Input(shape, base.kind)
            places[found] = len(places)
        return found

    # ---- items -----------------------------------------------------------------------------------

    def _add(self, item: Any, cut: Cut) -> None:
        """Add to the body what an item is in a block."""
        if type(item) is Pieces:
            self.body.low.items.append(self._pieces(item))
            return
        # What a sum of products is added to is there when the loop begins, or is added in the end.
        operands = item.views if cut.adds and type(item) is Product else item.operands
        views = [self._view(v, a) for v, a in zip(operands, cut.axes, strict=False)]
        shape = item.shape if cut.adds else self._part_of(item.shape, first_axis(item.shape))
        if type(item) is Product:
            made: Any = Product(shape, item.kind, views[:2], item.place)
            made.factor = item.factor
            if item.places is not None:
                axis = None if cut.adds else first_axis(item.places.shape)
                made.places = View(
                    made, self._part_of(item.places.shape, axis), 0, item.places.strides
                )
            if item.onto is not None and not cut.adds:
                made.onto = views[2]
        elif type(item) is Reduction:
            made = self._reduction(item, shape, views[0])
        else:
            made = self._elementwise(item, shape, views)
        self.body.low.items.append(made)
        self._parts[item] = made
        if cut.adds:
            self._add_up(item, made)

    def _reduction(self, item: Reduction, shape: Dims, view: View) -> Map | Reduction:
        if view.size != math.prod(shape):
            return Reduction(shape, item.kind, item.how, view, item.along, item.place)
        same = reshape(view, shape)  # there is nothing to reduce in a block of one row
        assert same is not None
        return copy_of(same, item.place)

    def _elementwise(self, item: Any, shape: Dims, views: list[View]) -> Any:
        made = type(item)(shape, item.kind, item.code, item.result, views, item.place)
        made.alone = item.alone
        if type(item) is Gather:
            made.step = item.step
        if type(item) is Piece:
            target = item.target
            to = self._pieces(target.base)
            made.target = View(to, shape, target.offset, target.strides)
            made.after = [self._parts[b] for b in item.after]
            to.pieces.append(made)
        return made

    def _pieces(self, item: Any) -> Pieces:
        """The array of a block that pieces are written into."""
        if item not in self._parts:
            shape = self._part_of(item.shape, first_axis(item.shape))
            self._parts[item] = Pieces(shape, item.kind, item.place)
        found: Pieces = self._parts[item]
        return found

    def _add_up(self, item: Any, made: Any) -> None:
        """Carry a sum from block to block, to which each adds what it contributes."""
        low, carried, cell = self.body.low, Input(item.shape, item.kind), object()
        self.body.carried[carried] = len(self._initial)
        low.cells[carried] = cell
        is_onto = type(item) is Product and item.places is None
        if is_onto:
            made.onto = whole(carried)
        else:
            add, begin = HOW_ADDED["sum" if type(item) is Product else item.how]
            made = plus(whole(carried), whole(made), item.place, add)
            low.items.append(made)
        low.writes.append(Write(cell, whole(made), None))
        if self._before is not None:
            self._initial.append(whole(self._before.sums[item]))
        elif is_onto and item.onto is not None and not self._is_chained(item):
            self._initial.append(item.onto)
        else:
            self._initial.append(self._filled(item, 0 if is_onto else begin))

    def _filled(self, item: Any, number: Any) -> View:
        """An array in memory that holds one number everywhere."""
        same = View(Literal(item.kind, number), item.shape, 0, (0,) * len(item.shape))
        return self._made_ahead(same, item.place)
