"""Lowering of indices that are known only when a graph runs: x[i], tf.slice, and their gradients.

In graphs those are calls that are put off (inference/deferred_calls.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from wengert.engines.native.frontend.arrays import Base, View, broadcast, slice_view, whole
from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.engines.native.frontend.list_rules import row_among_zeros
from wengert.engines.native.frontend.lowering import DEFERRED_RULES, Lowering
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.operation import Operation
from wengert.inference.deferred_calls import Place, name_of
from wengert.ops.arrays.indexing import getitem
from wengert.ops.arrays.slicing import slice_


class _Key(NamedTuple):
    """An index: what is known of it, and which axes of that have an index that is not."""

    known: tuple[slice, ...]
    axes: list[int]
    indices: list[View]


def _key(low: Lowering, key: Any, given: Sequence[View | None], shape: tuple[int, ...]) -> _Key:
    """The parts of an index of an array of some shape."""
    parts = list(key) if isinstance(key, tuple) else [key]
    parts = [part for part in parts if part is not None]  # new axes are in the shape of the result
    if sum(part is Ellipsis for part in parts) > 1 or len(parts) > len(shape) + 1:
        raise NotLowered("another index")
    if Ellipsis in [p for p in parts if not isinstance(p, Place)]:
        at = next(i for i, p in enumerate(parts) if p is Ellipsis)
        parts[at : at + 1] = [slice(None)] * (len(shape) - len(parts) + 1)
    known: list[slice] = []
    axes: list[int] = []
    indices: list[View] = []
    for axis, part in enumerate(parts):
        if type(part) is Place and not part.whole_shape:
            index = given[part.index]
            if index is None or index.shape or index.kind not in ("i4", "i8"):
                raise NotLowered("an index that is no single integer")
            known.append(slice(None))
            axes.append(axis)
            indices.append(low.within(index, -shape[axis], shape[axis]))
        elif type(part) is int:  # the axis stays until the end
            known.append(slice(part, part + 1 or None))
        elif isinstance(part, slice) and _is_known(part):
            known.append(part)
        else:
            raise NotLowered("bounds that are not known")
    return _Key(tuple(known), axes, indices)


def _is_known(part: slice) -> bool:
    return all(x is None or type(x) is int for x in (part.start, part.stop, part.step))


def _part(low: Lowering, op: Operation, args: Any, given: Sequence[View | None]) -> list[View]:
    x, key = _operands(args, given)
    found = _key(low, key, given, x.shape)
    view = slice_view(x, found.known)
    for axis, index in sorted(zip(found.axes, found.indices, strict=True), key=lambda p: -p[0]):
        rank = len(view.shape)
        view = low.gathered(low.stored(view), low.reshape(index, (1,) * (rank - 1)), axis, ())
    return [low.reshape(view, op.outputs[0]._array.shape)]


def _operands(args: Any, given: Sequence[View | None]) -> tuple[View, Any]:
    if len(args) != 2 or type(args[0]) is not Place or args[0].whole_shape:
        raise NotLowered("another call")
    x = given[args[0].index]
    if x is None or 0 in x.shape:
        raise NotLowered("no array of numbers, or an empty one")
    return x, args[1]


def _part_gradient(
    low: Lowering, op: Operation, args: Any, given: Sequence[View | None], gs: Sequence[View | None]
) -> list[View]:
    """Zeros, and the cotangent where the index is: a comparison for each element of those axes."""
    x, key = _operands(args, given)
    (g,) = gs
    if g is None or g.kind != x.kind:
        raise NotLowered("a cotangent of another form")
    found = _key(low, key, given, x.shape)
    if low.is_body and found.axes == [0] and all(part == slice(None) for part in found.known):
        index = low.computed(lambda i: i.astype("i8"), low.reshape(found.indices[0], (1,)))
        return [row_among_zeros(low, x.shape, index, low.reshape(g, x.shape[1:]))]
    place = slice_view(whole(Base(x.shape, x.kind)), found.known)
    apart = tuple([1 if axis in found.axes else n for axis, n in enumerate(place.shape)])
    view = broadcast(low.reshape(g, apart), place.shape)
    for axis, index in zip(found.axes, found.indices, strict=True):
        here = low.places(place.shape, axis)
        one = low.reshape(index, (1,) * len(place.shape))
        view = low.computed(_where_same, view, here, one)
    if place.shape == x.shape:
        return [view]
    return [low.assembled(x.shape, x.kind, 0, [(view, place)])]


def _where_same(v: Lane, at: Lane, one: Lane) -> Lane:
    return LANES.where(at == one, v, v.dtype.type(0))


# ---- some neighbours: tf.slice ------------------------------------------------------------------


class _Window(NamedTuple):
    """Some neighbours along an axis, from a place on that is not known."""

    axis: int
    begin: View
    size: int


def _windows(
    low: Lowering, args: Any, given: Sequence[View | None]
) -> tuple[View, tuple[slice, ...], list[_Window]]:
    """What is sliced, what is known of the slice, and what is not."""
    if len(args) != 3 or not all(isinstance(a, (tuple, list)) for a in args[1:]):
        raise NotLowered("another call")
    x, (begin, sizes) = _operands(args[:2], given)[0], args[1:]
    known: list[slice] = []
    windows: list[_Window] = []
    for axis, (start, size) in enumerate(zip(begin, sizes, strict=True)):
        if type(size) is not int:
            raise NotLowered("a size that is not known")
        if type(start) is int:
            known.append(slice(start, x.shape[axis] if size == -1 else start + size))
            continue
        at = given[start.index] if type(start) is Place and not start.whole_shape else None
        if at is None or at.shape or at.kind not in ("i4", "i8") or size < 1:
            raise NotLowered("a place that is no single integer")
        known.append(slice(None))
        windows.append(_Window(axis, low.within(at, 0, x.shape[axis] - size + 1), size))
    return x, tuple(known), windows


def _neighbours(
    low: Lowering, op: Operation, args: Any, given: Sequence[View | None]
) -> list[View]:
    x, known, windows = _windows(low, args, given)
    view = slice_view(x, known)
    for axis, begin, size in windows:
        counted = low.places((size,), 0)
        index = low.computed(_further, broadcast(low.reshape(begin, (1,)), (size,)), counted)
        behind = (1,) * (len(view.shape) - axis - 1)
        view = low.gathered(low.stored(view), low.reshape(index, (size, *behind)), axis, (size,))
    return [low.reshape(view, op.outputs[0]._array.shape)]


def _neighbours_gradient(
    low: Lowering, op: Operation, args: Any, given: Sequence[View | None], gs: Sequence[View | None]
) -> list[View]:
    """Zeros, and the cotangent from the place on: for each element of an axis, which it would have."""
    x, known, windows = _windows(low, args, given)
    (view,) = gs
    if view is None or view.kind != x.kind:
        raise NotLowered("a cotangent of another form")
    for axis, begin, size in windows:
        shape = (*view.shape[:axis], x.shape[axis], *view.shape[axis + 1 :])
        one = broadcast(low.reshape(begin, (1,) * len(shape)), shape)
        at = low.computed(_before, one, low.places(shape, axis))
        inside = low.computed(lambda i, n=size: _where_within(i, i, n), at)
        taken = low.gathered(low.stored(view), inside, axis, (x.shape[axis],))
        view = low.computed(lambda v, i, n=size: _where_within(v, i, n), taken, at)
    place = slice_view(whole(Base(x.shape, x.kind)), known)
    if place.shape == x.shape:
        return [view]
    return [low.assembled(x.shape, x.kind, 0, [(view, place)])]


def _further(begin: Lane, at: Lane) -> Lane:
    return begin + at.astype(begin.dtype)


def _before(begin: Lane, at: Lane) -> Lane:
    return at.astype(begin.dtype) - begin


def _where_within(v: Lane, at: Lane, size: int) -> Lane:
    return LANES.where(LANES.logical_and(at >= 0, at < size), v, v.dtype.type(0))


DEFERRED_RULES[name_of(getitem)] = _part, _part_gradient
DEFERRED_RULES[name_of(slice_)] = _neighbours, _neighbours_gradient
