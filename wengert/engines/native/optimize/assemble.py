"""Sums of padded arrays, and arrays assembled from assembled ones, as one array.

The gradient of many slices of one array is a sum of as many arrays that are zero but for a slice. If
the slices do not overlap, that is one array into which each is written.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import (
    Base,
    Literal,
    Map,
    Piece,
    Pieces,
    View,
    is_plain,
    reshape,
    whole,
)
from wengert.engines.native.frontend.lowering import piece_of
from wengert.engines.native.frontend.scalar import Code, is_float
from wengert.engines.native.optimize.aliases import (
    Alias,
    Readers,
    composed,
    is_inside,
    is_sum,
    needed,
    pinned,
    resolved,
    terms_of,
)

ARRAYS: Final = 16  # among which pieces that overlap are distributed


def assemble(items: list[Any], wanted: Sequence[View]) -> list[Any]:
    """The items, with sums of padded arrays and nested pieces replaced."""
    if not any(type(item) is Pieces for item in items):
        return items
    items = _flat(items, wanted)
    return _flat(needed(_Sums(items, wanted).found(), wanted), wanted)


# ---- sums of padded arrays ---------------------------------------------------------------------


class _Sums:
    def __init__(self, items: list[Any], wanted: Sequence[View]) -> None:
        self._items, self._wanted = items, wanted
        self._only = Readers(items, wanted).only

    def found(self) -> list[Any]:
        found: list[Any] = []
        aliases: dict[int, Alias] = {}
        for item in self._items:
            made = None
            if is_sum(item) and not is_inside(item, self._only):
                made = self._instead(item, aliases)
            found += [item] if made is None else made
            if made is not None:
                aliases[id(item)] = made[-1]
        return resolved(found, self._wanted) if aliases else self._items

    def _instead(self, root: Map, aliases: dict[int, Alias]) -> list[Any] | None:
        """The sum with fewer terms, if several of them are padded arrays."""
        others: list[View] = []
        padded: list[Pieces] = []
        for view in terms_of(root, self._only):
            found = self._padded(view, aliases)
            if found is not None:
                padded.append(found)
            elif not _is_zero(view.base):
                others.append(view)
        if len(padded) < 2:
            return None
        arrays = _distributed(root, padded)
        if len(arrays) > min(ARRAYS, len(padded) - 1):
            return None
        made: list[Any] = []
        terms = [*others, *[whole(a.array(made)) for a in arrays]]
        total = _added(root, terms, made)
        return [*made, Alias(root, total.base, 0)]

    def _padded(self, view: View, aliases: dict[int, Alias]) -> Pieces | None:
        """The padded array that a term is, unless something else reads it, too."""
        if not is_plain(view) or self._only(view.base) is None:
            return None
        alias = aliases.get(id(view.base))
        base = view.base if alias is None else alias.new
        if type(base) is not Pieces or _ground(base) is None:
            return None
        return base


def _distributed(root: Map, padded: Sequence[Pieces]) -> list[_Assembled]:
    """The pieces of padded arrays, those with the same place together, in arrays without overlaps."""
    places: dict[Any, list[Piece]] = {}
    for array in padded:
        for piece in array.pieces[1:]:
            to = piece.target
            places.setdefault((to.offset, to.shape, to.strides), []).append(piece)
    arrays: list[_Assembled] = []
    for pieces in places.values():
        if len(arrays) > ARRAYS:
            break
        if not any(a.take(pieces) for a in arrays):
            arrays.append(_Assembled(root))
            arrays[-1].take(pieces)
    return arrays


class _Assembled:
    """An array that is zero where no piece is; pieces with the same place are added up."""

    def __init__(self, root: Map) -> None:
        self._root = root
        self._parts: list[list[Piece]] = []
        self._taken = np.zeros(root.size, bool)

    def take(self, pieces: list[Piece]) -> bool:
        """Whether there is room for them, which they take then."""
        place = _elements(self._taken, pieces[0].target)
        if place.any():
            return False
        place[...] = True
        self._parts.append(pieces)
        return True

    def array(self, made: list[Any]) -> Pieces:
        """The array, after what it is made of."""
        root = self._root
        target = Pieces(root.shape, root.kind, root.place)
        if not self._taken.all():
            nothing = View(Literal(root.kind, 0), root.shape, 0, (0,) * len(root.shape))
            ground = piece_of(nothing, whole(target), root.place)
            ground.alone = True
            target.pieces.append(ground)
        floor = [*target.pieces]
        for pieces in self._parts:
            first = pieces[0]
            view = _added(root, [p.views[0] for p in pieces], made)
            goal = View(target, first.target.shape, first.target.offset, first.target.strides)
            target.pieces.append(_moved(first, view, goal, floor, plus_zero=True))
        made += [*target.pieces, target]
        return target


def _added(root: Map, terms: Sequence[View], made: list[Any]) -> View:
    """The sum of some views, computed as another sum is."""
    total = terms[0]
    for view in terms[1:]:
        total = whole(
            Map(total.shape, root.kind, root.code, root.result, [total, view], root.place)
        )
        made.append(total.base)
    return total


def _elements(array: Any, view: View) -> Any:
    """The elements of a flat array that a view writes."""
    steps = [s * array.itemsize for s in view.strides]
    return np.ndarray(view.shape, array.dtype, array, view.offset * array.itemsize, steps)


def _ground(array: Pieces) -> Piece | None:
    """The piece that fills an array with zeros before the others are written."""
    first = array.pieces[0] if len(array.pieces) > 1 else None
    if first is None or not is_plain(first.target):
        return None
    return first if _is_zero(first.views[0].base) else None


def _is_zero(base: Base) -> bool:
    return type(base) is Literal and base.value == 0 and math.copysign(1, base.value) > 0


def _moved(piece: Piece, view: View, target: View, after: Sequence[Base], plus_zero: bool) -> Piece:
    """A view as a piece, as another one is; plus zero, if that was added, which makes -0.0 0.0."""
    code, result = piece.code, piece.result
    if plus_zero and is_float(piece.kind):
        code, result = _plus_zero(piece.kind)
    moved = Piece(piece.shape, piece.kind, code, result, [view], piece.place)
    moved.target, moved.alone, moved.after = target, piece.alone, [*after]
    return moved


@functools.cache
def _plus_zero(kind: str) -> tuple[Code, int]:
    code = Code()
    return code, code.add("add", kind, (code.add("param", kind, (), 0), code.constant(kind, 0.0)))


# ---- nested pieces -------------------------------------------------------------------------------


def _flat(items: list[Any], wanted: Sequence[View]) -> list[Any]:
    """Pieces of an array that is only a piece itself are written to where that piece goes."""
    only = Readers(items, wanted).only
    kept = pinned(items, wanted)
    nested: dict[int, Piece] = {}  # by the array that is only a piece
    for item in items:
        if type(item) is Piece:
            inner = item.views[0].base
            if type(inner) is Pieces and only(inner) is item and id(inner) not in kept:
                nested[id(inner)] = item
    if not nested:
        return items
    dropped: set[int] = set()
    for item in reversed(items):  # the outermost array first
        if type(item) is Pieces and id(item) not in dropped:
            _flatten(item, nested, dropped)
    found: list[Any] = []
    listed = {id(item) for item in items}
    for item in items:
        if id(item) in dropped:
            continue
        if type(item) is Pieces:
            found += [p for p in item.pieces if id(p) not in listed]
        found.append(item)
    return found


def _flatten(array: Pieces, nested: dict[int, Piece], dropped: set[int]) -> None:
    pieces: list[Piece] = []
    waiting = list(reversed(array.pieces))
    while waiting:
        piece = waiting.pop()
        inner = piece.views[0].base
        instead = _unpacked(piece, inner) if nested.get(id(inner)) is piece else None
        if instead is None:
            pieces.append(piece)
            continue
        dropped |= {id(piece), id(inner), *[id(p) for p in inner.pieces]}  # type: ignore[attr-defined]
        for made, old in zip(instead, inner.pieces, strict=True):  # type: ignore[attr-defined]
            deeper = old.views[0].base
            if nested.get(id(deeper)) is old:
                nested[id(deeper)] = made
        waiting += reversed(instead)
    array.pieces = pieces


def _unpacked(piece: Piece, inner: Any) -> list[Piece] | None:
    """What an array that is a piece consists of, as pieces of the array that it is in."""
    ops = [op for op, *_ in piece.code.instructions]
    if ops not in (["param"], ["param", "const", "add"]) or not is_plain(piece.views[0]):
        return None
    outer = reshape(piece.target, inner.shape)
    goals = [None if outer is None else composed(p.target, outer) for p in inner.pieces]
    if any(g is None for g in goals):
        return None
    made: dict[int, Piece] = {}
    for p, goal in zip(inner.pieces, goals, strict=True):
        assert goal is not None
        earlier = [made[id(b)] for b in p.after if id(b) in made]
        made[id(p)] = _moved(p, p.views[0], goal, [*piece.after, *earlier], plus_zero=len(ops) > 1)
    return list(made.values())
