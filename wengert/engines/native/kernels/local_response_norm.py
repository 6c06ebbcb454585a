"""Local response normalization of large arrays: one pass, a few channels at a time."""

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


def normalize(
    power: Callable[..., Any], x: Any, radius: int, bias: float, alpha: float, beta: float
) -> Any:
    """x power(bias + alpha W(x²), beta), W a sum over a window; None if NumPy should compute it."""
    kind, channels = kind_of(x), x.shape[-1]
    if not kind or not x.ndim or channels < _width(kind):
        return None
    rows, each = x.size // channels, max(PART // channels, 1)
    y = np.empty(x.shape, x.dtype)
    settings = np.array([bias, alpha], x.dtype)
    found = _normalized(power, beta, kind)
    found(-(-rows // each), (rows, channels, each, radius), x, settings, y)
    return y


def _width(kind: str) -> int:
    return vector_bytes() // int(kind[1])


def _formula(power: Callable[..., Any], beta: float, kind: str) -> tuple[Code, list[int]]:
    """The formula of an element, the sum of squares around it, bias and alpha."""
    code, dtype = Code(), np.dtype(kind)
    x, s, bias, alpha = (Lane(code, code.add("param", kind, (), k), dtype) for k in range(4))
    return elementary.expanded(code, [(power(s * alpha + bias, beta) * x).value])


@kernel
def _normalized(power: Callable[..., Any], beta: float, kind: str) -> str:
    """The kernel: squares of a row go into a zero-padded buffer, where neighbours are summed."""
    code, wanted = _formula(power, beta, kind)
    w, width = KernelWriter(3, 4), _width(kind)
    kinds, scalar = llvm_type(kind, width), llvm_type(kind, 1)
    (rows, channels, each, radius), (x, settings, y) = w.numbers, w.arrays
    end = w.add(radius, channels)
    line = w.room(kind, w.add(end, radius))
    numbers = [w.spread(scalar, w.read(kind, settings, k, 1), width) for k in (0, 1)]
    last = w.sub(channels, width)

    def clear(j: str, _: list[str]) -> None:
        w.write(kind, line, j, "0.0", 1)
        w.write(kind, line, w.add(end, j), "0.0", 1)

    def row(r: str) -> None:
        begin = w.mul(r, channels)

        def square(j: str, _: list[str]) -> None:
            at = w.least(j, last)
            value = w.read(kind, x, w.add(begin, at), width)
            w.write(kind, line, w.add(radius, at), w.set(f"fmul {kinds} {value}, {value}"), width)

        def finish(j: str, _: list[str]) -> None:
            at = w.least(j, last)

            def near(t: str, now: list[str]) -> Sequence[str]:
                value = w.read(kind, line, w.add(at, t), width)
                return [w.set(f"fadd {kinds} {now[0]}, {value}")]

            around = w.add(w.mul(radius, 2), 1)
            (total,) = w.loop(0, around, 1, near, [(kinds, "zeroinitializer")])
            given = [w.read(kind, x, w.add(begin, at), width), total, *numbers]
            (value,) = w.code(code, given, width, wanted, w.called)
            w.write(kind, y, w.add(begin, at), value, width)

        w.loop(0, channels, width, square)
        w.loop(0, channels, width, finish)

    w.loop(0, radius, 1, clear)
    w.share(each, rows, row)
    return w.text()
