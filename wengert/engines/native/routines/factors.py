"""Small matrices: Cholesky factors, LU factors, and systems that these solve.

A step subtracts multiples of one row from others, a vector at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.vectors import literal, llvm_type
from wengert.engines.native.frontend.scalar import constant
from wengert.engines.native.runtime.processor import vector_bytes


class _Matrices:
    """What all of these need: numbers and rows of matrices of one type."""

    def __init__(self, w: FunctionWriter, kind: str) -> None:
        self.w, self.kind, self.type = w, kind, llvm_type(kind, 1)
        self._vector = vector_bytes() // int(kind[1])

    def of(self, array: int, number: Any, size: int) -> str:
        """The address of a matrix of a batch."""
        return self.w.place(self.kind, self.w.arrays[array], self.w.mul(number, size))

    def get(self, matrix: str, at: Any) -> str:
        return self.w.read(self.kind, matrix, at, 1)

    def put(self, matrix: str, at: Any, value: str) -> None:
        self.w.write(self.kind, matrix, at, value, 1)

    def number(self, value: float) -> str:
        return literal(self.kind, constant(self.kind, value), 1)

    def do(self, word: str, a: str, b: str) -> str:
        return self.w.set(f"f{word} {self.type} {a}, {b}")

    def on_row(
        self, row: str, count: Any, change: Callable[[str, int, str, str | None], str]
    ) -> None:
        """Change the elements of a row: `change(elements, width, index, mask)`."""
        w = self.w
        width = self._vector if not str(count).isdigit() or int(count) >= self._vector else 1

        def some(j: str, mask: str | None, _: list[str]) -> None:
            new = change(w.read(self.kind, row, j, width, mask), width, j, mask)
            w.write(self.kind, row, j, new, width, mask)

        w.along(str(count), width, some)

    def subtract(self, row: str, count: Any, factor: str, other: str) -> None:
        """Subtract a multiple of another row."""
        w = self.w
        minus = w.set(f"fneg {self.type} {factor}")

        def change(now: str, width: int, j: str, mask: str | None) -> str:
            b = w.read(self.kind, other, j, width, mask)
            return w.intrinsic("fma", self.kind, width, [w.spread(self.type, minus, width), b, now])

        self.on_row(row, count, change)

    def scale(self, row: str, count: Any, word: str, factor: str) -> None:
        """Multiply or divide a row by a number."""
        w = self.w

        def change(now: str, width: int, j: str, mask: str | None) -> str:
            kinds = llvm_type(self.kind, width)
            return w.set(f"f{word} {kinds} {now}, {w.spread(self.type, factor, width)}")

        self.on_row(row, count, change)


def cholesky(w: FunctionWriter, kind: str, count: int, size: int) -> None:
    """Lower triangular factors of symmetric matrices, whose lower triangles are read.

    The upper factor is computed by rows in a matrix of its own, as rows lie together in memory. A
    matrix that is not positive definite gives NaN; NaN on the diagonal gives it from there on.
    """
    m, whole = _Matrices(w, kind), size * size
    upper = w.arrays[2]

    def each(number: str, _: list[str]) -> None:
        a, out = m.of(0, number, whole), m.of(1, number, whole)

        def turn(i: str, _: list[str]) -> None:
            w.loop(i, size, 1, lambda j, _: m.put(upper, w.add(w.mul(i, size), j), m.get(a, w.add(w.mul(j, size), i))))  # fmt: skip

        def step(k: str, good: list[str]) -> list[str]:
            corner = w.mul(k, size + 1)
            pivot, rest = m.get(upper, corner), w.sub(size, k)
            positive = w.set(f"fcmp ugt {m.type} {pivot}, {m.number(0)}")
            row = w.place(kind, upper, corner)
            m.scale(row, rest, "div", w.intrinsic("sqrt", kind, 1, [pivot]))

            def below(i: str, _: list[str]) -> None:
                factor = m.get(upper, w.add(w.mul(k, size), i))
                target = w.place(kind, upper, w.mul(i, size + 1))
                m.subtract(target, w.sub(size, i), factor, w.place(kind, upper, w.add(w.mul(k, size), i)))  # fmt: skip

            w.loop(w.add(k, 1), size, 1, below)
            return [w.set(f"and i1 {good[0]}, {positive}")]

        def back(i: str, _: list[str]) -> None:
            def element(j: str, _: list[str]) -> None:
                there = w.set(f"icmp sle i64 {j}, {i}")
                value = m.get(upper, w.add(w.mul(j, size), i))
                known = w.set(f"select i1 {good}, {m.type} {value}, {m.type} {m.number(float('nan'))}")  # fmt: skip
                value = w.set(f"select i1 {there}, {m.type} {known}, {m.type} {m.number(0)}")
                m.put(out, w.add(w.mul(i, size), j), value)

            w.loop(0, size, 1, element)

        w.loop(0, size, 1, turn)
        (good,) = w.loop(0, size, 1, step, [("i1", "true")])
        w.loop(0, size, 1, back)

    w.loop(0, count, 1, each)


def lu(w: FunctionWriter, kind: str, count: int, size: int) -> None:
    """LU factors with the largest pivot of each column; the order of the rows, and the sign of that.

    And whether a matrix is singular.
    """
    m, whole = _Matrices(w, kind), size * size

    def each(number: str, _: list[str]) -> None:
        a, out = m.of(0, number, whole), m.of(1, number, whole)
        order = w.place("i8", w.arrays[2], w.mul(number, size))
        w.loop(0, whole, 1, lambda j, _: m.put(out, j, m.get(a, j)))
        w.loop(0, size, 1, lambda j, _: w.write("i8", order, j, j, 1))
        begin = [(m.type, m.number(1)), ("i1", "false")]
        sign, singular = w.loop(
            0, size, 1, lambda k, now: _eliminate(m, out, order, size, k, now), begin
        )
        w.write(kind, w.arrays[3], number, sign, 1)
        w.write("b1", w.arrays[4], number, singular, 1)

    w.loop(0, count, 1, each)


def _eliminate(m: _Matrices, out: str, order: str, size: int, k: str, now: list[str]) -> list[str]:
    """One step of Gaussian elimination; the sign, and whether a pivot was zero."""
    w, kind = m.w, m.kind

    def larger(i: str, best: list[str]) -> list[str]:
        value = w.intrinsic("fabs", kind, 1, [m.get(out, w.add(w.mul(i, size), k))])
        is_more = w.set(f"fcmp ogt {m.type} {value}, {best[0]}")
        return [
            w.set(f"select i1 {is_more}, {m.type} {value}, {m.type} {best[0]}"),
            w.set(f"select i1 {is_more}, i64 {i}, i64 {best[1]}"),
        ]

    first = w.intrinsic("fabs", kind, 1, [m.get(out, w.mul(k, size + 1))])
    _, at = w.loop(w.add(k, 1), size, 1, larger, [(m.type, first), ("i64", k)])
    moved = w.set(f"icmp ne i64 {at}, {k}")
    w.when(moved, lambda: _swap(m, out, order, size, k, at))
    pivot = m.get(out, w.mul(k, size + 1))
    zero = w.set(f"fcmp oeq {m.type} {pivot}, {m.number(0)}")
    divisor = w.set(f"select i1 {zero}, {m.type} {m.number(1)}, {m.type} {pivot}")
    row, rest = w.place(kind, out, w.add(w.mul(k, size + 1), 1)), w.sub(w.sub(size, k), 1)

    def below(i: str, _: list[str]) -> None:
        here = w.add(w.mul(i, size), k)
        factor = m.do("div", m.get(out, here), divisor)  # 0 if the largest pivot is 0
        m.put(out, here, factor)
        m.subtract(w.place(kind, out, w.add(here, 1)), rest, factor, row)

    w.loop(w.add(k, 1), size, 1, below)
    other = w.set(f"fneg {m.type} {now[0]}")
    sign = w.set(f"select i1 {moved}, {m.type} {other}, {m.type} {now[0]}")
    return [sign, w.set(f"or i1 {now[1]}, {zero}")]


def _swap(m: _Matrices, out: str, order: str, size: int, k: str, at: str) -> None:
    w = m.w
    first, other = (w.place(m.kind, out, w.mul(i, size)) for i in (k, at))

    def element(j: str, _: list[str]) -> None:
        a, b = m.get(first, j), m.get(other, j)
        m.put(first, j, b)
        m.put(other, j, a)

    w.loop(0, size, 1, element)
    a, b = (w.read("i8", order, i, 1) for i in (k, at))
    w.write("i8", order, k, b, 1)
    w.write("i8", order, at, a, 1)


def solve(w: FunctionWriter, kind: str, count: int, size: int, sides: int, adjoint: bool) -> None:
    """Systems of equations, given LU factors and the order of the rows."""
    m = _Matrices(w, kind)

    def each(number: str, _: list[str]) -> None:
        factors = m.of(0, number, size * size)
        order = w.place("i8", w.arrays[1], w.mul(number, size))
        b, out = m.of(2, number, size * sides), m.of(3, number, size * sides)
        system = _System(m, factors, size, sides)

        def moved(x: str, from_row: str, y: str, to_row: str) -> None:
            source = w.place(kind, x, w.mul(from_row, sides))
            target = w.place(kind, y, w.mul(to_row, sides))
            m.on_row(target, sides, lambda _, width, j, mask: w.read(kind, source, j, width, mask))

        if not adjoint:
            w.loop(0, size, 1, lambda i, _: moved(b, w.read("i8", order, i, 1), out, i))
            system.substitute(out, True, False, True)
            system.substitute(out, False, False, False)
            return
        room = w.arrays[4]
        w.loop(0, size, 1, lambda i, _: moved(b, i, room, i))
        system.substitute(room, True, True, False)
        system.substitute(room, False, True, True)
        w.loop(0, size, 1, lambda i, _: moved(room, i, out, w.read("i8", order, i, 1)))

    w.loop(0, count, 1, each)


def triangular(
    w: FunctionWriter, kind: str, count: int, size: int, sides: int, lower: bool, adjoint: bool
) -> None:
    """Systems of equations with triangular matrices."""
    m = _Matrices(w, kind)

    def each(number: str, _: list[str]) -> None:
        b, out = m.of(1, number, size * sides), m.of(2, number, size * sides)
        w.loop(0, size * sides, 1, lambda j, _: m.put(out, j, m.get(b, j)))
        system = _System(m, m.of(0, number, size * size), size, sides)
        system.substitute(out, lower != adjoint, adjoint, False)

    w.loop(0, count, 1, each)


class _System:
    """Equations whose unknowns are found one after the other."""

    def __init__(self, m: _Matrices, matrix: str, size: int, sides: int) -> None:
        self._m, self._matrix, self._size, self._sides = m, matrix, size, sides

    def substitute(self, x: str, forward: bool, turned: bool, unit: bool) -> None:
        """Solve in place: from the first unknown on or from the last, with ones on the diagonal or not.

        Once an unknown is known, its multiples are subtracted from the other equations.
        """
        m, w, size, sides = self._m, self._m.w, self._size, self._sides

        def unknown(step: str, _: list[str]) -> None:
            k = step if forward else w.sub(size - 1, step)
            row = w.place(m.kind, x, w.mul(k, sides))
            if not unit:
                m.scale(row, sides, "div", m.get(self._matrix, w.mul(k, size + 1)))

            def other(i: str, _: list[str]) -> None:
                at = w.add(w.mul(k, size), i) if turned else w.add(w.mul(i, size), k)
                target = w.place(m.kind, x, w.mul(i, sides))
                m.subtract(target, sides, m.get(self._matrix, at), row)

            w.loop(w.add(k, 1) if forward else 0, size if forward else k, 1, other)

        w.loop(0, size, 1, unknown)
