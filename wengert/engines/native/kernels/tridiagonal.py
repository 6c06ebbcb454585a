"""Tridiagonal systems: Gaussian elimination, with partial pivoting or without, for many systems at once.

A row waits for the one before, so systems lie side by side in vectors: element i of all of them, for each
right-hand side, is a row of memory. A row of a system has the pivot and the two elements after it, as it may be
exchanged with the next one. They and the right-hand sides are written on the way down and read on the way up.
Nothing is rounded differently from NumPy's operations one after the other.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.memory_access import first
from wengert.engines.native.codegen.vectors import literal, llvm_type
from wengert.engines.native.frontend.scalar import constant
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.runtime.processor import vector_bytes

FEWEST: Final = 8  # systems with pivoting, below which LAPACK is as fast
PART: Final = 1 << 12  # elements, about


def tridiagonal_solve(d: Any, b: Any, pivoting: bool, instead: Any) -> Any:
    """The solutions of systems, given their three diagonals; None for other numbers, and for few systems.

    `instead` is what a pivot of zero is replaced with in each of them, with pivoting.
    """
    d, b = (np.ascontiguousarray(x) for x in (d, b))
    kind, (size, sides) = kind_of(d, b), b.shape[-2:]
    count = math.prod(b.shape[:-2])
    lanes = count * sides
    if not kind or not b.size or (pivoting and count < FEWEST):
        return None
    diagonals = np.empty((3, size, count, sides), d.dtype)
    diagonals[...] = np.moveaxis(d.reshape(count, 3, size), 0, 2)[..., None]
    diagonals[0, -1] = diagonals[2, 0] = 0
    zeros = np.ascontiguousarray(np.broadcast_to(np.reshape(instead, (-1, 1)), (count, sides)))
    x = np.moveaxis(b.reshape(count, size, sides), 0, 1).copy(order="C")  # written over
    width = min(1 << (lanes - 1).bit_length(), vector_bytes() // d.itemsize)
    strips = -(-lanes // width)
    each = max(PART // (size * width), 1)
    found = _eliminate(kind, width, bool(pivoting))
    found(-(-strips // each), (strips, each, size, lanes), diagonals, zeros.astype(d.dtype), x)
    return np.ascontiguousarray(np.moveaxis(x, 1, 0)).reshape(b.shape)


class _Systems(KernelWriter):
    """A kernel that solves as many systems as a vector has lanes."""

    def __init__(self, kind: str, width: int) -> None:
        super().__init__(3, 4)
        self.kind, self.width, self.type = kind, width, llvm_type(kind, width)
        self.zero = literal(kind, constant(kind, 0), width)
        self.mask: str | None = None

    def get(self, array: str, row: Any) -> str:
        return self.read(self.kind, array, row, self.width, self.mask)

    def put(self, array: str, row: Any, value: str) -> None:
        self.write(self.kind, array, row, value, self.width, self.mask)

    def of_two(self, word: str, x: str, y: str) -> str:
        return self.set(f"f{word} {self.type} {x}, {y}")

    def less(self, x: str, factor: str, y: str) -> str:
        """x - factor y, rounded twice."""
        return self.of_two("sub", x, self.of_two("mul", factor, y))

    def choose(self, condition: str, x: str, y: str) -> str:
        truth = llvm_type("b1", self.width)
        return self.set(f"select {truth} {condition}, {self.type} {x}, {self.type} {y}")

    def is_zero(self, x: str) -> str:
        return self.set(f"fcmp oeq {self.type} {x}, {self.zero}")

    def size_of(self, x: str) -> str:
        return self.intrinsic("fabs", self.kind, self.width, [x])


@kernel
def _eliminate(kind: str, width: int, pivoting: bool) -> str:
    """The kernel: an item is a vector of systems. The diagonals and right-hand sides are written over."""
    w = _Systems(kind, width)
    (diagonals, zeros, sides), (strips, each, size, lanes) = w.arrays, w.numbers
    whole = w.mul(size, lanes)

    def item(strip: str) -> None:
        begin = w.mul(strip, width)
        w.mask = first(w, w.sub(lanes, begin), 0, width) if width > 1 else None
        above, main, below = (
            w.place(kind, diagonals, w.add(w.mul(whole, k), begin)) for k in range(3)
        )
        x = w.place(kind, sides, begin)
        start = [w.get(main, 0), w.get(above, 0), w.get(x, 0)]

        def down(i: str, now: list[str]) -> list[str]:
            here, before = w.mul(i, lanes), w.mul(w.sub(i, 1), lanes)
            after = [w.get(below, here), w.get(main, here), w.get(above, here), w.get(x, here)]
            ahead = [now[0], now[1], w.zero, now[2]]
            if pivoting:
                larger = w.set(f"fcmp olt {w.type} {w.size_of(ahead[0])}, {w.size_of(after[0])}")
                ahead, after = (
                    [w.choose(larger, p, q) for p, q in zip(*pair, strict=True)]
                    for pair in ((after, ahead), (ahead, after))
                )
            ratio = w.of_two("div", after[0], ahead[0])
            if pivoting:  # both are zero, where a pivot is
                ratio = w.choose(w.is_zero(ahead[0]), w.zero, ratio)
            for array, value in zip((main, above, below, x), ahead, strict=True):
                w.put(array, before, value)
            return [w.less(after[k], ratio, ahead[k]) for k in (1, 2, 3)]

        def up(k: str, later: list[str]) -> list[str]:
            here = w.mul(w.sub(size, w.add(k, 1)), lanes)
            pivot, one, two, side = (w.get(array, here) for array in (main, above, below, x))
            if pivoting:
                pivot = w.choose(w.is_zero(pivot), w.get(zeros, begin), pivot)
            found = w.of_two("div", w.less(w.less(side, one, later[0]), two, later[1]), pivot)
            w.put(x, here, found)
            return [found, later[0]]

        pivot, one, side = w.loop(1, size, 1, down, [(w.type, value) for value in start])
        last = w.mul(w.sub(size, 1), lanes)
        for array, value in zip((main, above, below, x), (pivot, one, w.zero, side), strict=True):
            w.put(array, last, value)
        w.loop(0, size, 1, up, [(w.type, w.zero)] * 2)

    w.share(each, strips, item)
    return w.text()
