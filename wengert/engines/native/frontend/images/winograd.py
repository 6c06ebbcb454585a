"""Convolutions with fewer multiplications, after Winograd: which ones, and how their kernels go over images.

Two adjacent windows of three numbers see four, d. With sums and differences of these, and of the filter g, four
products do in place of six:

    a = (d0 - d2) g0                    b = (d1 + d2) (g0 + g1 + g2) / 2
    c = (d2 - d1) (g0 - g1 + g2) / 2    d = (d1 - d3) g2                   results a + b + c, b - c - d

In two dimensions it is 16 for 36. Longer filters are cut into pieces of two numbers and a last one of three, which see
each second number, so that all of them share their sums; a piece of two has no product d. So 5 x 5 takes 49 for 100.
Other ways have fewer products still, and larger factors than a half, which cost digits: these do not.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.engines.native.frontend.arrays import Tiles
from wengert.engines.native.frontend.images.image_tiles import (
    PARTS,
    Block,
    Convolution,
    block_of,
    convolution_form,
    cut,
    flops_of,
    shape_of,
    whole_block,
)
from wengert.engines.native.runtime.named_kernels import KERNELS
from wengert.engines.native.runtime.processor import is_arm
from wengert.host.precision import is_tensor_float_32_allowed

TIMES: Final = 4  # as large as they should be are products
SEEN: Final = 4  # numbers along a line, by a tile of two windows
FILTERS: Final = (3, 5)  # numbers along a line
# Of fewer channels sums and differences cost more than products, and for fewer tiles those of the filter do:
# measured for 252 shapes, of which the others take 0.5 to 1.0 of the direct time.
CHANNELS: Final = 32
TILES: Final = 256
ROOM: Final = 3 << 17  # bytes of the factors of a part,
GRADIENT: Final = 1 << 20  # and of a part of the gradient
CHUNK: Final = 1 << 13  # bytes of a piece of the filter


class Form(NamedTuple):
    """How such a convolution is computed: its tiles, and the form and arguments of the kernel."""

    plain: Convolution  # for an image with numbers that are not finite
    windows: int  # of a part
    pieces: int  # of a filter's line
    numbers: tuple[int, ...]


@functools.cache
def of_filter(length: int) -> Any:
    """The sums of a filter's numbers for each product: a row for each, in the order of the kernels.

    They are twice as large along each axis, and the results are divided by `TIMES`: halves of the smallest
    numbers would be nothing.
    """
    line = _of_line(length)
    rows = [
        np.multiply.outer(down[p], along[q]).ravel()
        for down in line
        for along in line
        for p in sorted(down)
        for q in sorted(along)
    ]
    return np.array(rows)


def _of_line(length: int) -> list[dict[int, Any]]:
    """For each of four products, by pieces of the filter, what it takes of each number."""
    count = pieces_of(length)
    takes = [(2, 0, 0), (1, 1, 1), (1, -1, 1), (0, 0, 2)]
    found: list[dict[int, Any]] = [{} for _ in takes]
    for piece in range(count):
        of_piece = 3 if piece == count - 1 else 2
        for product, take in enumerate(takes):
            if any(take[:of_piece]):
                row = found[product][piece] = np.zeros(length)
                row[2 * piece : 2 * piece + of_piece] = take[:of_piece]
    return found


def unrolling() -> int:
    """The unrolling of the loop over channels: with two, LLVM for ARM has one of the sums on the stack."""
    return 1 if is_arm() else 4


def pieces_of(length: int) -> int:
    """The pieces that a line of a filter is cut into."""
    return (length - 1) // 2


def winograd_form(kind: str, shape: Sequence[int], made: int, at: Any) -> Form | None:
    """How images of a shape are convolved with fewer products; None where they had better not be."""
    tiles = tuple(-(-n // 2) for n in at.out)
    if not _is_worth(kind, shape, made, at, tiles):
        return None
    pieces, channels = pieces_of(at.kernel[0]), shape[3]
    each = _tile_rows(shape[0], channels, tiles, pieces, ROOM)
    across = tiles[1] + pieces - 1
    block = _block(kind, made, at.out[1], each * across)
    if block is None:
        return None
    even = at._replace(out=tuple(2 * n for n in tiles))
    plain = convolution_form(kind, shape, made, even, block, 2 * each)
    if plain is None or made % block.lanes or channels % unrolling():
        return None
    chunk = CHUNK // (block.lanes * int(kind[1]))
    numbers = (*plain.numbers, *at.out, tiles[1], each, min(chunk, channels))
    return Form(plain, 2 * each * at.out[1], pieces, numbers)


class GradientForm(NamedTuple):
    """How the gradient of the filter is computed: its parts, the sums that are added up at the end, the kernel."""

    block: Block
    parts: int
    sums: int
    pieces: int  # of a filter's line
    numbers: tuple[int, ...]


def gradient_form(kind: str, shape: Sequence[int], made: int, at: Any) -> GradientForm | None:
    """How the gradient of a filter is computed with fewer products; None where it had better not be."""
    tiles = tuple(-(-n // 2) for n in at.out)
    if not _is_worth(kind, shape, made, at, tiles):
        return None
    pieces, channels = pieces_of(at.kernel[0]), shape[3]
    block = whole_block(kind, made, channels)
    if block is None or made % block.lanes:
        return None
    count = len(of_filter(at.kernel[0]))
    groups, piece = cut(made, block.lanes, count * channels * made * int(kind[1]))
    each = _tile_rows(shape[0], channels + piece, tiles, pieces, GRADIENT)
    even = at._replace(out=tuple(2 * n for n in tiles))
    lines = shape_of(shape, kind, even, 2 * each)
    if lines is None:
        return None
    units = -(-lines.parts // max(PARTS // groups, 1))
    sums = -(-lines.parts // units)
    numbers = (*lines.numbers, lines.parts, units, *at.out, tiles[1], each, channels, made, groups,
               piece, count)  # fmt: skip
    return GradientForm(block, sums * groups, sums, pieces, numbers)


def _is_worth(kind: str, shape: Sequence[int], made: int, at: Any, tiles: Sequence[int]) -> bool:
    """Whether there are few products that count, and many that are saved."""
    n, _, _, channels = shape
    return (
        kind == "f4"
        and at.kernel[0] == at.kernel[1]
        and at.kernel[0] in FILTERS
        and at.stride == at.rate == (1, 1)
        and min(channels, made) >= CHANNELS
        and n * math.prod(tiles) >= TILES
        and 7 * 4 * math.prod(tiles)
        <= 8 * math.prod(at.out)  # windows of tiles, and those that there are
        and is_tensor_float_32_allowed()
    )


def _tile_rows(images: int, channels: int, tiles: Sequence[int], pieces: int, room: int) -> int:
    """The rows of tiles of a part."""
    row = SEEN**2 * (tiles[1] + pieces - 1) * channels * 4
    fit = max(room // row - (pieces - 1), 1)
    return min(fit, -(-images * tiles[0] // PARTS), tiles[0])


def _block(kind: str, made: int, columns: int, tiles: int) -> Block | None:
    """The best block for so many tiles, which a row of windows has room for, too."""
    block = whole_block(kind, made, tiles)
    if block is None or block.windows <= columns:
        return block
    return block_of(kind, block.lanes, columns)


def winograd_tiles(kind: str, form: Form, shape: Sequence[int], made: int, at: Any) -> Tiles:
    """The same in a plan."""
    name = ".".join(map(str, ("winograd", kind, *form.plain.block, unrolling(), form.pieces)))
    parts, flops = form.plain.lines.parts, flops_of(shape, made, at)
    return Tiles(KERNELS + name, form.numbers, parts, 1, form.windows, math.prod(at.out), flops)
