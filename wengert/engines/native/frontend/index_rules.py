"""Lowering of indices that are known only when a graph runs: x[i], x[i : i + 4], tf.slice, tf.roll, their gradients.

In graphs those are calls that are put off (inference/deferred_calls.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from wengert.engines.native.frontend.arrays import Base, View, broadcast, slice_view, whole
from wengert.engines.native.frontend.lanes import LANES, Lane, floor_remainder
from wengert.engines.native.frontend.list_rules import row_among_zeros
from wengert.engines.native.frontend.lowering import DEFERRED_RULES, Lowering
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.operation import Operation
from wengert.inference.deferred_calls import Place, name_of
from wengert.ops.arrays.indexing import getitem, slice_, without_ellipsis
from wengert.ops.arrays.slicing import roll


class _Window(NamedTuple):
    """Some neighbours along an axis, from a place on that is not known."""

    axis: int
    begin: View
    size: int


class _Key(NamedTuple):
    """What is taken: by what is known, by single indices along some axes, and by windows along others."""

    known: tuple[slice, ...]
    axes: list[int]
    indices: list[View]
    windows: list[_Window]


Given = Sequence[View | None]


def _key_of_index(
    low: Lowering, args: Any, given: Given, have: Sequence[int], result: Sequence[int]
) -> _Key:
    """That of x[key], of an array of some shape, with a result of another."""
    parts = _for_each_axis(args[0], len(have))
    sizes = iter(result)
    key = _Key((), [], [], [])
    known: list[slice] = []
    for part in parts:
        axis = len(known)
        if part is None:  # new axes are in the shape of the result
            next(sizes)
        elif type(part) is Place:
            known.append(slice(None))
            key.axes.append(axis)
            key.indices.append(low.within(_single(part, given), -have[axis], have[axis]))
        elif type(part) is int:  # the axis stays until the end
            known.append(slice(part, part + 1 or None))
        elif not isinstance(part, slice):
            raise NotLowered("another index")
        elif _is_known(part):
            known.append(part)
            next(sizes)
        else:
            known.append(slice(None))
            key.windows.append(_window(low, part, given, axis, have[axis], next(sizes)))
    return key._replace(known=tuple(known))


def _for_each_axis(key: Any, rank: int) -> list[Any]:
    """The parts of an index, with one for each axis."""
    parts = list(key) if isinstance(key, tuple) else [key]
    taken = sum(part is not None and part is not Ellipsis for part in parts)
    if sum(part is Ellipsis for part in parts) > 1 or taken > rank:
        raise NotLowered("another index")
    return without_ellipsis(parts, rank)


def _is_known(part: slice) -> bool:
    return all(x is None or type(x) is int for x in (part.start, part.stop, part.step))


def _window(low: Lowering, part: slice, given: Given, axis: int, have: int, size: int) -> _Window:
    """x[i : i + 4]: as its size is known, it is not cut at the end."""
    if part.step not in (None, 1) or size < 1:
        raise NotLowered("steps, or nothing")
    begin = low.computed(lambda i: LANES.where(i < 0, i + have, i), _single(part.start, given))
    return _Window(axis, low.within(begin, 0, have - size + 1), size)


def _single(part: Any, given: Given) -> View:
    """An index that is not known: a single integer."""
    at = given[part.index] if type(part) is Place and not part.whole_shape else None
    if at is None or at.shape or at.kind not in ("i4", "i8"):
        raise NotLowered("an index that is no single integer")
    return at


def _key_of_slice(
    low: Lowering, args: Any, given: Given, have: Sequence[int], result: Sequence[int]
) -> _Key:
    """That of tf.slice."""
    if not all(isinstance(a, (tuple, list)) for a in args):
        raise NotLowered("another call")
    key = _Key((), [], [], [])
    known: list[slice] = []
    for axis, (start, size) in enumerate(zip(*args, strict=True)):
        if type(size) is not int:
            raise NotLowered("a size that is not known")
        if type(start) is int:
            known.append(slice(start, have[axis] if size == -1 else start + size))
            continue
        at = _single(start, given)
        if size < 1:
            raise NotLowered("nothing, or all to the end")
        known.append(slice(None))
        key.windows.append(_Window(axis, low.within(at, 0, have[axis] - size + 1), size))
    return key._replace(known=tuple(known))


_KEYS: Final[dict[tuple[str, str], Callable[..., _Key]]] = {
    name_of(getitem): _key_of_index,
    name_of(slice_): _key_of_slice,
}


# ---- what is taken ------------------------------------------------------------------------------


def _part(
    called: tuple[str, str], low: Lowering, op: Operation, args: Any, given: Given
) -> list[View]:
    x, result = _taken_from(args, given), op.outputs[0]._array.shape
    key = _KEYS[called](low, args[1:], given, x.shape, result)
    view = slice_view(x, key.known)
    for axis, begin, size in key.windows:
        counted = low.places((size,), 0)
        index = low.computed(_further, broadcast(low.reshape(begin, (1,)), (size,)), counted)
        behind = (1,) * (len(view.shape) - axis - 1)
        view = low.gathered(low.stored(view), low.reshape(index, (size, *behind)), axis, (size,))
    for axis, index in reversed(list(zip(key.axes, key.indices, strict=True))):
        rank = len(view.shape)
        view = low.gathered(low.stored(view), low.reshape(index, (1,) * (rank - 1)), axis, ())
    return [low.reshape(view, result)]


def _taken_from(args: Any, given: Given) -> View:
    first = args[0] if len(args) > 1 else None
    x = given[first.index] if type(first) is Place and not first.whole_shape else None
    if x is None or 0 in x.shape:
        raise NotLowered("no array of numbers, or an empty one")
    return x


def _further(begin: Lane, at: Lane) -> Lane:
    return begin + at.astype(begin.dtype)


# ---- the gradient -------------------------------------------------------------------------------


def _part_gradient(
    called: tuple[str, str], low: Lowering, op: Operation, args: Any, given: Given, gs: Given
) -> list[View]:
    """Zeros, and the cotangent where the index is: by comparisons for each element of those axes."""
    x = _taken_from(args, given)
    (g,) = gs
    if g is None or g.kind != x.kind:
        raise NotLowered("a cotangent of another form")
    key = _KEYS[called](low, args[1:], given, x.shape, g.shape)
    whole_rows = not key.windows and all(part == slice(None) for part in key.known)
    if low.is_body and key.axes == [0] and whole_rows:
        index = low.computed(lambda i: i.astype("i8"), low.reshape(key.indices[0], (1,)))
        return [row_among_zeros(low, x.shape, index, low.reshape(g, x.shape[1:]))]
    place = slice_view(whole(Base(x.shape, x.kind)), key.known)
    sizes = dict.fromkeys(key.axes, 1) | {axis: size for axis, _, size in key.windows}
    apart = [sizes.get(axis, n) for axis, n in enumerate(place.shape)]
    view = low.reshape(g, tuple(apart))
    for axis, begin, size in key.windows:
        apart[axis] = place.shape[axis]
        view = _among_zeros(low, view, tuple(apart), axis, begin, size)
    view = broadcast(view, place.shape)
    for axis, index in zip(key.axes, key.indices, strict=True):
        here = low.places(place.shape, axis)
        one = low.reshape(index, (1,) * len(place.shape))
        view = low.computed(_where_same, view, here, one)
    if place.shape == x.shape:
        return [view]
    return [low.assembled(x.shape, x.kind, 0, [(view, place)])]


def _among_zeros(
    low: Lowering, view: View, shape: tuple[int, ...], axis: int, begin: View, size: int
) -> View:
    """A window in its place along an axis."""
    one = broadcast(low.reshape(begin, (1,) * len(shape)), shape)
    at = low.computed(_before, one, low.places(shape, axis))
    inside = low.computed(lambda i: _where_within(i, i, size), at)
    taken = low.gathered(low.stored(view), inside, axis, (shape[axis],))
    return low.computed(lambda v, i: _where_within(v, i, size), taken, at)


def _where_same(v: Lane, at: Lane, one: Lane) -> Lane:
    return LANES.where(at == one, v, v.dtype.type(0))


def _before(begin: Lane, at: Lane) -> Lane:
    return at.astype(begin.dtype) - begin


def _where_within(v: Lane, at: Lane, size: int) -> Lane:
    return LANES.where(LANES.logical_and(at >= 0, at < size), v, v.dtype.type(0))


for _called in _KEYS:
    DEFERRED_RULES[_called] = partial(_part, _called), partial(_part_gradient, _called)


# ---- tf.roll -----------------------------------------------------------------------------------


def _rolled(low: Lowering, op: Operation, args: Any, given: Given) -> list[View]:
    x = _taken_from(args, given)
    for shift, axis in _shifts(low, args, given, len(x.shape)):
        x = _shifted(low, x, shift, axis, LANES.subtract)
    return [x]


def _rolled_back(low: Lowering, op: Operation, args: Any, given: Given, gs: Given) -> list[View]:
    x = _taken_from(args, given)
    (g,) = gs
    if g is None or g.kind != x.kind:
        raise NotLowered("a cotangent of another form")
    for shift, axis in _shifts(low, args, given, len(x.shape)):
        g = _shifted(low, g, shift, axis, LANES.add)
    return [g]


def _shifts(low: Lowering, args: Any, given: Given, rank: int) -> list[tuple[View, int]]:
    """By how many places it is rolled, some of which are not known, along which axes."""
    if len(args) != 3:
        raise NotLowered("another call")
    shifts, axes = (a if isinstance(a, (tuple, list)) else [a] for a in args[1:])
    if len(shifts) != len(axes) or not all(type(axis) is int for axis in axes):
        raise NotLowered("axes that are not known")
    known = [low.number("i4", s) if type(s) is int else _single(s, given) for s in shifts]
    return list(zip(known, [axis % rank for axis in axes], strict=True))


def _shifted(
    low: Lowering, x: View, shift: View, axis: int, turned: Callable[[Lane, Lane], Lane]
) -> View:
    """x from other places along an axis: those of the result, less or plus the shift, around the end."""
    size = x.shape[axis]
    counted = low.places((size,), 0)

    def place(s: Lane, at: Lane) -> Lane:
        return floor_remainder(turned(at.astype(s.dtype), floor_remainder(s, size)), size)

    index = low.computed(place, broadcast(low.reshape(shift, (1,)), (size,)), counted)
    behind = (1,) * (len(x.shape) - axis - 1)
    return low.gathered(low.stored(x), low.reshape(index, (size, *behind)), axis, (size,))


DEFERRED_RULES[name_of(roll)] = _rolled, _rolled_back
