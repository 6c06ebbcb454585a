"""Depthwise convolutions of large channels-last images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.engines.native.codegen.kernel_writer import Kernel, kernel
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.images.image_tiles import depthwise_form
from wengert.engines.native.kernels.padded_lines import Lines, kind_of
from wengert.engines.native.runtime.processor import vector_bytes


def convolve(x: Any, w: Any, at: Any, y: Any) -> Any:
    """The convolution, in `y` or another array; None if NumPy should compute it."""
    kind = kind_of(x, w)
    channels = x.shape[-1]
    if not kind or x.ndim != 4 or w.shape[2:] != (1, channels) or 0 in (*at.out, x.size, w.size):
        return None
    form = depthwise_form(kind, x.shape, at)
    if form is None:
        return None
    if not y.flags.c_contiguous:
        y = np.empty(y.shape, y.dtype)
    run = _channels(kind, form.lines.padded, form.windows)
    run(form.lines.parts, form.numbers, x, w, y)
    return y


def tile_kernel(kind: str, padded: int, windows: int) -> Kernel:
    """The kernel of such a name."""
    return _channels(kind, bool(padded), windows)


@kernel
def _channels(kind: str, padded: bool, windows: int) -> str:
    return _Depthwise(kind, padded, windows).text()


class _Depthwise(Lines):
    def __init__(self, kind: str, padded: bool, windows: int) -> None:
        super().__init__(kind, padded, 3, 7)
        self.windows, self.width = windows, vector_bytes() // int(kind[1])
        self.kinds = llvm_type(kind, self.width)
        (self.columns, self.channels, self.taps_y, self.taps_x, self.step_x, self.pixel,
         self.rate) = self.more  # fmt: skip
        self.gaps = [self.mul(self.pixel, p) for p in range(windows)]
        self.see("%part")
        self.each_row(self._row)

    def _row(self, r: str, line: str) -> None:
        number = self.mul(self.add(self.mul(self.image, self.rows), r), self.columns)
        target = self.place(self.kind, self.arrays[2], self.mul(number, self.channels))
        last_channel = self.sub(self.channels, self.width)
        last = self.sub(self.columns, self.windows)

        def channel(j: str, _: list[str]) -> None:
            c = self.least(j, last_channel)

            def block(o: str, _: list[str]) -> None:
                self._block(line, target, c, self.least(o, last))

            self.loop(0, self.columns, self.windows, block)

        self.loop(0, self.channels, self.width, channel)

    def _block(self, line: str, target: str, c: str, at: str) -> None:
        """The sums of some windows, for one vector of channels."""
        source = self.place(self.kind, line, self.add(self.mul(at, self.pixel), c))
        filters = self.place(self.kind, self.arrays[1], c)
        start = [(self.kinds, "zeroinitializer")] * self.windows

        def taps(t: str, sums: list[str]) -> Sequence[str]:
            down = self.mul(t, self.rate, self.line)

            def tap(u: str, sums: list[str]) -> Sequence[str]:
                number = self.mul(self.add(self.mul(t, self.taps_x), u), self.channels)
                w = self.read(self.kind, filters, number, self.width)
                x = self.place(self.kind, source, self.add(down, self.mul(u, self.step_x)))
                values = [self.read(self.kind, x, gap, self.width) for gap in self.gaps]
                pairs = zip(values, sums, strict=True)
                return [self.intrinsic("fma", self.kind, self.width, [v, w, s]) for v, s in pairs]

            return self.loop(0, self.taps_x, 1, tap, [(self.kinds, s) for s in sums])

        for p, total in enumerate(self.loop(0, self.taps_y, 1, taps, start)):
            place = self.add(self.mul(self.add(at, p), self.channels), c)
            self.write(self.kind, target, place, total, self.width)
