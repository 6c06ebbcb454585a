"""The gradient of max pooling of large images: each window's cotangent goes to its first maximum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.engines.native.codegen.kernel_writer import Kernel, KernelWriter, kernel
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.images.image_tiles import CHANNELS, pool_gradient_form
from wengert.engines.native.kernels.padded_lines import kind_of


def max_pool_gradient(x: Any, y: Any, g: Any, at: Any) -> Any:
    """The cotangent of the image; None if NumPy should compute it."""
    kind = kind_of(x, y, g)
    form = pool_gradient_form(kind, at) if kind else None
    if form is None:
        return None
    back = np.empty(x.shape, x.dtype)
    _route(kind, form.width)(len(x) * form.blocks, form.numbers, x, y, g, back)
    return back


def tile_kernel(kind: str, width: int) -> Kernel:
    """The kernel of such a name."""
    return _route(kind, width)


@kernel
def _route(kind: str, width: int) -> str:
    return _Route(kind, width).text()


class _Route(KernelWriter):
    """Writes the kernel. It visits the last window first, to add in the same order as NumPy."""

    def __init__(self, kind: str, width: int) -> None:
        super().__init__(4, 12)
        self.kind, self.width = kind, width
        (blocks, self.high, self.wide, self.channels, rows, self.columns, *rest) = self.numbers
        self.kernel, self.stride, self.before = rest[:2], rest[2:4], rest[4:]
        self.image, block = self.div("%part", blocks)
        self.first = self.mul(block, CHANNELS)
        self.size = self.least(self.sub(self.channels, self.first), CHANNELS)
        self._clear()
        last = self.sub(self.mul(rows, self.columns), 1)

        def window(i: str, _: list[str]) -> None:
            self._window(self.sub(last, i), self.mul(self.image, rows, self.columns))

        self.loop(0, self.mul(rows, self.columns), 1, window)

    def _clear(self) -> None:
        """Begin with zeros, while what follows has them in the cache."""
        pixels = self.mul(self.high, self.wide)
        begin = self.mul(self.image, pixels)

        def pixel(i: str, _: list[str]) -> None:
            at = self.add(self.mul(self.add(begin, i), self.channels), self.first)

            def zeros(j: str, mask: str | None, _: list[str]) -> None:
                place = self.add(at, j)
                self.write(self.kind, self.arrays[3], place, "zeroinitializer", self.width, mask)

            self.along(self.size, self.width, zeros)

        self.loop(0, pixels, 1, pixel)

    def _window(self, i: str, before: str) -> None:
        row, column = self.div(i, self.columns)
        tops = [
            self.sub(self.mul(at, self.stride[k]), self.before[k])
            for k, at in enumerate((row, column))
        ]
        ranges = [
            (self.most(0, self.sub(0, top)), self.least(self.kernel[k], self.sub(size, top)))
            for k, (top, size) in enumerate(zip(tops, (self.high, self.wide), strict=True))
        ]
        place = self.add(self.mul(self.add(before, i), self.channels), self.first)
        self.along(
            self.size, self.width, lambda j, mask, _: self._vector(j, mask, place, tops, ranges)
        )

    def _vector(self, j: str, mask: str | None, place: str, tops: list[str], ranges: Any) -> None:
        at = self.add(place, j)
        y, g = (self.read(self.kind, a, at, self.width, mask) for a in self.arrays[1:3])
        truth = f"<{self.width} x i1>"
        (top, bottom), (left, right) = ranges

        def line(t: str, free: list[str]) -> Sequence[str]:
            here = self.mul(self.add(self.mul(self.image, self.high), tops[0], t), self.wide)

            def tap(u: str, free: list[str]) -> Sequence[str]:
                pixel = self.mul(self.add(here, tops[1], u), self.channels)
                return [self._tap(self.add(pixel, self.first, j), mask, y, g, free[0])]

            return self.loop(left, right, 1, tap, [(truth, free[0])])

        self.loop(top, bottom, 1, line, [(truth, "splat (i1 true)")])

    def _tap(self, at: str, mask: str | None, y: str, g: str, free: str) -> str:
        """Add the cotangent at one position of the window, where it is the first maximum."""
        kinds, truth, width = llvm_type(self.kind, self.width), f"<{self.width} x i1>", self.width
        x = self.read(self.kind, self.arrays[0], at, width, mask)
        same = self.set(f"fcmp oeq {kinds} {x}, {y}")
        nans = [self.set(f"fcmp uno {kinds} {v}, {v}") for v in (x, y)]
        both = self.set(f"and {truth} {nans[0]}, {nans[1]}")
        hit = self.set(f"and {truth} {self.set(f'or {truth} {same}, {both}')}, {free}")
        given = self.set(f"select {truth} {hit}, {kinds} {g}, {kinds} zeroinitializer")
        so_far = self.read(self.kind, self.arrays[3], at, width, mask)
        total = self.set(f"fadd {kinds} {so_far}, {given}")
        self.write(self.kind, self.arrays[3], at, total, width, mask)
        return self.set(f"xor {truth} {free}, {hit}")
