"""Cholesky factors and triangular systems of large matrices.

The unknowns of some columns, as wide as a few vectors, are found from the first row on: those of a few rows
are the right-hand sides less a product with all unknowns before them, whose sums stay in registers until the
rows are solved there, too. The columns lie in a buffer of their own, in the order in which they are found, so
that lower and upper matrices, plain and transposed, are one case with other strides.

The transposed rows of a Cholesky factor are unknowns of such a system: its matrix is the factor as far
as it is known, and the last rows meet themselves.

LAPACK's threads wait for each other by spinning: beside two busy processes on two processors a factor of
500 x 500 then takes 0.5 s, and half a millisecond here.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.memory_access import first
from wengert.engines.native.codegen.vectors import literal, llvm_type
from wengert.engines.native.frontend.scalar import constant
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.runtime.processor import sums_at_once, vector_bytes

FEWEST: Final = 64  # rows, below which LAPACK is as fast
MOST: Final = 1024  # rows of a Cholesky factor, which one thread computes
_VECTORS: Final = 4  # of a row of a buffer, where there are registers for
_SUMS: Final = 24  # at once, beside such a row and a coefficient
_TURNED: Final = 16  # rows of a buffer that are written at once where a matrix is transposed


def cholesky(a: Any) -> Any:
    """The lower factors; None for other matrices, and where one is not positive definite."""
    kind, size = kind_of(a), a.shape[-1]
    if not kind or not a.size or not FEWEST <= size <= MOST:
        return None
    y = np.zeros(a.shape, a.dtype)
    _cholesky(kind)(math.prod(a.shape[:-2]), (size,), a, y)
    return y if (np.diagonal(y, axis1=-2, axis2=-1) > 0).all() else None


def triangular_solve(a: Any, b: Any, lower: bool, adjoint: bool) -> Any:
    """The solutions of a x = b; None for other matrices. The diagonals have no zeros."""
    a, b = (np.ascontiguousarray(x) for x in (a, b))
    (size, sides), kind = b.shape[-2:], kind_of(a, b)
    if not kind or size < FEWEST or a.shape[:-2] != b.shape[:-2]:
        return None
    x = np.empty(b.shape, b.dtype)
    wide = sides > vector_bytes() // b.itemsize
    panels = -(-sides // _Columns.lanes_of(kind, wide))
    forward = lower != adjoint
    row, column = (1, size) if adjoint else (size, 1)
    last = 0 if forward else size - 1
    sign = 1 if forward else -1
    numbers = (size, sides, panels, last, sign, sign * row, sign * column)
    _solve(kind, wide)(math.prod(b.shape[:-2]) * panels, numbers, a, b, x)
    return x


class _Coefficients(NamedTuple):
    """The matrix of a system: the address of element (0, 0), and the strides, in the order of the unknowns."""

    origin: str
    row: Any
    column: Any


class _Columns(KernelWriter):
    """A kernel that finds some columns of unknowns."""

    def __init__(self, kind: str, wide: bool, arrays: int, numbers: int) -> None:
        super().__init__(arrays, numbers)
        self.kind, self.width = kind, vector_bytes() // int(kind[1])
        self.lanes = self.lanes_of(kind, wide)
        self.vectors = self.lanes // self.width
        self.kinds, self.type = llvm_type(kind, self.width), llvm_type(kind, 1)
        self.size = self.numbers[0]
        self.buffer = self.room(kind, self.mul(self.size, self.lanes))

    @staticmethod
    def lanes_of(kind: str, wide: bool) -> int:
        """The columns of a buffer, which are fewer where registers are few."""
        vectors = (_VECTORS if sums_at_once() >= _SUMS else _VECTORS // 2) if wide else 1
        return vectors * vector_bytes() // int(kind[1])

    @property
    def rows(self) -> int:
        """The rows that are found at once: their sums, a row of unknowns and a factor fill the registers."""
        return min(sums_at_once(), _SUMS) // max(self.vectors, 2)

    def row(self, at: Any) -> str:
        """A row of the buffer."""
        return self.place(self.kind, self.buffer, self.mul(at, self.lanes))

    def vectors_of(self, row: str) -> list[str]:
        return [self.read(self.kind, row, v * self.width, self.width) for v in range(self.vectors)]

    def put(self, row: str, values: list[str]) -> None:
        for v, value in enumerate(values):
            self.write(self.kind, row, v * self.width, value, self.width)

    def found(self, begin: Any, end: Any, known: _Coefficients, is_root: bool = False) -> None:
        """Find the unknowns of these rows, whose right-hand sides lie in the buffer."""
        count = self.rows
        whole = self.sub(end, self.set(f"srem i64 {self.sub(end, begin)}, {count}"))
        self.loop(begin, whole, count, lambda i, _: self._block(i, count, known, is_root))
        self.loop(whole, end, 1, lambda i, _: self._block(i, 1, known, is_root))

    def _block(self, i: str, count: int, known: _Coefficients, is_root: bool) -> None:
        """Find some rows. Their sums are what is subtracted, less the right-hand sides."""
        rows = [self.row(self.add(i, r)) for r in range(count)]
        sums = [self._negative(value) for row in rows for value in self.vectors_of(row)]
        strip = self.place(self.kind, known.origin, self.mul(i, known.row))

        def before(_: str, now: list[str]) -> list[str]:
            at, row, *sums = now
            values = self.vectors_of(row)
            for r in range(count):
                self._add(sums, r, at, self.mul(known.row, r), values)
            moved = self.place(self.kind, at, known.column), self.place(self.kind, row, self.lanes)
            return [*moved, *sums]

        carried = [("ptr", strip), ("ptr", self.buffer), *((self.kinds, s) for s in sums)]
        at, _, *sums = self.loop(0, i, 1, before, carried)
        self._solve_block(rows, sums, at, known, is_root)

    def _solve_block(
        self, rows: list[str], sums: list[str], at: str, known: _Coefficients, is_root: bool
    ) -> None:
        """Solve for some rows; each is written before the coefficients of the next ones are read."""
        for k, row in enumerate(rows):
            values = sums[k * self.vectors : (k + 1) * self.vectors]
            if is_root:
                self.put(row, [self._negative(value) for value in values])
            pivot = self.read(self.kind, at, self.mul(known.row, k), 1)
            values = self._divided(values, pivot, is_root)
            self.put(row, values)
            for r in range(k + 1, len(rows)):
                self._add(sums, r, at, self.mul(known.row, r), values)
            at = self.place(self.kind, at, known.column)

    def _divided(self, values: list[str], pivot: str, is_root: bool) -> list[str]:
        """The unknowns of a row, given its negative right-hand sides."""
        if is_root:
            word, factor = "div", self.intrinsic("sqrt", self.kind, 1, [pivot])
            factor = self.set(f"fneg {self.type} {factor}")
        else:  # the reciprocal, as in LAPACK: one division instead of a row of them
            minus_one = literal(self.kind, constant(self.kind, -1), 1)
            word, factor = "mul", self.set(f"fdiv {self.type} {minus_one}, {pivot}")
        spread = self.spread(self.type, factor, self.width)
        return [self.set(f"f{word} {self.kinds} {value}, {spread}") for value in values]

    def _negative(self, value: str) -> str:
        return self.set(f"fneg {self.kinds} {value}")

    def _add(self, sums: list[str], r: int, strip: str, at: Any, values: list[str]) -> None:
        """Add the multiple of known unknowns to the sums of a row."""
        factor = self.spread(self.type, self.read(self.kind, strip, at, 1), self.width)
        for v, value in enumerate(values):
            place = r * self.vectors + v
            sums[place] = self.intrinsic("fma", self.kind, self.width, [factor, value, sums[place]])


@kernel
def _solve(kind: str, wide: bool) -> str:
    """The kernel: a part is some columns of the unknowns of one system."""
    w = _Columns(kind, wide, 3, 7)
    size, sides, panels, last, sign, row, column = w.numbers
    number, panel = w.div("%part", panels)
    begin = w.mul(panel, w.lanes)
    given, made = (
        w.place(kind, w.arrays[k], w.add(w.mul(number, size, sides), begin)) for k in (1, 2)
    )
    masks = [first(w, w.sub(sides, begin), v * w.width, w.width) for v in range(w.vectors)]

    def memory_of(array: str, i: str) -> str:
        return w.place(kind, array, w.mul(w.add(last, w.mul(sign, i)), sides))

    def enter(i: str, _: list[str]) -> None:
        source, target = memory_of(given, i), w.row(i)
        w.put(target, [w.read(kind, source, v * w.width, w.width, m) for v, m in enumerate(masks)])

    def leave(i: str, _: list[str]) -> None:
        target = memory_of(made, i)
        for v, value in enumerate(w.vectors_of(w.row(i))):
            w.write(kind, target, v * w.width, value, w.width, masks[v])

    corner = w.add(w.mul(number, size, size), w.mul(last, w.add(size, 1)))
    origin = w.place(kind, w.arrays[0], corner)
    w.loop(0, size, 1, enter)
    w.found(0, size, _Coefficients(origin, row, column))
    w.loop(0, size, 1, leave)
    return w.text()


@kernel
def _cholesky(kind: str) -> str:
    """The kernel: a part is a matrix, of whose factor it finds some rows at a time."""
    w = _Columns(kind, True, 2, 1)
    whole = w.mul("%part", w.size, w.size)
    a, out = (w.place(kind, array, whole) for array in w.arrays)

    def some(begin: str, _: list[str]) -> None:
        end = w.least(w.add(begin, w.lanes), w.size)
        _turned(w, begin, end, a, is_back=False)
        w.found(0, begin, _Coefficients(out, w.size, 1))
        # Of the last rows, the coefficient (i, k) lies in row k and column i of the buffer.
        own = w.place(kind, w.buffer, w.sub(0, begin))
        w.found(begin, end, _Coefficients(own, 1, w.lanes), is_root=True)
        _turned(w, begin, end, out, is_back=True)

    w.loop(0, w.size, w.lanes, some)
    return w.text()


def _turned(w: _Columns, begin: str, end: str, matrix: str, is_back: bool) -> None:
    """Copy rows of a matrix to the columns of the buffer; or the columns back, up to the diagonal."""

    def block(first_row: str, _: list[str]) -> None:
        last_row = w.least(w.add(first_row, _TURNED), end)

        def column(j: str, _: list[str]) -> None:
            last = w.least(last_row, w.add(j, 1)) if is_back else last_row
            mine = w.place(w.kind, w.buffer, w.sub(j, begin))

            def element(k: str, _: list[str]) -> None:
                inside, outside = w.mul(k, w.lanes), w.add(w.mul(j, w.size), k)
                if is_back:
                    w.write(w.kind, matrix, outside, w.read(w.kind, mine, inside, 1), 1)
                else:
                    w.write(w.kind, mine, inside, w.read(w.kind, matrix, outside, 1), 1)

            w.loop(first_row, last, 1, element)

        w.loop(begin, end, 1, column)

    w.loop(0, end, _TURNED, block)
