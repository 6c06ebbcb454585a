"""Large convolutions by kernels of images: also those of groups of channels, and of volumes.

The kernels know images of all channels and filters, or of one filter for each channel. Groups are
convolved one after the other. A volume is an image for each of its windows' depths: the slices that the
filter reaches lie side by side as channels, and so do those of the filter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from wengert.ops.arrays.window_geometry import Windows
from wengert.ops.support.large_kernels import (
    conv_filter_gradient_kernel,
    conv_kernel,
    depthwise_conv_kernel,
    depthwise_filter_gradient_kernel,
)
from wengert.values.shapes import Dims

if TYPE_CHECKING:
    from wengert.values.typing import Array

LARGE_BYTES = 1 << 24  # of the slices side by side, of some samples at a time


def convolved(x: Array, w: Array, at: Windows, y: Array, groups: int = 1) -> bool:
    """Compute a convolution, into `y`; whether there is a kernel for it."""
    inner, made = w.shape[-2:]
    if groups > 1 and inner > 1:
        each = made // groups
        return all(
            convolved(
                _channels(x, k, inner), _channels(w, k, each), at, y[..., k * each :][..., :each]
            )
            for k in range(groups)
        )
    if len(at.out) == 3:
        return groups == 1 and _of_volumes(x, w, at, y)
    if len(at.out) != 2:
        return False
    if groups == 1:
        found = conv_kernel(x, np.ascontiguousarray(w), at, y)
    else:
        found = depthwise_conv_kernel(_repeated(x, made), np.ascontiguousarray(w), at, y)
    if found is not None and found is not y:
        y[...] = found
    return found is not None


def compared(x: Array, g: Array, at: Windows, shape: Dims, groups: int = 1) -> Array | None:
    """The gradient of a filter of a shape; None if there is no kernel for it."""
    *kernel, inner, made = shape
    if groups > 1 and inner > 1:
        each = made // groups
        parts = []
        for k in range(groups):
            part = compared(
                _channels(x, k, inner), _channels(g, k, each), at, (*kernel, inner, each)
            )
            if part is None:
                return None
            parts.append(part)
        return np.concatenate(parts, -1)
    if len(at.out) == 3:
        return _compared_volumes(x, g, at, shape) if groups == 1 else None
    if len(at.out) != 2:
        return None
    if groups == 1:
        return conv_filter_gradient_kernel(x, g, at, shape)
    return depthwise_filter_gradient_kernel(_repeated(x, made), g, at, shape)


def _channels(x: Array, k: int, count: int) -> Array:
    """The channels of a group."""
    return np.ascontiguousarray(x[..., k * count : (k + 1) * count])


def _repeated(x: Array, made: int) -> Array:
    """Each channel as often as it has filters: then there is one filter for each."""
    times = made // x.shape[-1]
    return x if times == 1 else np.repeat(x, times, -1)


# ---- volumes ----------------------------------------------------------------------------------


def _of_volumes(x: Array, w: Array, at: Windows, y: Array) -> bool:
    deep, *kernel, inner, made = w.shape
    filters = np.moveaxis(w, 0, -3).reshape(*kernel, deep * inner, made)
    for some, images in _as_images(x, at):
        target = np.empty((len(images), *at.out[1:], made), x.dtype)
        if not convolved(images, filters, _across(at), target):
            return False
        y[some] = target.reshape(-1, *y.shape[1:])
    return True


def _compared_volumes(x: Array, g: Array, at: Windows, shape: Dims) -> Array | None:
    deep, *kernel, inner, made = shape
    total = np.zeros((*kernel, deep * inner, made), x.dtype)
    for some, images in _as_images(x, at):
        windows = g[some].reshape(len(images), *at.out[1:], made)
        found = compared(images, windows, _across(at), total.shape)
        if found is None:
            return None
        total += found
    return np.moveaxis(total.reshape(*kernel, deep, inner, made), -3, 0)


def _across(at: Windows) -> Windows:
    """The windows without their depth."""
    return Windows(*[part[1:] for part in at])


def _as_images(x: Array, at: Windows) -> Iterator[tuple[slice, Array]]:
    """Some samples at a time: for each depth of their windows, what these reach as channels."""
    each = at.out[0] * at.kernel[0] * x[:1].nbytes // max(at.size[0], 1)
    step = max(LARGE_BYTES // max(each, 1), 1)
    for start in range(0, len(x), step):
        some = slice(start, start + step)
        yield some, _side_by_side(x[some], at)


def _side_by_side(x: Array, at: Windows) -> Array:
    n, _, *across, inner = x.shape
    size, deep, stride, rate, before, count = (part[0] for part in at)
    images = np.zeros((n, count, *across, deep, inner), x.dtype)
    for t in range(deep):
        first = t * rate - before  # where the first window has its slice of this depth
        start = max(-(first // stride), 0)
        stop = min(-(-(size - first) // stride), count)
        if start < stop:
            last = first + (stop - 1) * stride + 1
            images[:, start:stop, ..., t, :] = x[:, first + start * stride : last : stride]
    return images.reshape(n * count, *across, deep * inner)
