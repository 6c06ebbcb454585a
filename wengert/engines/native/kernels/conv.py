"""Convolutions of large channels-last images, without im2col.

A block is a few adjacent windows and two vectors of output channels. Its sums stay in registers:
each number of the image is multiplied by both vectors of the filter, which is packed in the order
in which it is read. Filters that do not fit into the L1 cache are cut into pieces, with the partial
sums in the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.engines.native.codegen.kernel_writer import Kernel, kernel
from wengert.engines.native.frontend.images.image_tiles import (
    SMALLEST,
    Block,
    block_of,
    convolution_form,
)
from wengert.engines.native.frontend.images.winograd import winograd_form
from wengert.engines.native.kernels import winograd
from wengert.engines.native.kernels.conv_sums import ConvSums
from wengert.engines.native.kernels.padded_lines import kind_of


def convolve(x: Any, w: Any, at: Any, y: Any) -> Any:
    """The convolution, in `y` or another array; None if NumPy should compute it."""
    kind, made = kind_of(x, w), w.shape[-1]
    if not kind or x.ndim != 4 or w.shape[2] != x.shape[3] or 0 in (*at.out, x.size, w.size):
        return None
    if made * x.itemsize < SMALLEST:
        return _few(x, w, at, y, SMALLEST // x.itemsize)
    if not y.flags.c_contiguous:
        y = np.empty(y.shape, y.dtype)
    fewer = winograd_form(kind, x.shape, made, at)
    if fewer is not None:
        winograd.convolve(fewer, kind, x, w, _packed(w, fewer.plain.block), y)
        return y
    form = convolution_form(kind, x.shape, made, at, block_of(kind, made, at.out[1]))
    if form is None:
        return None
    run = _convolution(kind, form.block, form.lines.padded, form.unrolled)
    run(form.lines.parts, form.numbers, x, _packed(w, form.block), y)
    return y


def tile_kernel(
    kind: str, windows: int, vectors: int, width: int, padded: int, unrolled: int
) -> Kernel:
    """The kernel of such a name."""
    return _convolution(kind, Block(windows, vectors, width), bool(padded), unrolled)


def _few(x: Any, w: Any, at: Any, y: Any, wanted: int) -> Any:
    """Too few channels for a vector: padded with zeros."""
    wide = np.zeros((*w.shape[:3], wanted), w.dtype)
    wide[..., : w.shape[3]] = w
    found = convolve(x, wide, at, np.empty((*y.shape[:3], wanted), y.dtype))
    if found is None:
        return None
    y[...] = found[..., : w.shape[3]]
    return y


def _packed(w: Any, block: Block) -> Any:
    """The filter packed by groups of a block's channels; the last group overlaps the one before."""
    made, lanes = w.shape[-1], block.lanes
    flat = w.reshape(-1, made)
    if lanes == made:
        return flat[np.newaxis]
    starts = [min(m, made - lanes) for m in range(0, made, lanes)]
    return np.stack([flat[:, m : m + lanes] for m in starts])


@kernel
def _convolution(kind: str, block: Block, padded: bool, unrolled: int) -> str:
    return convolution_text(kind, block, padded, unrolled)


def convolution_text(kind: str, block: Block, padded: bool, unrolled: int) -> str:
    sums = ConvSums(kind, block, padded, unrolled)
    sums.see("%part")
    sums.convolve()
    return sums.text()
