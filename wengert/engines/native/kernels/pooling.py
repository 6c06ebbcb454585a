"""Pooling of large channels-last images: max, mean, and the gradient of mean.

Pooling is separable: for each row of windows the lines of the image are reduced to one padded line,
along which the windows are then reduced. Both are long loops in the L1 cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.combine import combine, neutral
from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import literal, llvm_type
from wengert.engines.native.frontend.images.image_tiles import are_of_images, width_of
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.runtime.processor import vector_bytes

PART: Final = 1 << 15  # elements that a part reads, about
LINE: Final = 1 << 18  # bytes of a line that a thread keeps


def kind_of_images(x: Any, at: Any) -> str:
    """The element type, if the windows extend over lines and columns of images only."""
    return kind_of(x) if are_of_images(at) else ""


# ---- max and mean -----------------------------------------------------------------------------


def pool(x: Any, at: Any, how: str, number: Any = None) -> Any:
    """The maximum of each window, or its sum divided by a number; None if NumPy should do it."""
    kind = kind_of_images(x, at)
    if not kind:
        return None
    (n, high, wide, channels), (_, rows, columns, _) = at.size, at.out
    touching = at.stride[2] == 1
    width = width_of(kind, columns * channels if touching else channels)
    long = max(
        (columns - 1) * at.stride[2] + (at.kernel[2] - 1) * at.rate[2] + 1, at.before[2] + wide
    )
    divided = "" if number is None else "one" if np.ndim(number) == 0 else "each"
    if not width or long * channels * x.itemsize > LINE:
        return None
    if divided == "each" and number.size != rows * columns * channels:
        return None
    each = max(min(PART // (at.stride[1] * wide * channels), rows), 1)
    numbers = (n * rows, each, high, wide * channels, channels, rows, columns * channels,
               at.kernel[1], at.kernel[2], at.stride[1], at.stride[2] * channels, at.rate[1],
               at.rate[2] * channels, at.before[1], at.before[2] * channels, long * channels)  # fmt: skip
    y = np.empty(at.out, x.dtype)
    found = _joined(how, kind, touching, width, divided)
    arrays = (x, y) if number is None else (x, y, np.ascontiguousarray(number, x.dtype))
    found(-(-n * rows // each), numbers, *arrays)
    return y


@kernel
def _joined(how: str, kind: str, touching: bool, width: int, divided: str) -> str:
    return _Joined(how, kind, touching, width, divided).text()


class _Pooling(KernelWriter):
    """Shared by pooling kernels: a line buffer, and vectors of two sizes."""

    def __init__(
        self, how: str, kind: str, width: int, divided: str, arrays: int, numbers: int
    ) -> None:
        super().__init__(arrays, numbers)
        self.how, self.kind, self.divided = how, kind, divided
        self.width, self.long = width, 4 * vector_bytes() // int(kind[1])
        self.number = self.read(kind, self.arrays[2], 0, 1) if divided == "one" else ""

    def nothing(self, width: int) -> str:
        return literal(self.kind, neutral(self.how, self.kind), width)

    def joining(self, begin: Any, end: Any, width: int, start: str, value: Any) -> str:
        """The values for begin <= t < end, reduced."""
        (total,) = self.loop(
            begin, end, 1,
            lambda t, now: [combine(self, self.how, self.kind, now[0], value(t), width)],
            [(llvm_type(self.kind, width), start)],
        )  # fmt: skip
        return total

    def quotient(self, x: str, at: str, width: int, mask: str | None = None) -> str:
        """A value divided by its window's number of elements."""
        if not self.divided:
            return x
        if self.number:
            number = self.spread(llvm_type(self.kind, 1), self.number, width)
        else:
            number = self.read(self.kind, self.arrays[2], at, width, mask)
        return self.set(f"fdiv {llvm_type(self.kind, width)} {x}, {number}")

    def vectors(self, size: str, body: Any) -> None:
        """`body(k)` for vectors of elements; the last one overlaps the one before."""
        last = self.sub(size, self.width)

        def some(j: str, _: list[str]) -> None:
            body(self.least(j, last))

        self.loop(0, size, self.width, some)


class _Joined(_Pooling):
    def __init__(self, how: str, kind: str, touching: bool, width: int, divided: str) -> None:
        super().__init__(how, kind, width, divided, 3 if divided else 2, 16)
        (count, each, self.high, self.line, self.channels, self.rows, self.out, self.taps,
         self.across, self.step, self.step_x, self.rate, self.rate_x, self.before, self.before_x,
         size) = self.numbers  # fmt: skip
        self.touching = touching
        self.scratch = self.room(kind, size)
        self._clear(0, self.before_x)
        self._clear(self.add(self.before_x, self.line), size)
        self.share(each, count, self._row)

    def _clear(self, begin: Any, end: Any) -> None:
        def one(j: str, _: list[str]) -> None:
            self.write(self.kind, self.scratch, j, self.nothing(1), 1)

        self.loop(begin, end, 1, one)

    def _row(self, u: str) -> None:
        image, row = self.div(u, self.rows)
        top = self.sub(self.mul(row, self.step), self.before)
        self._lines(
            self.place(self.kind, self.arrays[0], self.mul(image, self.high, self.line)), top
        )
        number, made = (
            self.mul(row, self.out),
            self.place(self.kind, self.arrays[1], self.mul(u, self.out)),
        )
        if self.touching:
            self._windows("0", self.out, "0", number, made)
            return

        def column(o: str, now: list[str]) -> Sequence[str]:
            self._windows(now[0], self.channels, o, number, made)
            return [self.add(now[0], self.step_x)]

        self.loop(0, self.out, self.channels, column, [("i64", "0")])

    def _lines(self, image: str, top: str) -> None:
        """Reduce lines of the image: the positions t with 0 <= top + t rate < high."""
        low = self._beyond(self.sub(0, top))
        end = self.least(self.taps, self._beyond(self.sub(self.high, top)))

        def some(j: str, mask: str | None, _: list[str]) -> None:
            def value(t: str) -> str:
                at = self.mul(self.add(top, self.mul(t, self.rate)), self.line)
                return self.read(self.kind, image, self.add(at, j), self.long, mask)

            total = self.joining(low, end, self.long, self.nothing(self.long), value)
            at = self.add(self.before_x, j)
            self.write(self.kind, self.scratch, at, total, self.long, mask)

        self.along(self.line, self.long, some)

    def _beyond(self, gap: str) -> str:
        """The first position at least so many lines away."""
        return self.div(self.add(self.most(gap, 0), self.rate, -1), self.rate)[0]

    def _windows(self, at: str, size: str, first: str, number: str, made: str) -> None:
        """Reduce adjacent windows, from an offset in the line to one in the row of results."""

        def some(k: str) -> None:
            start, place = self.add(at, k), self.add(first, k)

            def value(t: str) -> str:
                return self.read(
                    self.kind, self.scratch, self.add(start, self.mul(t, self.rate_x)), self.width
                )

            begin = self.read(self.kind, self.scratch, start, self.width)
            total = self.joining(1, self.across, self.width, begin, value)
            total = self.quotient(total, self.add(number, place), self.width)
            self.write(self.kind, made, place, total, self.width)

        self.vectors(size, some)


# ---- the gradient of mean -----------------------------------------------------------------------


def mean_pool_gradient(g: Any, at: Any, number: Any) -> Any:
    """The cotangent of the image: each window's, divided by its size, goes to all its elements."""
    kind = kind_of_images(g, at)
    if not kind:
        return None
    (n, high, wide, channels), (_, rows, columns, _) = at.size, at.out
    width = width_of(kind, channels)
    divided = "one" if np.ndim(number) == 0 else "each"
    if not width or columns * channels * g.itemsize > LINE or at.rate != (1, 1, 1, 1):
        return None
    if divided == "each" and number.size != rows * columns * channels:
        return None
    seen = [_seen_from(at, axis) for axis in (1, 2)]
    each = max(min(PART // (wide * channels), high), 1)
    numbers = (n * high, each, high, wide, channels, rows, columns * channels)
    x = np.empty(at.size, g.dtype)
    found = _spread(kind, width, divided)
    found(-(-n * high // each), numbers, g, x, np.ascontiguousarray(number, g.dtype), *seen)
    return x


def _seen_from(at: Any, axis: int) -> Any:
    """For each index on an axis the first window that contains it, and the one after the last."""
    places = np.arange(at.size[axis]) + at.before[axis]
    stride, kernel = at.stride[axis], at.kernel[axis]
    first = np.maximum(-(-(places - kernel + 1) // stride), 0)
    return np.stack([first, np.minimum(places // stride + 1, at.out[axis])], 1)


@kernel
def _spread(kind: str, width: int, divided: str) -> str:
    return _Spread(kind, width, divided).text()


class _Spread(_Pooling):
    def __init__(self, kind: str, width: int, divided: str) -> None:
        super().__init__("sum", kind, width, divided, 5, 7)
        count, each, self.high, self.wide, self.channels, self.rows, self.out = self.numbers
        self.scratch = self.room(kind, self.out)
        self.share(each, count, self._row)

    def _row(self, u: str) -> None:
        image, line = self.div(u, self.high)
        self._windows(
            self.place(self.kind, self.arrays[0], self.mul(image, self.rows, self.out)), line
        )
        made = self.place(self.kind, self.arrays[1], self.mul(u, self.wide, self.channels))

        def column(i: str, _: list[str]) -> None:
            first, end = self._range(self.arrays[4], i)
            place = self.mul(i, self.channels)
            self.vectors(
                self.channels, lambda k: self._element(first, end, k, made, self.add(place, k))
            )

        self.loop(0, self.wide, 1, column)

    def _range(self, places: str, i: str) -> list[str]:
        at = self.mul(i, 2)
        return [self.read("i8", places, self.add(at, k), 1) for k in (0, 1)]

    def _windows(self, g: str, line: str) -> None:
        """Sum the cotangents of all rows of windows that contain a line."""
        first, end = self._range(self.arrays[3], line)

        def some(j: str, mask: str | None, _: list[str]) -> None:
            def value(t: str) -> str:
                at = self.add(self.mul(t, self.out), j)
                return self.quotient(
                    self.read(self.kind, g, at, self.long, mask), at, self.long, mask
                )

            total = self.joining(first, end, self.long, self.nothing(self.long), value)
            self.write(self.kind, self.scratch, j, total, self.long, mask)

        self.along(self.out, self.long, some)

    def _element(self, first: str, end: str, k: str, made: str, place: str) -> None:
        def value(t: str) -> str:
            return self.read(
                self.kind, self.scratch, self.add(self.mul(t, self.channels), k), self.width
            )

        total = self.joining(first, end, self.width, self.nothing(self.width), value)
        self.write(self.kind, made, place, total, self.width)
