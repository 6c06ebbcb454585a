"""The gradient of convolutions with respect to the filter, with fewer products; see `frontend.images.winograd`.

It is the transpose of the convolution's second half: factors of the image are multiplied by those of the cotangents,
position by position, and summed over all tiles. What a filter's numbers give to its factors they get back at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from wengert.engines.native.codegen.kernel_writer import kernel
from wengert.engines.native.frontend.images.image_tiles import Block
from wengert.engines.native.frontend.images.winograd import TIMES, GradientForm, of_filter
from wengert.engines.native.kernels.filter_sums import FilterSums
from wengert.engines.native.kernels.matmul import multiplied
from wengert.engines.native.kernels.winograd_tiles import (
    Factors,
    Product,
    each_product,
    enter_image,
    of_windows,
)


def filter_gradient(form: GradientForm, kind: str, x: Any, g: Any, shape: Sequence[int]) -> Any:
    """The cotangent of a filter of a shape; None if numbers of it are not finite."""
    takes = of_filter(shape[0]).astype(x.dtype)
    total = np.zeros((form.sums, len(takes), shape[2], shape[3]), x.dtype)
    run = _compared(kind, form.block, form.pieces)
    run(form.parts, form.numbers, x, g, total)
    given = total.sum(0) if form.sums > 1 else total[0]
    found = multiplied(takes.T, given.reshape(len(takes), -1)).reshape(shape)
    found *= x.dtype.type(1 / TIMES)
    return found if np.isfinite(found).all() else None


@kernel
def _compared(kind: str, block: Block, pieces: int) -> str:
    return _Compared(kind, block, pieces).text()


class _Compared(FilterSums):
    def __init__(self, kind: str, block: Block, pieces: int) -> None:
        super().__init__(kind, block, True, 11)
        self.pieces = pieces
        (count, units, self.out_rows, self.out_columns, self.along_line, each, self.channels,
         self.made, pieces_of_made, wide, self.products_of_all) = self.more  # fmt: skip
        across, deep = self.add(self.along_line, pieces - 1), self.add(each, pieces - 1)
        self.seen_factors = Factors(self, (deep, across), self.channels, block.windows)
        share, piece = self.div("%part", pieces_of_made)
        self.first_made = self.mul(piece, wide)
        self.made_here = self.least(wide, self.sub(self.made, self.first_made))
        self.given = Factors(self, (each, self.along_line), self.made_here, self.lanes)
        size = self.mul(self.products_of_all, self.channels, self.made)
        self.total = self.place(kind, self.arrays[2], self.mul(share, size))
        self.share(units, count, self._unit, share)

    def _unit(self, unit: str) -> None:
        self.see(unit)
        self.own = self.div(self.sub(self.end, self.first), 2)[0]  # rows of tiles
        enter_image(self, self.seen_factors, self.own, self.pieces)
        self._enter_given()
        size = self.mul(self.channels, self.made)
        each_product(self, self.pieces, self.total, size, self._add_product)

    def _enter_given(self) -> None:
        """The factors of the cotangents; those of windows that there are not are zero."""
        image = self.mul(self.image, self.out_rows, self.out_columns, self.made)
        base = self.place(self.kind, self.arrays[1], self.add(image, self.first_made))

        def row(r: str, _: list[str]) -> None:
            top = self.add(self.first, self.mul(r, 2))
            below = self.set(f"icmp slt i64 {self.add(top, 1)}, {self.out_rows}")

            def tile(s: str, _: list[str]) -> None:
                left = self.mul(s, 2)
                beside = self.set(f"icmp slt i64 {self.add(left, 1)}, {self.out_columns}")
                there = [["", beside], [below, self.set(f"and i1 {below}, {beside}")]]
                number = self.add(self.mul(top, self.out_columns), left)

                def vector(m: str, at: str, mask: str | None) -> None:
                    windows = [
                        [
                            self._cotangent(
                                base,
                                self.add(number, self.mul(self.out_columns, a), b),
                                m,
                                there[a][b],
                            )
                            for b in range(2)
                        ]
                        for a in range(2)
                    ]
                    self.given.put(at, of_windows(self, self.kinds, windows), mask)

                self.given.each(r, s, vector)

            self.loop(0, self.along_line, 1, tile)

        self.loop(0, self.own, 1, row)

    def _cotangent(self, base: str, number: str, m: str, is_there: str) -> str:
        def given() -> list[str]:
            at = self.add(self.mul(number, self.made), m)
            return [self.read(self.kind, base, at, self.width)]

        if not is_there:
            return given()[0]
        return self.when(is_there, given, [(self.kinds, "zeroinitializer")])[0]

    # ---- products ------------------------------------------------------------------------------

    def _add_product(self, product: Product) -> None:
        """Add a product, summed over all tiles, to what there is of it; block by block of the filter."""
        place = self.seen_factors.tile(*product.piece)
        x = self.place(self.kind, self.seen_factors.at(product.position), place)
        given, total = self.given.at(product.position), product.filters

        def channels(k: str, _: list[str]) -> None:
            at, wanted = self.seen_factors.first(k), self.mul(k, self.block.windows)
            seen = self.place(self.kind, x, self.mul(k, self.seen_factors.size))

            def made(m: str, _: list[str]) -> None:
                sums = self._sums(seen, self.place(self.kind, given, self.mul(m, self.given.size)))
                place = self.add(self.mul(at, self.made), self.first_made, self.mul(m, self.lanes))
                for c in range(self.block.windows):
                    own = self.set(f"icmp sge i64 {self.add(at, c)}, {wanted}")
                    at_c = self.add(place, self.mul(self.made, c))
                    self.when(own, partial(self.add_to, total, at_c, c, sums))

            self.loop(0, self.given.groups, 1, made)

        self.loop(0, self.seen_factors.groups, 1, channels)

    def _sums(self, x: str, given: str) -> list[str]:
        """The products of a few channels with a few of the cotangents', summed over all tiles."""

        def row(r: str, sums: list[str]) -> Sequence[str]:
            begins = [
                self.place(self.kind, x, self.seen_factors.tile(r, 0)),
                self.place(self.kind, given, self.given.tile(r, 0)),
            ]
            carried = [("ptr", b) for b in begins] + [(self.kinds, s) for s in sums]
            return self.loop(0, self.along_line, 1, self._tile, carried)[2:]

        return self.loop(0, self.own, 1, row, self.nothing)

    def _tile(self, _: str, now: list[str]) -> Sequence[str]:
        return self.add_products(now, self.block.windows, self.lanes)
