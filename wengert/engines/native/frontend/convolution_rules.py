"""Lowering of convolutions whose windows are single pixels: products of matrices."""

from __future__ import annotations

import math
from typing import Any, Final

from wengert.engines.native.frontend.arrays import Base, View, slice_view, transpose, whole
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.operation import Operation
from wengert.ops.arrays.window_geometry import Windows, channels_last
from wengert.ops.nn.conv.rows import where_windows_stand
from wengert.values.shapes import Dims

FORWARD: Final = ("Conv2D", "Conv3D")
TO_INPUT: Final = ("Conv2DBackpropInput", "Conv3DBackpropInputV2")
TO_FILTER: Final = ("Conv2DBackpropFilter", "Conv3DBackpropFilterV2")
PIXELS: Final = FORWARD + TO_INPUT + TO_FILTER


@rule(*FORWARD)
def _convolution(low: Lowering, op: Operation, x: View, w: View, **attrs: Any) -> View:
    at = _pixels(op, x.shape, w.shape, attrs)
    y = low.product(_matrix(low, _seen(x, at)), _matrix(low, w))
    return low.reshape(y, op.outputs[0]._array.shape)


@rule(*TO_INPUT)
def _to_input(
    low: Lowering, op: Operation, w: View, g: View, *, input_sizes: Dims, **attrs: Any
) -> View:
    at = _pixels(op, input_sizes, w.shape, attrs)
    found = low.product(_matrix(low, g), transpose(_matrix(low, w), (1, 0)))
    pixels = low.reshape(found, (*g.shape[:-1], input_sizes[-1]))
    if pixels.shape == input_sizes:
        return pixels
    place = _seen(whole(Base(input_sizes, g.kind)), at)
    return low.assembled(input_sizes, g.kind, 0, [(pixels, place)])


@rule(*TO_FILTER)
def _to_filter(
    low: Lowering, op: Operation, x: View, g: View, *, filter_sizes: Dims, **attrs: Any
) -> View:
    at = _pixels(op, x.shape, filter_sizes, attrs)
    found = low.product(transpose(_matrix(low, _seen(x, at)), (1, 0)), _matrix(low, g))
    return low.reshape(found, filter_sizes)


def _pixels(op: Operation, image: Dims, kernel: Dims, attrs: dict[str, Any]) -> Windows:
    """Where the pixels are that the filter sees."""
    if math.prod(kernel[:-2]) != 1 or not channels_last(attrs["data_format"]):
        raise NotLowered("windows of several pixels, or channels first")
    at = where_windows_stand(image, kernel[:-2], attrs, op.row.name)
    if any(at.before) or kernel[-2] != image[-1]:
        raise NotLowered("a border, or groups of channels")
    if any(
        (n - 1) * step >= size for n, step, size in zip(at.out, at.stride, at.size, strict=True)
    ):
        raise NotLowered("a border")
    return at


def _seen(x: View, at: Windows) -> View:
    """The pixels that the windows see."""
    steps = zip(at.out, at.stride, strict=True)
    parts = [slice(0, (n - 1) * step + 1, step) for n, step in steps]
    return slice_view(x, [slice(None), *parts, slice(None)])


def _matrix(low: Lowering, x: View) -> View:
    """One row for each pixel, or for each channel that a filter takes."""
    return low.reshape(x, (math.prod(x.shape[:-1]), x.shape[-1]))
