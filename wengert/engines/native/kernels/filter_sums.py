"""Shared by kernels of the gradient of a filter: sums of a few of its numbers, in registers along images."""

from __future__ import annotations

from typing import Any

from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.images.image_tiles import Block
from wengert.engines.native.kernels.padded_lines import Lines


class FilterSums(Lines):
    """A kernel of an image, its cotangents, and a filter for each part, into which it sums."""

    def __init__(self, kind: str, block: Block, padded: bool, numbers: int) -> None:
        super().__init__(kind, padded, 3, numbers)
        self.block, self.lanes, self.width = block, block.lanes, block.width
        self.kinds = llvm_type(kind, block.width)
        self.nothing = [(self.kinds, "zeroinitializer")] * (block.windows * block.vectors)

    def add_products(self, now: list[str], pixel: Any, made: Any) -> list[str]:
        """Add some numbers of the image times their cotangents to the sums; where the next ones lie."""
        width, each = self.width, self.block.vectors
        source, given, *sums = now
        vectors = [self.read(self.kind, given, v * width, width) for v in range(each)]
        for p in range(self.block.windows):
            value = self.splat(source, p, width)
            for v, vector in enumerate(vectors):
                at = p * each + v
                sums[at] = self.intrinsic("fma", self.kind, width, [value, vector, sums[at]])
        moved = self.place(self.kind, source, pixel), self.place(self.kind, given, made)
        return [*moved, *sums]

    def add_to(self, total: str, place: str, p: int, sums: list[str]) -> None:
        """Add the sums of one number of the filter to what memory has of them."""
        for v in range(self.block.vectors):
            at = self.add(place, v * self.width)
            so_far = self.read(self.kind, total, at, self.width)
            then = self.set(f"fadd {self.kinds} {so_far}, {sums[p * self.block.vectors + v]}")
            self.write(self.kind, total, at, then, self.width)
