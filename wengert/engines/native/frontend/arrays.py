"""The intermediate representation: arrays that are computed element by element, and views of them.

A base is an array with elements in row-major order: an input, a number, computed from elements of
other arrays, reduced from another array, or a product of matrices. A view reads a base at addresses
that are linear in the index, so transposing, broadcasting and slicing cost nothing by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from wengert.engines.native.frontend.scalar import Code
from wengert.values.open_size import is_open, mark_of, opened

Dims = tuple[int, ...]


class Base:
    """An array, and where its elements come from."""

    __slots__ = ("after", "alone", "group", "kind", "place", "shape", "size")

    def __init__(self, shape: Dims, kind: str, place: Any = None) -> None:
        self.shape = shape
        self.kind = kind  # the type of the elements
        self.size = math.prod(shape)
        self.place = place  # the operation that it comes from
        self.group: Any = None  # the group that computes it
        self.alone = False  # whether it must have a group of its own
        self.after: list[Any] = []  # what must run before it although it does not read it

    @property
    def operands(self) -> Sequence[View]:
        return ()

    @property
    def bytes(self) -> int:
        return self.size * int(self.kind[1])


class Input(Base):
    """An array in memory that the plan does not compute."""

    __slots__ = ()


class Known(Base):
    """An array of known numbers, of the body of a loop."""

    __slots__ = ("value",)

    def __init__(self, shape: Dims, kind: str, value: Any) -> None:
        super().__init__(shape, kind)
        self.value = value


class Literal(Base):
    """A single known number."""

    __slots__ = ("value",)

    def __init__(self, kind: str, value: Any) -> None:
        super().__init__((), kind)
        self.value = value


class Count(Base):
    """0, 1, 2, ...: each element is its index, so a view is any linear function of the index."""

    __slots__ = ()


class Map(Base):
    """Elementwise: scalar code computes each element from one element of each operand."""

    __slots__ = ("code", "result", "views")

    def __init__(
        self,
        shape: Dims,
        kind: str,
        code: Code,
        result: int,
        views: Sequence[View],
        place: Any = None,
    ) -> None:
        super().__init__(shape, kind, place)
        self.code = code
        self.result = result
        self.views = views

    @property
    def operands(self) -> Sequence[View]:
        return self.views


class Reduction(Base):
    """Sums, products or extremes along axes: the last ones, the first ones, or all of them."""

    __slots__ = ("along", "how", "view")

    def __init__(
        self, shape: Dims, kind: str, how: str, view: View, along: str, place: Any = None
    ) -> None:
        super().__init__(shape, kind, place)
        self.how = how
        self.view = view
        self.along = along  # "last", "first" or "all"

    @property
    def operands(self) -> Sequence[View]:
        return (self.view,)

    @property
    def inner(self) -> int:
        """The number of elements inside the boundary between kept and reduced axes."""
        if self.along == "first":
            return self.size
        return math.prod(self.view.shape) // max(self.size, 1)


class MiddleReduction(Reduction):
    """The same along axes that others surround: of matrices, down the columns of each."""

    __slots__ = ()

    def __init__(self, shape: Dims, kind: str, how: str, view: View, place: Any = None) -> None:
        super().__init__(shape, kind, how, view, "middle", place)

    @property
    def inner(self) -> int:
        return self.shape[-1]

    @property
    def rows(self) -> int:
        """The rows of a matrix."""
        return self.view.shape[-2]


class Source(NamedTuple):
    """Scalar code that computes an operand's element from one number in memory."""

    kind: str
    code: Code
    value: int


class Product(Base):
    """Matrix products over the last two axes of the operands; the other axes are batch axes.

    The result is factor * a @ b, added to `onto` if there is one. `places`, a view of the result
    itself, says where its elements go if they are not in row-major order. `sources` is the scalar
    code that is applied to each operand's elements before they are multiplied, `before` the arrays
    that this code replaces.
    """

    __slots__ = ("before", "factor", "onto", "places", "sources", "views")

    def __init__(self, shape: Dims, kind: str, views: Sequence[View], place: Any = None) -> None:
        super().__init__(shape, kind, place)
        self.views = views
        self.factor = 1.0
        self.onto: View | None = None
        self.places: View | None = None
        self.sources: list[Source | None] = [None, None]
        self.before: list[Base] = []

    @property
    def operands(self) -> Sequence[View]:
        return self.views if self.onto is None else [*self.views, self.onto]

    @property
    def written(self) -> View:
        """A view of the result in the layout in which the matrices are written."""
        return whole(self) if self.places is None else self.places


class Tiles(NamedTuple):
    """How a kernel for arrays of any size computes one: in tiles, each of which completes some rows."""

    kernel: str  # its name in the runtime: see `kernel_address` of `runtime.units`
    numbers: tuple[int, ...]  # its arguments
    number: int  # of tiles
    parts: int  # of the kernel, for each tile
    rows: int  # of a tile
    image: int  # rows, of which the last tile has what is left
    flops: int


class Tiled(Base):
    """An array that a kernel computes from others in memory; a row is one along its last axis."""

    __slots__ = ("tiles", "views")

    def __init__(
        self, shape: Dims, kind: str, tiles: Tiles, views: Sequence[View], place: Any = None
    ) -> None:
        super().__init__(shape, kind, place)
        self.tiles = tiles
        self.views = views

    @property
    def operands(self) -> Sequence[View]:
        return self.views


class RowSet(Base):
    """A list as an array, with another row at an index; the operands are in memory."""

    __slots__ = ("index", "item", "values")

    def __init__(self, values: View, index: View, item: View, place: Any = None) -> None:
        super().__init__(values.shape, values.kind, place)
        self.values = values
        self.index = index
        self.item = item

    @property
    def operands(self) -> Sequence[View]:
        return (self.values, self.index, self.item)


class AsList(NamedTuple):
    """An array in memory that NumPy's operations see as a list."""

    view: View
    depth: int = 1  # of the lists in each other


class Pieces(Base):
    """An array in memory that pieces are written into."""

    __slots__ = ("pieces",)

    def __init__(self, shape: Dims, kind: str, place: Any = None) -> None:
        super().__init__(shape, kind, place)
        self.pieces: list[Piece] = []

    @property
    def operands(self) -> Sequence[View]:
        return [whole(piece) for piece in self.pieces]


class Piece(Map):
    """Elements that are written into another array, to where the view `target` reads."""

    __slots__ = ("target",)

    target: View


class Gather(Map):
    """Elements of a table in memory, selected by an index; the operands are views of the two.

    The table's view omits the axis that is indexed, whose stride is `step`.
    """

    __slots__ = ("step",)

    step: int


class Outside(Base):
    """A result that NumPy computes: the `index`-th one of `step`."""

    __slots__ = ("step",)

    def __init__(self, shape: Dims, kind: str, step: Any, place: Any = None) -> None:
        super().__init__(shape, kind, place)
        self.step = step

    @property
    def operands(self) -> Sequence[View]:
        return self.step.operands  # type: ignore[no-any-return]


class Write(NamedTuple):
    """An assignment to a variable."""

    cell: Any
    view: View
    after: Any


class Step:
    """An operation that NumPy computes, on arrays in memory."""

    __slots__ = (
        "after", "alone", "checks", "group", "inputs", "op", "operands", "reserves", "results",
        "writes",
    )  # fmt: skip

    def __init__(
        self, op: Any, inputs: Sequence[Any], operands: Sequence[View], reserves: int = 0
    ) -> None:
        self.op = op
        # If not 0: of the operation, which draws, only so many blocks of its stream are reserved.
        self.reserves = reserves
        self.inputs = inputs  # views, or tensors whose values are passed on unchanged
        self.operands = operands
        self.results: list[Any] = []
        self.group: Any = None
        self.alone = True
        # What the program does first: checks that raise, and assignments to variables.
        self.checks: list[View] = []
        self.writes: list[Write] = []
        self.after: list[Any] = []


class Tally(Base):
    """How many rows there are, and for how many there is room: known when the plan runs."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__((2,), "i8")


class Rows(Base):
    """The elements of a stack, a row for each iteration of a loop; Python holds the memory."""

    __slots__ = ("loop", "source", "tally")

    def __init__(self, shape: Dims, kind: str, tally: Tally, source: Any = None) -> None:
        super().__init__(shape, kind)
        self.tally = tally
        self.source = source  # the list that is given to the plan, if no loop of the plan makes it
        self.loop: Repeat | None = None


class Repeat:
    """A loop: its body runs again as long as its condition is true, on arrays in memory.

    Without a condition it runs once for each row of what it takes.
    """

    __slots__ = (
        "after", "alone", "count", "emitted", "fixed", "group", "initial", "inside", "place", "results",
        "taken", "tally",
    )  # fmt: skip

    def __init__(
        self,
        inside: Any,
        initial: Sequence[View],
        fixed: dict[int, View],
        taken: Sequence[Rows | View],
        place: Any,
        count: int | None = None,
    ) -> None:
        self.count = count  # the number of iterations, if it is known before
        self.inside = inside  # the condition and the body
        self.initial = initial  # what is carried from one iteration to the next, at the beginning
        self.fixed = fixed  # what is the same in all iterations, by its index among the constants
        self.taken = taken
        self.place = place
        self.results = [Given(v.shape, v.kind, self) for v in initial]
        # The number of iterations: those that were run, or those that there will be.
        lists = [x for x in taken if isinstance(x, Rows)]
        self.tally = lists[0].tally if lists else Tally()
        self.emitted: list[Rows | Given] = []
        for v in inside.emitted:
            if count is None:
                rows = Rows(v.shape, v.kind, self.tally)
                rows.loop = self
                self.emitted.append(rows)
            else:
                given = Given((count, *v.shape), v.kind, self)
                self.results.append(given)
                self.emitted.append(given)
        self.group: Any = None
        self.alone = True
        self.after: list[Any] = []

    @property
    def operands(self) -> Sequence[View]:
        arrays = [x for x in self.taken if isinstance(x, View)]
        return [*self.initial, *self.fixed.values(), *arrays]

    @property
    def rows(self) -> list[Rows]:
        """What it emits, if the number of iterations is known only when it runs."""
        return [x for x in self.emitted if isinstance(x, Rows)]

    @property
    def has_rows(self) -> bool:
        """Whether it takes or emits as much as is known only when it runs."""
        return any(isinstance(x, Rows) for x in (*self.taken, *self.emitted))


class Choice:
    """One of several bodies, chosen by an index, on arrays in memory."""

    __slots__ = ("after", "alone", "fixed", "group", "index", "inside", "place", "results")

    def __init__(
        self,
        inside: Any,
        index: View,
        fixed: dict[int, View],
        forms: Sequence[tuple[Dims, str]],
        place: Any,
    ) -> None:
        self.inside = inside  # the branches
        self.index = index
        self.fixed = fixed  # what they use, by its index among the inputs
        self.place = place
        self.results = [Given(*form, self) for form in forms]
        self.group: Any = None
        self.alone = True
        self.after: list[Any] = []

    @property
    def operands(self) -> Sequence[View]:
        return [self.index, *self.fixed.values()]


class Routine:
    """Arrays that one function of `routines` computes from others in memory."""

    __slots__ = (
        "after", "alone", "arguments", "function", "group", "operands", "parts", "place", "results",
        "scratch", "work",
    )  # fmt: skip

    def __init__(
        self,
        function: str,
        arguments: Sequence[Any],
        operands: Sequence[View],
        forms: Sequence[tuple[Dims, str]],
        place: Any,
    ) -> None:
        self.function = function  # "file.name" of what writes it, given these arguments
        self.arguments = arguments
        self.operands = operands
        self.place = place
        self.results = [Given(*form, self) for form in forms]
        self.scratch: Sequence[
            tuple[Dims, str]
        ] = ()  # the forms of arrays that it needs on the way
        self.work = sum(v.size for v in operands)  # an estimate, in elements
        self.parts = 1  # that threads may compute
        self.group: Any = None
        self.alone = True
        self.after: list[Any] = []


class Given(Base):
    """What a loop, a choice or a routine gives: of a loop the last value carried."""

    __slots__ = ("owner",)

    def __init__(self, shape: Dims, kind: str, owner: Repeat | Choice | Routine) -> None:
        super().__init__(shape, kind, owner.place)
        self.owner = owner

    @property
    def operands(self) -> Sequence[View]:
        return self.owner.operands


class View:
    """An array read from a base: element i is the base's element offset + sum(strides * i)."""

    __slots__ = ("base", "offset", "shape", "strides")

    def __init__(self, base: Base, shape: Dims, offset: int, strides: Dims) -> None:
        self.base = base
        self.shape = shape
        self.offset = offset
        self.strides = strides

    @property
    def kind(self) -> str:
        return self.base.kind

    @property
    def size(self) -> int:
        return math.prod(self.shape)


_STRIDES: Final[dict[Dims, Dims]] = {}
_OF_LINE: Final[tuple[Dims, Dims]] = (), (1,)


def row_major(shape: Dims) -> Dims:
    """The strides of a contiguous array."""
    if len(shape) < 2:
        return _OF_LINE[len(shape)]
    if is_open(shape):  # equal sizes may have other names
        return _row_major(shape)
    found = _STRIDES.get(shape)
    if found is None:
        found = _STRIDES[shape] = _row_major(shape)
    return found


def _row_major(shape: Dims) -> Dims:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def whole(base: Base) -> View:
    """A view of all of a base, in its own shape."""
    return View(base, base.shape, 0, row_major(base.shape))


def is_plain(view: View) -> bool:
    """Whether a view is all of its base in order, possibly in another shape."""
    if view.offset or view.size != view.base.size:
        return False
    if len(view.shape) == 1:
        return view.strides[0] == 1 or view.shape[0] == 1
    strides = row_major(view.shape)
    if view.strides is strides:
        return True
    pairs = zip(view.shape, view.strides, strides, strict=True)
    return all(size == 1 or a == b for size, a, b in pairs)


def broadcast(view: View, shape: Dims) -> View:
    if view.shape == shape:
        return view
    missing = len(shape) - len(view.shape)
    strides = [
        0 if have == 1 and want != 1 else stride
        for have, want, stride in zip(view.shape, shape[missing:], view.strides, strict=True)
    ]
    return View(view.base, shape, view.offset, (*(0,) * missing, *strides))


def broadcast_shapes(*shapes: Dims) -> Dims:
    """The shape of arrays that are broadcast to each other; a ValueError if they cannot be."""
    rank = max(map(len, shapes))
    padded = [(*(1,) * (rank - len(shape)), *shape) for shape in shapes]
    found = tuple([next((d for d in sizes if d != 1), 1) for sizes in zip(*padded, strict=True)])
    if any(d not in (1, size) for shape in padded for d, size in zip(shape, found, strict=True)):
        raise ValueError(f"The shapes {shapes} do not broadcast.")
    return found


def transpose(view: View, perm: Sequence[int]) -> View:
    shape = tuple([view.shape[p] for p in perm])
    return View(view.base, shape, view.offset, tuple([view.strides[p] for p in perm]))


def reshape(view: View, shape: Dims) -> View | None:
    """The same elements in another shape; None if no strides describe that."""
    if view.shape == shape:
        return view
    if view.size == 0:
        return View(view.base, shape, 0, (0,) * len(shape))
    if view.strides == row_major(view.shape) or is_plain(view):
        return View(view.base, shape, view.offset, row_major(shape))
    runs = _runs([(n, s) for n, s in zip(view.shape, view.strides, strict=True) if n != 1])
    strides: list[int] = []
    at = len(runs) - 1
    left, step = runs[at] if runs else (1, 0)
    for size in reversed(shape):
        if size == 1:
            strides.append(0)
            continue
        if left == 1:
            at -= 1
            left, step = runs[at]
        if left % size:
            return None
        strides.append(step)
        left, step = left // size, step * size
    return View(view.base, shape, view.offset, tuple(reversed(strides)))


def _runs(axes: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sizes and strides, with adjacent axes merged where they are contiguous in memory."""
    found: list[tuple[int, int]] = []
    for size, stride in axes:
        if found and found[-1][1] == size * stride:
            found[-1] = (found[-1][0] * size, stride)
        else:
            found.append((size, stride))
    return found


def _sliced(k: slice, size: int) -> tuple[int, int, int]:
    """Where a slice of an axis begins, how many elements it has, and the step."""
    start, stop, step = k.indices(int(size))
    count = len(range(start, stop, step))
    if not is_open((size, k.start, k.stop)):
        return start, count, step
    other = slice(mark_of(k.start), mark_of(k.stop), k.step).indices(mark_of(size))
    return opened(start, other[0]), opened(count, len(range(*other))), step


def slice_view(view: View, key: Sequence[Any]) -> View:
    """Basic indexing: integers, slices, None and an Ellipsis."""
    taken = sum(k is not None and k is not Ellipsis for k in key)
    if Ellipsis in key:
        at = list(key).index(Ellipsis)
        key = (*key[:at], *(slice(None),) * (len(view.shape) - taken), *key[at + 1 :])
    else:
        key = (*key, *(slice(None),) * (len(view.shape) - taken))
    shape, strides, offset, axis = [], [], view.offset, 0
    for k in key:
        if k is None:
            shape.append(1)
            strides.append(0)
            continue
        size, stride = view.shape[axis], view.strides[axis]
        axis += 1
        if isinstance(k, slice):
            start, count, step = _sliced(k, size)
            offset += start * stride
            shape.append(count)
            strides.append(stride * step)
        else:
            offset += (int(k) + (size if k < 0 else 0)) * stride
    result = View(view.base, tuple(shape), offset, tuple(strides))
    return result if result.size else View(view.base, tuple(shape), 0, (0,) * len(shape))
