"""Lowering of what only moves elements: rolls, mirrors, blocks of pixels, sequences turned round.

Where a view cannot say it, an array is assembled from parts, which their producers write in place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, Final

from wengert.engines.native.frontend.arrays import (
    Base,
    Dims,
    View,
    broadcast,
    slice_view,
    transpose,
    whole,
)
from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.lowering_rules import padded
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.engines.native.frontend.scatter_rules import rows_of_examples
from wengert.graph.operation import Operation

Move = tuple[slice, slice]  # which elements along an axis, and where they go
_STAYS: Final[Move] = slice(None), slice(None)
_MOST: Final = 27  # parts of one array: three along each of three axes


def _assembled(low: Lowering, x: View, moves: Sequence[Sequence[Move]], shape: Dims) -> View:
    """An array of some shape whose parts come from those of another one, axis by axis."""
    if math.prod(map(len, moves)) > _MOST:
        raise NotLowered("too many parts")
    target = whole(Base(shape, x.kind))
    parts = []
    for each in product(*moves):
        part = slice_view(x, [taken for taken, _ in each])
        if part.size:
            parts.append((part, slice_view(target, [goes for _, goes in each])))
    return low.assembled(shape, x.kind, None, parts)


# ---- rolls ------------------------------------------------------------------------------------------


@rule("Roll")
def _roll(low: Lowering, op: Operation, x: View, *, shift: Dims, axis: Dims) -> View:
    steps = [0] * len(x.shape)
    for by, at in zip(shift, axis, strict=True):
        steps[at] += by
    moves = [_rolled(size, by % max(size, 1)) for size, by in zip(x.shape, steps, strict=True)]
    return _assembled(low, x, moves, x.shape) if any(len(m) > 1 for m in moves) else x


def _rolled(size: int, by: int) -> list[Move]:
    if not by:
        return [_STAYS]
    return [(slice(size - by), slice(by, None)), (slice(size - by, None), slice(by))]


# ---- mirrors ----------------------------------------------------------------------------------------


@rule("MirrorPad")
def _mirror(low: Lowering, op: Operation, x: View, *, paddings: Any, mode: str) -> View:
    edge = _edge(mode)
    moves = []
    for (before, after), size in zip(paddings, x.shape, strict=True):
        own = [(slice(None), slice(before, before + size))]
        for part, place in _mirrored(before, after, size, edge):
            own.append((_backwards(part, size), place))
        moves.append(own)
    shape = tuple([a + n + b for (a, b), n in zip(paddings, x.shape, strict=True)])
    return _assembled(low, x, moves, shape)


@rule("MirrorPadGrad")
def _mirror_gradient(
    low: Lowering, op: Operation, g: View, *, paddings: Any, mode: str, shape: Dims
) -> View:
    """What lies in the middle, and what was mirrored added to where it came from, axis by axis."""
    for axis, ((before, after), size) in enumerate(zip(paddings, shape, strict=True)):
        ahead = (slice(None),) * axis
        total = slice_view(g, (*ahead, slice(before, before + size)))
        for part, place in _mirrored(before, after, size, _edge(mode)):
            turned = slice_view(slice_view(g, (*ahead, place)), (*ahead, slice(None, None, -1)))
            goal = slice_view(whole(Base(total.shape, g.kind)), (*ahead, part))
            spread = low.assembled(total.shape, g.kind, 0, [(turned, goal)])
            total = low.computed(LANES.add, total, spread)
        g = total
    return g


def _edge(mode: str) -> int:
    """How many elements at the edge are not repeated."""
    return 1 if mode == "reflect" else 0


def _mirrored(before: int, after: int, size: int, edge: int) -> list[Move]:
    """The parts that are repeated backwards on both sides, and where they go."""
    if max(before, after) > size - edge:
        raise NotLowered("more than one mirror")
    end = size - edge
    sides = [
        (slice(edge, edge + before), slice(before)),
        (slice(end - after, end), slice(before + size, before + size + after)),
    ]
    return [side for side, count in zip(sides, (before, after), strict=True) if count]


def _backwards(part: slice, size: int) -> slice:
    """The same elements, the last one first."""
    return slice(part.stop - 1, part.start - 1 if part.start else None, -1)


# ---- blocks -----------------------------------------------------------------------------------------


class _Elements:
    """A view with what the kernels of such operations ask of an array."""

    def __init__(self, low: Lowering, view: View) -> None:
        self._low = low
        self.view = view

    @property
    def shape(self) -> Dims:
        return self.view.shape

    def __len__(self) -> int:
        return self.view.shape[0]

    def reshape(self, *shape: int) -> _Elements:
        return _Elements(self._low, self._low.reshape(self.view, shape))

    def transpose(self, *axes: int) -> _Elements:
        return _Elements(self._low, transpose(self.view, axes))

    def __getitem__(self, key: tuple[slice, ...]) -> _Elements:
        return _Elements(self._low, slice_view(self.view, key))


def _by_kernel(low: Lowering, op: Operation, x: View, **attrs: Any) -> View:
    moved: _Elements = op.row.kernel(None, _Elements(low, x), **attrs)
    return moved.view


for _name in ("DepthToSpace", "SpaceToDepth", "BatchToSpaceND"):
    rule(_name)(_by_kernel)


@rule("SpaceToBatchND")
def _space_to_batch(
    low: Lowering, op: Operation, x: View, *, block_shape: Dims, paddings: Any
) -> View:
    rest = [(0, 0)] * (len(x.shape) - 1 - len(paddings))
    if any(map(any, paddings)):
        x = padded(low, x, [(0, 0), *paddings, *rest], 0)
    return _by_kernel(low, op, x, block_shape=block_shape, paddings=[(0, 0)] * len(paddings))


# ---- sequences --------------------------------------------------------------------------------------


@rule("ReverseSequence")
def _turned(
    low: Lowering, op: Operation, x: View, lengths: View, *, seq_axis: int, batch_axis: int
) -> View:
    size = x.shape[seq_axis]
    first = [batch_axis, seq_axis]
    order = [*first, *[axis for axis in range(len(x.shape)) if axis not in first]]
    wrong = low.computed(lambda n: LANES.logical_or(n < 0, n > size), lengths)
    low.checks.append(low.reduced("any", wrong, [0], False))
    shape = (lengths.shape[0], size)
    each = broadcast(low.reshape(lengths, (lengths.shape[0], 1)), shape)
    index = low.computed(_place_in_turned, each, low.places(shape, 1))
    moved = rows_of_examples(low, transpose(x, order), index, 1, 1)
    return transpose(moved, [order.index(axis) for axis in range(len(order))])


def _place_in_turned(length: Lane, at: Lane) -> Lane:
    turned = length.astype("i8") - 1 - at
    return LANES.where(turned >= 0, turned, at.astype("i8"))


# ---- vectors of three -------------------------------------------------------------------------------


@rule("Cross")
def _cross(low: Lowering, op: Operation, a: View, b: View) -> View:
    def part(x: View, k: int) -> View:
        return slice_view(x, (Ellipsis, slice(k, k + 1)))

    target = whole(Base(a.shape, a.kind))
    parts = []
    for k in range(3):
        one, other = (k + 1) % 3, (k + 2) % 3
        operands = part(a, one), part(b, other), part(a, other), part(b, one)
        parts.append((low.computed(_minor, *operands), part(target, k)))
    return low.assembled(a.shape, a.kind, None, parts)


def _minor(p: Lane, q: Lane, r: Lane, s: Lane) -> Lane:
    return p * q - r * s
