"""Loops that a program wrote out: equal operations on equally spaced parts of arrays, as one.

A program that computes row after row and stacks the results has as many small operations as there
are rows. Those that do the same to parts of the same arrays, at distances that are all equal, are
one operation on arrays with an axis more; a sum of such parts is a sum along that axis; and pieces
of an array that together are all of it are that array.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from wengert.engines.native.frontend.arrays import (
    Literal,
    Map,
    Piece,
    Pieces,
    Product,
    Reduction,
    View,
    is_plain,
    transpose,
    whole,
)
from wengert.engines.native.optimize.aliases import (
    Alias,
    Readers,
    before,
    in_order,
    is_inside,
    is_sum,
    pinned,
    redirect,
    terms_of,
    views_of,
)

FEWEST: Final = 8  # operations, fewer of which may as well be parts of different loops
LARGEST: Final = 1 << 14  # elements of one of them; larger ones are worth a loop of their own


def roll(items: list[Any], wanted: Sequence[View]) -> list[Any]:
    """The items, with equal operations on parts of arrays joined."""
    if len(items) < FEWEST:
        return items
    rolling = _Rolling(items, wanted)
    found = rolling.found()
    return found if rolling.changed else items


class _Rolling:
    def __init__(self, items: list[Any], wanted: Sequence[View]) -> None:
        self._items, self._wanted = items, wanted
        self._kept = pinned(items, wanted)
        self._only = Readers(items, wanted).only
        self.aliases: dict[int, Alias] = {}
        self._pieces: dict[int, Piece] = {}  # what a piece is part of, by its id
        self._alive: list[Any] = []

    @property
    def changed(self) -> bool:
        return bool(self.aliases or self._pieces)

    def found(self) -> list[Any]:
        found: list[Any] = []
        for level in self._levels():
            if self.aliases:
                for item in level:
                    for view in views_of(item):
                        redirect(view, self.aliases)
            level = [i for item in level for i in self._whole(item)]
            while len(level) >= FEWEST:
                joined = self._joined(level)
                if joined is level:
                    break
                level = joined
            found += level
        if not self.changed:
            return found
        for view in self._wanted:
            redirect(view, self.aliases)
        for item in found:
            item.after = list({id(b): b for b in map(self._now, item.after)}.values())
        return in_order(found)

    def _levels(self) -> Iterable[list[Any]]:
        """Items that do not depend on each other, as they all are equally far from the inputs."""
        depth: dict[int, int] = {}
        levels: dict[int, list[Any]] = defaultdict(list)
        for item in self._items:
            at = 1 + max([depth.get(id(b), 0) for b in before(item)], default=0)
            depth[id(item)] = at
            levels[at].append(item)
        return [levels[at] for at in sorted(levels)]

    def _now(self, item: Any) -> Any:
        """What an item has become."""
        while id(item) in self._pieces:
            item = self._pieces[id(item)]
        while id(item) in self.aliases:
            item = self.aliases[id(item)].new
        return item

    # ---- sums, and arrays of pieces ------------------------------------------------------------

    def _whole(self, item: Any) -> list[Any]:
        if type(item) is Pieces:
            return self._one_piece(item)
        if is_sum(item) and not is_inside(item, self._only):
            return self._sum_along(item)
        return [item]

    def _one_piece(self, array: Pieces) -> list[Any]:
        """An array whose only piece is all of it, as the array that the piece copies."""
        array.pieces = list({id(p): p for p in map(self._now, array.pieces)}.values())
        piece = array.pieces[0]
        axes = sorted(range(len(piece.shape)), key=lambda k: -piece.target.strides[k])
        if len(array.pieces) > 1 or not is_plain(transpose(piece.target, axes)):
            return [array]
        view = transpose(piece.views[0], axes)
        is_copy = is_plain(view) and len(piece.code.instructions) == 1
        if is_copy and type(view.base) is not Literal and id(array) not in self._kept:
            self._alias(array, view.base, 0)
            return []
        made = Map(view.shape, array.kind, piece.code, piece.result, [view], array.place)
        self._alias(array, made, 0)
        return [made]

    def _sum_along(self, root: Map) -> list[Any]:
        """A sum of equally spaced parts of an array, as a sum along an axis."""
        terms = terms_of(root, self._only)
        if len(terms) < FEWEST:
            return [root]
        families: dict[Any, list[View]] = defaultdict(list)
        for view in terms:
            families[_form(view)].append(view)
        made: list[Any] = []
        left: list[View] = []
        for family in families.values():
            family.sort(key=lambda v: v.offset)
            for run in _runs([(v.offset,) for v in family]):
                views = family[run]
                if len(views) < FEWEST or views[0].offset == views[-1].offset:
                    left += views
                    continue
                made.append(_sum_of(root, _stacked(views)))
                left.append(View(made[-1], root.shape, 0, whole(root).strides))
        if not made:
            return [root]
        total = left[0]
        for view in left[1:]:
            total = whole(
                Map(root.shape, root.kind, root.code, root.result, [total, view], root.place)
            )
            made.append(total.base)
        self._alias(root, total.base, 0)
        return made

    # ---- families --------------------------------------------------------------------------------

    def _joined(self, level: list[Any]) -> list[Any]:
        """The items of a level, families of which are joined; the same list if there is none."""
        families: dict[Any, list[Any]] = defaultdict(list)
        for item in level:
            if self._may_join(item):
                families[_key(item)].append(item)
        gone: set[int] = set()
        made: list[Any] = []
        for family in families.values():
            if len(family) >= FEWEST:
                made += self._join_family(family, gone)
        return [*[i for i in level if id(i) not in gone], *made] if gone else level

    def _may_join(self, item: Any) -> bool:
        if type(item) not in _JOINED or id(item) in self._kept:
            return False
        return all(v.size <= LARGEST for v in item.operands) and item.size <= LARGEST

    def _join_family(self, family: list[Any], gone: set[int]) -> list[Any]:
        parts = _parts(family)
        if parts is not None:
            return [m for part in parts for m in self._join_family(part, gone)]
        made = []
        family = sorted(family, key=_offsets)
        runs = _runs([_offsets(item) for item in family])
        lengths = {run.stop - run.start for run in runs}
        fewest = FEWEST if len(lengths) > 1 else 2  # runs of one length are rows of a lattice
        for run in runs:
            members = family[run]
            if len(members) < fewest:
                continue
            if _offsets(members[0]) == _offsets(members[-1]):
                if type(members[0]) is Piece:
                    continue
                joined, step = members.pop(0), 0
            else:
                joined, step = _JOINED[type(members[0])](members), members[0].size
                joined.alone = members[0].alone
                joined.after = [b for m in members for b in m.after]
                made.append(joined)
            for k, member in enumerate(members):
                gone.add(id(member))
                if type(member) is Piece:
                    self._pieces[id(member)] = joined
                    self._alive.append(member)  # whose id must not become another one's
                else:
                    self._alias(member, joined, k * step)
        return made

    def _alias(self, old: Any, new: Any, offset: int) -> None:
        self.aliases[id(old)] = Alias(old, new, offset)


# ---- what is equal but for its place -------------------------------------------------------------


def _form(view: View) -> Any:
    base = view.base
    if type(base) is Literal:
        return base.kind, repr(base.value), view.shape
    return id(base), view.shape, view.strides


def _key(item: Any) -> Any:
    views = [_form(v) for v in _places(item)]
    how: Any = None
    if isinstance(item, Map):
        how = id(item.code), item.result
    elif type(item) is Reduction:
        how = item.how, item.along
    return type(item), item.alone, item.shape, item.kind, how, tuple(views)


def _places(item: Any) -> list[View]:
    """What an item reads, and where a piece is written."""
    return [*item.operands, item.target] if type(item) is Piece else list(item.operands)


def _offsets(item: Any) -> tuple[int, ...]:
    return tuple([v.offset for v in _places(item)])


def _parts(family: Sequence[Any]) -> Iterable[list[Any]] | None:
    """A family divided by an operand that has few different places while another has many."""
    places = [set(column) for column in zip(*map(_offsets, family), strict=True)]
    counts = sorted((len(found), k) for k, found in enumerate(places) if len(found) > 1)
    if len(counts) < 2 or counts[0][0] * FEWEST > len(family):
        return None
    parts: dict[int, list[Any]] = defaultdict(list)
    for item in family:
        parts[_offsets(item)[counts[0][1]]].append(item)
    return parts.values()


def _runs(offsets: Sequence[tuple[int, ...]]) -> list[slice]:
    """The longest runs, from the first on, in which all offsets grow by the same numbers."""
    found = []
    begin = 0
    while begin < len(offsets):
        end = begin + 1
        if end < len(offsets):
            step = _difference(offsets, end)
            while end < len(offsets) and _difference(offsets, end) == step:
                end += 1
        found.append(slice(begin, end))
        begin = end
    return found


def _difference(offsets: Sequence[tuple[int, ...]], at: int) -> tuple[int, ...]:
    return tuple([b - a for a, b in zip(offsets[at - 1], offsets[at], strict=True)])


# ---- joined ----------------------------------------------------------------------------------


def _stacked(views: Sequence[View]) -> View:
    """Equally spaced views of one array, as one with an axis in front."""
    first, second = views[0], views[1]
    step = second.offset - first.offset
    return View(first.base, (len(views), *first.shape), first.offset, (step, *first.strides))


def _columns(members: Sequence[Any]) -> list[View]:
    """For each operand the view that has those of all members."""
    return [_stacked(views) for views in zip(*[m.operands for m in members], strict=True)]


def _map(members: Sequence[Map]) -> Map:
    first = members[0]
    shape = (len(members), *first.shape)
    return Map(shape, first.kind, first.code, first.result, _columns(members), first.place)


def _piece(members: Sequence[Piece]) -> Piece:
    first = members[0]
    shape = (len(members), *first.shape)
    made = Piece(shape, first.kind, first.code, first.result, _columns(members), first.place)
    made.target = _stacked([m.target for m in members])
    return made


def _reduction(members: Sequence[Reduction]) -> Reduction:
    first = members[0]
    view = _columns(members)[0]
    if first.along == "first":  # the axes that are summed go to the end
        rank = len(view.shape)
        inner = _kept_axes(first)
        view = transpose(view, [0, *range(rank - inner, rank), *range(1, rank - inner)])
    shape = (len(members), *first.shape)
    return Reduction(shape, first.kind, first.how, view, "last", first.place)


def _kept_axes(item: Reduction) -> int:
    """How many of the last axes of what a reduction along the first ones reads are kept."""
    count, size = 0, 1
    while size < item.size:
        count += 1
        size *= item.view.shape[-count]
    return count


def _product(members: Sequence[Product]) -> Product:
    first = members[0]
    return Product((len(members), *first.shape), first.kind, _columns(members), first.place)


_JOINED: Final[dict[type, Any]] = {
    Map: _map,
    Piece: _piece,
    Reduction: _reduction,
    Product: _product,
}


def _sum_of(root: Map, view: View) -> Reduction:
    """The sum along the first axis of a view, in an order in which memory is read."""
    if root.size == 1:
        return Reduction((), root.kind, "sum", view, "all", root.place)
    nearest = min([abs(s) for n, s in zip(root.shape, view.strides[1:], strict=True) if n > 1])
    if abs(view.strides[0]) < nearest:
        view = transpose(view, [*range(1, len(view.shape)), 0])
        return Reduction(root.shape, root.kind, "sum", view, "last", root.place)
    return Reduction(root.shape, root.kind, "sum", view, "first", root.place)
