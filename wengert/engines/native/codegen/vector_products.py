"""Code generation for products of a matrix with a vector.

Nothing is copied: each number of the matrix is used once. Rows that lie along memory are multiplied
by the vector side by side, and their sums are added across all at once; where columns lie
along memory, multiples of them are added to sums in registers. What comes out is written as whole
vectors, as the next step reads it. A large matrix is read from end to end: row by row, or a few
columns at a time, which are added to the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.engines.native.codegen.combine import across, half_of
from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.gemm_forms import Form, Function
from wengert.engines.native.codegen.panel_columns import mask_of
from wengert.engines.native.codegen.squares import picked
from wengert.engines.native.codegen.vectors import literal, llvm_type, power_over
from wengert.engines.native.frontend.scalar import constant
from wengert.engines.native.runtime.processor import vector_bytes
from wengert.values.open_size import OpenSize

CHAINS: Final = 4  # sums of each row, so that additions need not wait for each other
VECTORS: Final = 4  # of rows at once, where columns lie along memory
SMALL: Final = 1 << 14  # numbers of a matrix whose columns may be read in pieces
LANE: Final = 16  # bytes of a vector within which elements are exchanged at once
COLUMNS: Final = 8  # that are added at once where they may not,
NEAR: Final = 1 << 11  # to so many numbers of the result, which stay in the nearest cache


class _Layout(NamedTuple):
    """How the matrix lies: the numbers of its rows and columns, and how far each are apart."""

    rows: int
    depth: int
    row: int
    column: int


def vector_product_text(form: Form) -> Function:
    """The function of such a product."""
    return _VectorProduct(form).function()


class _VectorProduct(FunctionWriter):
    """Writes the function: the matrix is the left one, or the right one, whose columns are its rows then."""

    def __init__(self, form: Form) -> None:
        super().__init__(3)
        self.form, self.kind = form, form.kind
        which, self.split = self.div("%part", form.splits)
        a, b, self.out = self.matrices((self.kind,) * 3, which)
        if form.n == 1:
            self.matrix, self.vector = a, b
            steps = (1, form.lda) if form.turned_a else (form.lda, 1)
            self.layout = _Layout(form.m, form.k, *steps)
        else:
            self.matrix, self.vector = b, a
            steps = (form.ldb, 1) if form.turned_b else (1, form.ldb)
            self.layout = _Layout(form.n, form.k, *steps)
        lies_along = self.layout.column == 1
        self.width = self._width(self.layout.depth if lies_along else self.layout.rows)
        self.kinds = llvm_type(self.kind, self.width)
        size = self.layout.rows * self.layout.depth
        is_small = type(size) is int and size <= SMALL
        if lies_along:
            self._each(1 if self._is_long() and not is_small else self.width, self._along)
        elif is_small:
            self._each(VECTORS * self.width, self._down)
        else:
            self._add_columns()

    def _is_long(self) -> bool:
        """Whether a row is worth several sums at once."""
        return self.layout.depth > CHAINS * CHAINS * self.width

    def _width(self, count: int) -> int:
        """The elements of a vector: a power of two, and no more than needed."""
        full = vector_bytes() // int(self.kind[1])
        return min(power_over(count), full) if count > 1 else 1

    def _each(self, together: int, some: Callable[[Any, int], None]) -> None:
        """`some(first row, rows)` for so many rows together, and for those that are left over."""
        blocks, rest = divmod(self.layout.rows, together)
        splits = self.form.splits
        begin, end = (self.mul(x, together) for x in self.portion(self.split, blocks, splits))
        self.loop(begin, end, together, lambda r, _: some(r, together))
        last = self.set(f"icmp eq i64 {self.split}, {splits - 1}")
        if type(rest) is OpenSize:
            one_by_one = blocks * together, self.layout.rows, 1
            self.when(last, lambda: self.loop(*one_by_one, lambda r, _: some(r, 1)) and None)
        elif rest:
            self.when(last, lambda: some(blocks * together, rest))

    def _added(self, given: list[str], x: str, sums: list[str]) -> list[str]:
        """The sums, each plus x times what was read for it."""
        return [
            self.intrinsic("fma", self.kind, self.width, [g, x, s])
            for g, s in zip(given, sums, strict=True)
        ]

    def _zeros(self, width: int) -> str:
        return literal(self.kind, b"\0" * 8, width)

    # ---- rows along memory ---------------------------------------------------------------------

    def _along(self, begin: Any, count: int) -> None:
        width, depth = self.width, self.layout.depth
        first = self.place(self.kind, self.matrix, self.mul(begin, self.layout.row))
        rows = [self.place(self.kind, first, r * self.layout.row) for r in range(count)]

        def add(p: Any, sums: list[str], mask: str | None = None) -> list[str]:
            x = self.read(self.kind, self.vector, p, width, mask)
            given = [self.read(self.kind, row, p, width, mask) for row in rows]
            return self._added(given, x, sums)

        def several(p: Any, sums: list[str]) -> list[str]:
            return [
                s
                for c in range(chains)
                for s in add(self.add(p, c * width), sums[c * count : (c + 1) * count])
            ]

        chains = CHAINS if count < CHAINS and self._is_long() else 1
        sums = [self._zeros(width)] * (chains * count)
        whole = depth // (chains * width) * chains * width
        sums = self.loop(0, whole, chains * width, several, [(self.kinds, s) for s in sums])
        for p in range(whole, depth, width):
            sums[:count] = add(p, sums[:count], mask_of(depth - p, width))
        while len(sums) > count:
            half = len(sums) // 2
            sums = [self._sum(a, b, width) for a, b in zip(sums[:half], sums[half:], strict=True)]
        self._put(begin, *self._added_across(sums), count)

    def _added_across(self, sums: list[str]) -> tuple[str, int]:
        """A vector of the sums across these vectors, and how wide it is."""
        width, count = self.width, power_over(len(sums))
        if count == 1:
            return across(self, "sum", self.kind, sums[0], width), 1
        while width > count:  # until there are as many as each has elements
            width //= 2
            sums = [self._halves_added(s, width) for s in sums]
        sums += [self._zeros(width)] * (count - len(sums))
        lane = min(LANE // int(self.kind[1]), width)
        each = 1  # elements that a sum of neighbours is of: one within lanes, then whole lanes
        while len(sums) > 1:
            if each == 1 and count // len(sums) == lane:
                each = lane
            pairs = zip(sums[::2], sums[1::2], strict=True)
            sums = [self._neighbours_added(pair, width, lane, each) for pair in pairs]
        return sums[0], width

    def _halves_added(self, x: str, width: int) -> str:
        one, other = (half_of(self, x, self.kind, 2 * width, which) for which in (0, 1))
        return self._sum(one, other, width)

    def _neighbours_added(self, pair: tuple[str, str], width: int, lane: int, each: int) -> str:
        """The sums of neighbours, those of the first vector ahead of the second one's.

        First of elements in each lane, then of lanes: to exchange elements between lanes takes longer.
        """
        within = lane if each == 1 else width
        # By vector, lane, pair, which of the pair, element; the lanes of both vectors take turns.
        numbers = np.arange(2 * width).reshape(2, -1, within // (2 * each), 2, each).swapaxes(0, 1)
        even, odd = (
            picked(self, self.kind, pair, numbers[:, :, :, k].ravel().tolist()) for k in (0, 1)
        )
        return self._sum(even, odd, width)

    def _sum(self, x: str, y: str, width: int) -> str:
        return self.set(f"fadd {llvm_type(self.kind, width)} {x}, {y}")

    # ---- columns along memory ------------------------------------------------------------------

    def _down(self, begin: Any, count: int) -> None:
        width, depth = self.width, self.layout.depth
        first = self.place(self.kind, self.matrix, begin)
        masks = [mask_of(count - v, width) for v in range(0, count, width)]

        def add(p: Any, sums: list[str]) -> list[str]:
            x = self.spread(llvm_type(self.kind, 1), self.read(self.kind, self.vector, p, 1), width)
            column = self.place(self.kind, first, self.mul(p, self.layout.column))
            given = [self.read(self.kind, column, v * width, width, m) for v, m in enumerate(masks)]
            return self._added(given, x, sums)

        def several(p: str, sums: list[str]) -> list[str]:
            each = len(masks)
            return [
                s
                for c in range(CHAINS)
                for s in add(self.add(p, c), sums[c * each : (c + 1) * each])
            ]

        sums = [self._zeros(width)] * (CHAINS * len(masks))
        whole = depth // CHAINS * CHAINS
        sums = self.loop(0, whole, CHAINS, several, [(self.kinds, s) for s in sums])
        chains = [sums[c * len(masks) : (c + 1) * len(masks)] for c in range(CHAINS)]
        for c in range(depth - whole):
            chains[c] = add(whole + c, chains[c])
        for v in range(len(masks)):
            one, other = (self._sum(chains[c][v], chains[c + 1][v], width) for c in (0, 2))
            at = self.add(begin, v * width)
            self._put(at, self._sum(one, other, width), width, min(count - v * width, width))

    def _add_columns(self) -> None:
        """A few columns at a time, to so much of the result as stays near."""
        vectors = -(-self.layout.rows // self.width)
        begin, end = (
            self.mul(x, self.width) for x in self.portion(self.split, vectors, self.form.splits)
        )
        end = self.least(end, self.layout.rows)

        def some(at: str, _: list[str]) -> None:
            size = self.least(self.sub(end, at), NEAR)
            depth, first = self.layout.depth, self.layout.depth % COLUMNS
            if type(depth) is OpenSize:  # the first ones one by one
                self._add_some(at, size, 0, 0, self.form.onto)
                self.loop(0, first, 1, lambda p, _: self._add_some(at, size, p, 1, True))
            else:
                first = first or COLUMNS
                self._add_some(at, size, 0, first, self.form.onto)
            self.loop(
                first, depth, COLUMNS, lambda p, _: self._add_some(at, size, p, COLUMNS, True)
            )

        self.loop(begin, end, NEAR, some)

    def _add_some(self, at: str, size: str, p: Any, count: int, onto: bool) -> None:
        """Write so many columns, each times its factor, to a part of the result or onto that."""
        width, scalar = self.width, llvm_type(self.kind, 1)
        out, first = self.place(self.kind, self.out, at), self.place(self.kind, self.matrix, at)
        factors, columns = [], []
        for c in range(count):
            x = self.read(self.kind, self.vector, self.add(p, c), 1)
            if self.form.factor != 1.0:
                x = self.set(f"fmul {scalar} {x}, {self._factor(1)}")
            factors.append(self.spread(scalar, x, width))
            step = self.mul(self.add(p, c), self.layout.column)
            columns.append(self.place(self.kind, first, step))

        def vector(j: str, mask: str | None, _: list[str]) -> None:
            total = self.read(self.kind, out, j, width, mask) if onto else self._zeros(width)
            for x, column in zip(factors, columns, strict=True):
                (total,) = self._added([self.read(self.kind, column, j, width, mask)], x, [total])
            self.write(self.kind, out, j, total, width, mask)

        self.along(size, width, vector)

    # ---- the result ----------------------------------------------------------------------------

    def _put(self, at: Any, total: str, width: int, count: int) -> None:
        """Store so many sums times the factor, added to what is there if the form says so."""
        form, mask = self.form, mask_of(count, width)
        factor = self._factor(width)
        if form.onto:
            before = self.read(self.kind, self.out, at, width, mask)
            total = self.intrinsic("fma", self.kind, width, [factor, total, before])
        elif form.factor != 1.0:
            total = self.set(f"fmul {llvm_type(self.kind, width)} {total}, {factor}")
        self.write(self.kind, self.out, at, total, width, mask)

    def _factor(self, width: int) -> str:
        return literal(self.kind, constant(self.kind, self.form.factor), width)
