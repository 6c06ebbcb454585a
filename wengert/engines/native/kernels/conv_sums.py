"""Shared by the kernels of convolutions: sums of a few adjacent windows, and the whole convolution by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wengert.engines.native.codegen.vectors import literal, llvm_type
from wengert.engines.native.frontend.images.image_tiles import Block
from wengert.engines.native.kernels.padded_lines import Lines


class ConvSums(Lines):
    """A kernel that convolves; its first arrays are the image and the filter, its last one is the result."""

    CONVOLUTION: Final = 11  # numbers

    def __init__(
        self, kind: str, block: Block, padded: bool, unrolled: int, arrays: int = 3, more: int = 0
    ) -> None:
        super().__init__(kind, padded, arrays, self.CONVOLUTION + more)
        self.block, self.unrolled = block, unrolled
        (self.columns, self.made, self.groups, self.step_x, self.pixel, self.rate, self.taps_y,
         self.taps_x, self.run, self.together, self.chunk) = self.more[: self.CONVOLUTION]  # fmt: skip
        self.lanes = block.lanes
        self.kinds = llvm_type(kind, block.width)

    def convolve(self) -> None:
        """All output channels of the windows of the part."""
        self.loop(0, self.groups, 1, lambda m, _: self._channels(m))

    def first_channel(self, m: str) -> str:
        """Of a group of them; the last group may overlap the one before."""
        return self.least(self.mul(m, self.lanes), self.sub(self.made, self.lanes))

    def _channels(self, m: str) -> None:
        """Apply the filter for one group of output channels, piece by piece."""
        first = self.first_channel(m)
        size = self.mul(self.taps_y, self.taps_x, self.run, self.lanes)
        part = self.place(self.kind, self.arrays[1], self.mul(m, size))

        def lines(g: str, _: list[str]) -> None:
            def piece(q: str, _: list[str]) -> None:
                begun = self.set(f"icmp ne i64 {self.add(g, q)}, 0")
                ends = (self.least(self.add(g, self.together), self.taps_y),
                        self.least(self.add(q, self.chunk), self.run))  # fmt: skip
                self.each_row(lambda r, line: self._row(r, line, first, part, (g, q), ends, begun))

            self.loop(0, self.run, self.chunk, piece)

        self.loop(0, self.taps_y, self.together, lines)

    def _row(
        self, r: str, line: str, first: str, part: str, piece: Any, ends: Any, begun: str
    ) -> None:
        count = self.block.windows
        number = self.mul(self.add(self.mul(self.image, self.rows), r), self.columns)
        last = self.sub(self.columns, count)

        def windows(o: str, _: list[str]) -> None:
            at = self.least(o, last)  # the last block ends with the row
            place = self.add(self.mul(self.add(number, at), self.made), first)
            target = self.place(self.kind, self.arrays[-1], place)
            source = self.place(self.kind, line, self.mul(at, self.pixel))
            so_far = self.sums_so_far(target, self.made, begun)
            self._store(target, self._sums(source, part, piece, ends, so_far), at, o)

        self.loop(0, self.columns, count, windows)

    def places(self, target: str, pitch: Any) -> list[str]:
        """The addresses of the vectors of a block's sums, of which each window's are `pitch` after the last."""
        block = self.block
        return [
            self.place(self.kind, target, self.add(self.mul(pitch, p), v * block.width))
            for p in range(block.windows)
            for v in range(block.vectors)
        ]

    def sums_so_far(self, target: str, pitch: Any, begun: str) -> list[tuple[str, str]]:
        """A block's sums with their type, from memory if they are begun, else zeros."""
        nothing = literal(self.kind, b"\0" * 8, self.block.width)
        count = self.block.windows * self.block.vectors
        found = self.when(
            begun,
            lambda: [
                self.read(self.kind, p, 0, self.block.width) for p in self.places(target, pitch)
            ],
            [(self.kinds, nothing)] * count,
        )
        return [(self.kinds, s) for s in found]

    def _store(self, target: str, sums: list[str], at: str, wanted: str) -> None:
        """Store a block's sums, except of windows that the block before has stored already."""
        places, each = self.places(target, self.made), self.block.vectors
        for p in range(self.block.windows):
            own = self.set(f"icmp sge i64 {self.add(at, p)}, {wanted}")

            def put(p: int = p) -> None:
                for k in range(p * each, (p + 1) * each):
                    self.write(self.kind, places[k], 0, sums[k], self.block.width)

            self.when(own, put)

    def _sums(
        self, source: str, part: str, piece: Any, ends: Any, sums: list[tuple[str, str]]
    ) -> list[str]:
        """Multiply a piece of the filter by the image under a block's windows, and add up."""
        count = self.sub(ends[1], piece[1])

        def line(t: str, sums: list[str]) -> Sequence[str]:
            down = self.mul(t, self.rate, self.line)

            def tap(u: str, sums: list[str]) -> Sequence[str]:
                along = self.add(self.mul(u, self.step_x), piece[1])
                x = self.place(self.kind, source, self.add(down, along))
                number = self.add(
                    self.mul(self.add(self.mul(t, self.taps_x), u), self.run), piece[1]
                )
                w = self.place(self.kind, part, self.mul(number, self.lanes))
                return self.products(x, w, count, sums)

            return self.loop(0, self.taps_x, 1, tap, [(self.kinds, s) for s in sums])

        return self.loop(piece[0], ends[0], 1, line, sums)

    def products(self, x: str, w: str, count: str, sums: list[str]) -> list[str]:
        """Multiply one number of each window after the other by the vectors of the filter.

        Every third window has a pointer; the two after it are addressed relative to that.
        """
        block, each = self.block, self.block.vectors
        begins = [
            self.place(self.kind, x, self.mul(self.pixel, p)) for p in range(0, block.windows, 3)
        ]
        carried = [("ptr", p) for p in (w, *begins)] + [(self.kinds, s) for s in sums]
        gaps = [0, self.pixel, self.mul(self.pixel, 2)]

        def step(_: str, now: list[str]) -> Sequence[str]:
            w, pointers, sums = now[0], now[1 : 1 + len(begins)], now[1 + len(begins) :]
            for k in range(self.unrolled):
                filters = [
                    self.read(self.kind, w, k * self.lanes + v * block.width, block.width)
                    for v in range(each)
                ]
                for p in range(block.windows):
                    far = self.place(self.kind, pointers[p // 3], gaps[p % 3])
                    value = self.splat(far, k, block.width)
                    for v in range(each):
                        at = p * each + v
                        given = [value, filters[v], sums[at]]
                        sums[at] = self.intrinsic("fma", self.kind, block.width, given)
            moved = [self.place(self.kind, w, self.unrolled * self.lanes)]
            moved += [self.place(self.kind, p, self.unrolled) for p in pointers]
            return [*moved, *sums]

        return self.loop(0, count, self.unrolled, step, carried)[1 + len(begins) :]
