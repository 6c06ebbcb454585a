"""Convolutions with fewer products, after Winograd; see `frontend.images.winograd`.

A part is some rows of tiles of one image. Their factors are entered for each of 16 positions, and multiplied
by those of the filter as the direct convolution multiplies, each position by itself: one for some output channels after
the other, whose products stay in the cache until the results are made of them.

Factors mix numbers of neighbouring windows. Where one is not finite, the part is convolved directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.engines.native.codegen.kernel_writer import Kernel, kernel
from wengert.engines.native.codegen.vectors import literal
from wengert.engines.native.frontend.images.image_tiles import Block
from wengert.engines.native.frontend.images.winograd import SEEN, TIMES, Form, of_filter, unrolling
from wengert.engines.native.frontend.scalar import constant
from wengert.engines.native.kernels.conv_sums import ConvSums
from wengert.engines.native.kernels.matmul import multiplied
from wengert.engines.native.kernels.winograd_tiles import (
    Factors,
    Grid,
    Product,
    each_product,
    enter_image,
    plus,
    to_windows,
)


def convolve(form: Form, kind: str, x: Any, w: Any, plain: Any, y: Any) -> None:
    """The convolution, in `y`; `plain` is the filter as the direct convolution takes it."""
    groups, lanes = len(plain), plain.shape[-1]
    takes = of_filter(w.shape[0]).astype(w.dtype)
    numbers = plain.reshape(groups, takes.shape[1], w.shape[2] * lanes)
    factors = np.empty((groups, len(takes), w.shape[2] * lanes), w.dtype)
    for group, target in zip(numbers, factors, strict=True):
        multiplied(takes, group, target)
    run = _winograd(kind, form.plain.block, unrolling(), form.pieces)
    run(form.plain.lines.parts, form.numbers, x, plain, factors, y)


def tile_kernel(
    kind: str, windows: int, vectors: int, width: int, unrolled: int, pieces: int
) -> Kernel:
    """The kernel of such a name."""
    return _winograd(kind, Block(windows, vectors, width), unrolled, pieces)


@kernel
def _winograd(kind: str, block: Block, unrolled: int, pieces: int) -> str:
    return _Winograd(kind, block, unrolled, pieces).text()


class _Winograd(ConvSums):
    def __init__(self, kind: str, block: Block, unrolled: int, pieces: int) -> None:
        super().__init__(kind, block, True, unrolled, 4, 5)
        self.width, self.pieces = block.width, pieces
        rows, columns, self.along_line, each, self.some = self.more[self.CONVOLUTION :]
        across = self.add(self.along_line, pieces - 1)
        deep = self.add(each, pieces - 1)
        beyond = block.windows + pieces * pieces  # read and not used, by the last block
        self.factors = Factors(self, (deep, across), self.pixel, more=beyond)
        self.products_of = Factors(self, (each, across), self.lanes, more=block.windows)

        self.see("%part")
        self.own = self.div(self.sub(self.end, self.first), 2)[0]  # rows of tiles
        enter_image(self, self.factors, self.own, pieces)
        # What follows are rows and columns of the result, of which the last tiles may have one less.
        self.rows, self.columns = rows, columns
        self.end = self.least(self.end, rows)
        nothing = [(self.kinds, "zeroinitializer")] * block.vectors
        found = self.loop(0, self.groups, 1, self._some_channels, nothing)
        self.when(self._any_is_nan(found), self.convolve)

    def _some_channels(self, m: str, found: list[str]) -> Sequence[str]:
        self._multiply(m)
        return self._results(self.first_channel(m), found)

    # ---- products ------------------------------------------------------------------------------

    def _multiply(self, m: str) -> None:
        """The products of all positions, for one group of output channels."""
        line = (SEEN - 1) * self.pieces + 1  # of all positions of a line
        size = self.mul(self.pixel, self.lanes)
        filters = self.place(self.kind, self.arrays[2], self.mul(m, line * line, size))
        each_product(self, self.pieces, filters, size, self._add_product)

    def _add_product(self, product: Product) -> None:
        """Add the products of all tiles with a piece of the filter, some channels after the others."""
        source = self.place(
            self.kind, self.factors.at(product.position), self.factors.tile(*product.piece)
        )
        target = self.products_of.at(product.position)
        tiles = self.mul(self.own, self.factors.across)

        def channels(c: str, _: list[str]) -> None:
            count = self.sub(self.least(self.add(c, self.some), self.pixel), c)
            begun = self.set(f"icmp ne i64 {self.add(product.before, c)}, 0")
            w = self.place(self.kind, product.filters, self.mul(c, self.lanes))

            def block(o: str, _: list[str]) -> None:
                x = self.place(self.kind, source, self.add(self.mul(o, self.pixel), c))
                y = self.place(self.kind, target, self.mul(o, self.lanes))
                so_far = self.sums_so_far(y, self.lanes, begun)
                sums = self.products(x, w, count, [s for _, s in so_far])
                for place, value in zip(self.places(y, self.lanes), sums, strict=True):
                    self.write(self.kind, place, 0, value, self.block.width)

            self.loop(0, tiles, self.block.windows, block)

        self.loop(0, self.pixel, self.some, channels)

    # ---- results -------------------------------------------------------------------------------

    def _results(self, channel: str, found: list[str]) -> Sequence[str]:
        """Write the results of all tiles; what is NaN where one is not finite."""

        def row(r: str, found: list[str]) -> Sequence[str]:
            top = self.add(self.first, self.mul(r, 2))

            def tile(s: str, found: list[str]) -> Sequence[str]:
                at = self.products_of.tile(r, s)
                return [
                    self._tile(at, top, self.mul(s, 2), channel, v, value)
                    for v, value in enumerate(found)
                ]

            return self.loop(0, self.along_line, 1, tile, [(self.kinds, f) for f in found])

        return self.loop(0, self.own, 1, row, [(self.kinds, f) for f in found])

    def _tile(self, at: str, top: str, left: str, channel: str, v: int, found: str) -> str:
        """Write a vector of the four windows of a tile."""
        place = self.add(at, v * self.width)
        given = [
            [
                self.read(self.kind, self.products_of.at(SEEN * a + b), place, self.width)
                for b in range(SEEN)
            ]
            for a in range(SEEN)
        ]
        results = to_windows(
            self, self.kinds, given, literal(self.kind, constant(self.kind, 1 / TIMES), self.width)
        )
        self._write(results, top, left, self.add(channel, v * self.width))
        total = plus(self, self.kinds, *[plus(self, self.kinds, *row) for row in results])
        return self.intrinsic("fma", self.kind, self.width, [total, "zeroinitializer", found])

    def _write(self, results: Grid, top: str, left: str, channel: str) -> None:
        number = self.add(
            self.mul(self.add(self.mul(self.image, self.rows), top), self.columns), left
        )
        first = self.add(self.mul(number, self.made), channel)
        below = self.set(f"icmp slt i64 {self.add(top, 1)}, {self.rows}")
        beside = self.set(f"icmp slt i64 {self.add(left, 1)}, {self.columns}")
        wide = self.mul(self.columns, self.made)

        def put(a: int, b: int) -> None:
            at = self.add(first, self.mul(wide, a), self.mul(self.made, b))
            self.write(self.kind, self.arrays[-1], at, results[a][b], self.width)

        put(0, 0)
        self.when(beside, lambda: put(0, 1))
        self.when(below, lambda: put(1, 0))
        self.when(self.set(f"and i1 {below}, {beside}"), lambda: put(1, 1))

    def _any_is_nan(self, found: Sequence[str]) -> str:
        """Whether a number of some vectors is NaN."""
        total = found[0]
        for value in found[1:]:
            total = plus(self, self.kinds, total, value)
        truths = self.set(f"fcmp uno {self.kinds} {total}, {total}")
        bits = f"i{self.width}"
        word = self.set(f"bitcast <{self.width} x i1> {truths} to {bits}")
        return self.set(f"icmp ne {bits} {word}, 0")
