"""The gradient of large convolutions with respect to the filter.

A block is a few adjacent numbers of the filter, and one or two vectors of output channels. Its sums
stay in registers along some rows of windows. Each part sums into a filter of its own; these are
added at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import kernel
from wengert.engines.native.codegen.vectors import power_over
from wengert.engines.native.frontend.images.image_tiles import (
    PARTS,
    SMALLEST,
    Block,
    cut,
    shape_of,
    whole_block,
)
from wengert.engines.native.frontend.images.winograd import gradient_form
from wengert.engines.native.kernels import winograd_filter_gradient
from wengert.engines.native.kernels.filter_sums import FilterSums
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.runtime.processor import vector_bytes

CACHE: Final = 1 << 15  # bytes of the rows along which sums stay in registers, to fit the cache
WINDOWS: Final = 64  # of such rows, at least


def filter_gradient(x: Any, g: Any, at: Any, shape: Sequence[int]) -> Any:
    """The cotangent of the filter; None if NumPy should compute it."""
    kind = kind_of(x, g)
    if not kind or x.ndim != 4 or shape[2] != x.shape[3] or 0 in (*at.out, x.size, g.size):
        return None
    fewer = gradient_form(kind, x.shape, shape[3], at)
    if fewer is not None:
        found = winograd_filter_gradient.filter_gradient(fewer, kind, x, g, shape)
        if found is not None:
            return found
    width = _width(kind, shape[3])
    if shape[3] % width:
        made = -(-shape[3] // width) * width
        found = filter_gradient(x, _widened(g, made), at, (*shape[:3], made))
        return None if found is None else np.ascontiguousarray(found[..., : shape[3]])
    channels, made, (high, broad) = x.shape[3], shape[3], at.kernel
    taps, run = (1, broad * channels) if at.rate[1] == 1 else (broad, channels)
    block, lines = whole_block(kind, made, run), shape_of(x.shape, kind, at)
    if block is None or lines is None:
        return None
    row = at.out[1] * (made + at.stride[1] * channels) * x.itemsize
    together = max(CACHE // row, -(-WINDOWS // at.out[1]))
    size = high * broad * channels * made * x.itemsize
    pieces, piece = cut(made, block.lanes, size)
    each = -(-lines.parts // max(PARTS // pieces, 1))
    sums = -(-lines.parts // each)
    numbers = (*lines.numbers, lines.parts, each, at.out[1], made, high, taps, run,
               at.rate[1] * channels, at.stride[1] * channels, at.rate[0], together, pieces,
               piece)  # fmt: skip
    total = np.zeros((sums, *shape), x.dtype)
    _comparison(kind, block, lines.padded)(sums * pieces, numbers, x, g, total)
    return total.sum(0) if sums > 1 else total[0]


def _width(kind: str, made: int) -> int:
    """The elements of a vector: as many as there are output channels, if these are few."""
    size = int(kind[1])
    return max(min(vector_bytes() // size, power_over(made)), SMALLEST // size)


def _widened(g: Any, made: int) -> Any:
    """With channels of zeros, until all vectors are full."""
    wide = np.zeros((*g.shape[:-1], made), g.dtype)
    wide[..., : g.shape[-1]] = g
    return wide


@kernel
def _comparison(kind: str, block: Block, padded: bool) -> str:
    return _Comparison(kind, block, padded).text()


class _Comparison(FilterSums):
    def __init__(self, kind: str, block: Block, padded: bool) -> None:
        super().__init__(kind, block, padded, 13)
        (count, units, self.columns, self.made, self.taps_y, self.taps_x, self.run, self.step_x,
         self.pixel, self.rate, self.together, pieces, wide) = self.more  # fmt: skip
        size = self.mul(self.taps_y, self.taps_x, self.run, self.made)
        share, piece = self.div("%part", pieces)
        self.total = self.place(kind, self.arrays[2], self.mul(share, size))
        self.piece = (
            self.mul(piece, wide),
            self.least(self.mul(self.add(piece, 1), wide), self.made),
        )
        self.share(units, count, self._unit, share)

    def _unit(self, unit: str) -> None:
        self.see(unit)
        self.loop(self.first, self.end, self.together, lambda r, _: self._some_rows(r))

    def _some_rows(self, first: str) -> None:
        """The gradient of the whole filter, from rows that fit into the cache."""
        end = self.least(self.add(first, self.together), self.end)
        last = self.sub(self.run, self.block.windows)

        def line(t: str, _: list[str]) -> None:
            def tap(u: str, _: list[str]) -> None:
                number = self.mul(self.add(self.mul(t, self.taps_x), u), self.run)
                place = self.add(self.mul(t, self.rate, self.line), self.mul(u, self.step_x))

                def numbers(o: str, _: list[str]) -> None:
                    q = self.least(o, last)  # the last block ends with the line of the filter
                    x, w = self.add(place, q), self.add(number, q)
                    self.loop(
                        *self.piece, self.lanes, lambda m, _: self._sums(first, end, x, w, m, q, o)
                    )

                self.loop(0, self.run, self.block.windows, numbers)

            self.loop(0, self.taps_x, 1, tap)

        self.loop(0, self.taps_y, 1, line)

    def _sums(self, first: str, end: str, x: str, w: str, m: str, q: str, wanted: str) -> None:
        def row(r: str, sums: list[str]) -> Sequence[str]:
            number = self.mul(self.add(self.mul(self.image, self.rows), r), self.columns)
            source = self.place(self.kind, self.start_of(r), x)
            given = self.place(self.kind, self.arrays[1], self.add(self.mul(number, self.made), m))
            carried = [("ptr", source), ("ptr", given), *[(self.kinds, s) for s in sums]]
            return self.loop(0, self.columns, 1, self._window, carried)[2:]

        sums = self.loop(first, end, 1, row, self.nothing)
        for p in range(self.block.windows):
            own = self.set(f"icmp sge i64 {self.add(q, p)}, {wanted}")

            def put(p: int = p) -> None:
                place = self.add(self.mul(self.add(w, p), self.made), m)
                self.add_to(self.total, place, p, sums)

            self.when(own, put)

    def _window(self, _: str, now: list[str]) -> Sequence[str]:
        """Multiply the image under one window by its cotangents, and add up."""
        return self.add_products(now, self.pixel, self.made)
