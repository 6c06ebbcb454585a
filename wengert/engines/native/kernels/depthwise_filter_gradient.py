"""The gradient of large depthwise convolutions with respect to the filter.

For one vector of channels the sums of all positions of the window stay in registers along the rows
of a part. Each part sums into a filter of its own; these are added at the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.engines.native.codegen.kernel_writer import kernel
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.images.image_tiles import PARTS, WHOLE, shape_of
from wengert.engines.native.kernels.padded_lines import Lines, kind_of
from wengert.engines.native.runtime.processor import sums_at_once, vector_bytes


def filter_gradient(x: Any, g: Any, at: Any, shape: Sequence[int]) -> Any:
    """The cotangent of the filter; None if NumPy should compute it."""
    kind, channels = kind_of(x, g), x.shape[-1]
    if not kind or x.ndim != 4 or shape[-1] != channels or 0 in (*at.out, x.size, g.size):
        return None
    lines = shape_of(x.shape, kind, at)
    size = int(np.prod(at.kernel)) * channels * x.itemsize
    if lines is None or channels * x.itemsize < vector_bytes() or size > WHOLE:
        return None
    each = -(-lines.parts // PARTS)
    parts = -(-lines.parts // each)
    numbers = (*lines.numbers, lines.parts, each, at.out[1], channels, at.rate[1] * channels,
               at.stride[1] * channels, at.rate[0])  # fmt: skip
    total = np.zeros((parts, *shape), x.dtype)
    _comparison(kind, lines.padded, *at.kernel)(parts, numbers, x, g, total)
    return total.sum(0)


@kernel
def _comparison(kind: str, padded: bool, high: int, broad: int) -> str:
    return _Comparison(kind, padded, high, broad).text()


class _Comparison(Lines):
    def __init__(self, kind: str, padded: bool, high: int, broad: int) -> None:
        super().__init__(kind, padded, 3, 7)
        self.width = vector_bytes() // int(kind[1])
        self.kinds = llvm_type(kind, self.width)
        (count, units, self.columns, self.channels, self.step_x, self.pixel,
         rate) = self.more  # fmt: skip
        # For each position of the window, where it is in the lines and in the filter.
        self.taps = [
            (self.add(self.mul(t, rate, self.line), self.mul(u, self.step_x)), t * broad + u)
            for t, u in itertools.product(range(high), range(broad))
        ]
        size = self.mul(high * broad, self.channels)
        self.total = self.place(kind, self.arrays[2], self.mul("%part", size))
        self.share(units, count, self._unit)

    def _unit(self, unit: str) -> None:
        self.see(unit)
        most = sums_at_once()
        for k in range(0, len(self.taps), most):
            taps = self.taps[k : k + most]

            def some(c: str, mask: str | None, _: list[str], taps: Any = taps) -> None:
                self._channels(c, mask, taps)

            self.along(self.channels, self.width, some)

    def _channels(self, c: str, mask: str | None, taps: Sequence[tuple[str, int]]) -> None:
        """The sums of some positions for one vector of channels."""

        def row(r: str, sums: list[str]) -> Sequence[str]:
            number = self.mul(self.add(self.mul(self.image, self.rows), r), self.columns)
            source = self.place(self.kind, self.start_of(r), c)
            given = self.place(
                self.kind, self.arrays[1], self.add(self.mul(number, self.channels), c)
            )
            carried = [("ptr", source), ("ptr", given), *[(self.kinds, s) for s in sums]]
            return self.loop(0, self.columns, 1, window, carried)[2:]

        def window(_: str, now: list[str]) -> Sequence[str]:
            source, given, *sums = now
            g = self.read(self.kind, given, 0, self.width, mask)
            for k, (place, _number) in enumerate(taps):
                x = self.read(self.kind, source, place, self.width, mask)
                sums[k] = self.intrinsic("fma", self.kind, self.width, [x, g, sums[k]])
            moved = self.place(self.kind, source, self.pixel)
            return [moved, self.place(self.kind, given, self.channels), *sums]

        nothing = [(self.kinds, "zeroinitializer")] * len(taps)
        found = self.loop(self.first, self.end, 1, row, nothing)
        for (_, number), total in zip(taps, found, strict=True):
            at = self.add(self.mul(number, self.channels), c)
            so_far = self.read(self.kind, self.total, at, self.width, mask)
            then = self.set(f"fadd {self.kinds} {so_far}, {total}")
            self.write(self.kind, self.total, at, then, self.width, mask)
