"""Lowering of sliding windows: pooling, convolutions of each channel by itself.

The input gets a frame as wide as the windows reach. Then the elements that all windows have at one
position are a slice of it, and sums and extremes over windows are those of such slices: part of the loops
around them. Large images of many channels are left to the kernels of `kernels`, which go over channels in
vectors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import product
from typing import Any, Final

from wengert.engines.native.frontend.arrays import (
    Base,
    Dims,
    Tiles,
    View,
    broadcast,
    slice_view,
    whole,
)
from wengert.engines.native.frontend.images.image_tiles import depthwise_tiles, pool_gradient_tiles
from wengert.engines.native.frontend.lanes import LANES, Lane, like
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.lowering_rules import padded
from wengert.engines.native.frontend.scalar import NotLowered, dtype_of
from wengert.engines.native.runtime.processor import multiplies_and_adds
from wengert.graph.operation import Operation
from wengert.ops.arrays.window_geometry import Windows, channels_last
from wengert.ops.nn.conv.rows import where_windows_stand
from wengert.ops.nn.pool.rows import pool_windows

DEPTHWISE: Final = "DepthwiseConv2dNative"
_POOLS: Final = ("MaxPool{}", "MaxPool{}Grad", "MaxPool{}GradGrad", "AvgPool{}", "AvgPool{}Grad")
WINDOWS: Final = (
    *[DEPTHWISE + part for part in ("", "BackpropInput", "BackpropFilter")],
    *[name.format(axes) for name in _POOLS for axes in ("", "3D")],
)

MOST: Final = 49  # positions of a window
_MOST_COMPARED: Final = 16  # with each other

# Beyond so many bytes of so many channels kernels are quicker, even for a loop that goes back to Python for
# them: measured on two processors, alone and in loops of ten rounds.
LARGE: Final = 1 << 20
MANY: Final = 8  # channels

Slices = tuple[slice, ...]


class Frame:
    """Windows on an image whose axes in space follow `ahead` others, and how far they reach."""

    def __init__(self, at: Windows, ahead: int, most: int = MOST) -> None:
        if not all(at.out) or not all(at.size) or math.prod(at.kernel) > most:
            raise NotLowered("no windows, or large ones")
        self.at = at
        self.ahead = ahead
        last = zip(at.out, at.stride, at.kernel, at.rate, strict=True)
        reach = [(n - 1) * step + (k - 1) * rate + 1 for n, step, k, rate in last]
        inner = zip(at.before, at.size, strict=True)
        self.size = tuple([max(r, b + n) for r, (b, n) in zip(reach, inner, strict=True)])
        self.is_wider = self.size != at.size  # than the image

    def around(self, low: Lowering, x: View, fill: Any) -> View:
        """The image with a number around it."""
        if not self.is_wider:
            return low.stored(x)
        at = self.at
        inside = [
            (b, size - b - n) for b, size, n in zip(at.before, self.size, at.size, strict=True)
        ]
        behind = len(x.shape) - self.ahead - len(inside)
        paddings = [(0, 0)] * self.ahead + inside + [(0, 0)] * behind
        return padded(low, x, paddings, dtype_of(x.kind).type(fill))

    def positions(self) -> Iterator[Slices]:
        """For each position in the window, where all windows have it."""
        spans = [
            [slice(k * rate, k * rate + (n - 1) * step + 1, step) for k in range(kernel)]
            for n, step, kernel, rate in zip(
                self.at.out, self.at.stride, self.at.kernel, self.at.rate, strict=True
            )
        ]
        for each in product(*spans):
            yield (slice(None),) * self.ahead + each

    def seen(self, low: Lowering, x: View, fill: Any = 0) -> list[View]:
        """What all windows have at each position."""
        image = self.around(low, x, fill)
        return [slice_view(image, part) for part in self.positions()]

    def spread(self, low: Lowering, shape: Dims, parts: Sequence[View]) -> View:
        """What each position gave, added up where it came from: the transpose of `seen`."""
        first, behind = self.ahead, self.ahead + len(self.size)
        framed = (*shape[:first], *self.size, *shape[behind:])
        goal = whole(Base(framed, parts[0].kind))
        phases: dict[Dims, list[tuple[View, Slices]]] = {}
        for part, place in zip(parts, self.positions(), strict=True):
            begins = tuple([s.start % s.step for s in place[first:]])
            phases.setdefault(begins, []).append((part, place))
        ahead = (slice(None),) * first
        laid = [
            (
                self._phase(low, framed, begins, given),
                slice_view(goal, (*ahead, *map(slice, begins, self.size, self.at.stride))),
            )
            for begins, given in phases.items()
        ]
        own = [slice(b, b + n) for b, n in zip(self.at.before, self.at.size, strict=True)]
        is_one = max(self.at.stride) == 1  # phase, which is all of it
        image = laid[0][0] if is_one else low.assembled(framed, parts[0].kind, 0, laid)
        return slice_view(image, (*ahead, *own))

    def _phase(
        self, low: Lowering, framed: Dims, begins: Dims, given: list[tuple[View, Slices]]
    ) -> View:
        """The sum of what was given to each `stride`-th element, beginning with these: no others are in between."""
        first, behind = self.ahead, self.ahead + len(self.size)
        steps = self.at.stride
        sizes = [len(range(*of)) for of in zip(begins, self.size, steps, strict=True)]
        shape = (*framed[:first], *sizes, *framed[behind:])
        goal = whole(Base(shape, given[0][0].kind))
        laid = []
        for part, place in given:
            starts = [s.start // s.step for s in place[first:]]
            spans = [slice(n, n + out) for n, out in zip(starts, self.at.out, strict=True)]
            at = slice_view(goal, (*place[:first], *spans))
            laid.append(low.assembled(shape, part.kind, 0, [(part, at)]))
        return low.computed(_sum, *laid)

    def reached(self, low: Lowering, g: View) -> list[View]:
        """For each position in the window, what the window has that has an element there; zero for none."""
        first, behind = self.ahead, self.ahead + len(self.size)
        axes = [
            _Reach(n, o, step, (k - 1) * rate, b, rate)
            for o, n, step, k, rate, b in zip(
                self.at.out, self.at.size, self.at.stride, self.at.kernel, self.at.rate,
                self.at.before, strict=True,
            )
        ]  # fmt: skip
        shape = (*g.shape[:first], *[a.length for a in axes], *g.shape[behind:])
        ahead = (slice(None),) * first
        place = slice_view(whole(Base(shape, g.kind)), (*ahead, *[a.place for a in axes]))
        laid = low.assembled(shape, g.kind, 0, [(g, place)])
        positions = product(*[range(k) for k in self.at.kernel])
        return [
            slice_view(laid, (*ahead, *[a.at(k) for a, k in zip(axes, each, strict=True)]))
            for each in positions
        ]


class _Reach:
    """On one axis: the windows laid out where they begin, with room for those that reach the edges."""

    def __init__(self, size: int, out: int, step: int, reach: int, before: int, rate: int) -> None:
        first, last = reach - before, reach - before + (out - 1) * step
        self._size, self._rate = size, rate
        self._start = reach - min(0, first)
        self.place = slice(first - min(0, first), last - min(0, first) + 1, step)
        self.length = max(size + reach, last + 1) - min(0, first)

    def at(self, k: int) -> slice:
        """For each element of the image the window in which it has place k."""
        start = self._start - k * self._rate
        return slice(start, start + self._size)


def check_kind(kind: str) -> None:
    """Refuse numbers that windows are not compiled for."""
    if kind not in ("f4", "f8"):
        raise NotLowered("windows on elements of another type")


def _check_size(image: Dims, kind: str) -> None:
    """Refuse large images of many channels, besides numbers of other kinds."""
    check_kind(kind)
    if _is_large(image, kind):
        raise NotLowered("a large image")


def _is_large(image: Dims, kind: str) -> bool:
    return image[-1] >= MANY and math.prod(image) * int(kind[1]) > LARGE


def tiled(low: Lowering, tiles: Tiles, operands: Sequence[View], shape: Dims) -> View:
    """By the kernel for large images, if there is one here."""
    if not multiplies_and_adds():
        raise NotLowered("a large image on a processor without a fused multiply-add")
    return low.tiled(tiles, operands, shape)


def _sum(*xs: Lane) -> Lane:
    return reduce(LANES.add, xs)


def _products(*xs: Lane) -> Lane:
    """The sum of the products of the first half with the second."""
    half = len(xs) // 2
    return _sum(*map(LANES.multiply, xs[:half], xs[half:]))


# ---- pooling ----------------------------------------------------------------------------------------


def _pool(x: View, shape: Dims, attrs: dict[str, Any], most: int = MOST) -> Frame:
    _check_size(shape, x.kind)
    return Frame(pool_windows(shape, attrs), 0, most)


@rule("MaxPool", "MaxPool3D")
def _largest(low: Lowering, op: Operation, x: View, **attrs: Any) -> View:
    seen = _pool(x, x.shape, attrs).seen(low, x, -math.inf)
    return low.computed(lambda *xs: reduce(LANES.maximum, xs), *seen)


def _compared(low: Lowering, frame: Frame, x: View) -> list[View]:
    """What windows have at each position, and then whether that is an element of the image."""
    found = frame.seen(low, x, -math.inf)
    if frame.is_wider:
        found += frame.seen(low, low.number(x.kind, 1.0, x.shape))
    return found


def _firsts(y: Lane, xs: Sequence[Lane], inside: Sequence[Lane]) -> Iterator[Lane]:
    """For each position whether it has the first maximum of its window."""
    found: Lane | None = None
    for n, x in enumerate(xs):
        hit = LANES.logical_or(x == y, LANES.logical_and(x != x, y != y))
        if inside:
            hit = LANES.logical_and(hit, inside[n] != 0.0)
        yield hit if found is None else LANES.logical_and(hit, LANES.logical_not(found))
        found = hit if found is None else LANES.logical_or(found, hit)


@rule("MaxPoolGrad", "MaxPool3DGrad")
def _to_largest(low: Lowering, op: Operation, x: View, y: View, g: View, **attrs: Any) -> View:
    check_kind(x.kind)
    if _is_large(x.shape, x.kind):
        tiles = pool_gradient_tiles(x.kind, pool_windows(x.shape, attrs))
        return tiled(low, tiles, [x, y, g], x.shape)
    frame = _pool(x, x.shape, attrs, _MOST_COMPARED)
    count = math.prod(frame.at.kernel)

    def given(y: Lane, g: Lane, *xs: Lane) -> list[Lane]:
        firsts = _firsts(y, xs[:count], xs[count:])
        return [LANES.where(first, g, like(g, 0.0)) for first in firsts]

    return frame.spread(low, x.shape, low.all_computed(given, y, g, *_compared(low, frame, x)))


@rule("MaxPoolGradGrad", "MaxPool3DGradGrad")
def _at_largest(low: Lowering, op: Operation, x: View, y: View, u: View, **attrs: Any) -> View:
    frame = _pool(x, x.shape, attrs, _MOST_COMPARED)
    of_u = frame.seen(low, u)
    count = len(of_u)

    def taken(y: Lane, *lanes: Lane) -> Lane:
        us, xs, inside = lanes[:count], lanes[count : 2 * count], lanes[2 * count :]
        total = like(us[0], 0.0)
        for first, u in zip(_firsts(y, xs, inside), us, strict=True):
            total = LANES.where(first, u, total)
        return total

    return low.computed(taken, y, *of_u, *_compared(low, frame, x))


def _sizes(low: Lowering, frame: Frame, kind: str) -> View:
    """How many elements of the image each window has."""
    if not frame.is_wider:
        return low.number(kind, float(math.prod(frame.at.kernel)), frame.at.out)
    return low.computed(_sum, *frame.seen(low, low.number(kind, 1.0, frame.at.size)))


@rule("AvgPool", "AvgPool3D")
def _mean(low: Lowering, op: Operation, x: View, **attrs: Any) -> View:
    frame = _pool(x, x.shape, attrs)
    total = low.computed(_sum, *frame.seen(low, x))
    return low.computed(LANES.divide, total, _sizes(low, frame, x.kind))


@rule("AvgPoolGrad", "AvgPool3DGrad")
def _to_mean(
    low: Lowering, op: Operation, g: View, *, orig_input_shape: Dims, **attrs: Any
) -> View:
    frame = _pool(g, orig_input_shape, attrs)
    share = low.computed(LANES.divide, g, _sizes(low, frame, g.kind))
    return low.computed(_sum, *frame.reached(low, share))


# ---- convolutions of each channel by itself -----------------------------------------------------------


def _channels(kernel: Dims, image: Dims, attrs: dict[str, Any]) -> Windows:
    if not channels_last(attrs["data_format"]):
        raise NotLowered("channels first")
    return where_windows_stand(image, kernel[:-2], attrs, DEPTHWISE)


def turned_back(at: Windows) -> Windows:
    """What each element of an image sees of what its windows give, through the filter turned around."""
    if any(step != 1 for step in at.stride):
        raise NotLowered("the gradient of a large image with windows that skip pixels")
    reach = [(k - 1) * rate for k, rate in zip(at.kernel, at.rate, strict=True)]
    before = tuple([r - b for r, b in zip(reach, at.before, strict=True)])
    return Windows(at.out, at.kernel, at.stride, at.rate, before, at.size)


def turned_around(w: View, axes: int) -> View:
    return slice_view(w, [slice(None, None, -1)] * axes)


def each_channel(low: Lowering, frame: Frame, x: View, w: View) -> View:
    """Each channel with its own filters: sums over the positions of a window."""
    count = math.prod(w.shape[:-2])
    filters = low.reshape(w, (count, *w.shape[-2:]))
    seen = [slice_view(part, [..., None]) for part in frame.seen(low, x)]
    of_each = [slice_view(filters, [k]) for k in range(count)]
    y = low.computed(_products, *seen, *of_each)
    return low.reshape(y, (*y.shape[:-2], y.shape[-2] * y.shape[-1]))


def each_channel_back(low: Lowering, frame: Frame, w: View, g: View) -> View:
    """The transpose: to each element from all windows that have it."""
    inner, made = w.shape[-2:]
    count = math.prod(w.shape[:-2])
    filters = low.reshape(w, (count, inner, made))
    reached = frame.reached(low, low.reshape(g, (*g.shape[:-1], inner, made)))
    x = low.computed(_products, *reached, *[slice_view(filters, [k]) for k in range(count)])
    if made == 1:
        return low.reshape(x, x.shape[:-1])
    return low.reduced("sum", x, [len(x.shape) - 1], False)


def each_filter(low: Lowering, frame: Frame, x: View, g: View, sizes: Dims) -> View:
    """What each window says of each of its filters."""
    inner, made = sizes[-2:]
    own = low.reshape(g, (*g.shape[:-1], inner, made))
    axes = range(len(g.shape) - 1)
    target = whole(Base((math.prod(sizes[:-2]), inner, made), g.kind))
    parts = []
    for k, part in enumerate(frame.seen(low, x)):
        spread = broadcast(slice_view(part, [..., None]), own.shape)
        total = low.reduced("sum", low.computed(LANES.multiply, spread, own), axes, False)
        parts.append((total, slice_view(target, [k])))
    return low.reshape(low.assembled(target.shape, g.kind, None, parts), sizes)


def _repeated(low: Lowering, x: View, made: int) -> View:
    """Each channel as often as it has filters: then each filter has a channel, and rows are contiguous."""
    if made == 1:
        return x
    repeated = broadcast(slice_view(x, [..., None]), (*x.shape, made))
    return low.reshape(repeated, (*x.shape[:-1], x.shape[-1] * made))


def _one_each(low: Lowering, w: View) -> View:
    """The filters of all channels as one for each of as many channels."""
    *kernel, inner, made = w.shape
    return low.reshape(w, (*kernel, inner * made, 1))


@rule(DEPTHWISE)
def _depthwise(low: Lowering, op: Operation, x: View, w: View, **attrs: Any) -> View:
    check_kind(x.kind)
    at = _channels(w.shape, x.shape, attrs)
    if w.shape[-2] >= MANY:
        x, w = _repeated(low, x, w.shape[-1]), _one_each(low, w)
    if not _is_large(x.shape, x.kind):
        return each_channel(low, Frame(at, 1), x, w)
    return _depthwise_tiled(low, x, w, at)


def _depthwise_tiled(low: Lowering, x: View, w: View, at: Windows) -> View:
    if 0 in at.out:
        raise NotLowered("a large image without windows")
    tiles = depthwise_tiles(x.kind, x.shape, at)
    return tiled(low, tiles, [x, w], (x.shape[0], *at.out, x.shape[3]))


@rule(f"{DEPTHWISE}BackpropInput")
def _depthwise_to_input(
    low: Lowering, op: Operation, w: View, g: View, *, input_sizes: Dims, **attrs: Any
) -> View:
    check_kind(g.kind)
    at = _channels(w.shape, input_sizes, attrs)
    inner, made = w.shape[-2:]
    if inner < MANY or not _is_large((*input_sizes[:-1], inner * made), g.kind):
        return each_channel_back(low, Frame(at, 1), w, g)
    x = _depthwise_tiled(low, g, turned_around(_one_each(low, w), 2), turned_back(at))
    if made == 1:
        return x
    return low.reduced("sum", low.reshape(x, (*input_sizes, made)), [len(input_sizes)], False)


@rule(f"{DEPTHWISE}BackpropFilter")
def _depthwise_to_filter(
    low: Lowering, op: Operation, x: View, g: View, *, filter_sizes: Dims, **attrs: Any
) -> View:
    *kernel, inner, made = filter_sizes
    at = _channels(filter_sizes, x.shape, attrs)
    x = _repeated(low, x, made)
    _check_size(x.shape, g.kind)
    w = each_filter(low, Frame(at, 1), x, g, (*kernel, inner * made, 1))
    return low.reshape(w, filter_sizes)
