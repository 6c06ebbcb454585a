"""Code generation for matrix products: blocks of the left matrix times panels of the right one.

The panel is packed into the L1 cache in the order in which it is read; a block's sums stay in
registers. Elementwise code on an operand runs while it is packed; an epilogue (`program.epilogue`)
runs as soon as the sums are complete.
"""

from __future__ import annotations

from typing import Any, Final

from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.gemm_forms import (
    Form,
    Function,
    blocks_of,
    depth,
    has_vector,
    left_size,
    packs_left,
    pieces,
    rows_of,
    vectors_of,
)
from wengert.engines.native.codegen.panel_columns import OpenPanelColumns, PanelColumns, mask_of
from wengert.engines.native.codegen.squares import turned
from wengert.engines.native.codegen.vector_products import vector_product_text
from wengert.engines.native.codegen.vectors import literal, llvm_type
from wengert.engines.native.frontend.arrays import Source
from wengert.engines.native.frontend.scalar import constant
from wengert.engines.native.runtime.processor import vector_bytes
from wengert.values.open_size import OpenSize

CACHE_LINE: Final = 64  # bytes
# Rows of a left matrix that are packed together, so that their cache lines are reused.
TILE: Final = 16


def product_text(form: Form, finish: Any = None) -> Function:
    """The function of a product, including its epilogue if there is one."""
    if has_vector(form):
        return vector_product_text(form)
    product = _Product(form, finish)
    if finish is not None:
        product.calls.update(dict.fromkeys(finish.calls))
    return product.function()


class _Product(FunctionWriter):
    """Writes the function of a product, whose arguments are the arrays and offsets of the matrices.

    An inner axis that is too long for a panel is cut into pieces, whose products are added up in
    the result. A left matrix that is column-major is packed for each piece.
    """

    def __init__(self, form: Form, finish: Any = None) -> None:
        self.form, self.kind, self.finish = form, form.kind, finish
        self.packs = packs_left(form)
        own = 3 + self.packs
        super().__init__(own, 0 if finish is None else len(finish.arrays))
        self.width = vector_bytes() // int(form.kind[1])
        self.kinds = llvm_type(form.kind, self.width)
        self.lanes = vectors_of(form) * self.width
        self.together = rows_of(form)  # rows of a block
        self.blocks, self.deep, self.pieces = blocks_of(form), depth(form), pieces(form)
        self.panel = self._room(self.deep)
        self.sums = ""  # a buffer for the sums that the epilogue reads, if not the result itself
        if finish is not None:
            finish.begin(self, own, self.width if finish.is_light else self.lanes)
            if not finish.is_light and not finish.in_memory:
                self.sums = self._room(self.together + 1)
        self.which, split = self.div("%part", form.splits)
        self._find_matrices()
        self._multiply(split)

    def _room(self, rows: int) -> str:
        """Memory for so many rows of a panel's width."""
        scalar = llvm_type(self.kind, 1)
        return self.set(f"alloca {scalar}, i64 {rows * self.lanes}, align 64")

    def _find_matrices(self) -> None:
        """Set the pointers to the matrices of this part."""
        sources = (self.form.left, self.form.right, None)
        kinds = [self.kind if x is None else x.kind for x in sources]
        self.a, self.b, self.c = self.matrices(kinds, self.which)

    def _multiply(self, split: str) -> None:
        """Loop over the pieces of the inner axis, and over the panels of each."""
        form = self.form
        panels, rest = divmod(form.n, self.lanes)
        columns, rows = (0, panels), (0, self.blocks)
        if form.m >= form.n:
            rows = self.portion(split, self.blocks, form.splits)
        else:
            columns = self.portion(split, panels, form.splits)
        self.begin, self.end = rows
        begin, end = (self.mul(x, self.lanes) for x in columns)

        def piece(number: str, _: list[str]) -> None:
            self.first, self.count = "0", str(form.k)
            if self.pieces > 1:
                ends = [self.mul(self.add(number, x), form.k) for x in (0, 1)]
                self.first, after = (self.div(x, self.pieces)[0] for x in ends)
                self.count = self.sub(after, self.first)
            if self.packs:
                self._copy_left()
            full = PanelColumns(self, self.width, self.lanes)
            self.loop(begin, end, self.lanes, lambda j, _: self._panel(j, full))
            if rest or type(form.n) is OpenSize:
                last = self.set(f"icmp eq i64 {columns[1]}, {panels}")
                self.when(last, lambda: self._edge(panels * self.lanes, rest))

        if self.pieces == 1:
            piece("0", [])
        else:
            self.loop(0, self.pieces, 1, piece)

    def _element(
        self, source: Source | None, pointer: str, at: Any, width: int, mask: str | None = None
    ) -> str:
        """Load elements of an operand, and apply its scalar code."""
        if source is None:
            return self.read(self.kind, pointer, at, width, mask)
        x = self.read(source.kind, pointer, at, width, mask)
        return self.code(source.code, [x], width, [source.value], self.called)[0]

    def _right(self, at: Any, width: int, mask: str | None = None) -> str:
        return self._element(self.form.right, self.b, at, width, mask)

    def _left(self, at: Any, width: int, mask: str | None = None) -> str:
        return self._element(self.form.left, self.a, at, width, mask)

    def _edge(self, j: int, rest: int) -> None:
        """The last panel, which has fewer columns, or none if their number is known only then."""
        if type(self.form.n) is not OpenSize:
            self._panel(str(j), PanelColumns(self, self.width, rest))
            return
        left = self.sub(self.form.n, j)

        def panel() -> None:
            self._panel(str(j), OpenPanelColumns(self, self.width, self.lanes // self.width, left))

        self.when(self.set(f"icmp ne i64 {left}, 0"), panel)

    def _panel(self, j: str, columns: PanelColumns) -> None:
        """All rows of the result, for the columns of one panel."""
        if self.form.turned_b:
            self._copy_turned(j, columns)
        else:
            self._copy(j, columns)

        def done(i: str, first: str, rows: str) -> None:
            if self.finish is not None and not self.finish.is_light:
                self._when_complete(lambda: self._finish(i, first, rows, j, columns))

        def block(i: str, first: str, rows: int) -> None:
            self._block(i, first, rows, j, columns)

        self._each_block(block, done)

    def _when_complete(self, body: Any) -> None:
        """After the last piece of the inner axis."""
        if self.pieces == 1:
            body()
        else:
            end = self.add(self.first, self.count)
            self.when(self.set(f"icmp eq i64 {end}, {self.form.k}"), body)

    # ---- the epilogue --------------------------------------------------------------------------

    def _begin_finish(self, i: str, first: str) -> str:
        """The first row of the block, counted over all products of the batch."""
        self.finish.begin_block(self.add(self.mul(self.which, self.blocks), i))
        return self.add(self.mul(self.which, self.form.m), first)

    def _finish(self, i: str, first: str, rows: str, j: str, columns: PanelColumns) -> None:
        """Run the epilogue row by row, while the block is in the L1 cache."""
        top, mask = self._begin_finish(i, first), columns.mask(0, self.lanes)

        def row(q: str, _: list[str]) -> None:
            sums = ""
            if self.sums:
                here = self.sub(self.mul(q, self.lanes), j)
                sums = self.place(self.kind, self.sums, here)
            self.finish.begin_row(self.add(top, q), sums)
            self.finish.add_columns(j, mask, self.finish.vector(j, mask))

        self.finish.start_columns(j, mask)
        self.loop(0, rows, 1, row)

    def _finish_registers(
        self, i: str, first: str, j: str, columns: PanelColumns, sums: list[str]
    ) -> None:
        """Run the epilogue on the sums of a block while they are in registers."""
        top, vectors = self._begin_finish(i, first), columns.vectors
        places = [(self.add(j, v * self.width), columns.mask(v)) for v in range(vectors)]
        totals: list[list[str]] = []
        for row in range(len(sums) // vectors):
            self.finish.begin_row(self.add(top, row))
            own = sums[row * vectors : (row + 1) * vectors]
            found = [self.finish.vector(*p, s) for p, s in zip(places, own, strict=True)]
            pairs = zip(totals, found, strict=True) if totals else ()
            totals = [self.finish.added(x, y) for x, y in pairs] or found
        for place, total in zip(places, totals, strict=True):
            self.finish.put_columns(*place, total)

    def _row(self, block: Any) -> str:
        """The first row of a block: the numbers of rows in blocks differ by at most one."""
        return self.div(self.mul(block, self.form.m), self.blocks)[0]

    def _each_block(self, body: Any, done: Any = None) -> None:
        """Loop over blocks: `body(block, first row, rows)` in its two sizes; then `done`."""
        least, differ = self._rows_of_blocks()

        def block(i: str, _: list[str]) -> None:
            first = self._row(i)
            rows = str(least)
            if differ:
                rows = self.sub(self._row(self.add(i, 1)), first)
                large = self.set(f"icmp ne i64 {rows}, {least}")
                self.when(large, lambda: body(i, first, least + 1))
                small = self.set(f"xor i1 {large}, true")
                self.when(small, lambda: body(i, first, least))
            else:
                body(i, first, least)
            if done is not None:
                done(i, first, rows)

        self.loop(self.begin, self.end, 1, block)

    def _rows_of_blocks(self) -> tuple[int, bool]:
        """The least number of rows in a block, and whether there may be blocks of one row more."""
        least, more = divmod(self.form.m, self.blocks)
        if type(self.form.m) is not OpenSize:
            return least, more > 0
        return int(least) - (not more and least == self.together), True

    # ---- the panel -----------------------------------------------------------------------------

    def _copy(self, j: str, columns: PanelColumns) -> None:
        vectors = columns.vectors

        def row(p: str, _: list[str]) -> None:
            begin = self.add(self.mul(self.add(self.first, p), self.form.ldb), j)
            target = self.place(self.kind, self.panel, self.mul(p, vectors * self.width))
            for v in range(vectors):
                at = self.add(begin, v * self.width)
                x = self._right(at, self.width, columns.mask(v))
                self.write(self.kind, target, v * self.width, x, self.width)

        self.loop(0, self.count, 1, row)

    def _copy_turned(self, j: str, columns: PanelColumns) -> None:
        """Transpose square tiles of the matrix in registers; the last one overlaps another."""
        vectors = columns.vectors
        if self.form.k < self.width:
            self._copy_single(j, columns)
            return
        last = self.sub(self.count, self.width)

        def vector(begin: str, _: list[str]) -> None:
            places = [columns.inside(self.add(begin, i)) for i in range(self.width)]
            lines = [
                self.add(self.mul(self.add(j, place), self.form.ldb), self.first)
                for place in places
            ]

            def square(p: str, _: list[str]) -> None:
                at = self.least(p, last)
                given = [self._right(self.add(line, at), self.width) for line in lines]
                for i, x in enumerate(turned(self, self.kind, given)):
                    row = self.mul(self.add(at, i), vectors * self.width)
                    self.write(self.kind, self.panel, self.add(row, begin), x, self.width)

            self.loop(0, self.count, self.width, square)

        self.loop(0, vectors * self.width, self.width, vector)

    def _copy_single(self, j: str, columns: PanelColumns) -> None:
        count = columns.vectors * self.width
        for p in range(self.form.k):
            for i in range(count):
                place = self.add(self.mul(self.add(j, columns.inside(i)), self.form.ldb), p)
                x = self._right(place, 1)
                self.write(self.kind, self.panel, p * count + i, x, 1)

    # ---- the left matrix -----------------------------------------------------------------------

    def _copy_left(self) -> None:
        """Pack the rows of this part and piece, so that each block reads them sequentially."""
        size = left_size(self.form)
        self.left = self.place(self.kind, self.arrays[3], self.mul("%part", size))
        self.top = self._row(self.begin)

        def some(t: str, _: list[str]) -> None:
            end = self.least(self.add(t, TILE), self.count)
            self._each_block(lambda _, first, rows: self._copy_block(first, rows, t, end))

        self.loop(0, self.count, TILE, some)

    def _copy_block(self, first: str, rows: int, begin: str, end: str) -> None:
        source = self.add(self.mul(self.first, self.form.lda), first)
        target = self._packed(first)

        def row(p: str, _: list[str]) -> None:
            here = self.add(source, self.mul(p, self.form.lda))
            there = self.place(self.kind, target, self.mul(p, rows))
            for v in range(-(-rows // self.width)):
                at = self.add(here, v * self.width)
                x = self._left(at, self.width, mask_of(rows - v * self.width, self.width))
                # The next row overwrites the excess; after the last one there is padding.
                self.write(self.kind, there, v * self.width, x, self.width)

        self.loop(begin, end, 1, row)

    def _packed(self, first: str) -> str:
        """The address of a block in the packed copy."""
        size = self.deep + self.width
        return self.place(self.kind, self.left, self.mul(self.sub(first, self.top), size))

    # ---- sums ----------------------------------------------------------------------------------

    def _block(self, number: str, first: str, rows: int, j: str, columns: PanelColumns) -> None:
        """Compute a block: some rows of the result, for the columns of the panel."""
        form, vectors = self.form, columns.vectors
        if self.packs:
            left, along, down = self._packed(first), rows, 1
        else:
            along, down = (form.lda, 1) if form.turned_a else (1, form.lda)
            place = self.add(self.mul(first, down), self.mul(self.first, along))
            left = self.place(self.kind, self.a, place)

        def add(p: str, sums: list[str]) -> list[str]:
            begin = self.place(self.kind, left, self.mul(p, along))
            panel = self.place(self.kind, self.panel, self.mul(p, vectors * self.width))
            right = [
                self.read(self.kind, panel, v * self.width, self.width) for v in range(vectors)
            ]
            for i, line in enumerate(self._rows_of_left(begin, rows, down)):
                x = self.read(self.kind, line, 0, 1)
                number = self.spread(llvm_type(self.kind, 1), x, self.width)
                for v, y in enumerate(right):
                    s = i * vectors + v
                    sums[s] = self.intrinsic("fma", self.kind, self.width, [number, y, sums[s]])
            return sums

        target = self.place(self.kind, self.c, self.add(self.mul(first, form.ldc), j))
        if self.finish is None or self.finish.in_memory:
            self._fetch(target, rows)
        zero = literal(self.kind, b"\0" * 8, self.width)
        sums = self.loop(0, self.count, 1, add, [(self.kinds, zero)] * (rows * vectors))
        row = form.ldc
        if self.sums:
            target, row = self.sums, self.lanes
        places = [
            (i * row + v * self.width, None if self.sums else columns.mask(v))
            for i in range(rows)
            for v in range(vectors)
        ]
        totals = self._totals(sums, target, places)
        light = self.finish is not None and self.finish.is_light
        if not light or self.finish.in_memory:
            for (at, mask), total in zip(places, totals, strict=True):
                self.write(self.kind, target, at, total, self.width, mask)
        if light:
            self._when_complete(lambda: self._finish_registers(number, first, j, columns, totals))

    def _rows_of_left(self, begin: str, rows: int, down: int) -> list[str]:
        """The addresses of the next elements of the rows of a block.

        If it is known only then how far rows are apart, four of them are written as an address and
        once, twice and three times that distance: so all fit into the registers.
        """
        if type(down) is not OpenSize:
            return [self.place(self.kind, begin, i * down) for i in range(rows)]
        found = []
        for i in range(0, rows, 4):
            first = self.place(self.kind, begin, i * down) if i else begin
            steps = [down, self.mul(down, 2), 3 * down][: rows - i - 1]
            found += [first, *[self.place(self.kind, first, step) for step in steps]]
        return found

    def _fetch(self, target: str, rows: int) -> None:
        """Prefetch the rows of the result into the L1 cache while their sums are computed."""
        line = CACHE_LINE // int(self.kind[1])
        for i in range(rows):
            for at in range(0, self.lanes, line):
                self._prefetch(self.place(self.kind, target, i * self.form.ldc + at))

    def _prefetch(self, place: str) -> None:
        """Prefetch a cache line that will be written."""
        name = "@llvm.prefetch.p0"
        self.declarations.add(f"declare void {name}(ptr, i32, i32, i32)")
        self.do(f"call void {name}(ptr {place}, i32 1, i32 3, i32 1)")

    def _totals(self, sums: list[str], target: str, places: Any) -> list[str]:
        """What is stored: the sums times the factor, plus what the result holds already."""
        form = self.form
        factor = literal(self.kind, constant(self.kind, form.factor), self.width)

        def times() -> list[str]:
            if form.factor == 1.0:
                return sums
            return [self.set(f"fmul {self.kinds} {s}, {factor}") for s in sums]

        def added() -> list[str]:
            return [
                self.intrinsic("fma", self.kind, self.width, [factor, s, before])
                for s, before in zip(
                    sums,
                    [self.read(self.kind, target, at, self.width, m) for at, m in places],
                    strict=True,
                )
            ]

        if form.onto:
            return added()
        if self.pieces == 1:
            return times()
        begun = self.set(f"icmp ne i64 {self.first}, 0")
        return self.when(begun, added, [(self.kinds, s) for s in times()])
