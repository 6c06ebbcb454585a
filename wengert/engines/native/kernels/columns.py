"""Some columns of a matrix in a buffer of their own, and what of another one multiplies them.

The buffer is as wide as a few vectors. Sums of products with it stay in registers, for as many rows as there are
registers for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wengert.engines.native.codegen.kernel_writer import KernelWriter
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.scalar import is_float
from wengert.engines.native.runtime.processor import rows_at_once, vector_bytes


def _block_of(block: Callable[[str, int], None], count: int, i: str, _: list[str]) -> None:
    block(i, count)


class Factors(NamedTuple):
    """A matrix in memory: the address of its first element, and its strides."""

    origin: str
    row: Any
    column: Any


def width_of(kind: str) -> int:
    return vector_bytes() // int(kind[1])


class Columns(KernelWriter):
    """A kernel that computes with such a buffer."""

    def __init__(self, kind: str, vectors: int, arrays: int, numbers: int) -> None:
        super().__init__(arrays, numbers)
        self.kind, self.width, self.vectors = kind, width_of(kind), vectors
        self.lanes = vectors * self.width
        self.kinds, self.type = llvm_type(kind, self.width), llvm_type(kind, 1)
        self.buffer = ""

    def reserve(self, rows: Any) -> None:
        self.buffer = self.room(self.kind, self.mul(rows, self.lanes))

    @property
    def together(self) -> int:
        """The rows whose sums are computed together."""
        return rows_at_once(max(self.vectors, 2))

    def row(self, at: Any) -> str:
        """A row of the buffer."""
        return self.place(self.kind, self.buffer, self.mul(at, self.lanes))

    def vectors_of(self, row: str) -> list[str]:
        return [self.read(self.kind, row, v * self.width, self.width) for v in range(self.vectors)]

    def put(self, row: str, values: Sequence[str]) -> None:
        for v, value in enumerate(values):
            self.write(self.kind, row, v * self.width, value, self.width)

    def blocks(self, begin: Any, end: Any, block: Callable[[str, int], None]) -> None:
        """`block(i, count)` for `count` rows from row i on: many together, then a few, then one by one."""
        for count in (self.together, self.together // 3, 1):
            rest = self.set(f"srem i64 {self.sub(end, begin)}, {count}")
            whole = self.sub(end, rest)
            self.loop(begin, whole, count, functools.partial(_block_of, block, count))
            begin = whole

    def add_products(
        self, sums: Sequence[str], factors: Factors, depth: Any
    ) -> tuple[str, list[str]]:
        """Add the products of some rows of factors with the buffer's first rows; where the factors end."""
        count = len(sums) // self.vectors

        def one(_: str, now: list[str]) -> list[str]:
            strip, row, *sums = now
            values = self.vectors_of(row)
            for r in range(count):
                self.add_multiple(sums, r, strip, self.mul(factors.row, r), values)
            strip = self.place(self.kind, strip, factors.column)
            return [strip, self.place(self.kind, row, self.lanes), *sums]

        carried = [("ptr", factors.origin), ("ptr", self.buffer), *((self.kinds, s) for s in sums)]
        end, _, *totals = self.loop(0, depth, 1, one, carried)
        return end, totals

    def add_multiple(
        self, sums: list[str], r: int, strip: str, at: Any, values: Sequence[str]
    ) -> None:
        """Add a row of values, times an element of a strip of factors, to the sums of row r."""
        factor = self.spread(self.type, self.read(self.kind, strip, at, 1), self.width)
        for v, value in enumerate(values):
            place = r * self.vectors + v
            sums[place] = self._added(sums[place], factor, value)

    def _added(self, total: str, factor: str, value: str) -> str:
        if is_float(self.kind):
            return self.intrinsic("fma", self.kind, self.width, [factor, value, total])
        return self.set(
            f"add {self.kinds} {total}, {self.set(f'mul {self.kinds} {factor}, {value}')}"
        )
