"""Shared by kernels with windows over images: the padded lines that a part reads."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.scalar import TYPE_OF
from wengert.engines.native.runtime.processor import vector_bytes


def kind_of(*arrays: Any) -> str:
    """The element type of plain arrays of one floating-point dtype; empty for others."""
    first = arrays[0].dtype
    for a in arrays:
        if type(a) is not np.ndarray or a.dtype != first or not a.flags.c_contiguous:
            return ""
    kind = TYPE_OF.get(first, "")
    return kind if kind in ("f4", "f8") else ""


class Lines(KernelWriter):
    """The start of such a kernel: the rows of windows of a part, and the lines that they read."""

    NUMBERS: Final = 12

    def __init__(self, kind: str, padded: bool, arrays: int, numbers: int) -> None:
        super().__init__(arrays, self.NUMBERS + numbers)
        self.kind, self.long = kind, 4 * vector_bytes() // int(kind[1])
        (self.blocks, self.each, self.rows, self.high, self.wide, self.broad, self.left,
         self.skipped, self.seen, self.deep, self.stride, self.before) = self.numbers[: self.NUMBERS]  # fmt: skip
        self.more = self.numbers[self.NUMBERS :]
        self.line = self.broad if padded else self.wide
        self.base = self.room(kind, self.mul(self.deep, self.broad)) if padded else ""
        self._padded = padded

    def see(self, part: str) -> None:
        """Make the lines that a part reads available."""
        self.image, block = self.div(part, self.blocks)
        self.first = self.mul(block, self.each)
        self.end = self.least(self.add(self.first, self.each), self.rows)
        source = self.place(self.kind, self.arrays[0], self.mul(self.image, self.high, self.wide))
        top = self.sub(self.mul(self.first, self.stride), self.before)
        if self._padded:
            self._copy(source, top, self.deep)
        else:
            self.base = self.place(self.kind, source, self.mul(top, self.wide))

    def _copy(self, source: str, top: str, lines: str) -> None:
        """Copy the lines of the image, padded with zeros."""
        right = self.add(self.left, self.seen)

        def line(i: str, _: list[str]) -> None:
            at, target = self.add(top, i), self.place(self.kind, self.base, self.mul(i, self.broad))
            inside = self.set(f"icmp ult i64 {at}, {self.high}")
            count = self.set(f"select i1 {inside}, i64 {self.seen}, i64 0")
            end = self.set(f"select i1 {inside}, i64 {right}, i64 {self.left}")
            begin = self.add(self.mul(at, self.wide), self.skipped)
            self._fill(target, self.left)
            self._fill(self.place(self.kind, target, end), self.sub(self.broad, end))
            given = self.place(self.kind, source, begin)
            middle = self.place(self.kind, target, self.left)

            def some(j: str, mask: str | None, _: list[str]) -> None:
                value = self.read(self.kind, given, j, self.long, mask)
                self.write(self.kind, middle, j, value, self.long, mask)

            self.along(count, self.long, some)

        self.loop(0, lines, 1, line)

    def _fill(self, target: str, count: str) -> None:
        def some(j: str, mask: str | None, _: list[str]) -> None:
            self.write(self.kind, target, j, "zeroinitializer", self.long, mask)

        self.along(count, self.long, some)

    def start_of(self, row: str) -> str:
        """The address of a row of windows in the padded lines."""
        down = self.mul(self.sub(row, self.first), self.stride, self.line)
        return self.place(self.kind, self.base, down)

    def each_row(self, body: Any) -> None:
        """`body(row, its address in the padded lines)` for each row of windows of the part."""
        self.loop(self.first, self.end, 1, lambda r, _: body(r, self.start_of(r)))

    def splat(self, pointer: str, at: Any, width: int) -> str:
        """Broadcast a number in memory to a vector."""
        return self.spread(llvm_type(self.kind, 1), self.read(self.kind, pointer, at, 1), width)
