"""How the kernels for large images go over them: blocks of windows, padded lines, their arguments.

The kernels themselves are written in `kernels`; a plan calls them by the names given here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from wengert.engines.native.frontend.arrays import Tiles
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.engines.native.runtime.named_kernels import KERNELS
from wengert.engines.native.runtime.processor import (
    is_arm,
    sums_at_once,
    vector_bytes,
)

FILTER: Final = 1 << 14  # bytes of a piece of the filter
SMALLEST: Final = 16  # bytes of a vector
ROOM: Final = 1 << 18  # bytes of the padded lines of a part, if a part can be that small
MOST: Final = 1 << 20  # bytes of those of one row of windows, beyond which NumPy computes it
PARTS: Final = 8  # at least, if there are as many rows
WHOLE: Final = 1 << 20  # bytes of the piece of a filter's gradient that a part sums into
CHANNELS: Final = 64  # of a part of the gradient of a pool, which is one image
WINDOWS: Final = 8  # of a depthwise convolution, whose sums stay in registers


# ---- the lines of images -------------------------------------------------------------------------------


class Shape(NamedTuple):
    """How a convolution is cut into parts, and the kernel's arguments that describe the image."""

    parts: int
    padded: bool
    numbers: tuple[int, ...]
    windows: int  # of a part; the last one of an image has what is left


def width_of(kind: str, count: int) -> int:
    """The elements of four registers, of two, of one or a part of it, that so many fill; 0 if there are fewer."""
    width = 4 * vector_bytes() // int(kind[1])
    while width > count:
        width //= 2
    return width if width * int(kind[1]) >= SMALLEST else 0


def shape_of(x: Sequence[int], kind: str, at: Any, each: int = 0) -> Shape | None:
    """How a convolution of images of a shape is cut; None if a row of windows reads too much.

    Its parts have `each` rows of windows, if that is said.
    """
    n, high, wide, channels = x
    rows, columns = at.out
    reach = [(k - 1) * r + 1 for k, r in zip(at.kernel, at.rate, strict=True)]
    broad = (columns - 1) * at.stride[1] + reach[1]
    long = broad * channels * int(kind[1])
    if reach[0] * long > MOST:
        return None
    if not each:
        each = max((ROOM // long - reach[0]) // at.stride[0] + 1, 1)
        each = min(each, -(-n * rows // PARTS), rows)
    lines = (each - 1) * at.stride[0] + reach[0]
    padded = any(at.before) or broad > wide or (rows - 1) * at.stride[0] + reach[0] > high
    left, skipped = max(at.before[1], 0), max(-at.before[1], 0)
    seen = max(min(wide - skipped, broad - left), 0)
    blocks = -(-rows // each)
    numbers = (blocks, each, rows, high, wide * channels, broad * channels, left * channels,
               skipped * channels, seen * channels, lines, at.stride[0], at.before[0])  # fmt: skip
    return Shape(n * blocks, padded, numbers, each * columns)


def are_of_images(at: Any) -> bool:
    """Whether windows extend over lines and columns of images only."""
    return (
        len(at.size) == 4
        and 0 not in at.out
        and all(
            (at.kernel[i], at.stride[i], at.before[i], at.out[i]) == (1, 1, 0, at.size[i])
            for i in (0, 3)
        )
    )


# ---- convolutions --------------------------------------------------------------------------------------


class Block(NamedTuple):
    """The number of adjacent windows, of vectors for each, and of elements in a vector."""

    windows: int
    vectors: int
    width: int

    @property
    def lanes(self) -> int:
        """The elements of all vectors of a window."""
        return self.vectors * self.width


def unrolling() -> int:
    """The unrolling of the loop over a window's numbers.

    With four, LLVM loads so many of them ahead on ARM that sums are spilled to the stack.
    """
    return 2 if is_arm() else 4


@functools.lru_cache(maxsize=256)
def block_of(kind: str, made: int, columns: int) -> Block | None:
    """The best block; None where there are too few channels for a vector."""
    width = vector_bytes() // int(kind[1])
    while width > made:
        width //= 2
    if width * int(kind[1]) < SMALLEST:
        return None
    vectors = 2 if made >= 2 * width else 1
    most = sums_at_once() // vectors
    choices = [c for c in range(max(most // 2, 1), most + 1) if c <= columns] or [columns]
    # The overhead of a block is about the cost of one more window.
    windows = min(choices, key=lambda c: (-(-columns // c) * (c + 1), -c))
    return Block(windows, vectors, width)


def whole_block(kind: str, made: int, columns: int) -> Block | None:
    """The best block of one or two vectors that are all full, if there is any."""
    block = block_of(kind, made, columns)
    if block is not None and made % block.lanes:
        return block_of(kind, block.width, columns)
    return block


class Convolution(NamedTuple):
    """How a convolution is computed: which kernel, and its arguments."""

    block: Block
    lines: Shape
    unrolled: int
    numbers: tuple[int, ...]


class Depthwise(NamedTuple):
    """The same of a convolution of each channel by itself."""

    lines: Shape
    windows: int  # adjacent ones, whose sums stay in registers
    numbers: tuple[int, ...]


def convolution_form(
    kind: str, shape: Sequence[int], made: int, at: Any, block: Block | None, each: int = 0
) -> Convolution | None:
    """How images of a shape are convolved, block by block; None if the kernel does not do it."""
    lines = shape_of(shape, kind, at, each)
    if block is None or lines is None:
        return None
    lanes, channels = block.lanes, shape[3]
    cut, unrolled = _pieces(at, channels, lanes * int(kind[1]))
    numbers = (*lines.numbers, at.out[1], made, -(-made // lanes), at.rate[1] * channels,
               at.stride[1] * channels, at.rate[0], at.kernel[0], *cut)  # fmt: skip
    return Convolution(block, lines, unrolled, numbers)


def convolution_tiles(kind: str, shape: Sequence[int], made: int, at: Any) -> tuple[Tiles, int]:
    """A convolution in a plan, and how many output channels the filter is packed by.

    These are equal groups: none of them overlaps another one.
    """
    form = convolution_form(kind, shape, made, at, whole_block(kind, made, at.out[1]))
    if form is None or made % form.block.lanes:
        raise NotLowered("a large image of so many channels")
    name = ".".join(map(str, ("conv", kind, *form.block, int(form.lines.padded), form.unrolled)))
    lines, flops = form.lines, flops_of(shape, made, at)
    windows = math.prod(at.out)
    tiles = Tiles(KERNELS + name, form.numbers, lines.parts, 1, lines.windows, windows, flops)
    return tiles, form.block.lanes


def flops_of(shape: Sequence[int], made: int, at: Any) -> int:
    """Those of a convolution that multiplies each number of a window by itself."""
    windows, taps = math.prod(at.out), math.prod(at.kernel)
    return int(2 * shape[0] * windows * made * taps * shape[3])


def depthwise_form(kind: str, shape: Sequence[int], at: Any) -> Depthwise | None:
    """How images of a shape are convolved, each channel by itself; None if the kernel does not do it."""
    lines, channels = shape_of(shape, kind, at), shape[3]
    if lines is None or channels * int(kind[1]) < vector_bytes():
        return None
    numbers = (*lines.numbers, at.out[1], channels, *at.kernel, at.rate[1] * channels,
               at.stride[1] * channels, at.rate[0])  # fmt: skip
    return Depthwise(lines, min(WINDOWS, at.out[1]), numbers)


def cut(made: int, lanes: int, size: int) -> tuple[int, int]:
    """The number of pieces of a filter of so many bytes, and the output channels of each."""
    groups = made // lanes
    piece = -(-groups // min(-(-size // WHOLE), groups)) * lanes
    return -(-made // piece), piece


def depthwise_tiles(kind: str, shape: Sequence[int], at: Any) -> Tiles:
    """The same in a plan."""
    form = depthwise_form(kind, shape, at)
    if form is None:
        raise NotLowered("a large image of so few channels")
    name = f"{KERNELS}depthwise_conv.{kind}.{int(form.lines.padded)}.{form.windows}"
    windows, lines = math.prod(at.out), form.lines
    flops = 2 * shape[0] * windows * shape[3] * math.prod(at.kernel)
    return Tiles(name, form.numbers, lines.parts, 1, lines.windows, windows, flops)


def _pieces(at: Any, channels: int, size: int) -> tuple[tuple[int, int, int, int], int]:
    """How the filter is cut into pieces.

    Positions in a line, numbers for each, and the lines and numbers of a piece; then the unrolling
    of the loop. `size` is the bytes of filter for each number.
    """
    high, broad = at.kernel
    # Without dilation a line of the filter is multiplied by contiguous numbers.
    taps, run = (1, broad * channels) if at.rate[1] == 1 else (broad, channels)
    most = max(FILTER // size, 1)
    unrolled = unrolling() if run % unrolling() == 0 else 1
    pieces = -(-taps * run // most)
    chunk = -(-run // pieces // unrolled) * unrolled
    return (taps, run, max(min(most // (taps * run), high), 1), chunk), unrolled


# ---- pools ---------------------------------------------------------------------------------------------


class PoolGradient(NamedTuple):
    """How it is computed: the elements of a vector, the parts of an image, the kernel's arguments."""

    width: int
    blocks: int
    numbers: tuple[int, ...]


def pool_gradient_form(kind: str, at: Any) -> PoolGradient | None:
    """How the gradient of max pooling is computed; None if the kernel does not do it."""
    if not are_of_images(at) or at.rate != (1, 1, 1, 1):
        return None
    (_, high, wide, channels), (_, rows, columns, _) = at.size, at.out
    width = min(width_of(kind, channels), 2 * vector_bytes() // int(kind[1]))
    if not width:
        return None
    blocks = -(-channels // CHANNELS)
    numbers = (blocks, high, wide, channels, rows, columns, *at.kernel[1:3], *at.stride[1:3],
               *at.before[1:3])  # fmt: skip
    return PoolGradient(width, blocks, numbers)


def pool_gradient_tiles(kind: str, at: Any) -> Tiles:
    """The same in a plan, a tile for each image."""
    form = pool_gradient_form(kind, at)
    if form is None:
        raise NotLowered("windows that are not on images")
    name = f"{KERNELS}max_pool_gradient.{kind}.{form.width}"
    image = math.prod(at.size[1:3])
    compared = math.prod(at.out) * math.prod(at.kernel)
    return Tiles(name, form.numbers, at.size[0], form.blocks, image, image, compared)
