"""Loop fusion: which arrays are computed in one loop.

A group is a loop over an index space of `size` elements in row-major order, in rows of `columns`.
What it computes has one of three levels: FULL, an element for each index; ROW, one for each row,
such as a sum along the row, which the row may use afterwards; END, sums over many rows, which are
complete when the loop ends.

An array joins a group whenever its operands allow it: the loop has them at the same index, or they
are in memory. So a value passes from its producer to its consumers in a register, and siblings that
read the same memory read it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from wengert.engines.native.frontend.arrays import (
    Base,
    Choice,
    Count,
    Dims,
    Gather,
    Literal,
    Map,
    MiddleReduction,
    Piece,
    Pieces,
    Product,
    Reduction,
    Repeat,
    Routine,
    RowSet,
    Source,
    Step,
    Tiled,
    View,
    is_plain,
    reshape,
)
from wengert.engines.native.frontend.scalar import Code

FULL: Final = "full"
ROW: Final = "row"
END: Final = "end"

# A full sum of up to so many elements counts as one row, so that the rest of the loop may use it.
ONE_ROW: Final = 1 << 13


# A loop with more instructions, or that reads more arrays, takes LLVM longer than several loops do;
# only if it is long is that worth the passes through memory that it saves.
HEAVY: Final = 400
HEAVY_IF_LONG: Final = 4000
SPREAD: Final = 64

SHORT: Final = 32  # columns of rows,
MANY: Final = 64  # and the number of rows, from which on values of rows get loops of their own


class Group:
    """Arrays that are computed in one loop, or one step of another kind."""

    __slots__ = (
        "ancestors", "bit", "boundaries", "columns", "levels", "members", "number", "read", "rows_of_one",
        "size", "weight",
    )  # fmt: skip

    def __init__(self, number: int, size: int) -> None:
        self.number = number
        self.bit = 1 << number
        self.ancestors = 0  # the groups that must run before it, as a bit set
        self.size = size
        self.columns: int | None = None
        self.rows_of_one = 0  # of each of the matrices down whose columns it sums up
        self.boundaries: tuple[int, ...] = ()  # between axes, as the number of elements inside
        self.members: list[Any] = []
        self.levels: dict[Base, str] = {}
        self.weight = 0  # the instructions of all members
        self.read: set[Any] = set()  # the places in other arrays that it reads, or writes pieces to

    def take(self, item: Any, level: str | None = None) -> None:
        """Add an item to the group: at a level, if the group is a loop."""
        if level is not None:
            self.levels[item] = level
            self.weight += _weight(item)
            self.read |= _read(item, self)
        self.members.append(item)
        item.group = self

    @property
    def is_loop(self) -> bool:
        return bool(self.levels)

    @property
    def rows(self) -> int:
        return self.size // self.columns if self.columns else 1


def _weight(item: Any) -> int:
    return len(item.code.instructions) if isinstance(item, Map) else 1


def _would_be_too_large(group: Group, item: Any) -> bool:
    """Whether a loop would become too large for the compiler with one more item."""
    most = HEAVY if group.size <= ONE_ROW else HEAVY_IF_LONG
    return group.weight + _weight(item) > most or len(group.read | _read(item, group)) > SPREAD


def _read(item: Any, group: Group) -> set[Any]:
    found = {(v.base, v.offset) for v in item.operands if v.base.group is not group}
    if type(item) is Piece:
        found.add((item.target.base, item.target.offset))
    return found


def is_inline(base: Base) -> bool:
    """Whether a base is recomputed wherever it is used, and never stored."""
    return type(base) is Literal or type(base) is Count


class Fusion:
    """Divides arrays into groups."""

    def __init__(self) -> None:
        self.groups: list[Group] = []
        self._latest: dict[int, Group] = {}  # by size
        self._followed = 0  # the groups that others depend on, as a bit set

    def add(self, item: Any) -> None:
        """Put an array, or a step of NumPy's, into a group, after its operands."""
        self._place(item)
        before = [earlier.group for earlier in item.after if earlier.group is not None]
        self._depends(item.group, before)

    def _place(self, item: Any) -> None:
        before = [v.base.group for v in item.operands if v.base.group is not None]
        if isinstance(item, (Map, Reduction)):
            for group in () if item.alone else self._candidates(item, before):
                if self._joined(group, item, before):
                    return
            self._alone(item, before)
            return
        group = self._new(0, before)
        group.take(item)
        if type(item) in (Step, Repeat, Choice, Routine):
            for result in item.results:
                if isinstance(result, Base):
                    result.group = group

    # ---- joining -------------------------------------------------------------------------------

    def _candidates(self, item: Any, before: Sequence[Group]) -> Iterable[Group]:
        """Groups that compute operands, the latest first; then one of the same size."""
        found = {g.number: g for g in before if g.is_loop}
        sibling = self._latest.get(_extent(item))
        last = [] if sibling is None or sibling.number in found else [sibling]
        return [*sorted(found.values(), key=lambda g: -g.number), *last]

    def _joined(self, group: Group, item: Any, before: Sequence[Group]) -> bool:
        others = [g for g in before if g is not group]
        if any(g.ancestors & group.bit for g in others):
            return False
        if _would_be_too_large(group, item):
            return False
        level = fitting(group, item)
        if level is None:
            return False
        group.take(item, level)
        self._depends(group, others)
        return True

    def _alone(self, item: Any, before: Sequence[Group]) -> None:
        group = self._new(_extent(item), before)
        level = fitting(group, item)
        assert level is not None
        group.take(item, level)
        if not item.alone:
            self._latest[group.size] = group

    def _new(self, size: int, before: Sequence[Group]) -> Group:
        group = Group(len(self.groups), size)
        self.groups.append(group)
        self._depends(group, before)
        return group

    def _depends(self, group: Group, others: Sequence[Group]) -> None:
        more = 0
        for other in others:
            more |= other.ancestors | other.bit
        if more & ~group.ancestors:
            group.ancestors |= more
            self._followed |= more
            if not self._followed & group.bit:
                return
            for later in self.groups:
                if later.ancestors & group.bit:
                    later.ancestors |= more

    def last_of(self, group: Group, base: Base, before: Sequence[Group]) -> bool:
        """Order a group after some others and after all readers of an array, if possible."""
        others = list(before)
        others += [
            g
            for g in self.groups
            if g is not group and any(v.base is base for item in g.members for v in item.operands)
        ]
        if any(g is group or g.ancestors & group.bit for g in others):
            return False
        self._depends(group, others)
        return True

    def between(self, first: Group, last: Group) -> bool:
        """Whether some other group depends on the first one, and the last one on it."""
        return any(g.ancestors & first.bit and last.ancestors & g.bit for g in self.groups)

    def join(self, first: Group, last: Group) -> None:
        """Merge one group into another; no other group may have to run between them."""
        first.size, first.columns, first.boundaries = last.size, last.columns, last.boundaries
        first.rows_of_one = last.rows_of_one
        for item in last.members:
            first.take(item, last.levels[item])
        self.groups.remove(last)
        self._depends(first, [g for g in self.groups if g is not first and last.ancestors & g.bit])
        for later in self.groups:
            if later.ancestors & last.bit:
                later.ancestors = (later.ancestors & ~last.bit) | first.bit | first.ancestors

    # ---- order ---------------------------------------------------------------------------------

    def ordered(self) -> list[Group]:
        """The groups in topological order, with NumPy's steps next to each other where possible."""
        place = {group: k for k, group in enumerate(self.groups)}
        ready: dict[bool, list[Group]] = {True: [], False: []}  # loops and so on; NumPy's steps
        # Groups that cannot run yet, by the number of one that has to run before: so each is looked at
        # a few times, not whenever others have run.
        waiting: dict[int, list[Group]] = {}
        done = 0

        def sort_in(groups: Iterable[Group]) -> None:
            for group in groups:
                missing = group.ancestors & ~done
                if missing:
                    waiting.setdefault(missing.bit_length(), []).append(group)
                else:
                    ready[_is_native(group)].append(group)

        sort_in(self.groups)
        order: list[Group] = []
        native = True
        while len(order) < len(self.groups):
            if not ready[native]:
                native = not native
            run, ready[native] = sorted(ready[native], key=place.__getitem__), []
            order += run
            for group in run:
                done |= group.bit
            for group in run:
                sort_in(waiting.pop(group.number + 1, ()))
        return order


def _is_native(group: Group) -> bool:
    return type(group.members[0]) is not Step


def _extent(item: Any) -> int:
    """The number of iterations of the loop that computes an array."""
    return item.view.size if isinstance(item, Reduction) else item.size


# ---- whether an array fits a group ------------------------------------------------------------


def fitting(group: Group, item: Any) -> str | None:
    """The level at which a group can compute an array, or None."""
    if isinstance(item, Reduction):
        return _fitting_reduction(group, item)
    if type(item) is Gather and item.views[1].base.group is group:
        return None  # the table must have been stored
    touched = [*item.views, item.target] if type(item) is Piece else item.views
    if item.size == group.size and all(_is_there(group, v, FULL) for v in item.views):
        return FULL if _with_boundaries(group, touched, 1) else None
    columns = group.columns
    if columns and item.size * columns == group.size and columns > 1:
        inside = any(v.base.group is group for v in item.views)
        if (
            inside
            and not _is_slower_by_row(group, item)
            and all(_is_there(group, v, ROW) for v in item.views)
        ):
            return ROW if _with_boundaries(group, touched, columns) else None
    return None


def _is_slower_by_row(group: Group, item: Map) -> bool:
    """Whether rows are so short that what is computed once for each is better computed in a loop of its own.

    There a function of many instructions takes as long for a vector as here for the value of a row.
    """
    if group.columns > SHORT or group.rows < MANY:  # type: ignore[operator]
        return False
    return any(op == "call" for op, *_ in item.code.instructions)


def _fitting_reduction(group: Group, item: Reduction) -> str | None:
    if item.view.size != group.size or not _is_there(group, item.view, FULL):
        return None
    if item.along == "all":
        if group.columns is None and group.size <= ONE_ROW:
            columns, level = group.size, ROW
        elif group.columns == group.size:
            columns, level = group.columns, ROW
        else:
            if group.rows_of_one:
                return None
            return END if _with_boundaries(group, [item.view], 1) else None
    else:
        columns, level = item.inner, ROW if item.along == "last" else END
    if group.columns not in (None, columns):
        return None
    rows = item.rows if type(item) is MiddleReduction else 0
    if level == END and rows != group.rows_of_one and END in group.levels.values():
        return None
    ends = (columns, rows * columns, group.size) if rows else (columns, group.size)
    joined = common(group.boundaries, ends)
    if joined is None:
        return None
    before = group.boundaries
    group.boundaries = joined
    if not _with_boundaries(group, [item.view], 1):
        group.boundaries = before
        return None
    group.columns = columns
    group.rows_of_one = rows or group.rows_of_one
    return level


def _is_there(group: Group, view: View, level: str) -> bool:
    """Whether the elements of a view are available when a group computes an item of that level."""
    base = view.base
    if base.group is not group:
        return True
    have = group.levels[base]
    if have == level:
        return is_plain(view)
    if have == ROW and level == FULL:
        assert group.columns
        spread = reshape(view, (group.rows, group.columns))
        return spread is not None and not spread.offset and _repeats_rows(spread)
    return False


def _repeats_rows(view: View) -> bool:
    rows, columns = view.shape
    return (columns == 1 or view.strides[1] == 0) and (rows == 1 or view.strides[0] == 1)


def _with_boundaries(group: Group, views: Sequence[View], within: int) -> bool:
    """Split the group's axes so that some views are linear in them; False if that is impossible."""
    found = group.boundaries
    for view in views:
        if view.base.group is group or type(view.base) is Literal or is_plain(view):
            continue
        merged = common(found, boundaries(view.shape, within))
        if merged is None:
            return False
        found = merged
    group.boundaries = found
    return True


def boundaries(shape: Dims, within: int) -> tuple[int, ...]:
    """For each axis the number of elements in it and those after it."""
    found = []
    for size in reversed(shape):
        if size != 1:
            within *= size
            found.append(within)
    return tuple(found)


def common(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    if a == b or not b:
        return a
    merged = tuple(sorted({*a, *b} - {1}))
    return merged if all(y % x == 0 for x, y in pairwise(merged) if x) else None


def in_memory(groups: Sequence[Group], fetched: Iterable[Base]) -> set[Base]:
    """The arrays that have to be stored, because they are used outside their group."""
    found = {b for b in fetched if not is_inline(b)}
    for group in groups:
        for item in group.members:
            for view in item.operands:
                base = view.base
                if base.group is not group and not is_inline(base):
                    found.add(base)
            if _is_always_stored(group, item):
                found.add(item)
    return found


def _is_always_stored(group: Group, item: Any) -> bool:
    if type(item) in (Product, Tiled):  # with an epilogue it is stored only if others read it
        return not group.is_loop
    return type(item) in (Pieces, RowSet) or (
        isinstance(item, Reduction) and group.levels[item] == END
    )


# ---- rematerialization ---------------------------------------------------------------------------

# Instructions that cost less than a pass through memory.
CHEAP: Final = frozenset(
    ("param", "const", "neg", "add", "sub", "mul", "abs", "select", "not", "and", "or", "cast",
     "lt", "le", "gt", "ge", "eq", "ne")
)  # fmt: skip
FEW: Final = 8


# Whether a product can compute its left (0) or right (1) operand's elements while it reads them.
Computes = Callable[[Product, int], bool]


def compute_again(groups: Sequence[Group], wanted: Iterable[Base], computes: Computes) -> None:
    """Recompute cheap values in each loop and product that uses them, if none has to be stored then.

    Such a value depends on one array that is in memory anyway: reading that takes no longer than
    reading the value, which is then never written.
    """
    kept = in_memory(groups, wanted)
    asked = set(wanted)
    users: dict[Base, list[tuple[Group, Any, View]]] = {}
    for group in groups:
        for item in group.members:
            for view in item.operands:
                if view.base.group is not group:
                    users.setdefault(view.base, []).append((group, item, view))
    for base, found in users.items():
        recipe = None if base in asked else _recipe(base, kept)
        if recipe is None:
            continue
        if all(_may_compute(base, *use, computes) for use in found):
            for group in dict.fromkeys(g for g, _, _ in found if g.is_loop):
                _copy_into(group, recipe, [use for use in found if use[0] is group])
            for _, item, view in found:
                if type(item) is Product:
                    _compute_while_reading(item, view, recipe)


def _recipe(base: Base, kept: set[Base]) -> list[Any] | None:
    """The items to recompute for a value, the value last; None if it is not cheap.

    It is cheap if it takes little arithmetic on one array in memory.
    """
    order: list[Any] = []
    read: set[Base] = set()
    if not _collect(base, kept, order, read) or len(read) != 1:
        return None
    count = sum(len(m.code.instructions) for m in order)
    return order if count <= FEW * len(order) and len(order) <= FEW else None


def _collect(base: Base, kept: set[Base], order: list[Any], read: set[Base]) -> bool:
    if type(base) is not Map or base.group is None or base.group.levels.get(base) != FULL:
        return False
    if len(order) > FEW or not _is_cheap(base):
        return False
    for view in base.views:
        inner = view.base
        if type(inner) is Literal:
            continue
        if not is_plain(view):
            return False
        if inner.group is None or (inner in kept and not _goes_with(inner, base)):
            read.add(inner)
        elif inner not in order and not _collect(inner, kept, order, read):
            return False
    order.append(base)
    return True


def _is_cheap(base: Map) -> bool:
    return CHEAP.issuperset([op for op, *_ in base.code.instructions])


def _goes_with(inner: Base, base: Base) -> bool:
    """Whether an array in memory is better computed again, too: its group does so with the value."""
    return inner.group is base.group and isinstance(inner, Map) and _is_cheap(inner)


def _may_compute(base: Base, group: Group, item: Any, view: View, computes: Computes) -> bool:
    """Whether the reader of a value can recompute it: at the same index, or while it copies."""
    if type(item) is Product:
        places = [at for at, v in enumerate(item.views) if v is view]
        return bool(places) and all(computes(item, at) for at in places)
    return (
        group.is_loop
        and group.levels.get(item) == FULL
        and base.size == group.size
        and is_plain(view)
        and not (type(item) is Gather and view is item.views[1])
    )


def _copy_into(
    group: Group, recipe: Sequence[Any], uses: Sequence[tuple[Group, Any, View]]
) -> None:
    """Let a group recompute a value for the items in it that use it."""
    copies: dict[Base, Any] = {}
    for base in recipe:
        views = [_instead(v, copies) for v in base.views]
        own = copies[base] = Map(base.shape, base.kind, base.code, base.result, views, base.place)
        own.group = group
        group.levels[own] = FULL
    group.members[:0] = list(copies.values())
    for _, item, view in uses:
        mine = _instead(view, copies)
        if isinstance(item, Map):
            item.views = [mine if v is view else v for v in item.views]
        else:
            item.view = mine


def _compute_while_reading(product: Product, view: View, recipe: Sequence[Any]) -> None:
    """Let a product compute an operand's elements from the array they depend on."""
    code, values = Code(), {}
    for item in recipe:
        arguments = []
        for v in item.views:
            if type(v.base) is Literal:
                arguments.append(code.constant(v.base.kind, v.base.value))
                continue
            if v.base not in values:
                read = v.base
                values[read] = code.add("param", read.kind, (), 0)
            arguments.append(values[v.base])
        values[item] = code.inserted(item.code, arguments)[item.result]
    source = Source(read.kind, code, values[recipe[-1]])
    for at, mine in enumerate(product.views):
        if mine is view:
            product.sources[at] = source
    product.views = [
        View(read, v.shape, v.offset, v.strides) if v is view else v for v in product.views
    ]
    product.before += recipe


def _instead(view: View, copies: dict[Base, Any]) -> View:
    own = copies.get(view.base)
    return view if own is None else View(own, view.shape, view.offset, view.strides)
