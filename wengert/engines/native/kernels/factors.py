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
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import kernel
from wengert.engines.native.codegen.memory_access import first
from wengert.engines.native.codegen.vectors import literal
from wengert.engines.native.frontend.scalar import constant
from wengert.engines.native.kernels.columns import Columns, Factors, width_of
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.runtime.processor import most_vectors

FEWEST: Final = 64  # rows, below which LAPACK is as fast
MOST: Final = 1024  # rows of a Cholesky factor, which one thread computes
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
    size, sides = b.shape[-2:]
    if size < FEWEST or sides == 1 or a.shape[:-2] != b.shape[:-2]:
        return None  # LAPACK goes through a matrix once for one column
    a, b = (np.ascontiguousarray(x) for x in (a, b))
    kind = kind_of(a, b)
    if not kind:
        return None
    x = np.empty(b.shape, b.dtype)
    vectors = most_vectors() if sides > width_of(kind) else 1
    panels = -(-sides // (vectors * width_of(kind)))
    forward = lower != adjoint
    row, column = (1, size) if adjoint else (size, 1)
    last = 0 if forward else size - 1
    sign = 1 if forward else -1
    numbers = (size, sides, panels, last, sign, sign * row, sign * column)
    _solve(kind, vectors)(math.prod(b.shape[:-2]) * panels, numbers, a, b, x)
    return x


class _Unknowns(Columns):
    """A kernel that finds some columns of unknowns."""

    def __init__(self, kind: str, vectors: int, arrays: int, numbers: int) -> None:
        super().__init__(kind, vectors, arrays, numbers)
        self.size = self.numbers[0]
        self.reserve(self.size)

    def find(self, begin: Any, end: Any, known: Factors, is_root: bool = False) -> None:
        """Find the unknowns of these rows, whose right-hand sides lie in the buffer.

        The rows and columns of the known coefficients are in the order of the unknowns.
        """
        self.blocks(begin, end, lambda i, count: self._block(i, count, known, is_root))

    def _block(self, i: str, count: int, known: Factors, is_root: bool) -> None:
        """Find some rows. Their sums are what is subtracted, less the right-hand sides."""
        rows = [self.row(self.add(i, r)) for r in range(count)]
        sums = [self._negative(value) for row in rows for value in self.vectors_of(row)]
        strip = self.place(self.kind, known.origin, self.mul(i, known.row))
        strip, sums = self.add_products(sums, known._replace(origin=strip), i)
        self._solve_block(rows, sums, strip, known, is_root)

    def _solve_block(
        self, rows: list[str], sums: list[str], at: str, known: Factors, is_root: bool
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
                self.add_multiple(sums, r, at, self.mul(known.row, r), values)
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


@kernel
def _solve(kind: str, vectors: int) -> str:
    """The kernel: a part is some columns of the unknowns of one system."""
    w = _Unknowns(kind, vectors, 3, 7)
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
    w.find(0, size, Factors(origin, row, column))
    w.loop(0, size, 1, leave)
    return w.text()


@kernel
def _cholesky(kind: str) -> str:
    """The kernel: a part is a matrix, of whose factor it finds some rows at a time."""
    w = _Unknowns(kind, most_vectors(), 2, 1)
    whole = w.mul("%part", w.size, w.size)
    a, out = (w.place(kind, array, whole) for array in w.arrays)

    def some(begin: str, _: list[str]) -> None:
        end = w.least(w.add(begin, w.lanes), w.size)
        _turned(w, begin, end, a, is_back=False)
        w.find(0, begin, Factors(out, w.size, 1))
        # Of the last rows, the coefficient (i, k) lies in row k and column i of the buffer.
        own = w.place(kind, w.buffer, w.sub(0, begin))
        w.find(begin, end, Factors(own, 1, w.lanes), is_root=True)
        _turned(w, begin, end, out, is_back=True)

    w.loop(0, w.size, w.lanes, some)
    return w.text()


def _turned(w: _Unknowns, begin: str, end: str, matrix: str, is_back: bool) -> None:
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
