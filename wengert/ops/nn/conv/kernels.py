"""Convolution kernels (tiled im2col and matrix products), on channels-last arrays.

Three bilinear maps of an image (n, *size, channels), a filter (*kernel, channels of a group, made)
and windows (n, *out, made). Each is the adjoint of the others.

The work is cut into tiles. The windows of a tile are copied side by side into a matrix that fits
into a processor's cache, followed by one product with the filter. Copying only along the width,
with a product for each row of the filter, was as fast (4.4 against 4.5 ms for 16 to 32 channels,
6.8 against 6.9 for 64) except for few channels (3.3 against 4.5 ms for 4 to 16), where it is used;
a product for each position of the filter took up to twice that. If machine code is available, it
computes large convolutions of images (3.6 and 6.9 ms) and volumes: see by_machine_code.py.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from wengert.host.parallel import Result, in_parts, mind_the_load
from wengert.host.threads import processors
from wengert.ops.arrays.window_geometry import Windows
from wengert.ops.nn.conv.by_machine_code import compared, convolved
from wengert.values.shapes import Dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, NumpyDType

MATRIX_BYTES = 1 << 20  # of the windows of one tile
LARGE_BYTES = 1 << 22  # of one tile without a matrix: 1.2 ms with 1 << 20, 1.0 with this
FEW = 32  # numbers side by side in a row of the filter: copied one row at a time
WORTH_SHARING = 1 << 20  # multiplications from which on threads gain more than they cost

Block = tuple[tuple[int, int], ...]  # from and to, of the images and of each axis of windows


# ---- tiles ------------------------------------------------------------------------------------


def _tiles(n: int, out: Dims, most: int) -> list[Block]:
    """Blocks of at most that many windows, each contiguous in memory."""
    steps, room = [], max(most, 1)
    for size in reversed((n, *out)):
        count = max(-(-size // room), 1)
        steps.append(max(-(-size // count), 1))
        room = room // size if count == 1 and size else 1
        room = max(room, 1)
    ranges = [
        [(i, min(i + step, size)) for i in range(0, size, step)]
        for size, step in zip((n, *out), reversed(steps), strict=True)
    ]
    return list(itertools.product(*ranges))


def _tiling(
    at: Windows, n: int, wide: int, made: int, itemsize: int, room: int = MATRIX_BYTES
) -> list[Block]:
    """Tiles whose matrices have `wide` columns."""
    total = n * math.prod(at.out)
    most = max(room // max(wide * itemsize, 1), 16)
    if total * wide * made >= WORTH_SHARING:
        most = min(most, -(-total // processors()))
    return _tiles(n, at.out, most)


def _shared(
    work: Callable[[Sequence[Block]], Result], tiles: list[Block], operations: int
) -> list[Result]:
    return in_parts(work, tiles) if operations >= WORTH_SHARING else [work(tiles)]


class _Room:
    """Memory that is reused from tile to tile."""

    def __init__(self, dtype: NumpyDType) -> None:
        self._memory = np.empty(0, dtype)

    def array(self, shape: Dims) -> Array:
        size = math.prod(shape)
        if self._memory.size < size:
            self._memory = np.empty(size, self._memory.dtype)
        return self._memory[:size].reshape(shape)


class _Seen(NamedTuple):
    """The part of an image that the windows of a tile cover."""

    x: Any
    at: Windows
    room: _Room

    def windows(self, block: Block) -> Array:
        """The windows of a block, as a view: (images, *windows, *kernel, channels)."""
        part, at = self.part(block), self.at
        first, *inner, last = part.strides
        counts = [high - low for low, high in block]
        steps = [s * k for s, k in zip(inner, at.stride, strict=True)]
        holes = [s * r for s, r in zip(inner, at.rate, strict=True)]
        shape = (*counts, *at.kernel, part.shape[-1])
        return as_strided(part, shape, (first, *steps, *holes, last))

    def part(self, block: Block) -> Array:
        """The part of the image that a block covers, with zeros outside of the image."""
        at, images = self.at, slice(*block[0])
        cuts, places, sizes = [], [], []
        for i, (low, high) in enumerate(block[1:]):
            start = low * at.stride[i] - at.before[i]
            size = (high - low - 1) * at.stride[i] + (at.kernel[i] - 1) * at.rate[i] + 1
            a = min(max(start, 0), at.size[i])
            b = min(max(start + size, a), at.size[i])
            cuts.append(slice(a, b))
            places.append(slice(a - start, b - start) if b > a else slice(0, 0))
            sizes.append(size)
        inside = self.x[tuple([images, *cuts])]
        if inside.shape[1:-1] == tuple(sizes):
            return inside
        padded = self.room.array((inside.shape[0], *sizes, inside.shape[-1]))
        _clear_around(padded, places)
        padded[tuple([slice(None), *places])] = inside
        return padded


def _clear_around(x: Array, places: Sequence[slice]) -> None:
    """Write zeros outside of the slices, axis by axis: fewer than zeros everywhere."""
    for axis, place in enumerate(places, 1):
        along = np.moveaxis(x, axis, 0)
        along[: place.start] = 0
        along[place.stop :] = 0


def _block_of(array: Array, block: Block) -> Array:
    return array[tuple([slice(*pair) for pair in block])]


def _groups(x: Array, w_inner: int) -> int:
    return max(x.shape[-1] // w_inner, 1) if w_inner else 1


# ---- image and filter -------------------------------------------------------------------------


def correlate(x: Array, w: Array, at: Windows, y: Array | None = None) -> Array:
    """Convolution (cross-correlation) of image and filter; into `y`, if given."""
    *_, inner, made = w.shape
    if y is None:
        y = np.empty((len(x), *at.out, made), x.dtype)
    groups = _groups(x, inner)
    if y.size * math.prod(w.shape[:-1]) >= WORTH_SHARING and convolved(x, w, at, y, groups):
        return y
    if not inner or not y.size:  # nothing to sum, or nothing to find
        y[...] = 0
    elif _is_pointwise(at) and groups == 1:
        mind_the_load()
        np.matmul(x, w.reshape(inner, made), out=y)
    elif groups > 1 and inner == 1:
        _correlate_channels(x, w, at, y)
    elif groups == 1 and len(at.out) == 2 and at.stride[0] == 1 and w.shape[1] * inner <= FEW:
        _correlate_rows(x, w, at, y)
    else:
        _correlate_groups(x, w, at, y, groups)
    return y


def _is_pointwise(at: Windows) -> bool:
    steps = all(s == 1 or n == 1 for s, n in zip(at.stride, at.size, strict=True))
    return math.prod(at.kernel) == 1 and at.out == at.size and steps and not any(at.before)


def _correlate_groups(x: Array, w: Array, at: Windows, y: Array, groups: int) -> None:
    *kernel, inner, made = w.shape
    wide, each = math.prod(kernel) * inner, made // groups
    matrices = [w[..., g * each : (g + 1) * each].reshape(wide, each) for g in range(groups)]

    def work(tiles: Sequence[Block]) -> None:
        seen, copies, products = _Seen(x, at, _Room(x.dtype)), _Room(x.dtype), _Room(x.dtype)
        for block in tiles:
            view, target = seen.windows(block), _block_of(y, block)
            for g, matrix in enumerate(matrices):
                rows = _side_by_side(view, g * inner, inner, copies, wide)
                if groups == 1 and target.flags.c_contiguous:
                    np.matmul(rows, matrix, out=target.reshape(len(rows), made))
                else:
                    product = products.array((len(rows), each))
                    np.matmul(rows, matrix, out=product)
                    part = target[..., g * each : (g + 1) * each]
                    part[...] = product.reshape(part.shape)

    tiles = _tiling(at, len(x), wide, made, x.itemsize)
    _shared(work, tiles, len(x) * math.prod(at.out) * wide * made)


def _correlate_rows(x: Array, w: Array, at: Windows, y: Array) -> None:
    """Copy windows along the width only; then one product for each row of the filter."""
    high, broad, inner, made = w.shape
    wide = broad * inner
    matrices = w.reshape(high, wide, made)

    def work(tiles: Sequence[Block]) -> None:
        seen = _Seen(x, at, _Room(x.dtype))
        copies, sums, products = _Room(x.dtype), _Room(x.dtype), _Room(x.dtype)
        for block in tiles:
            lines = _along_the_width(seen.part(block), at, block, copies)
            images, rows, columns = (to - start for start, to in block)
            shape = (rows * images * columns, made)
            target, product = _block_of(y, block), products.array(shape)
            direct = images == 1 and target.flags.c_contiguous
            total = target.reshape(shape) if direct else sums.array(shape)
            for i, matrix in enumerate(matrices):
                here = lines[i * at.rate[0] : i * at.rate[0] + rows].reshape(shape[0], wide)
                np.matmul(here, matrix, out=product if i else total)
                if i:
                    np.add(total, product, out=total)
            if not direct:
                apart = total.reshape(rows, images, columns, made)
                target[...] = apart.transpose(1, 0, 2, 3)

    tiles = _tiling(at, len(x), 2 * (wide + made), high, x.itemsize)
    _shared(work, tiles, len(x) * math.prod(at.out) * high * wide * made)


def _along_the_width(part: Array, at: Windows, block: Block, copies: _Room) -> Array:
    """For each line of each image the windows of one row: (lines, images, columns, row)."""
    columns = block[2][1] - block[2][0]
    image, line, pixel, channel = part.strides
    shape = (part.shape[1], len(part), columns, at.kernel[1], part.shape[3])
    steps = (line, image, pixel * at.stride[1], pixel * at.rate[1], channel)
    copy = copies.array(shape)
    np.copyto(copy, as_strided(part, shape, steps))
    return copy


def _side_by_side(view: Array, first: int, inner: int, copies: _Room, wide: int) -> Array:
    """The windows of a group of channels as the rows of a matrix."""
    part = view[..., first : first + inner]
    copy = copies.array(part.shape)
    np.copyto(copy, part)
    return copy.reshape(copy.size // max(wide, 1), wide)


def _correlate_channels(x: Array, w: Array, at: Windows, y: Array) -> None:
    """Depthwise convolution: each channel has its own filters, so there is no matrix product.

    `einsum` multiplies and adds in one pass while its sums stay in the L1 cache: 0.17 ms for
    3x3 on 64 x 64 x 32 float32, where multiplications and additions of arrays took 0.26 at best.
    """
    channels, rank = x.shape[-1], len(at.kernel)
    times = w.shape[-1] // channels
    broad = max(min(at.out[-1], LINE // max(channels, 1)), 1)
    taps = w.reshape(*at.kernel, channels, times)
    filters = [np.tile(taps[..., m], broad) for m in range(times)]
    outer, inner, along = [*range(rank)], [*range(rank, 2 * rank)], 2 * rank

    def work(tiles: Sequence[Block]) -> None:
        seen, copies, sums = _Seen(x, at, _Room(x.dtype)), _Room(x.dtype), _Room(x.dtype)
        for block in tiles:
            view, target = _in_lines(seen.part(block), at, block, copies), _block_of(y, block)
            shape = (*view.shape[:rank], view.shape[-1])
            direct = times == 1 and target.flags.c_contiguous
            total = target.reshape(shape) if direct else sums.array(shape)
            for m, line in enumerate(filters):
                for start in range(0, shape[-1], max(broad * channels, 1)):
                    out = total[..., start : start + broad * channels]
                    part, some = (
                        view[..., start : start + out.shape[-1]],
                        line[..., : out.shape[-1]],
                    )
                    indices = [*outer, *inner, along], [*inner, along], [*outer, along]
                    np.einsum(part, indices[0], some, indices[1], indices[2], out=out)
                if not direct:
                    target[..., m::times] = total.reshape(*target.shape[:-1], channels)

    tiles = _tiling(at, len(x), channels, math.prod(at.kernel), x.itemsize, LARGE_BYTES)
    _shared(work, tiles, len(x) * math.prod(at.out) * channels * math.prod(at.kernel))


LINE = 2048  # numbers in NumPy's innermost loop, if there are so many


def _in_lines(part: Array, at: Windows, block: Block, copies: _Room) -> Array:
    """The windows with the width and the channels merged: (images, *rows, *kernel, long)."""
    *outer, pixel, channel = part.strides
    columns, channels = block[-1][1] - block[-1][0], part.shape[-1]
    lines, last = part.shape[:-2], at.kernel[-1]
    if at.stride[-1] == 1 and (pixel, channel) == (channels * part.itemsize, part.itemsize):
        steps = [*outer, pixel * at.rate[-1], channel]
    else:
        copy = copies.array((*lines, last, columns, channels))
        steps = [*outer, pixel * at.rate[-1], pixel * at.stride[-1], channel]
        np.copyto(copy, as_strided(part, copy.shape, steps))
        part, steps = copy, [*copy.strides[:-2], copy.strides[-1]]
    first, *inner, tap, number = steps
    strides = [s * k for s, k in zip(inner, at.stride[:-1], strict=True)]
    holes = [s * r for s, r in zip(inner, at.rate[:-1], strict=True)]
    counts = [to - start for start, to in block[:-1]]
    shape = (*counts, *at.kernel, columns * channels)
    return as_strided(part, shape, (first, *strides, *holes, tap, number))


# ---- image and windows ------------------------------------------------------------------------


def compare(x: Array, g: Array, at: Windows, shape: Dims) -> Array:
    """The gradient of the filter, from windows and image."""
    *kernel, inner, made = shape
    groups = _groups(x, inner)
    wide, each = math.prod(kernel) * inner, made // groups
    if g.size * wide >= WORTH_SHARING:
        found = compared(x, g, at, shape, groups)
        if found is not None:
            return found
    if groups > 1 and inner == 1:
        return _compare_channels(x, g, at, shape)

    def work(tiles: Sequence[Block]) -> Array:
        seen, copies = _Seen(x, at, _Room(x.dtype)), _Room(x.dtype)
        total = np.zeros((groups, wide, each), x.dtype)
        product = np.empty((wide, each), x.dtype)
        for block in tiles:
            view = seen.windows(block)
            windows = _block_of(g, block).reshape(math.prod(view.shape[: len(block)]), made)
            for k in range(groups):
                rows = _side_by_side(view, k * inner, inner, copies, wide)
                np.matmul(rows.T, windows[:, k * each : (k + 1) * each], out=product)
                total[k] += product
        return total

    tiles = _tiling(at, len(x), wide, made, x.itemsize)
    parts = _shared(work, tiles, len(x) * math.prod(at.out) * wide * made)
    total = sum(parts[1:], parts[0])
    return np.moveaxis(total, 0, 1).reshape(shape)


def _compare_channels(x: Array, g: Array, at: Windows, shape: Dims) -> Array:
    channels, rank = x.shape[-1], len(at.kernel)
    times = shape[-1] // channels

    def work(tiles: Sequence[Block]) -> Array:
        seen, copies = _Seen(x, at, _Room(x.dtype)), _Room(x.dtype)
        total = np.zeros((*at.kernel, channels, times), x.dtype)
        axes = [*range(rank + 1)]
        for block in tiles:
            view, windows = _in_lines(seen.part(block), at, block, copies), _block_of(g, block)
            long = (*view.shape[:rank], view.shape[-1])
            for m in range(times):
                some = windows[..., m::times].reshape(long)
                for tap in np.ndindex(*at.kernel):
                    part = view[tuple([slice(None)] * rank + list(tap))]
                    sums = np.einsum(part, axes, some, axes, [rank])
                    total[tap][:, m] += sums.reshape(-1, channels).sum(0)
        return total

    tiles = _tiling(at, len(x), channels, math.prod(at.kernel), x.itemsize, LARGE_BYTES)
    parts = _shared(work, tiles, len(x) * math.prod(at.out) * channels * math.prod(at.kernel))
    return sum(parts[1:], parts[0]).reshape(shape)
