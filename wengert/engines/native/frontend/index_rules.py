"""Lowering of indices that are known only when a graph runs: x[i], and its gradient.

In graphs those are calls that are put off (inference/deferred_calls.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from wengert.engines.native.frontend.arrays import Base, View, broadcast, slice_view, whole
from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.engines.native.frontend.lowering import DEFERRED_RULES, Lowering
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.operation import Operation
from wengert.inference.deferred_calls import Place
from wengert.ops.arrays.indexing import getitem


class _Key(NamedTuple):
    """An index: what is known of it, and which axes of that have an index that is not."""

    known: tuple[slice, ...]
    axes: list[int]
    indices: list[View]


def _key(low: Lowering, key: Any, given: Sequence[View | None], shape: tuple[int, ...]) -> _Key:
    """The parts of an index of an array of some shape."""
    parts = list(key) if isinstance(key, tuple) else [key]
    if any(part is None for part in parts):
        raise NotLowered("a new axis")
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


DEFERRED_RULES[getitem.__module__, getitem.__qualname__] = _part, _part_gradient
