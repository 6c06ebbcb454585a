"""Fourier transforms of numbers whose real and imaginary parts are two arrays.

All transforms are forward ones: with the parts exchanged, in what is read and in what is written, the
same code is the inverse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.panel_columns import mask_of
from wengert.engines.native.codegen.vectors import literal, llvm_type, power_within
from wengert.engines.native.frontend.fourier.forms import (
    FROM_REAL,
    FROM_ROWS,
    TO_REAL,
    TO_ROWS,
    Form,
    Pass,
    passes_of,
    roots_at,
)
from wengert.engines.native.frontend.scalar import constant
from wengert.values.open_size import is_open

Complex = tuple[str, str]


class Planes(NamedTuple):
    """Where the parts of numbers are; if `paired`, both are in one array, one after the other."""

    re: str
    im: str
    row: int  # the number of elements from one point of a transform to the next
    paired: bool = False


def transform(w: FunctionWriter, described: Sequence[Any]) -> None:
    """Transforms of a form: its arrays are planes, the table of factors, the results, and room."""
    form = Form(*described)
    writer = _Writer(w, form)
    if form.parts == 1 and not is_open((form.parts,)):
        w.loop(0, form.items, 1, lambda k, _: writer.item(k))
    else:
        w.share(str(form.each), str(form.items), writer.item)


class _Arithmetic:
    """Arithmetic on vectors of numbers."""

    def __init__(self, w: FunctionWriter, kind: str, width: int) -> None:
        self.w, self.kind, self.width = w, kind, width
        self.type = llvm_type(kind, width)

    def add(self, a: str, b: str) -> str:
        return self.w.set(f"fadd {self.type} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        return self.w.set(f"fsub {self.type} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        return self.w.set(f"fmul {self.type} {a}, {b}")

    def fma(self, a: str, b: str, c: str) -> str:
        return self.w.intrinsic("fma", self.kind, self.width, [a, b, c])

    def neg(self, a: str) -> str:
        return self.w.set(f"fneg {self.type} {a}")

    def number(self, x: float) -> str:
        return literal(self.kind, constant(self.kind, x), self.width)

    def spread(self, scalar: str) -> str:
        return self.w.spread(llvm_type(self.kind, 1), scalar, self.width)

    def sum(self, x: Complex, y: Complex) -> Complex:
        return self.add(x[0], y[0]), self.add(x[1], y[1])

    def difference(self, x: Complex, y: Complex) -> Complex:
        return self.sub(x[0], y[0]), self.sub(x[1], y[1])

    def product(self, x: Complex, y: Complex) -> Complex:
        re = self.fma(x[0], y[0], self.neg(self.mul(x[1], y[1])))
        return re, self.fma(x[0], y[1], self.mul(x[1], y[0]))

    def scaled(self, x: Complex, factor: float) -> Complex:
        if factor == 1.0:
            return x
        by = self.number(factor)
        return self.mul(x[0], by), self.mul(x[1], by)

    def shuffled(self, a: str, b: str, places: Sequence[int]) -> str:
        """Elements of two vectors by their places in both, one after the other."""
        chosen = ", ".join(f"i32 {at}" for at in places)
        return self.w.set(
            f"shufflevector {self.type} {a}, {self.type} {b}, <{len(places)} x i32> <{chosen}>"
        )

    # ---- transforms of few points ----------------------------------------------------------------

    def transformed(self, xs: Sequence[Complex]) -> list[Complex]:
        """The transform of as many points as a radix has."""
        return {2: self._two, 4: self._four, 8: self._eight}.get(len(xs), self._odd)(xs)

    def _two(self, xs: Sequence[Complex]) -> list[Complex]:
        return [self.sum(*xs), self.difference(*xs)]

    def _four(self, xs: Sequence[Complex]) -> list[Complex]:
        (a, b), (c, d) = self._two(xs[::2]), self._two(xs[1::2])
        down = self.add(b[0], d[1]), self.sub(b[1], d[0])  # b - i d
        up = self.sub(b[0], d[1]), self.add(b[1], d[0])
        return [self.sum(a, c), down, self.difference(a, c), up]

    def _eight(self, xs: Sequence[Complex]) -> list[Complex]:
        even, odd = self._four(xs[::2]), self._four(xs[1::2])
        plus, minus = self.number(math.sqrt(0.5)), self.number(-math.sqrt(0.5))
        (a, b), (c, d), (e, f) = odd[1:]
        turned = [(self.add(a, b), self.sub(b, a)), (self.sub(f, e), self.add(e, f))]
        first, last = [], []
        for k, sign in ((0, plus), (1, plus)):
            (x, y), (u, v) = even[1 + 2 * k], turned[k]
            signs = (sign, sign if k == 0 else minus)
            first.append((self.fma(signs[0], u, x), self.fma(signs[1], v, y)))
            signs = (minus, minus if k == 0 else plus)
            last.append((self.fma(signs[0], u, x), self.fma(signs[1], v, y)))
        x, y = even[2]
        middle = (self.add(x, d), self.sub(y, c)), (self.sub(x, d), self.add(y, c))
        return [
            self.sum(even[0], odd[0]), first[0], middle[0], first[1],
            self.difference(even[0], odd[0]), last[0], middle[1], last[1],
        ]  # fmt: skip

    def _odd(self, xs: Sequence[Complex]) -> list[Complex]:
        """By sums and differences of what is as far from the first point on both sides."""
        size, half = len(xs), len(xs) // 2
        pairs = [(xs[k], xs[size - k]) for k in range(1, half + 1)]
        sums = [self.sum(*pair) for pair in pairs]
        gaps = [self.difference(*pair) for pair in pairs]
        total = xs[0]
        for each in sums:
            total = self.sum(total, each)
        found = [total] * size
        for j in range(1, half + 1):
            angles = [2.0 * math.pi * (j * k % size) / size for k in range(1, half + 1)]
            near = self._combined(xs[0], [math.cos(a) for a in angles], sums)
            far = self._combined(None, [math.sin(a) for a in angles], gaps)
            found[j] = self.add(near[0], far[1]), self.sub(near[1], far[0])
            found[size - j] = self.sub(near[0], far[1]), self.add(near[1], far[0])
        return found

    def _combined(
        self, start: Complex | None, factors: Sequence[float], xs: Sequence[Complex]
    ) -> Complex:
        """A sum of multiples."""
        total: list[str] = list(start or ())
        for factor, x in zip(factors, xs, strict=True):
            by = self.number(factor)
            if total:
                total = [self.fma(by, part, now) for part, now in zip(x, total, strict=True)]
            else:
                total = [self.mul(by, part) for part in x]
        return total[0], total[1]

    # ---- rows side by side -----------------------------------------------------------------------

    def interleaved(self, rows: Sequence[str], block: int) -> list[str]:
        """The vectors of blocks from each row in turn; a vector has whole blocks at its beginning."""
        count, blocks = len(rows), self.width // block
        if count & (count - 1) or blocks * block != self.width:
            return self._chosen(rows, block, blocks)
        several = min(count, blocks)
        found = [self._woven(rows[k : k + several], block) for k in range(0, count, several)]
        return [vectors[k] for k in range(several) for vectors in found]

    def _woven(self, rows: Sequence[str], block: int) -> list[str]:
        """A power of two of rows, no more than a vector has blocks, by halves."""
        if len(rows) == 1:
            return list(rows)
        even, odd = self._woven(rows[::2], block), self._woven(rows[1::2], block)
        places = [
            base + k
            for at in range(0, self.width, block)
            for base in (at, at + self.width)
            for k in range(block)
        ]
        halves = places[: self.width], places[self.width :]
        return [self.shuffled(a, b, h) for a, b in zip(even, odd, strict=True) for h in halves]

    def _chosen(self, rows: Sequence[str], block: int, blocks: int) -> list[str]:
        """The same of any number of rows: each vector is chosen from one row after the other."""
        order = [
            (row, at * block + k)
            for at in range(blocks)
            for row in range(len(rows))
            for k in range(block)
        ]
        found = []
        for begin in range(0, len(order), self.width):
            wanted = order[begin : begin + self.width]
            now, have = "", set[int]()
            for row in sorted({row for row, _ in wanted}):
                if not now:
                    now, places = rows[row], [at for _, at in wanted]
                    places += [0] * (self.width - len(places))
                    now = self.shuffled(now, now, places)
                else:
                    places = [
                        self.width + at if r == row else k for k, (r, at) in enumerate(wanted)
                    ]
                    places += list(range(len(places), self.width))
                    now = self.shuffled(now, rows[row], places)
                have.add(row)
            found.append(now)
        return found


class _Writer:
    """Writes the passes of one item: some columns of a row of the outer axis, or a pair of rows."""

    def __init__(self, w: FunctionWriter, form: Form) -> None:
        self.w, self.form = w, form
        self.passes = passes_of(form)
        operands = 1 if form.ends in (FROM_REAL, FROM_ROWS) else 2
        results = 1 if form.ends in (TO_REAL, TO_ROWS) else 2
        self.read, self.table = w.arrays[:operands], w.arrays[operands]
        self.made = w.arrays[operands + 1 : operands + 1 + results]
        self.room = w.arrays[operands + 1 + results :]

    def item(self, number: str) -> None:
        w, form = self.w, self.form
        own = w.mul("%part", form.size * form.columns)
        room = [w.place(form.kind, x, own) for x in self.room]
        rooms = [Planes(*pair, form.columns) for pair in zip(room[::2], room[1::2], strict=True)]
        write = {
            FROM_REAL: self._from_real, TO_REAL: self._to_real,
            FROM_ROWS: self._from_rows, TO_ROWS: self._to_rows,
        }.get(form.ends, self._complex)  # fmt: skip
        write(number, rooms)

    def _complex(self, number: str, rooms: Sequence[Planes]) -> None:
        w, form = self.w, self.form
        row, block = w.div(number, form.blocks)
        column = w.mul(block, form.columns)
        if form.inner % form.columns:
            column = w.least(column, form.inner - form.columns)
        begin = w.add(w.mul(row, form.size * form.inner), column)
        source, target = (
            self._planes(arrays, begin, form.inner) for arrays in (self.read, self.made)
        )
        self._passes(source, target, [*rooms, target] if len(rooms) < 2 else rooms)

    def _planes(self, arrays: Sequence[str], begin: str, row: int) -> Planes:
        re, im = (self.w.place(self.form.kind, x, begin) for x in arrays)
        return Planes(re, im, row)

    def _passes(self, source: Planes, target: Planes, rooms: Sequence[Planes]) -> None:
        """All passes, by way of two rooms; what the last one reads is the first of them."""
        left = len(self.passes)
        for one in self.passes:
            left -= 1
            goal = target if not left else rooms[(left - 1) % 2]
            _PassWriter(self.w, self.form, one, self.table).write(source, goal, not left)
            source = goal

    # ---- real numbers ----------------------------------------------------------------------------

    # n real numbers are n / 2 complex ones z, whose parts are the elements of even and of odd index.
    # The transform X of the former has X[k] = E[k] + G[k], and X[n / 2 - k] is the conjugate of
    # E[k] - G[k]. 2 E[k] is Z[k] + conj(Z[n / 2 - k]), and 2 G[k] is -i w^k times their difference,
    # with the root of unity w = exp(-2 pi i / n).

    def _from_real(self, row: str, rooms: Sequence[Planes]) -> None:
        w, form = self.w, self.form
        x = w.place(form.kind, self.read[0], w.mul(row, 2 * form.size))
        made, whole = self._planes(self.made, w.mul(row, form.size + 1), 1), rooms[0]
        self._passes(Planes(x, x, 1, paired=True), whole, [made, whole])
        self._join_ends(whole, made, form.scale)
        self._join(whole, made, form.scale / 2)

    def _to_real(self, row: str, rooms: Sequence[Planes]) -> None:
        w, form = self.w, self.form
        read = self._planes(self.read, w.mul(row, form.size + 1), 1)
        y = w.place(form.kind, self.made[0], w.mul(row, 2 * form.size))
        first = rooms[(len(self.passes) - 1) % 2]
        self._join_ends(read, first, 1.0)
        self._join(read, first, 1.0)
        turned = list(map(_turned, rooms))  # it is an inverse transform
        self._passes(_turned(first), Planes(y, y, 1, paired=True), turned)

    def _join(self, source: Planes, target: Planes, scale: float) -> None:
        """Elements k and n / 2 - k of one transform from those of the other."""
        w, kind, size = self.w, self.form.kind, self.form.size
        roots = w.place(kind, self.table, roots_at(self.form))

        def join(at: _Mirror) -> None:
            a = at.a
            (x, y), (u, v) = at.numbers(source)
            plus = a.scaled((a.add(x, u), a.sub(y, v)), scale)
            minus = a.scaled((a.sub(x, u), a.add(y, v)), scale)
            c, s = (w.read(kind, roots, w.add(at.k, k), a.width) for k in (0, size // 2 + 1))
            turned = a.product(minus, (s, a.neg(c) if self.form.ends == FROM_REAL else c))
            high = a.difference(plus, turned)
            at.write(target, a.sum(plus, turned), (high[0], a.neg(high[1])))

        self._mirrored(join)

    def _join_ends(self, source: Planes, target: Planes, scale: float) -> None:
        """The element 0, and the one in the middle of the transform of real numbers."""
        w, kind, size = self.w, self.form.kind, self.form.size
        a = _Arithmetic(w, kind, 1)
        is_whole = self.form.ends == FROM_REAL
        end = (source.im, 0) if is_whole else (source.re, size)
        x, y = w.read(kind, source.re, 0, 1), w.read(kind, *end, 1)
        values = list(a.scaled((a.add(x, y), a.sub(x, y)), scale))
        places = [(target.re, 0), (target.re, size) if is_whole else (target.im, 0)]
        if is_whole:
            places += [(target.im, 0), (target.im, size)]
            values += [a.number(0.0)] * 2
        for (pointer, at), value in zip(places, values, strict=True):
            w.write(kind, pointer, at, value, 1)

    # Two rows x and y of n real numbers are the parts of one complex row z. Their transforms have
    # 2 X[k] = Z[k] + conj(Z[n - k]) and 2 i Y[k] = Z[k] - conj(Z[n - k]).

    def _from_rows(self, pair: str, rooms: Sequence[Planes]) -> None:
        w, form = self.w, self.form
        rows = self._pair(pair)
        x, y = (w.place(form.kind, self.read[0], w.mul(row, form.size)) for row in rows)
        whole = rooms[-1]
        self._passes(Planes(x, y, 1), whole, rooms)
        made = [self._planes(self.made, w.mul(r, form.size // 2 + 1), 1) for r in rows]
        one = _Arithmetic(w, form.kind, 1)
        first = w.read(form.kind, whole.re, 0, 1), w.read(form.kind, whole.im, 0, 1)
        for to, number in zip(made, one.scaled(first, form.scale), strict=True):
            w.write(form.kind, to.re, 0, number, 1)
            w.write(form.kind, to.im, 0, one.number(0.0), 1)

        def part(at: _Mirror) -> None:
            a = at.a
            (x, y), (u, v) = at.numbers(whole)
            at.write(made[0], a.scaled((a.add(x, u), a.sub(y, v)), form.scale / 2))
            at.write(made[1], a.scaled((a.add(y, v), a.sub(u, x)), form.scale / 2))

        self._mirrored(part)

    def _to_rows(self, pair: str, rooms: Sequence[Planes]) -> None:
        w, form = self.w, self.form
        rows = self._pair(pair)
        read = [self._planes(self.read, w.mul(r, form.size // 2 + 1), 1) for r in rows]
        whole = rooms[(len(self.passes) - 1) % 2]
        for source, to in zip(read, whole[:2], strict=True):
            w.write(form.kind, to, 0, w.read(form.kind, source.re, 0, 1), 1)

        def join(at: _Mirror) -> None:
            a = at.a
            (p, q), (r, t) = (at.here(x) for x in read)
            at.write(whole, (a.sub(p, t), a.add(q, r)), (a.add(p, t), a.sub(r, q)))

        self._mirrored(join)
        x, y = (w.place(form.kind, self.made[0], w.mul(row, form.size)) for row in rows)
        turned = list(map(_turned, rooms))  # it is an inverse transform
        self._passes(_turned(whole), Planes(y, x, 1), turned)

    def _pair(self, number: str) -> tuple[str, str]:
        """The rows of a pair; the last one is its own partner if their number is odd."""
        w, first = self.w, self.w.mul(number, 2)
        return first, w.least(w.add(first, 1), w.sub(str(self.form.outer), 1))

    def _mirrored(self, body: Callable[[_Mirror], None]) -> None:
        """A loop over vectors of places, and those as far from the other end."""
        w, form = self.w, self.form
        count = form.size // 2
        if not count:
            return
        a = _Arithmetic(w, form.kind, min(form.lanes, power_within(count)))

        def each(i: str, _: list[str]) -> None:
            k = w.add(w.least(i, count - a.width) if count % a.width else i, 1)
            body(_Mirror(a, k, w.sub(form.size - a.width + 1, k)))

        w.loop(0, count, a.width, each)


def _turned(planes: Planes) -> Planes:
    """The same with the parts exchanged."""
    return Planes(planes.im, planes.re, planes.row)


class _Mirror(NamedTuple):
    """Places of a row, and those as far from its other end, where a vector is read and written in reverse."""

    a: _Arithmetic
    k: str
    far: str

    def here(self, x: Planes) -> Complex:
        re, im = (self.a.w.read(self.a.kind, part, self.k, self.a.width) for part in x[:2])
        return re, im

    def numbers(self, x: Planes) -> tuple[Complex, Complex]:
        """The numbers here and there."""
        re, im = (self.a.w.read(self.a.kind, part, self.far, self.a.width) for part in x[:2])
        return self.here(x), (self._reversed(re), self._reversed(im))

    def write(self, x: Planes, here: Complex, there: Complex | None = None) -> None:
        w, a = self.a.w, self.a
        for part, value in zip(x[:2], here, strict=True):
            w.write(a.kind, part, self.k, value, a.width)
        for part, value in zip(x[:2], there or (), strict=False):
            w.write(a.kind, part, self.far, self._reversed(value), a.width)

    def _reversed(self, x: str) -> str:
        width = self.a.width
        return x if width == 1 else self.a.shuffled(x, x, range(width - 1, -1, -1))


class _PassWriter:
    """Writes one pass of a transform."""

    def __init__(self, w: FunctionWriter, form: Form, one: Pass, table: str) -> None:
        self.w, self.form, self.one = w, form, one
        self.kind, self.width = form.kind, one.width
        self.a = _Arithmetic(w, form.kind, one.width)
        self.factors = w.place(form.kind, table, one.factors)

    def write(self, source: Planes, target: Planes, is_last: bool) -> None:
        self.source, self.target = source, target
        self.scale = (
            self.form.scale if is_last and self.form.ends not in (FROM_REAL, FROM_ROWS) else 1.0
        )
        if self.form.is_wide:
            self._by_columns()
        elif self.one.span * self.form.inner < self.width:
            self._by_groups()
        else:
            self._by_elements()

    def _combined(
        self, load: Callable[[int], Complex], factors: Sequence[Complex]
    ) -> list[Complex]:
        """The results for one vector of transforms."""
        xs = [load(k) for k in range(self.one.radix)]
        if factors:
            xs[1:] = [self.a.product(x, f) for x, f in zip(xs[1:], factors, strict=True)]
        return [self.a.scaled(y, self.scale) for y in self.a.transformed(xs)]

    def _by_columns(self) -> None:
        """Vectors of columns, all of which are multiplied by the same factors."""
        w, one, a = self.w, self.one, self.a
        columns = self.form.columns
        rows = one.span * one.many  # from one operand of a butterfly to the next

        def butterfly(p: str, q: str) -> None:
            factors: list[Complex] = []
            if one.span > 1:
                at = w.place(self.kind, self.factors, w.mul(q, 2 * (one.radix - 1)))
                numbers = [
                    a.spread(w.read(self.kind, at, k, 1)) for k in range(2 * (one.radix - 1))
                ]
                factors = list(zip(numbers[::2], numbers[1::2], strict=True))
            source = w.mul(w.add(w.mul(p, one.span), q), self.source.row)
            target = w.mul(w.add(w.mul(p, one.span * one.radix), q), self.target.row)

            def some(i: str, _: list[str]) -> None:
                column = w.least(i, columns - self.width) if columns % self.width else i
                here, there = w.add(source, column), w.add(target, column)
                ys = self._combined(
                    lambda k: self._loaded(w.add(here, k * rows * self.source.row)), factors
                )
                for j, y in enumerate(ys):
                    self._stored(w.add(there, j * one.span * self.target.row), y)

            w.loop(0, columns, self.width, some)

        w.loop(
            0,
            one.many,
            1,
            lambda p, _: w.loop(0, one.span, 1, lambda q, _: butterfly(p, q)) and None,
        )

    def _by_elements(self) -> None:
        """Vectors of adjacent elements of one transform."""
        w, one = self.w, self.one
        span = one.span * self.form.inner
        rows = span * one.many

        def run(p: str, _: list[str]) -> None:
            source, target = w.mul(p, span), w.mul(p, span * one.radix)

            def some(i: str, _: list[str]) -> None:
                q = w.least(i, span - self.width) if span % self.width else i
                factors: list[Complex] = []
                if one.span > 1:
                    factors = self._factors(span, q)
                here, there = w.add(source, q), w.add(target, q)
                ys = self._combined(lambda k: self._loaded(w.add(here, k * rows)), factors)
                for j, y in enumerate(ys):
                    self._stored(w.add(there, j * span), y)

            w.loop(0, span, self.width, some)

        w.loop(0, one.many, 1, run)

    def _by_groups(self) -> None:
        """Vectors of several small transforms, whose results are written side by side."""
        w, one, a = self.w, self.one, self.a
        span = one.span * self.form.inner
        rows = span * one.many
        taken = self.width // span * span  # elements of a vector
        mask = mask_of(taken, self.width)
        factors = self._factors(self.width, "0") if one.span > 1 else []

        def some(i: str, _: list[str]) -> None:
            at = w.least(i, rows - taken) if rows % taken else i
            ys = self._combined(lambda k: self._loaded(w.add(at, k * rows), mask), factors)
            begin = w.mul(at, one.radix)
            parts = [a.interleaved([y[part] for y in ys], span) for part in (0, 1)]
            for k, y in enumerate(zip(*parts, strict=True)):
                left = taken * one.radix - k * self.width
                cut = mask_of(left, self.width)
                self._stored(w.add(begin, k * self.width), y, cut)

        w.loop(0, rows, taken, some)

    def _factors(self, row: int, at: str) -> list[Complex]:
        """The factors of all operands but the first one, from rows of the table."""
        rows = [
            self.w.read(self.kind, self.factors, self.w.add(at, k * row), self.width)
            for k in range(2 * (self.one.radix - 1))
        ]
        return list(zip(rows[::2], rows[1::2], strict=True))

    def _loaded(self, at: str, mask: str | None = None) -> Complex:
        w, width, source = self.w, self.width, self.source
        if not source.paired:
            re, im = (w.read(self.kind, x, at, width, mask) for x in source[:2])
            return re, im
        first = w.mul(at, 2)
        if width == 1:
            re, im = (w.read(self.kind, source.re, w.add(first, k), 1) for k in (0, 1))
            return re, im
        both = w.read(self.kind, source.re, first, 2 * width)
        halves = _Arithmetic(w, self.kind, 2 * width)
        re, im = (halves.shuffled(both, both, range(k, 2 * width, 2)) for k in (0, 1))
        return re, im

    def _stored(self, at: str, y: Complex, mask: str | None = None) -> None:
        w, width, target = self.w, self.width, self.target
        if not target.paired:
            for x, value in zip(target[:2], y, strict=True):
                w.write(self.kind, x, at, value, width, mask)
            return
        first = w.mul(at, 2)
        y = y[1], y[0]  # of an inverse transform: see `_to_real`
        if width == 1:
            for k, value in enumerate(y):
                w.write(self.kind, target.re, w.add(first, k), value, 1)
            return
        places = [at + k * width for at in range(width) for k in (0, 1)]
        w.write(self.kind, target.re, first, self.a.shuffled(*y, places), 2 * width)
