"""Arrays that are parts of other arrays, and who reads what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from wengert.engines.native.frontend.arrays import (
    Base,
    Choice,
    Given,
    Literal,
    Map,
    Outside,
    Pieces,
    Repeat,
    Routine,
    RowSet,
    Step,
    View,
    is_plain,
    reshape,
    row_major,
)


def needed(items: Sequence[Any], wanted: Sequence[View]) -> list[Any]:
    """What the wanted arrays depend on. NumPy's steps stay: they may have side effects; loops, too."""
    used: set[int] = {id(v.base) for v in wanted}
    found = []
    for item in reversed(items):
        kind = type(item)
        is_used = id(item) in used or kind in _ALWAYS_NEEDED
        if not is_used and kind is Routine:
            is_used = not used.isdisjoint(map(id, item.results))
        if is_used:
            found.append(item)
            for view in item.operands:
                used.add(id(view.base))
            if item.after:
                used.update(map(id, item.after))
    return found[::-1]


_ALWAYS_NEEDED: Final = frozenset((Step, Repeat, Choice))


class Alias(NamedTuple):
    """A base that was replaced by a contiguous part of another one."""

    old: Base
    new: Base
    offset: int


def resolved(items: Sequence[Any], wanted: Sequence[View]) -> list[Any]:
    """The items without aliases: readers of a replaced base read the part of the new one."""
    aliases = {id(i.old): i for i in items if type(i) is Alias}
    found = [i for i in items if type(i) is not Alias]
    for item in found:
        item.after = [aliases[id(b)].new if id(b) in aliases else b for b in item.after]
    views = [v for item in found for v in views_of(item)]
    for view in (*views, *wanted):
        redirect(view, aliases)
    return found


def redirect(view: View, aliases: dict[int, Alias]) -> None:
    """Let a view read what its base was replaced by, which may be replaced in turn."""
    alias = aliases.get(id(view.base))
    while alias is not None:  # a shared view is visited again, and updated already
        view.base, view.offset = alias.new, view.offset + alias.offset
        alias = aliases.get(id(view.base))


def views_of(item: Any) -> Sequence[View]:
    """The views by which an item reads; an array of pieces is written, and reads nothing."""
    return () if type(item) is Pieces else item.operands


class Readers:
    """The readers of each array; None stands for the caller, who fetches the results."""

    def __init__(self, items: Sequence[Any], wanted: Sequence[View]) -> None:
        # Of those that are read more than once the reader is None, too: nobody asks who all are.
        self._only: dict[int, Any] = dict.fromkeys(id(view.base) for view in wanted)
        only = self._only
        for item in items:
            for view in item.operands:
                at = id(view.base)
                only[at] = None if at in only else item

    def only(self, base: Base) -> Any:
        """The only item that reads an array, if it reads it once; otherwise None."""
        return self._only.get(id(base))


def pinned(items: Iterable[Any], wanted: Sequence[View]) -> set[int]:
    """The arrays that Python or a body sees as a whole, by id: they are no parts of others."""
    found = {id(v.base) for v in wanted}
    for item in items:
        if type(item) in (Step, Repeat, Choice, Routine, RowSet):
            found |= {id(v.base) for v in item.operands}
    return found


def before(item: Any) -> list[Any]:
    """What must be computed before an item."""
    found = [maker(v.base) for v in item.operands]
    return found + [maker(b) for b in item.after] if item.after else found


def maker(made: Any) -> Any:
    """The item that computes an array: a step, a loop, branches and routines give several."""
    if type(made) is Outside:
        return made.step
    return made.owner if type(made) is Given else made


def in_order(items: Sequence[Any]) -> list[Any]:
    """The items in an order in which each follows what it reads; otherwise as they were."""
    there = {id(i) for i in items}
    done: dict[int, Any] = {}
    for first in items:
        waiting = [first]
        while waiting:
            item = waiting[-1]
            missing = [b for b in before(item) if id(b) in there and id(b) not in done]
            if not missing or id(item) in done:
                done.setdefault(id(waiting.pop()), item)
            else:
                waiting += reversed(missing)
    return list(done.values())


# ---- sums ------------------------------------------------------------------------------------


def is_sum(item: Any) -> bool:
    """Whether an array is the sum of two of its shape."""
    if type(item) is not Map or len(item.views) != 2 or len(item.code.instructions) != 3:
        return False
    (first, *_), (second, *_), (op, _, arguments, _) = item.code.instructions
    return (
        op == "add"
        and first == second == "param"
        and arguments == (0, 1)
        and item.views[0].shape == item.shape == item.views[1].shape
    )


def terms_of(root: Map, only: Any) -> list[View]:
    """The terms that a tree of additions adds up, where nothing else reads a part of the tree."""
    found, waiting = [], list(reversed(root.views))
    while waiting:
        view = waiting.pop()
        base = view.base
        if is_inside(base, only) and is_plain(view):
            waiting += reversed(base.views)  # type: ignore[attr-defined]
        else:
            found.append(view)
    return found


def is_inside(item: Any, only: Any) -> bool:
    """Whether an array is a sum that is only a term of another one."""
    if not is_sum(item):
        return False
    reader = only(item)
    return is_sum(reader) and any(v.base is item and is_plain(v) for v in reader.views)


# ---- views of views --------------------------------------------------------------------------


def composed(inner: View, outer: View) -> View | None:
    """What a view reads of an array whose elements are those of another view, in its order."""
    if type(outer.base) is Literal:
        return View(outer.base, inner.shape, 0, (0,) * len(inner.shape))
    whole = reshape(outer, (outer.size,))
    if whole is not None:
        steps = tuple([s * whole.strides[0] for s in inner.strides])
        return View(outer.base, inner.shape, whole.offset + inner.offset * whole.strides[0], steps)
    units = row_major(outer.shape)
    at = [inner.offset // u % n for n, u in zip(outer.shape, units, strict=True)]
    low, high = list(at), list(at)
    strides = []
    for size, stride in zip(inner.shape, inner.strides, strict=True):
        if size == 1 or stride == 0:
            strides.append(0)
            continue
        axis = next(k for k, u in enumerate(units) if u <= abs(stride) and outer.shape[k] > 1)
        times, rest = divmod(stride, units[axis])
        if rest:
            return None
        strides.append(times * outer.strides[axis])
        (high if times > 0 else low)[axis] += times * (size - 1)
    if any(a < 0 or b >= n for a, b, n in zip(low, high, outer.shape, strict=True)):
        return None  # it goes from one row into the next
    offset = outer.offset + sum(k * s for k, s in zip(at, outer.strides, strict=True))
    return View(outer.base, inner.shape, offset, tuple(strides))
