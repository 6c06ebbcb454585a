"""Tiles that a kernel computes, and a loop over the rows of each as soon as it is complete.

The kernel stays the one that is compiled once for all sizes: what is written here calls it.
"""

from __future__ import annotations

from typing import Any, Final

from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.gemm_forms import Function
from wengert.engines.native.codegen.vectors import power_over
from wengert.engines.native.runtime.processor import vector_bytes

VECTORS: Final = 2  # of which an element of wide rows consists


def tiles_text(own: int, finish: Any) -> Function:
    """The function that computes one tile, and runs an epilogue on it.

    The first arrays are its own: those of the kernel, the last of which are the result and the
    numbers, and then how large tiles are.
    """
    return _Tiles(own, finish).function()


def _width(columns: int, full: int) -> int:
    """The elements of a vector for rows of so many columns: few of it should be left over."""
    if columns < full:
        return power_over(columns)
    return full if columns % (VECTORS * full) else VECTORS * full


class _Tiles(FunctionWriter):
    def __init__(self, own: int, finish: Any) -> None:
        super().__init__(own, len(finish.arrays))
        self.finish, self.columns = finish, finish.columns
        self.kind = finish.product.kind
        *self.given, self.extent = self.arrays
        self.result = self.given[-2]
        width = _width(self.columns, vector_bytes() // int(self.kind[1]))
        finish.begin(self, own, width)
        self._compute()
        self._finish(width)
        self.calls.update(dict.fromkeys(finish.calls))

    def _compute(self) -> None:
        """Call the kernel for the parts of this tile."""
        settings = self.loaded("ptr", "%b", self.tables)
        kernel = self.loaded("ptr", settings, 1)
        table = self.set(f"alloca [{len(self.given)} x ptr]")
        for k, array in enumerate(self.given):
            place = self.set(f"getelementptr ptr, ptr {table}, i64 {k}")
            self.do(f"store ptr {array}, ptr {place}")
        parts = self.loaded("i64", self.extent, 0)
        begin = self.mul("%part", parts)

        def part(k: str, _: list[str]) -> None:
            self.do(f"call void {kernel}(ptr {table}, i64 {self.add(begin, k)})")

        self.loop(0, parts, 1, part)

    def _finish(self, width: int) -> None:
        """Run the epilogue on the rows of this tile."""
        rows, image = (self.loaded("i64", self.extent, k) for k in (1, 2))
        each = self.div(self.sub(self.add(image, rows), 1), rows)[0]
        number, tile = self.div("%part", each)
        before, begin = self.mul(number, image), self.mul(tile, rows)
        end = self.least(self.add(begin, rows), image)
        self.finish.begin_block("%part")
        self._along(width, self.finish.start_columns)

        def row(r: str, _: list[str]) -> None:
            at = self.add(before, r)
            given = self.place(self.kind, self.result, self.mul(at, self.columns))
            self.finish.begin_row(at, given)
            self._along(
                width, lambda j, mask: self.finish.add_columns(j, mask, self.finish.vector(j, mask))
            )

        self.loop(begin, end, 1, row)

    def _along(self, width: int, body: Any) -> None:
        self.along(str(self.columns), width, lambda j, mask, _: body(j, mask))
