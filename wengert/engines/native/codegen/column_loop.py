"""LLVM IR for the loop over the columns of a row, vectorized, with accumulators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.engines.native.codegen.combine import combine, neutral
from wengert.engines.native.codegen.memory_access import add_terms, first
from wengert.engines.native.codegen.vectors import Body, literal, llvm_type
from wengert.engines.native.frontend.arrays import Reduction
from wengert.engines.native.frontend.scalar import is_float
from wengert.values.open_size import is_open, of_both

CHUNK: Final = 128  # terms that are added sequentially; longer sums are sums of chunks
MOST_WRITTEN_OUT: Final = 8  # vectors of a row with several lines


class ColumnLoop:
    """Writes the loops of a function over columns."""

    def __init__(
        self, body: Body, width: int, columns: int, line: int, is_cut: bool, strips: bool
    ) -> None:
        self.body = body
        self.width = width  # of a vector
        self.columns = columns
        self.line = line  # columns along one axis: all, unless a row has several
        self.is_cut = is_cut  # whether the last row, or the last strip of columns, is shorter
        self.strips = strips
        self.limit = str(columns)  # those of the current row
        self.place = "0", "0"  # the line of the current vector, and where in it the vector begins
        self.vectors = self._written_out()

    def _written_out(self) -> int:
        """The vectors of a row if their places are known where the code is written; or 0."""
        if self.strips or self.is_cut or is_open((self.columns, self.line)):
            return 0
        count = self.columns // max(self.line, 1) * -(-self.line // self.width)
        return count if count <= (2 if self.line == self.columns else MOST_WRITTEN_OUT) else 0

    def over_columns(
        self, name: str, items: Sequence[Reduction], body: Any, whole_row: bool = False
    ) -> list[str]:
        """The loop, and its body again for the remainder; gives the sums of the items."""

        def run(j: str, mask: str | None, now: list[str]) -> list[str]:
            found: list[str]
            found = body(j, self.width, mask) if whole_row else body(j, self.width, mask, now)
            return found

        nothing = self._nothings(items)
        if self.is_cut and (self.strips or not whole_row):
            return self._columns_of_any_row(name, items, self.limit, run, nothing)
        if self.line is self.columns:
            return self._over_line(name, items, run, nothing)
        return self._over_lines(name, items, run, nothing)

    def _over_lines(
        self, name: str, items: Sequence[Reduction], run: Any, now: list[str]
    ) -> list[str]:
        """The loop over the lines of a row, where it has several axes."""

        def one(number: str, _: str | None, now: list[str], name: str = f"{name}.v") -> list[str]:
            begin = add_terms(self.body, 0, [(number, self.line)])

            def vector(at: str, mask: str | None, now: list[str]) -> list[str]:
                self.place = number, at
                return run(add_terms(self.body, 0, [(begin, 1), (at, 1)]), mask, now)  # type: ignore[no-any-return]

            if self.vectors or self.line <= self.width:
                return self._over_line(name, items, vector, now)
            # A sum of its own: lines do not wait for each other, and rounding errors stay small.
            found = self._over_line(name, items, vector, self._nothings(items))
            return self._combined(items, now, found)

        lines = of_both(lambda a, b: a // b if b else 0, self.columns, self.line)
        if self.vectors:
            for k in range(lines):
                now = one(str(k), None, now, f"{name}.v{k}")
            return now

        def all_lines(now: list[str]) -> list[str]:
            return self._in_chunks(name, items, str(lines), self._levels_of(items, lines), one, now, unit=1)  # fmt: skip

        if not is_open((lines,)):
            return all_lines(now)
        return self._if(f"{name}.any", self.body.set(f"icmp ne i64 {lines}, 0"), items, now, all_lines)  # fmt: skip

    def _over_line(
        self, name: str, items: Sequence[Reduction], run: Any, now: list[str]
    ) -> list[str]:
        width = self.width
        if is_open((self.line,)):
            return self._columns_of_any_row(name, items, str(self.line), run, now)
        full, rest = divmod(self.line, width)
        if full == 1 or self.vectors:
            for k in range(full):
                now = run(str(k * width), None, now)
        elif full:
            levels = self._levels_of(items, full)
            now = self._in_chunks(name, items, str(full * width), levels, run, now)
        if rest:
            ones = ", ".join(f"i1 {'true' if k < rest else 'false'}" for k in range(width))
            now = run(str(full * width), f"<{ones}>", now)
        return now

    def _nothings(self, items: Sequence[Reduction]) -> list[str]:
        """The initial values of vectors of accumulators."""
        return [literal(x.kind, neutral(x.how, x.kind), self.width) for x in items]

    def _kind(self, item: Reduction) -> str:
        """The type of a vector of accumulators."""
        return llvm_type(item.kind, self.width)

    def _combined(
        self, items: Sequence[Reduction], some: Sequence[str], others: Sequence[str]
    ) -> list[str]:
        return [
            combine(self.body, item.how, item.kind, a, b, self.width)
            for item, a, b in zip(items, some, others, strict=True)
        ]

    def _levels_of(self, items: Sequence[Reduction], count: int) -> int:
        """The depth of nested partial sums of so many terms, which keep the rounding error small."""
        if not any(is_float(item.kind) and item.how in ("sum", "prod") for item in items):
            return 0
        levels = 0
        while count >= 2 * CHUNK:
            levels, count = levels + 1, count // CHUNK
        return levels

    def _in_chunks(
        self,
        name: str,
        items: Sequence[Reduction],
        end: str,
        levels: int,
        run: Any,
        now: list[str],
        begin: str = "0",
        unit: int = 0,
    ) -> list[str]:
        """A loop over vectors, or lines, or over chunks of them, whose partial sums are combined."""
        kinds = [*map(self._kind, items)]
        unit = unit or self.width
        if not levels:
            return self._counted(name, kinds, end, run, now, begin, unit)
        body, step = self.body, unit * CHUNK**levels

        def chunk(j: str, _: str | None, now: list[str]) -> list[str]:
            full = body.set(f"add i64 {j}, {step}")
            beyond = body.set(f"icmp ugt i64 {full}, {end}")
            edge = body.set(f"select i1 {beyond}, i64 {end}, i64 {full}")
            nothing = self._nothings(items)
            found = self._in_chunks(f"{name}.c", items, edge, levels - 1, run, nothing, j, unit)
            return self._combined(items, now, found)

        return self._counted(name, kinds, end, chunk, now, begin, step)

    def _counted(
        self,
        name: str,
        kinds: Sequence[str],
        end: str,
        run: Any,
        start: Sequence[str],
        begin: str,
        step: int,
    ) -> list[str]:
        lines = self.body
        lines.do(f"br label %{name}.from")
        lines.label(f"{name}.from")
        lines.do(f"br label %{name}")
        lines.label(name)
        hole = len(lines.lines)
        now = [f"%{name}.a{k}" for k in range(len(kinds))]
        then = run(f"%{name}.j", None, list(now))
        lines.do(f"br label %{name}.end")
        lines.label(f"{name}.end")
        phis = [f"%{name}.j = phi i64 [ {begin}, %{name}.from ], [ %{name}.next, %{name}.end ]"]
        phis += [
            f"{a} = phi {kind} [ {before}, %{name}.from ], [ {b}, %{name}.end ]"
            for a, b, kind, before in zip(now, then, kinds, start, strict=True)
        ]
        lines.lines[hole:hole] = phis
        lines.do(f"%{name}.next = add i64 %{name}.j, {step}")
        lines.do(f"%{name}.more = icmp ult i64 %{name}.next, {end}")
        lines.do(f"br i1 %{name}.more, label %{name}, label %{name}.done")
        lines.label(f"{name}.done")
        return then  # type: ignore[no-any-return]

    def _columns_of_any_row(
        self, name: str, items: Sequence[Reduction], limit: str, run: Any, now: list[str]
    ) -> list[str]:
        """The loop if their number is known only then: full vectors, then a masked one."""
        lines, width = self.body, self.width
        end = lines.set(f"and i64 {limit}, {-width}")
        levels = self._levels_of(items, self.line // width)

        def full_vectors(now: list[str]) -> list[str]:
            return self._in_chunks(name, items, end, levels, run, now)

        some = lines.set(f"icmp ne i64 {end}, 0")
        now = self._if(f"{name}.some", some, items, now, full_vectors)
        if width == 1:
            return now
        left = lines.set(f"sub i64 {limit}, {end}")

        def masked(now: list[str]) -> list[str]:
            return run(end, first(lines, left, 0, width), list(now))  # type: ignore[no-any-return]

        some = lines.set(f"icmp ne i64 {left}, 0")
        return self._if(f"{name}.left", some, items, now, masked)

    def _if(
        self,
        name: str,
        condition: str,
        items: Sequence[Reduction],
        now: list[str],
        run: Callable[[list[str]], list[str]],
    ) -> list[str]:
        """Sums to which something is added on a condition."""
        lines = self.body
        lines.do(f"br label %{name}.before")
        lines.label(f"{name}.before")
        lines.do(f"br i1 {condition}, label %{name}.then, label %{name}.over")
        lines.label(f"{name}.then")
        then = run(now)
        lines.do(f"br label %{name}.end")
        lines.label(f"{name}.end")
        lines.do(f"br label %{name}.over")
        lines.label(f"{name}.over")
        found = []
        for k, (item, a, b) in enumerate(zip(items, now, then, strict=True)):
            lines.do(
                f"%{name}.m{k} = phi {self._kind(item)} [ {a}, %{name}.before ], [ {b}, %{name}.end ]"
            )
            found.append(f"%{name}.m{k}")
        return found
