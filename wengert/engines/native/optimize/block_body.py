"""The body of a loop over blocks: the items of a region, each for one block of rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

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
    is_plain,
    reshape,
    whole,
)
from wengert.engines.native.frontend.lanes import LANES
from wengert.engines.native.frontend.lowering import copy_of
from wengert.engines.native.frontend.templates import code_of
from wengert.engines.native.optimize.cuts import (
    HOW_ADDED,
    Cut,
    axis_of,
    is_divided,
    shortened,
    target,
)

if TYPE_CHECKING:
    from wengert.engines.native.optimize.region import Region


def plus(a: View, b: View, place: Any, add: Callable[..., Any] = LANES.add) -> Map:
    """Two arrays of one form, put together."""
    code, (result,) = code_of(lambda x, y: [add(x, y)], [a.kind, b.kind])
    return Map(a.shape, a.kind, code, result, [a, b], place)


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
        self.parts_of_constants: dict[Base, tuple[int, int]] = {}

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
        self.ahead: list[Any] = []
        self._parts: dict[Base, Any] = {}  # of arrays that are divided, those of a block
        self._fixed: dict[Base, Input] = {}
        self._windows: dict[tuple[Base, int], Input] = {}  # by the steps from block to block
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
        self.taken = [Taken()] * len(self._windows)
        self.repeat = Repeat(
            self, self._initial, {at: whole(base) for at, base in enumerate(self._fixed)},
            [View(base, (self.count, window.size), 0, (step, 1)) for (base, step), window in self._windows.items()],
            region.seed.place, self.count,
        )  # fmt: skip
        count = len(added)
        self.sums: dict[Any, Base] = dict(zip(added, self.repeat.results[:count], strict=True))
        self.made = dict(zip(region.emitted, self.repeat.results[count:], strict=True))

    def in_stretches(self, item: Any, number: int) -> View:
        """An array that the loop makes, in the order of its stretches: what each block has of each."""
        made = self.made[item]
        part = made.size // (number * self.count)
        return View(made, (number, self.count, part), 0, (part, number * part, 1))

    def _made_ahead(self, view: View, place: Any = None) -> View:
        """An array in memory that is there before the loop begins."""
        made = copy_of(view, place)
        self.ahead.append(made)
        return whole(made)

    def _size_of(self, size: int) -> int:
        """How much of so much a block has."""
        return size // self._units * self._blocks.units

    def _part_of(self, shape: Dims, axis: int | None) -> Dims:
        if axis is None:
            return shape
        return (*shape[:axis], self._size_of(shape[axis]), *shape[axis + 1 :])

    # ---- views -----------------------------------------------------------------------------------

    def _view(self, view: View, axis: int | None) -> View:
        """What a view is in a block."""
        base = view.base
        if axis is None or not is_divided(view, axis):
            shape = self._part_of(view.shape, axis)
            return View(self._same_for_all(base), shape, view.offset, view.strides)
        if type(base) is Count:
            return self._counted(view, axis)
        if base in self._parts:
            return self._view_of_part(self._parts[base], view, axis)
        return self._window(view, axis)

    def _same_for_all(self, base: Base) -> Base:
        """An array outside of the loop, as the body sees it."""
        if type(base) in (Literal, Count):
            return base
        found = self._fixed.get(base)
        if found is None:
            found = self._fixed[base] = Input(base.shape, base.kind)
            self.body.fixed[found] = len(self.body.fixed)
        return found

    def _view_of_part(self, part: Base, view: View, axis: int) -> View:
        """A view of what the block itself has computed."""
        shape = self._part_of(view.shape, axis)
        return View(part, shape, *shortened(view, axis, self._units, self._blocks.units))

    def _window(self, view: View, axis: int) -> View:
        """A view of an array outside of the loop, which moves on from block to block."""
        shape = self._part_of(view.shape, axis)
        first = view.strides[axis] * (view.shape[axis] // self._units) * self._blocks.first
        if self.count == 1:
            base = self._same_for_all(view.base)
            return View(base, shape, view.offset + first, view.strides)
        assert not first  # what does not begin with the first block is one block
        step = view.strides[axis] * shape[axis]
        return View(self._taken(view.base, step), shape, view.offset, view.strides)

    def _taken(self, base: Base, step: int) -> Input:
        """What a block sees of an array outside of the loop: all from where it begins."""
        found = self._windows.get((base, step))
        if found is None:
            size = base.size - step * (self.count - 1)
            found = self._windows[base, step] = Input((size,), base.kind)
            self.body.taken[found] = len(self.body.taken)
        return found

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
        begin = self._taken(self._made_ahead(steps).base, 1)
        own = View(view.base, shape, view.offset, view.strides)
        made = plus(own, View(begin, shape, 0, (0,) * len(shape)), None)
        self.body.low.items.append(made)
        return whole(made)

    # ---- items -----------------------------------------------------------------------------------

    def _add(self, item: Any, cut: Cut) -> None:
        """Add to the body what an item is in a block."""
        if type(item) is Pieces:
            self.body.low.items.append(self._pieces(item))
            return
        # What a sum of products is added to is there when the loop begins, or is added in the end.
        operands = item.views if cut.adds and type(item) is Product else item.operands
        views = [self._view(v, a) for v, a in zip(operands, cut.axes, strict=False)]
        if type(item) is Product:
            made: Any = self._product(item, cut, views)
        elif type(item) is Reduction:
            made = self._reduction(item, self._shape_of(item, cut.span), views[0])
        else:
            made = self._elementwise(item, cut, views)
        self.body.low.items.append(made)
        self._parts[item] = made
        if cut.adds:
            self._add_up(item, made)

    def _shape_of(self, item: Any, span: int | None) -> Dims:
        """The shape of an array in a block."""
        shape: Dims = item.shape
        if span is None:
            return shape
        axis = axis_of(whole(item), span)
        return (self._size_of(item.size),) if axis is None else self._part_of(shape, axis)

    def _product(self, item: Product, cut: Cut, views: list[View]) -> Product:
        made = Product(self._shape_of(item, cut.span), item.kind, views[:2], item.place)
        made.factor = item.factor
        if item.places is not None and cut.span is not None:
            axis = axis_of(item.places, cut.span)
            assert axis is not None
            made.places = self._view_of_part(made, item.places, axis)
        elif item.places is not None:
            made.places = View(made, item.places.shape, 0, item.places.strides)
        if item.onto is not None and not cut.adds:
            made.onto = self._in_order(views[2])
        return made

    def _in_order(self, view: View) -> View:
        """The same elements as an array of their own, if they are not that already."""
        if is_plain(view):
            return view
        made = copy_of(view)
        self.body.low.items.append(made)
        return whole(made)

    def _reduction(self, item: Reduction, shape: Dims, view: View) -> Map | Reduction:
        if view.size != math.prod(shape):
            return Reduction(shape, item.kind, item.how, view, item.along, item.place)
        # There is nothing to reduce in a block of one row.
        return copy_of(reshape(view, shape) or view, item.place)

    def _elementwise(self, item: Any, cut: Cut, views: list[View]) -> Any:
        assert cut.span is not None
        to = target(item)
        axis = axis_of(to, cut.span)
        assert axis is not None
        shape = self._part_of(item.shape, axis)
        made = type(item)(shape, item.kind, item.code, item.result, views, item.place)
        made.alone = item.alone
        made.after = [self._parts[b] for b in item.after if b in self._parts]
        if type(item) is Gather:
            made.step = item.step
        if type(item) is Piece:
            made.target = self._view_of_part(self._pieces(to.base), to, axis)
            made.target.base.pieces.append(made)
        return made

    def _pieces(self, item: Any) -> Pieces:
        """The array of a block that pieces are written into."""
        if item not in self._parts:
            shape = self._shape_of(item, self._cuts[item].span)
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
