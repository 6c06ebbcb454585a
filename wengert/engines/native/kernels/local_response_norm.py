"""Local response normalization of large arrays, and its gradient: one pass, a few channels at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.lanes import Lane
from wengert.engines.native.frontend.scalar import Code
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.mathematics import elementary
from wengert.engines.native.runtime.processor import vector_bytes

PART: Final = 1 << 13  # elements, about
Power = Callable[..., Any]


def normalize(power: Power, x: Any, radius: int, bias: float, alpha: float, beta: float) -> Any:
    """x power(bias + alpha W(x²), beta), W a sum over a window; None if NumPy should compute it."""
    settings = np.array([bias, alpha], x.dtype)
    return _of_rows(_normalized, power, beta, radius, x, settings)


def normalize_back(
    power: Power, g: Any, x: Any, radius: int, bias: float, alpha: float, beta: float
) -> Any:
    """Its gradient, g p - 2 alpha beta x W(g x p / s), where s is what the power p is of."""
    settings = np.array([bias, alpha, -2.0 * alpha * beta], x.dtype)
    return _of_rows(_gradient, power, beta, radius, x, settings, g)


def _of_rows(
    kernel: Callable[..., Any],
    power: Power,
    beta: float,
    radius: int,
    x: Any,
    settings: Any,
    *more: Any,
) -> Any:
    """What a kernel makes of the rows of channels; None where those are too short for a vector."""
    kind, channels = kind_of(x, *more), x.shape[-1] if x.ndim else 0
    if not kind or channels < _width(kind):
        return None
    rows, each = x.size // channels, max(PART // channels, 1)
    y = np.empty(x.shape, x.dtype)
    found = kernel(power, beta, kind)
    found(-(-rows // each), (rows, channels, each, radius), x, settings, y, *more)
    return y


def _width(kind: str) -> int:
    return vector_bytes() // int(kind[1])


# ---- the formulas of an element -----------------------------------------------------------------


def _lanes(code: Code, kind: str, count: int) -> list[Lane]:
    return [Lane(code, code.add("param", kind, (), k), np.dtype(kind)) for k in range(count)]


def _value_formula(power: Power, beta: float, kind: str) -> tuple[Code, list[int]]:
    """Of an element, the sum of squares around it, bias and alpha."""
    code = Code()
    x, total, bias, alpha = _lanes(code, kind, 4)
    return elementary.expanded(code, [(power(total * alpha + bias, beta) * x).value])


def _gradient_formula(power: Power, beta: float, kind: str) -> tuple[Code, list[int]]:
    """The same and its cotangent: g p, and what is summed over the neighbours, g x p / s."""
    code = Code()
    x, total, bias, alpha, g = _lanes(code, kind, 5)
    s = total * alpha + bias
    own = power(s, beta) * g
    return elementary.expanded(code, [own.value, (own * x / s).value])


# ---- the kernels --------------------------------------------------------------------------------


class _Rows(KernelWriter):
    """Rows of channels: numbers of a row go into a buffer with zeros around it, where neighbours are summed."""

    def __init__(self, kind: str, arrays: int) -> None:
        super().__init__(arrays, 4)
        self.kind, self.width = kind, _width(kind)
        self.kinds = llvm_type(kind, self.width)
        self.rows, self.channels, self.each, self.radius = self.numbers
        self.end = self.add(self.radius, self.channels)
        self.last = self.sub(self.channels, self.width)

    def buffer(self) -> str:
        """A buffer for a row, whose ends are zero."""
        line = self.room(self.kind, self.add(self.end, self.radius))

        def clear(j: str, _: list[str]) -> None:
            self.write(self.kind, line, j, "0.0", 1)
            self.write(self.kind, line, self.add(self.end, j), "0.0", 1)

        self.loop(0, self.radius, 1, clear)
        return line

    def settings(self, count: int) -> list[str]:
        """The numbers of the formula, in all lanes."""
        scalar = llvm_type(self.kind, 1)
        found = [self.read(self.kind, self.arrays[1], k, 1) for k in range(count)]
        return [self.spread(scalar, value, self.width) for value in found]

    def vector(self, array: str, at: str) -> str:
        """A vector of an array."""
        return self.read(self.kind, array, at, self.width)

    def put(self, array: str, at: str, value: str) -> None:
        """Write a vector."""
        self.write(self.kind, array, at, value, self.width)

    def each_vector(self, body: Callable[[str], None]) -> None:
        """Go through a row; the last vector overlaps the one before."""
        self.loop(0, self.channels, self.width, lambda j, _: body(self.least(j, self.last)))

    def product(self, a: str, b: str) -> str:
        """Of two vectors."""
        return self.set(f"fmul {self.kinds} {a}, {b}")

    def squares(self, line: str, begin: str) -> None:
        """The squares of a row into its buffer."""

        def square(at: str) -> None:
            value = self.vector(self.arrays[0], self.add(begin, at))
            self.put(line, self.add(self.radius, at), self.product(value, value))

        self.each_vector(square)

    def around(self, line: str, at: str) -> str:
        """The sums over the neighbours of a vector."""

        def near(t: str, now: list[str]) -> Sequence[str]:
            return [self.set(f"fadd {self.kinds} {now[0]}, {self.vector(line, self.add(at, t))}")]

        count = self.add(self.mul(self.radius, 2), 1)
        (total,) = self.loop(0, count, 1, near, [(self.kinds, "zeroinitializer")])
        return total


@kernel
def _normalized(power: Power, beta: float, kind: str) -> str:
    code, wanted = _value_formula(power, beta, kind)
    w = _Rows(kind, 3)
    line, settings = w.buffer(), w.settings(2)
    x, _, y = w.arrays

    def row(r: str) -> None:
        begin = w.mul(r, w.channels)

        def finish(at: str) -> None:
            place = w.add(begin, at)
            given = [w.vector(x, place), w.around(line, at), *settings]
            (value,) = w.code(code, given, w.width, wanted, w.called)
            w.put(y, place, value)

        w.squares(line, begin)
        w.each_vector(finish)

    w.share(w.each, w.rows, row)
    return w.text()


@kernel
def _gradient(power: Power, beta: float, kind: str) -> str:
    code, wanted = _gradient_formula(power, beta, kind)
    w = _Rows(kind, 4)
    line, inner, own = w.buffer(), w.buffer(), w.room(kind, w.channels)
    *settings, factor = w.settings(3)
    x, _, y, g = w.arrays

    def row(r: str) -> None:
        begin = w.mul(r, w.channels)

        def weigh(at: str) -> None:
            place = w.add(begin, at)
            given = [w.vector(x, place), w.around(line, at), *settings, w.vector(g, place)]
            mine, theirs = w.code(code, given, w.width, wanted, w.called)
            w.put(own, at, mine)
            w.put(inner, w.add(w.radius, at), theirs)

        def finish(at: str) -> None:
            place = w.add(begin, at)
            back = w.product(w.product(w.around(inner, at), w.vector(x, place)), factor)
            w.put(y, place, w.set(f"fadd {w.kinds} {back}, {w.vector(own, at)}"))

        w.squares(line, begin)
        w.each_vector(weigh)
        w.each_vector(finish)

    w.share(w.each, w.rows, row)
    return w.text()
