"""LLVM IR for the loop over the columns of a row, vectorized, with accumulators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wengert.engines.native.codegen.combine import combine, neutral
from wengert.engines.native.codegen.memory_access import first
from wengert.engines.native.codegen.vectors import Body, literal, llvm_type
from wengert.engines.native.frontend.arrays import Reduction
from wengert.engines.native.frontend.scalar import is_float
from wengert.values.open_size import OpenSize

CHUNK: Final = 128  # terms that are added sequentially; longer sums are sums of chunks


class ColumnLoop:
    """Writes the loops of a function over columns."""

    def __init__(self, body: Body, width: int, columns: int, is_cut: bool, strips: bool) -> None:
        self.body = body
        self.width = width  # of a vector
        self.columns = columns
        self.is_cut = is_cut  # whether the last row, or the last strip of columns, is shorter
        self.strips = strips
        self.limit = str(columns)  # those of the current row

    def over_columns(
        self, name: str, items: Sequence[Reduction], body: Any, whole_row: bool = False
    ) -> list[str]:
        """The loop, and its body again for the remainder; gives the sums of the items."""
        width = self.width
        accumulators = [self._nothing(item) for item in items]

        def run(j: str, mask: str | None, now: list[str]) -> list[str]:
            found: list[str]
            found = body(j, width, mask) if whole_row else body(j, width, mask, now)
            return found

        if self.is_cut and (self.strips or not whole_row):
            return self._columns_of_any_row(name, items, self.limit, run)
        if type(self.columns) is OpenSize:
            return self._columns_of_any_row(name, items, str(self.columns), run)
        full, rest = divmod(self.columns, width)
        now = [start for _, start in accumulators]
        if full == 1:
            now = run("0", None, now)
        elif full > 1:
            now = self._in_chunks(name, items, str(full * width), self._levels_of(items), run)
        if rest:
            ones = ", ".join(f"i1 {'true' if k < rest else 'false'}" for k in range(width))
            now = run(str(full * width), f"<{ones}>", now)
        return now

    def _nothing(self, item: Reduction) -> tuple[str, str]:
        """The type of a vector of accumulators, and their initial value."""
        kind = item.kind
        return llvm_type(kind, self.width), literal(kind, neutral(item.how, kind), self.width)

    def _levels_of(self, items: Sequence[Reduction]) -> int:
        """The depth of nested partial sums in a row, which keep the rounding error small."""
        if not any(is_float(item.kind) and item.how in ("sum", "prod") for item in items):
            return 0
        levels, count = 0, self.columns // self.width
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
        begin: str = "0",
    ) -> list[str]:
        """A loop over vectors, or over chunks of them, whose partial sums are combined."""
        accumulators = [self._nothing(item) for item in items]
        if not levels:
            return self._counted(name, accumulators, end, run, begin)
        body, step = self.body, self.width * CHUNK**levels

        def chunk(j: str, _: str | None, now: list[str]) -> list[str]:
            full = body.set(f"add i64 {j}, {step}")
            beyond = body.set(f"icmp ugt i64 {full}, {end}")
            edge = body.set(f"select i1 {beyond}, i64 {end}, i64 {full}")
            found = self._in_chunks(f"{name}.c", items, edge, levels - 1, run, j)
            return [
                combine(body, item.how, item.kind, a, b, self.width)
                for item, a, b in zip(items, now, found, strict=True)
            ]

        return self._counted(name, accumulators, end, chunk, begin, step)

    def _counted(
        self, name: str, accumulators: Any, end: str, run: Any, begin: str = "0", step: int = 0
    ) -> list[str]:
        lines = self.body
        lines.do(f"br label %{name}.from")
        lines.label(f"{name}.from")
        lines.do(f"br label %{name}")
        lines.label(name)
        hole = len(lines.lines)
        now = [f"%{name}.a{k}" for k in range(len(accumulators))]
        then = run(f"%{name}.j", None, list(now))
        lines.do(f"br label %{name}.end")
        lines.label(f"{name}.end")
        phis = [f"%{name}.j = phi i64 [ {begin}, %{name}.from ], [ %{name}.next, %{name}.end ]"]
        phis += [
            f"{a} = phi {kind} [ {start}, %{name}.from ], [ {b}, %{name}.end ]"
            for a, b, (kind, start) in zip(now, then, accumulators, strict=True)
        ]
        lines.lines[hole:hole] = phis
        lines.do(f"%{name}.next = add i64 %{name}.j, {step or self.width}")
        lines.do(f"%{name}.more = icmp ult i64 %{name}.next, {end}")
        lines.do(f"br i1 %{name}.more, label %{name}, label %{name}.done")
        lines.label(f"{name}.done")
        return then  # type: ignore[no-any-return]

    def _columns_of_any_row(
        self, name: str, items: Sequence[Reduction], limit: str, run: Any
    ) -> list[str]:
        """The loop if their number is known only then: full vectors, then a masked one."""
        lines, width = self.body, self.width
        accumulators = [self._nothing(item) for item in items]
        end = lines.set(f"and i64 {limit}, {-width}")
        some = lines.set(f"icmp ne i64 {end}, 0")
        lines.do(f"br label %{name}.before")
        lines.label(f"{name}.before")
        lines.do(f"br i1 {some}, label %{name}.loop, label %{name}.rest")
        lines.label(f"{name}.loop")
        now = self._in_chunks(name, items, end, self._levels_of(items), run)
        lines.do(f"br label %{name}.rest")
        lines.label(f"{name}.rest")
        merged = []
        for k, ((kind, start), value) in enumerate(zip(accumulators, now, strict=True)):
            lines.do(f"%{name}.m{k} = phi {kind} [ {start}, %{name}.before ], [ {value}, %{name}.done ]")  # fmt: skip
            merged.append(f"%{name}.m{k}")
        if width == 1:
            return merged
        left = lines.set(f"sub i64 {limit}, {end}")
        some = lines.set(f"icmp ne i64 {left}, 0")
        lines.do(f"br i1 {some}, label %{name}.masked, label %{name}.over")
        lines.label(f"{name}.masked")
        mask = first(lines, left, 0, width)
        then = run(end, mask, list(merged))
        lines.do(f"br label %{name}.masked.end")
        lines.label(f"{name}.masked.end")
        lines.do(f"br label %{name}.over")
        lines.label(f"{name}.over")
        found = []
        for k, ((kind, _), a, b) in enumerate(zip(accumulators, merged, then, strict=True)):
            lines.do(f"%{name}.o{k} = phi {kind} [ {a}, %{name}.rest ], [ {b}, %{name}.masked.end ]")  # fmt: skip
            found.append(f"%{name}.o{k}")
        return found
