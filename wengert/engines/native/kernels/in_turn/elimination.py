"""LU decompositions of many small matrices, a column after the other, with the largest pivot of each."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import literal, llvm_type
from wengert.engines.native.frontend.scalar import TYPE_OF, constant
from wengert.engines.native.runtime.processor import vector_bytes

PART: Final = 1 << 16  # multiplications


def eliminate(a: Any) -> Any:
    """The packed factors and the order of the rows; None for complex numbers."""
    kind = TYPE_OF.get(a.dtype)
    if kind not in ("f4", "f8") or not a.size:
        return None
    size, count = a.shape[-1], math.prod(a.shape[:-2])
    lu, order = a.copy(order="C"), np.empty(a.shape[:-1], np.int64)
    each = max(PART // size**3, 1)
    width = vector_bytes() // int(kind[1])
    _eliminated(kind, width if size > width else 1)(
        -(-count // each), (count, each, size), lu, order
    )
    return lu, order


@kernel
def _eliminated(kind: str, width: int) -> str:
    """The kernel: an item is a matrix."""
    w = KernelWriter(2, 3)
    (matrices, orders), (count, each, size) = w.arrays, w.numbers
    number, numbers = llvm_type(kind, 1), llvm_type(kind, width)
    zero = literal(kind, constant(kind, 0), 1)

    def matrix(m: str) -> None:
        lu = w.place(kind, matrices, w.mul(m, size, size))
        order = w.place("i8", orders, w.mul(m, size))
        w.loop(0, size, 1, lambda i, _: w.write("i8", order, i, i, 1))

        def column(k: str, _: list[str]) -> None:
            own, after = w.place(kind, lu, w.mul(k, size)), w.add(k, 1)
            pivot = _pivot(w, kind, lu, k, size)
            is_other = w.set(f"icmp ne i64 {pivot}, {k}")

            def exchange() -> None:
                other = w.place(kind, lu, w.mul(pivot, size))
                _exchange(w, kind, own, other, size, width)
                here, there = (w.read("i8", order, i, 1) for i in (k, pivot))
                w.write("i8", order, k, there, 1)
                w.write("i8", order, pivot, here, 1)

            w.when(is_other, exchange)
            head = w.read(kind, own, k, 1)
            is_zero = w.set(f"fcmp oeq {number} {head}, {zero}")
            one = literal(kind, constant(kind, 1), 1)
            head = w.set(f"select i1 {is_zero}, {number} {one}, {number} {head}")

            def row(i: str, _: list[str]) -> None:
                this = w.place(kind, lu, w.mul(i, size))
                factor = w.set(f"fdiv {number} {w.read(kind, this, k, 1)}, {head}")
                w.write(kind, this, k, factor, 1)
                factors = w.spread(number, factor, width) if width > 1 else factor
                ours, source = (w.place(kind, x, after) for x in (this, own))

                def subtract(j: str, mask: str | None, _: list[str]) -> None:
                    old, taken = (w.read(kind, x, j, width, mask) for x in (ours, source))
                    product = w.set(f"fmul {numbers} {factors}, {taken}")
                    w.write(kind, ours, j, w.set(f"fsub {numbers} {old}, {product}"), width, mask)

                w.along(w.sub(size, after), width, subtract)

            w.loop(after, size, 1, row)

        w.loop(0, size, 1, column)

    w.share(each, count, matrix)
    return w.text()


def _pivot(w: KernelWriter, kind: str, lu: str, k: str, size: str) -> str:
    """The first row, from k on, with the largest number in column k; a NaN is the largest, as in NumPy."""
    number = llvm_type(kind, 1)

    def magnitude(i: str) -> str:
        return w.intrinsic("fabs", kind, 1, [w.read(kind, lu, w.add(w.mul(i, size), k), 1)])

    def compare(i: str, now: list[str]) -> list[str]:
        value = magnitude(i)
        is_more = w.set(f"fcmp ugt {number} {value}, {now[0]}")  # true where either is NaN
        was_number = w.set(f"fcmp ord {number} {now[0]}, {now[0]}")
        is_better = w.set(f"and i1 {is_more}, {was_number}")
        pairs = ((number, value, now[0]), ("i64", i, now[1]))
        return [w.set(f"select i1 {is_better}, {t} {a}, {t} {b}") for t, a, b in pairs]

    return w.loop(w.add(k, 1), size, 1, compare, [(number, magnitude(k)), ("i64", k)])[1]


def _exchange(w: KernelWriter, kind: str, a: str, b: str, size: str, width: int) -> None:
    def some(j: str, mask: str | None, _: list[str]) -> None:
        one, other = (w.read(kind, x, j, width, mask) for x in (a, b))
        w.write(kind, a, j, other, width, mask)
        w.write(kind, b, j, one, width, mask)

    w.along(size, width, some)
