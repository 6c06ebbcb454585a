"""Transposed matrices, in tiles of some rows of the result.

A tile is copied square by square: rows of a square are vectors of adjacent elements of the matrix, which are
transposed in registers. So every line of the cache is read once, however far apart the elements are that
follow each other in the result.
"""

from __future__ import annotations

from wengert.engines.native.codegen.kernel_writer import Kernel, KernelWriter, kernel
from wengert.engines.native.codegen.memory_access import first
from wengert.engines.native.codegen.squares import turned
from wengert.engines.native.kernels.columns import width_of


def tile_kernel(kind: str) -> Kernel:
    """The kernel of such a name."""
    return _transposed(kind)


@kernel
def _transposed(kind: str) -> str:
    return _Transposed(kind).text()


class _Transposed(KernelWriter):
    """The kernel: a part is a tile of one matrix; the matrices may lie apart."""

    def __init__(self, kind: str) -> None:
        super().__init__(2, 6)
        self.kind, self.width = kind, width_of(kind)
        self.rows, self.columns, self.step, apart, high, tiles = self.numbers
        number, tile = self.div("%part", tiles)
        self.begin = self.mul(tile, high)
        self.end = self.least(self.add(self.begin, high), self.rows)
        self.source = self.place(kind, self.arrays[0], self.mul(number, apart))
        self.target = self.place(kind, self.arrays[1], self.mul(number, self.rows, self.columns))
        self.loop(0, self.columns, self.width, lambda j, _: self._strip(j))

    def _strip(self, j: str) -> None:
        """Some columns of the tile."""
        last = self.sub(self.columns, 1)
        rows = [self.mul(self.least(self.add(j, k), last), self.step) for k in range(self.width)]
        inside = first(self, self.sub(self.columns, j), 0, self.width)

        def square(i: str, _: list[str]) -> None:
            mask = first(self, self.sub(self.end, i), 0, self.width)
            given = [
                self.read(self.kind, self.source, self.add(row, i), self.width, mask)
                for row in rows
            ]
            # Rows beyond the end are written to the last one, before that is.
            for k, x in reversed([*enumerate(turned(self, self.kind, given))]):
                row = self.least(self.add(i, k), self.sub(self.end, 1))
                at = self.add(self.mul(row, self.columns), j)
                self.write(self.kind, self.target, at, x, self.width, inside)

        self.loop(self.begin, self.end, self.width, square)
