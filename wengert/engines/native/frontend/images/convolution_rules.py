"""Lowering of convolutions: products of matrices, and tiles.

Where windows are single pixels, products of the image itself; where images are small, of what each
window sees, side by side. Filters of a single channel are sums instead. Large images are left to
the kernels for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import (
    Base,
    Known,
    View,
    slice_view,
    transpose,
    whole,
)
from wengert.engines.native.frontend.images.image_tiles import convolution_tiles
from wengert.engines.native.frontend.images.window_rules import (
    LARGE,
    MANY,
    MOST,
    Frame,
    check_kind,
    each_channel,
    each_channel_back,
    each_filter,
    tiled,
    turned_around,
    turned_back,
)
from wengert.engines.native.frontend.images.winograd import of_filter, winograd_form, winograd_tiles
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.scalar import NotLowered, dtype_of
from wengert.graph.operation import Operation
from wengert.ops.arrays.window_geometry import Windows, channels_last
from wengert.ops.nn.conv.rows import where_windows_stand
from wengert.values.shapes import Dims

FORWARD: Final = ("Conv2D", "Conv3D")
TO_INPUT: Final = ("Conv2DBackpropInput", "Conv3DBackpropInputV2")
TO_FILTER: Final = ("Conv2DBackpropFilter", "Conv3DBackpropFilterV2")
MORE: Final = 4  # times as many numbers, which takes twice as long or more
PIXELS: Final = FORWARD + TO_INPUT + TO_FILTER


@rule(*FORWARD)
def _convolution(low: Lowering, op: Operation, x: View, w: View, **attrs: Any) -> View:
    at = _windows(op, x.shape, w.shape, attrs)
    if _are_pixels(at):
        y = low.product(_matrix(low, _seen(x, at)), _matrix(low, w))
        return low.reshape(y, op.outputs[0]._array.shape)
    if _is_large(at, w.shape, x):
        return _tiled(low, x, w, at)
    frame = Frame(at, 1)
    if w.shape[-2] == 1:
        return each_channel(low, frame, x, w)
    y = low.product(_side_by_side(low, frame.seen(low, x)), _matrix(low, w))
    return low.reshape(y, op.outputs[0]._array.shape)


@rule(*TO_INPUT)
def _to_input(
    low: Lowering, op: Operation, w: View, g: View, *, input_sizes: Dims, **attrs: Any
) -> View:
    at = _windows(op, input_sizes, w.shape, attrs)
    if not _are_pixels(at):
        if w.shape[-2] == 1:
            return _of_filters(low, at, w, g)
        if _gives_little(at, w.shape, g):
            return _spread(low, Frame(at, 1), w, g)
        return _tiled_back(low, w, g, at) if _is_large(at, w.shape, g) else _back(low, at, w, g)
    found = low.product(_matrix(low, g), transpose(_matrix(low, w), (1, 0)))
    pixels = low.reshape(found, (*g.shape[:-1], input_sizes[-1]))
    if pixels.shape == input_sizes:
        return pixels
    place = _seen(whole(Base(input_sizes, g.kind)), at)
    return low.assembled(input_sizes, g.kind, 0, [(pixels, place)])


def _back(low: Lowering, at: Windows, w: View, g: View) -> View:
    """To each element of the image from all windows that have it."""
    frame = Frame(at, 1)
    inner, made = w.shape[-2:]
    count = math.prod(w.shape[:-2])
    by_made = transpose(low.reshape(w, (count, inner, made)), (0, 2, 1))
    rows = _side_by_side(low, frame.reached(low, g))
    x = low.product(rows, low.reshape(by_made, (count * made, inner)))
    return low.reshape(x, (g.shape[0], *at.size, inner))


def _of_filters(low: Lowering, at: Windows, w: View, g: View) -> View:
    """To an image of one channel, from all filters: many are one product for each window's positions."""
    check_kind(g.kind)
    frame = Frame(at, 1)
    return each_channel_back(low, frame, w, g) if w.shape[-1] < MANY else _spread(low, frame, w, g)


def _spread(low: Lowering, frame: Frame, w: View, g: View) -> View:
    """To an image: what each window gives to what it sees is one product, and added up where that is."""
    inner, count = w.shape[-2], math.prod(w.shape[:-2])
    given = low.product(_matrix(low, g), transpose(_matrix(low, w), (1, 0)))
    of_each = low.reshape(given, (*g.shape[:-1], count, inner))
    parts = [slice_view(of_each, [..., k, slice(None)]) for k in range(count)]
    return frame.spread(low, (g.shape[0], *frame.at.size, inner), parts)


@rule(*TO_FILTER)
def _to_filter(
    low: Lowering, op: Operation, x: View, g: View, *, filter_sizes: Dims, **attrs: Any
) -> View:
    at = _windows(op, x.shape, filter_sizes, attrs)
    if _are_pixels(at):
        rows = _matrix(low, _seen(x, at))
    else:
        if _is_large(at, filter_sizes, g):
            raise NotLowered("the gradient of the filter of a large image")
        frame = Frame(at, 1)
        if filter_sizes[-2] == 1:
            return each_filter(low, frame, x, g, filter_sizes)
        rows = _side_by_side(low, frame.seen(low, x))
    return low.reshape(low.product(transpose(rows, (1, 0)), _matrix(low, g)), filter_sizes)


def _windows(op: Operation, image: Dims, kernel: Dims, attrs: dict[str, Any]) -> Windows:
    """Where the windows of the filter are."""
    if not channels_last(attrs["data_format"]) or kernel[-2] != image[-1]:
        raise NotLowered("channels first, or groups of channels")
    return where_windows_stand(image, kernel[:-2], attrs, op.row.name)


def _are_pixels(at: Windows) -> bool:
    """Whether a window is a single pixel, always one of the image."""
    last = zip(at.out, at.stride, at.size, strict=True)
    return (
        math.prod(at.kernel) == 1
        and not any(at.before)
        and all((n - 1) * step < size for n, step, size in last)
    )


def _is_large(at: Windows, kernel: Dims, image: View) -> bool:
    """Whether a kernel is quicker than products of what windows see side by side."""
    check_kind(image.kind)
    seen = image.shape[0] * math.prod(at.out) * math.prod(kernel[:-1]) * int(image.kind[1])
    if kernel[-2] > 1:
        return 2 * seen > LARGE
    return kernel[-1] >= MANY and seen * kernel[-1] > LARGE


def _gives_little(at: Windows, kernel: Dims, g: View) -> bool:
    """Whether all that windows give to an image is little beside what its elements would gather from them.

    It is laid out on an image for each position in the window.
    """
    *taps, inner, made = kernel
    image = g.shape[0] * math.prod(at.size) * inner * int(g.kind[1])
    gathered, given = math.prod(at.size) * made, math.prod(at.out) * inner
    few = math.prod(taps) <= MOST and math.prod(taps) * image <= 8 * LARGE
    return few and gathered >= MORE * given


def _tiled(low: Lowering, x: View, w: View, at: Windows) -> View:
    """By the kernel for large images."""
    *taps, _, made = w.shape
    if len(taps) != 2 or 0 in at.out:
        raise NotLowered("a large image with one axis in space, or three")
    shape = (x.shape[0], *at.out, made)
    fewer = winograd_form(x.kind, x.shape, made, at)
    if fewer is not None:
        plain = _packed(low, w, fewer.plain.block.lanes)
        tiles = winograd_tiles(x.kind, fewer, x.shape, made, at)
        return tiled(low, tiles, [x, plain, _factors(low, plain, taps[0])], shape)
    tiles, together = convolution_tiles(x.kind, x.shape, made, at)
    return tiled(low, tiles, [x, _packed(low, w, together)], shape)


def _packed(low: Lowering, w: View, together: int) -> View:
    """The filter by groups of so many output channels."""
    *others, made = w.shape
    flat = low.reshape(w, (math.prod(others), made // together, together))
    return transpose(flat, (1, 0, 2))


def _factors(low: Lowering, plain: View, length: int) -> View:
    """What a packed filter gives to the products of tiles."""
    groups, numbers, together = plain.shape
    takes = np.asarray(of_filter(length), dtype_of(plain.kind))
    channels = numbers // takes.shape[1]
    each = low.reshape(plain, (groups, takes.shape[1], channels * together))
    return low.product(whole(Known(takes.shape, plain.kind, takes)), each)


def _tiled_back(low: Lowering, w: View, g: View, at: Windows) -> View:
    *axes, inner, made = range(len(w.shape))
    around = transpose(turned_around(w, len(axes)), (*axes, made, inner))
    return _tiled(low, g, around, turned_back(at))


def _side_by_side(low: Lowering, parts: Sequence[View]) -> View:
    """What there is at each position, as rows of all of it."""
    *outer, channels = parts[0].shape
    target = whole(Base((*outer, len(parts), channels), parts[0].kind))
    places = [slice_view(target, [..., k, slice(None)]) for k in range(len(parts))]
    rows = low.assembled(target.shape, parts[0].kind, None, list(zip(parts, places, strict=True)))
    return low.reshape(rows, (math.prod(outer), len(parts) * channels))


def _seen(x: View, at: Windows) -> View:
    """The pixels that the windows see."""
    steps = zip(at.out, at.stride, strict=True)
    parts = [slice(0, (n - 1) * step + 1, step) for n, step in steps]
    return slice_view(x, [slice(None), *parts, slice(None)])


def _matrix(low: Lowering, x: View) -> View:
    """One row for each pixel, or for each number that a filter takes."""
    return low.reshape(x, (math.prod(x.shape[:-1]), x.shape[-1]))
