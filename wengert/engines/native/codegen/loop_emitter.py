"""Groups as functions in LLVM's language.

A function computes one part of a group: some of its rows. Within a row there are stages: loops
over the columns, each of which may use what the one before has reduced. What has one value for the
whole row is computed between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from wengert.engines.native.codegen.layout import Layout, Load, Sum
from wengert.engines.native.codegen.vectors import Body, Called, literal, llvm_type, memory_type
from wengert.engines.native.frontend.arrays import (
    Base,
    Count,
    Input,
    Piece,
    Reduction,
    whole,
)
from wengert.engines.native.frontend.scalar import constant, is_float
from wengert.engines.native.mathematics import elementary
from wengert.engines.native.optimize.fuse import END, FULL, ROW, Fusion, Group

SCRATCH: Final = 1 << 16  # bytes of a row that a thread keeps for a later stage
CHUNK: Final = 128  # terms that are added one after the other; more are sums of sums


class Launch(NamedTuple):
    """A function, the arrays that it is called with, and the number of parts it is called for."""

    text: str  # of the function, without its name
    arrays: Sequence[tuple[Base, int]]  # and the element with which each begins
    parts: int
    calls: Sequence[tuple[str, str, int]]  # functions of `mathematics` that it calls
    declarations: frozenset[str]
    group: Group
    outputs: Sequence[Base]
    once: bool  # whether each element is read before it is written, and not read again
    flops: int
    # Arrays that are read, and what may be written over each.
    over: Sequence[tuple[Base, Base]] = ()


def launches(group: Group, memory: set[Base]) -> list[Launch]:
    """What has to be called, one after the other, to compute a group."""
    return Emitter(group, memory).launches()


def functions_text(wanted: Iterable[tuple[str, str, int]], declarations: set[str]) -> list[str]:
    """Functions of `mathematics` on vectors: (name, kind, width), and those that they call."""
    found: dict[tuple[str, str, int], str] = {}
    waiting = list(wanted)

    def called(name: str, kind: str, width: int) -> str:
        waiting.append((name, kind, width))
        return f"@{name}.{kind}.{width}"

    while waiting:
        one = waiting.pop()
        if one not in found:
            found[one] = _function_text(*one, declarations, called)
    return list(found.values())


def _function_text(name: str, kind: str, width: int, declarations: set[str], called: Called) -> str:
    code, result = elementary.body(name, kind)
    code, (result,) = elementary.expanded(code, [result])
    count = sum(op == "param" for op, *_ in code.instructions)
    body = Body(declarations)
    (value,) = body.code(code, [f"%x{i}" for i in range(count)], width, [result], called)
    kinds = llvm_type(kind, width)
    parameters = ", ".join(f"{kinds} %x{i}" for i in range(count))
    lines = "\n".join([*body.lines, f"ret {kinds} {value}"])
    return f"define internal {kinds} @{name}.{kind}.{width}({parameters}) nounwind {{\n{lines}\n}}"


class Emitter(Layout):
    """Writes the function of a group."""

    def __init__(self, group: Group, memory: set[Base]) -> None:
        super().__init__(group, memory)
        self.arrays: list[tuple[Base, int]] = []
        self.body = Body(set())
        self.calls: dict[tuple[str, str, int], None] = {}
        self.more: list[Launch] = []  # what puts the sums of parts together
        self.last_read: dict[Base, int] = {}  # the last stage that reads an array
        self.written_in: dict[Base, int] = {}  # the stage that writes one

    def launches(self) -> list[Launch]:
        return [self._main(), *self.more]

    # ---- the function --------------------------------------------------------------------------

    def _main(self) -> Launch:
        self.outputs = list(self.stored)
        self._sum_outputs()
        lines = self._function()
        arrays = list(self.arrays)
        once = not self.read_views and self.stages <= 1
        return Launch(
            "\n".join(lines), arrays, self.parts, list(self.calls),
            frozenset(self.body.declarations), self.group, self.outputs, once, self.flops(),
            self._over(),
        )  # fmt: skip

    def _over(self) -> list[tuple[Base, Base]]:
        """What may be written over what: each element after it was read for the last time."""
        elsewhere = {x.base for x in self.loads if x.level != FULL} | self.displaced
        return [
            (old, new)
            for old, read in self.last_read.items()
            for new, written in self.written_in.items()
            if read <= written and old not in elsewhere and type(new) is not Piece
        ]

    def flops(self) -> int:
        return self.group.size * sum(
            self.full[i] and op not in ("param", "const", "cast", "bits")
            for i, (op, *_) in enumerate(self.code.instructions)
        )

    def _sum_outputs(self) -> None:
        """Where the sums over many rows go, and what puts those of the parts together."""
        self.partial: dict[int, Base] = {}
        for k, s in enumerate(self.sums):
            if s.level != END:
                continue
            columns = self._sums_columns(s)
            count = self.rows if not columns else 1 if self.strips else self.parts
            target: Base = s.item
            if count > 1:
                shape = (count, self.columns) if columns else (count,)
                target = Base(shape, s.item.kind, s.item.place)
                self.more += combined_launches(s.item, target, self.memory)
                self.outputs.append(target)
            else:
                self.outputs.append(s.item)
            self.partial[k] = target

    def _pointer(self, base: Base, offset: int = 0) -> str:
        """Where an array begins. It is told when the function is called, so that functions that
        differ in nothing else are one."""
        for k, (known, begin) in enumerate(self.arrays):
            if known is base and begin == offset:
                return f"%a{k}"
        self.arrays.append((base, offset))
        return f"%a{len(self.arrays) - 1}"

    def _function(self) -> list[str]:
        body = self.body
        self._collect_arrays()
        for b in self.partial.values():
            self._pointer(b)
        body.label("entry")
        self._find_arrays()
        self._scratches()
        self.limit = str(self.columns)
        if self.strips and self.short:
            self._limited("%part", self.parts)
        if self.rows == 1 and not self.strips:
            self._start_columns("0")
            self._row("0")
        else:
            self._loop_over_rows()
        body.do("ret void")
        return body.lines

    def _collect_arrays(self) -> None:
        for x in self.loads:
            if type(x.base) is not Count:
                self._pointer(x.base, x.offset)
        for b in self.stored:
            target = self.targets.get(b)
            self._pointer(*((b, 0) if target is None else (target.base, target.offset)))

    def _find_arrays(self, first: int = 0) -> None:
        """The pointers that the function is told, behind so many others."""
        for k in range(len(self.arrays)):
            self.body.do(f"%g{k} = getelementptr ptr, ptr %b, i64 {first + k}")
            self.body.do(f"%a{k} = load ptr, ptr %g{k}")

    def _loop_over_rows(self) -> None:
        body = self.body
        begin = body.set(f"mul i64 {'0' if self.strips else '%part'}, {self.per_part}")
        end = body.set(f"add i64 {begin}, {self.per_part}")
        if self.rows % self.per_part:
            beyond = body.set(f"icmp ugt i64 {end}, {self.rows}")
            end = body.set(f"select i1 {beyond}, i64 {self.rows}, i64 {end}")
        self._start_columns("%part")
        body.do("br label %rows.from")
        body.label("rows.from")
        body.do("br label %row")
        body.label("row")
        body.do(f"%r = phi i64 [ {begin}, %rows.from ], [ %r.next, %row.end ]")
        self._row("%r")
        body.do("br label %row.end")
        body.label("row.end")
        body.do("%r.next = add i64 %r, 1")
        body.do(f"%more.rows = icmp ult i64 %r.next, {end}")
        body.do("br i1 %more.rows, label %row, label %rows.end")
        body.label("rows.end")

    def _start_columns(self, part: str) -> None:
        """Sums of columns begin with nothing."""
        self.column_sums: dict[int, str] = {}
        for k, s in enumerate(self.sums):
            if self._sums_columns(s):
                kind = s.item.kind
                at = self.body.set(f"mul i64 {part}, {self.columns if self.parts > 1 else 0}")
                row = self._element(self._pointer(self.partial[k]), kind, at)
                self.column_sums[k] = row
                nothing = literal(kind, neutral(s.item.how, kind), self.width)

                def body(j: str, width: int, mask: str | None, row: str = row, kind: str = kind,
                         nothing: str = nothing) -> list[str]:  # fmt: skip
                    self._store(row, kind, j, nothing, mask)
                    return []

                self._columns(f"init{k}", [], body, whole_row=True)

    # ---- one row -------------------------------------------------------------------------------

    def _row(self, r: str) -> None:
        self.names_row: dict[int, str] = {}
        self.splats: dict[int, str] = {}
        self.totals: dict[int, str] = {}  # the sums of the row, as far as they are known
        self._row_pointers(r)
        self._row_values(0)
        for stage in range(self.stages):
            self._stage(stage)
            self._row_values(stage + 1)
        for base, value in self.stored.items():
            if not self._is_full(base):
                self._store(self.out_starts[base], base.kind, "0", self.names_row[value], None, 1)
        for k, s in enumerate(self.sums):
            if s.level == END and not self._sums_columns(s):
                row = self._element(self._pointer(self.partial[k]), s.item.kind, r)
                self._store(row, s.item.kind, "0", self.totals[k], None, 1)

    def _row_pointers(self, r: str) -> None:
        """Where the row begins in each array."""
        body = self.body
        if len(self.outer) > 1:
            index = self._unravelled(r, [self.axes[k].size for k in self.outer])
        else:
            index = [r]
        self.starts = [self._row_of(x, r, index) for x in self.loads]
        self.out_starts = {}
        for base in self.stored:
            target = self.targets.get(base)
            if target is not None:
                at = self._start(target, r, index)
                array = self._pointer(target.base, target.offset)
            else:
                terms = [(r, self.row if self._is_full(base) else 1)]
                at = _sum(body, 0, [*terms, *self._strip(1)])
                array = self._pointer(base)
            self.out_starts[base] = self._element(array, base.kind, at)
        if self.short and not self.strips:
            self._limited(r, self.rows)

    def _row_of(self, x: Load, r: str, index: Sequence[str]) -> str:
        """Where the row begins in an array that is read."""
        start = self._start(x, r, index)
        if type(x.base) is Count:
            return start
        return self._element(self._pointer(x.base, x.offset), x.kind, start)

    def _limited(self, at: str, count: int) -> None:
        """The last row, or the last strip of columns, is shorter."""
        last = self.body.set(f"icmp eq i64 {at}, {count - 1}")
        self.limit = self.body.set(f"select i1 {last}, i64 {self.short}, i64 {self.columns}")

    def _start(self, x: Load, r: str, index: Sequence[str]) -> str:
        """Where a row begins in an array, in elements from its own beginning."""
        begin = x.offset if type(x.base) is Count else 0
        if self.blocked:
            return _sum(self.body, begin, [(r, (x.strides or [0])[0] * self.columns)])
        terms = [(i, x.strides[k]) for i, k in zip(index, self.outer, strict=False)]
        if self.strips:
            terms += self._strip(x.strides[self.inner[0]])
        return _sum(self.body, begin, terms)

    def _strip(self, stride: int) -> list[tuple[str, int]]:
        """How far the columns of a part are from the first ones."""
        return [("%part", self.columns * stride)] if self.strips else []

    def _unravelled(self, r: str, sizes: Sequence[int]) -> list[str]:
        """The index on each axis of a place in row-major order."""
        found = []
        for size in reversed(sizes[1:]):
            found.append(self.body.set(f"urem i64 {r}, {size}"))
            r = self.body.set(f"udiv i64 {r}, {size}")
        return [r, *reversed(found)]

    def _row_values(self, depth: int) -> None:
        """What has one value for the row, as far as it is known before a stage."""
        for i, (op, _, args, extra) in enumerate(self.code.instructions):
            if self.full[i] or i in self.names_row or self.depth[i] != depth:
                continue
            if op == "param":
                which, k = extra
                if which == "load":
                    self.names_row[i] = self._load(k, "0", 1, None)
                else:
                    self.names_row[i] = self.totals[k]
            elif op == "gather":
                self.names_row[i] = self._picked(i, self.names_row[args[0]], "0", 1, None)
            else:
                names = [self.names_row[a] for a in args]
                self.names_row[i] = self.body.value(self.code, i, names, 1, self._called)

    def _called(self, name: str, kind: str, width: int) -> str:
        self.calls[name, kind, width] = None
        return f"@{name}.{kind}.{width}"

    # ---- one stage: a loop over the columns ----------------------------------------------------

    def _scratches(self) -> None:
        """Memory for what a later stage uses and should not compute again."""
        self.scratch: dict[int, str] = {}
        self.kept: dict[int, Base] = {
            v: b for b, v in self.stored.items() if self._is_full(b) and type(b) is not Piece
        }
        size = 0
        for i in sorted(self._used_later()):
            kind = self.code.kind(i)
            size += self.columns * int(kind[1])
            if i in self.kept or size > SCRATCH or not self._is_dear(i):
                continue
            name = self.body.set(f"alloca [{self.columns} x {memory_type(kind, 1)}], align 64")
            self.scratch[i] = name

    def _used_later(self) -> set[int]:
        """Elements that are known in one stage and used in a later one."""
        found: set[int] = set()
        for i, (_, _, args, _) in enumerate(self.code.instructions):
            if self.full[i]:
                found |= {a for a in args if self.full[a] and self.depth[a] < self.depth[i]}
        return found

    def _is_dear(self, i: int) -> bool:
        """Whether computing a value again costs more than keeping it."""
        needed: set[int] = set()
        waiting = [i]
        while waiting and len(needed) < 12:
            at = waiting.pop()
            if at not in needed and self.full[at]:
                needed.add(at)
                waiting += self.code.instructions[at][2]
        ops = [self.code.instructions[a][0] for a in needed]
        return len(needed) > 8 or any(op in ("div", "sqrt", "call") for op in ops)

    def _stage(self, stage: int) -> None:
        stores = [
            (b, v) for b, v in self.stored.items() if self._is_full(b) and self.depth[v] == stage
        ]
        sums = [k for k, s in enumerate(self.sums) if self.depth[s.value] == stage]
        keeps = [i for i in self.scratch if self.depth[i] == stage]
        running = [k for k in sums if k not in self.column_sums]
        wanted = [v for _, v in stores] + [self.sums[k].value for k in sums] + keeps
        order = self._order(wanted, stage)
        self._splat(order, wanted)
        for i in order:
            op, _, _, extra = self.code.instructions[i]
            if op == "param":
                self.last_read[self.loads[extra[1]].base] = stage
        self.written_in.update({b: stage for b, _ in stores})

        def body(j: str, width: int, mask: str | None, accumulators: list[str]) -> list[str]:
            names = self._elements(order, j, width, mask, stage)
            for b, v in stores:
                self._put(b, j, names[v], mask, width)
            for i in keeps:
                self._store(self.scratch[i], self.code.kind(i), j, names[i], mask, width)
            found: list[str] = []
            for k in sums:
                s = self.sums[k]
                value = names[s.value]
                if k in self.column_sums:
                    self._add_to_columns(k, j, value, width, mask)
                else:
                    found.append(self._combine(s, accumulators[len(found)], value, width, mask))
            return found

        ends = self._columns(f"s{stage}", [self.sums[k].item for k in running], body)
        for k, vector in zip(running, ends, strict=True):
            self.totals[k] = self._across(self.sums[k], vector, self.width)

    def _order(self, wanted: Sequence[int], stage: int) -> list[int]:
        """The element-wise instructions of a stage, in order."""
        found: set[int] = set()
        waiting = [w for w in wanted if self.full[w]]
        while waiting:
            at = waiting.pop()
            if at in found:
                continue
            found.add(at)
            if not self._is_kept(at, stage):
                waiting += [a for a in self.code.instructions[at][2] if self.full[a]]
        return sorted(found)

    def _is_kept(self, i: int, stage: int) -> bool:
        return self.depth[i] < stage and (i in self.scratch or i in self.kept)

    def _splat(self, order: Sequence[int], wanted: Sequence[int]) -> None:
        """Values of the row as vectors, for a stage that uses them."""
        used = {a for i in order for a in self.code.instructions[i][2] if not self.full[a]}
        used |= {w for w in wanted if not self.full[w]}
        for i in sorted(used):
            if i not in self.splats and self.code.instructions[i][0] != "const":
                kind = self.code.kind(i)
                self.splats[i] = _repeated(self.body, self.names_row[i], kind, self.width)

    def _elements(
        self, order: Sequence[int], j: str, width: int, mask: str | None, stage: int
    ) -> dict[int, str]:
        names: dict[int, str] = dict(self.splats)
        code = self.code.instructions
        for i in self.names_row:
            if code[i][0] == "const":
                names[i] = literal(code[i][1], code[i][3], width)
        for i in order:
            op, kind, args, extra = code[i]
            if op == "param":
                names[i] = self._load(extra[1], j, width, mask)
            elif self._is_kept(i, stage):
                start = self.scratch.get(i) or self.out_starts[self.kept[i]]
                names[i] = self._read(start, kind, j, width, mask)
            elif op == "gather":
                index = names[args[0]] if self.full[args[0]] else self.names_row[args[0]]
                names[i] = self._picked(i, index, j, width, mask)
            else:
                given = [names[a] for a in args]
                names[i] = self.body.value(self.code, i, given, width, self._called)
        return names

    def _columns(
        self, name: str, items: Sequence[Reduction], body: Any, whole_row: bool = False
    ) -> list[str]:
        """A loop over the columns, a vector at a time, and once more for what is left over."""
        width = self.width
        accumulators = [self._nothing(item) for item in items]

        def run(j: str, mask: str | None, now: list[str]) -> list[str]:
            found: list[str]
            found = body(j, width, mask) if whole_row else body(j, width, mask, now)
            return found

        if self.short and (self.strips or not whole_row):
            return self._columns_of_any_row(name, accumulators, run)
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
        """The type of a vector of sums, and what they begin with."""
        kind = item.kind
        return llvm_type(kind, self.width), literal(kind, neutral(item.how, kind), self.width)

    def _levels_of(self, items: Sequence[Reduction]) -> int:
        """How often the sums of a row are cut into sums of sums, so that they keep their digits."""
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
        """A loop over vectors, or over chunks of them, whose sums are put together."""
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

    def _columns_of_any_row(self, name: str, accumulators: Any, run: Any) -> list[str]:
        """The last row is shorter: its vectors, and then a masked one if something is left."""
        lines, width = self.body, self.width
        end = lines.set(f"and i64 {self.limit}, {-width}")
        some = lines.set(f"icmp ne i64 {end}, 0")
        lines.do(f"br label %{name}.before")
        lines.label(f"{name}.before")
        lines.do(f"br i1 {some}, label %{name}.loop, label %{name}.rest")
        lines.label(f"{name}.loop")
        now = self._counted(name, accumulators, end, run)
        lines.do(f"br label %{name}.rest")
        lines.label(f"{name}.rest")
        merged = []
        for k, ((kind, start), value) in enumerate(zip(accumulators, now, strict=True)):
            lines.do(f"%{name}.m{k} = phi {kind} [ {start}, %{name}.before ], [ {value}, %{name}.done ]")  # fmt: skip
            merged.append(f"%{name}.m{k}")
        left = lines.set(f"icmp ne i64 {end}, {self.limit}")
        lines.do(f"br i1 {left}, label %{name}.masked, label %{name}.over")
        lines.label(f"{name}.masked")
        places = f"<{width} x i64>"
        steps = ", ".join(f"i64 {k}" for k in range(width))
        here = lines.set(f"add {places} {_repeated(lines, end, 'i8', width)}, <{steps}>")
        edge = _repeated(lines, self.limit, "i8", width)
        mask = lines.set(f"icmp ult {places} {here}, {edge}")
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

    # ---- memory --------------------------------------------------------------------------------

    def _element(self, pointer: str, kind: str, at: str) -> str:
        if at == "0":
            return pointer
        return self.body.set(f"getelementptr {memory_type(kind, 1)}, ptr {pointer}, i64 {at}")

    def _load(self, k: int, j: str, width: int, mask: str | None) -> str:
        """Elements of a row, beginning with column j."""
        x = self.loads[k]
        at, stride = self._along(x, j)
        if type(x.base) is Count:
            return self._counted_places(self.starts[k], at, stride, x.kind, width)
        if width == 1 or stride == 1:
            return self._read(self.starts[k], x.kind, at, width, mask)
        return self._gathered(self.starts[k], x.kind, at, stride, width, mask)

    def _picked(self, i: int, index: str, j: str, width: int, mask: str | None) -> str:
        """Elements of a table: those of the row that an index says, or each where its own says."""
        body = self.body
        _, kind, (argument,), (which, step) = self.code.instructions[i]
        many = width if self.full[argument] else 1
        index_kind = self.code.kind(argument)
        if index_kind != "i8":
            source, target = llvm_type(index_kind, many), llvm_type("i8", many)
            index = body.set(f"sext {source} {index} to {target}")
        begin, (at, stride) = self.starts[which], self._along(self.loads[which], j)
        if many == 1:
            row = self._element(begin, kind, _sum(body, 0, [(index, step)]))
            if width == 1 or stride == 1:
                return self._read(row, kind, at, width, mask)
            return self._gathered(row, kind, at, stride, width, mask)
        offsets = f"<{width} x i64>"
        far = body.set(f"mul {offsets} {index}, splat (i64 {step})")
        steps = ", ".join(f"i64 {k * stride}" for k in range(width))
        places = body.set(f"add {offsets} {far}, <{steps}>")
        start = self._element(begin, kind, at)
        return self._at_places(
            body.set(f"getelementptr {memory_type(kind, 1)}, ptr {start}, {offsets} {places}"),
            kind, width, mask,
        )  # fmt: skip

    def _along(self, x: Load, j: str) -> tuple[str, int]:
        """Where column j is, from the beginning of the row, and how far the next one is."""
        if len(self.inner) > 1:
            index = self._unravelled(j, [self.axes[a].size for a in self.inner])
            strides = [x.strides[a] for a in self.inner]
            return _sum(self.body, 0, list(zip(index, strides, strict=True))), 0
        if x.level == ROW or not self.inner:
            return "0", 0
        stride = x.strides[self.inner[0]]
        return _sum(self.body, 0, [(j, stride)]), stride

    def _counted_places(self, start: str, at: str, stride: int, kind: str, width: int) -> str:
        """Numbers that are their own places."""
        body = self.body
        first = body.set(f"add i64 {start}, {at}")
        narrow = body.set(f"trunc i64 {first} to i32") if kind == "i4" else first
        if width == 1:
            return narrow
        scalar = llvm_type(kind, 1)
        steps = ", ".join(f"{scalar} {k * stride}" for k in range(width))
        spread = _repeated(body, narrow, kind, width)
        return body.set(f"add {llvm_type(kind, width)} {spread}, <{steps}>")

    def _read(self, start: str, kind: str, at: str, width: int, mask: str | None) -> str:
        body = self.body
        place = self._element(start, kind, at)
        memory = memory_type(kind, width)
        align = int(kind[1])
        if mask is None or width == 1:
            found = body.set(f"load {memory}, ptr {place}, align {align}")
        else:
            name = _masked("load", kind, width)
            body.declarations.add(f"declare {memory} {name}(ptr, i32, <{width} x i1>, {memory})")
            found = body.set(f"call {memory} {name}(ptr {place}, i32 {align}, <{width} x i1> {mask}, {memory} zeroinitializer)")  # fmt: skip
        return self._truth(found, kind, width)

    def _truth(self, found: str, kind: str, width: int) -> str:
        if kind != "b1":
            return found
        memory = memory_type(kind, width)
        zero = "0" if width == 1 else "zeroinitializer"
        return self.body.set(f"icmp ne {memory} {found}, {zero}")

    def _gathered(
        self, start: str, kind: str, at: str, stride: int, width: int, mask: str | None
    ) -> str:
        """Elements that do not lie side by side, one by one."""
        place = self._element(start, kind, at)
        return self._at_places(self._places_from(place, kind, stride, width), kind, width, mask)

    def _at_places(self, places: str, kind: str, width: int, mask: str | None) -> str:
        body = self.body
        memory = memory_type(kind, width)
        name = f"@llvm.masked.gather.{memory_mangled(kind, width)}.v{width}p0"
        body.declarations.add(
            f"declare {memory} {name}(<{width} x ptr>, i32, <{width} x i1>, {memory})"
        )
        chosen = mask or "splat (i1 true)"
        found = body.set(f"call {memory} {name}(<{width} x ptr> {places}, i32 {kind[1]}, <{width} x i1> {chosen}, {memory} zeroinitializer)")  # fmt: skip
        return self._truth(found, kind, width)

    def _store(
        self, start: str, kind: str, at: str, value: str, mask: str | None, width: int = 0
    ) -> None:
        body = self.body
        width = width or self.width
        place = self._element(start, kind, at)
        memory = memory_type(kind, width)
        align = int(kind[1])
        if kind == "b1":
            value = body.set(f"zext {llvm_type(kind, width)} {value} to {memory}")
        if mask is None or width == 1:
            body.do(f"store {memory} {value}, ptr {place}, align {align}")
            return
        name = _masked("store", kind, width)
        body.declarations.add(f"declare void {name}({memory}, ptr, i32, <{width} x i1>)")
        body.do(f"call void {name}({memory} {value}, ptr {place}, i32 {align}, <{width} x i1> {mask})")  # fmt: skip

    def _put(self, base: Base, j: str, value: str, mask: str | None, width: int) -> None:
        """Elements of a row into the array that they belong to."""
        start, target = self.out_starts[base], self.targets.get(base)
        if target is None:
            self._store(start, base.kind, j, value, mask, width)
            return
        at, stride = self._along(target, j)
        if width == 1 or stride == 1:
            self._store(start, base.kind, at, value, mask, width)
        else:
            self._scatter(
                self._element(start, base.kind, at), base.kind, stride, value, mask, width
            )

    def _scatter(
        self, place: str, kind: str, stride: int, value: str, mask: str | None, width: int
    ) -> None:
        body = self.body
        memory = memory_type(kind, width)
        if kind == "b1":
            value = body.set(f"zext {llvm_type(kind, width)} {value} to {memory}")
        places = self._places_from(place, kind, stride, width)
        name = f"@llvm.masked.scatter.{memory_mangled(kind, width)}.v{width}p0"
        body.declarations.add(
            f"declare void {name}({memory}, <{width} x ptr>, i32, <{width} x i1>)"
        )
        chosen = mask or "splat (i1 true)"
        body.do(f"call void {name}({memory} {value}, <{width} x ptr> {places}, i32 {kind[1]}, <{width} x i1> {chosen})")  # fmt: skip

    def _places_from(self, place: str, kind: str, stride: int, width: int) -> str:
        steps = ", ".join(f"i64 {k * stride}" for k in range(width))
        scalar = memory_type(kind, 1)
        return self.body.set(f"getelementptr {scalar}, ptr {place}, <{width} x i64> <{steps}>")

    # ---- sums ----------------------------------------------------------------------------------

    def _combine(self, s: Sum, so_far: str, value: str, width: int, mask: str | None) -> str:
        """One more element for each of the sums of a row."""
        kind, how = s.item.kind, s.item.how
        then = combine(self.body, how, kind, so_far, value, width)
        if mask is None or width == 1:
            return then
        kinds = llvm_type(kind, width)
        return self.body.set(f"select <{width} x i1> {mask}, {kinds} {then}, {kinds} {so_far}")

    def _add_to_columns(self, k: int, j: str, value: str, width: int, mask: str | None) -> None:
        s = self.sums[k]
        row, kind = self.column_sums[k], s.item.kind
        so_far = self._read(row, kind, j, width, mask)
        then = combine(self.body, s.item.how, kind, so_far, value, width)
        self._store(row, kind, j, then, mask, width)

    def _across(self, s: Sum, vector: str, width: int) -> str:
        """All elements of a vector put together: halves, and halves of them."""
        kind = s.item.kind
        while width > 1:
            half = width // 2
            pair = [self._half(vector, kind, width, h) for h in (0, 1)]
            vector = combine(self.body, s.item.how, kind, pair[0], pair[1], half)
            width = half
        return vector

    def _half(self, vector: str, kind: str, width: int, which: int) -> str:
        kinds = llvm_type(kind, width)
        if width == 2:
            return self.body.set(f"extractelement {kinds} {vector}, i32 {which}")
        places = ", ".join(f"i32 {which * width // 2 + k}" for k in range(width // 2))
        return self.body.set(
            f"shufflevector {kinds} {vector}, {kinds} poison, <{width // 2} x i32> <{places}>"
        )


def memory_mangled(kind: str, width: int) -> str:
    scalar = memory_type(kind, 1)
    return f"v{width}{ {'float': 'f32', 'double': 'f64'}.get(scalar, scalar) }"


def _masked(what: str, kind: str, width: int) -> str:
    """Masked access to memory. The alignment is an operand of its own, as LLVM 20 and 21 want it;
    LLVM 22, where it is an attribute of the pointer, takes both forms."""
    return f"@llvm.masked.{what}.{memory_mangled(kind, width)}.p0"


def _sum(body: Body, constant: int, terms: Sequence[tuple[str, int]]) -> str:
    """constant + sum(name * factor), as a name or a number."""
    total: str | None = None
    for name, factor in terms:
        if name == "0" or factor == 0:
            continue
        if name.lstrip("-").isdigit():
            constant += int(name) * factor
            continue
        term = name if factor == 1 else body.set(f"mul i64 {name}, {factor}")
        total = term if total is None else body.set(f"add i64 {total}, {term}")
    if total is None:
        return str(constant)
    return body.set(f"add i64 {total}, {constant}") if constant else total


def _repeated(body: Body, name: str, kind: str, width: int) -> str:
    """A vector of the same number."""
    if width == 1:
        return name
    kinds, scalar = llvm_type(kind, width), llvm_type(kind, 1)
    one = body.set(f"insertelement {kinds} poison, {scalar} {name}, i32 0")
    return body.set(f"shufflevector {kinds} {one}, {kinds} poison, <{width} x i32> zeroinitializer")


def neutral(how: str, kind: str) -> Any:
    """What a sum, a product or an extreme begins with, as the extra of a constant."""
    if how in ("any", "all"):
        return how == "all"
    if how == "sum":  # adding -0.0 changes nothing, not even -0.0
        return constant(kind, -0.0 if is_float(kind) else 0)
    if how == "prod":
        return constant(kind, 1)
    if is_float(kind):
        return constant(kind, math.inf if how == "min" else -math.inf)
    bits = 8 * int(kind[1])
    low, high = (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return low if how == "max" else high


def combine(body: Body, how: str, kind: str, a: str, b: str, width: int) -> str:
    """Two sums, products or extremes put together."""
    kinds, truth = llvm_type(kind, width), llvm_type("b1", width)
    if how in ("any", "all"):
        return body.set(f"{'or' if how == 'any' else 'and'} {kinds} {a}, {b}")
    if how in ("sum", "prod"):
        word = "add" if how == "sum" else "mul"
        return body.set(f"{'f' if is_float(kind) else ''}{word} {kinds} {a}, {b}")
    if not is_float(kind):
        sign = "s" if kind[0] == "i" else "u"
        better = body.set(f"icmp {sign}{'gt' if how == 'max' else 'lt'} {kinds} {b}, {a}")
        return body.set(f"select {truth} {better}, {kinds} {b}, {kinds} {a}")
    if how == "top":  # the largest, whatever comes of NaN
        better = body.set(f"fcmp ogt {kinds} {b}, {a}")
        return body.set(f"select {truth} {better}, {kinds} {b}, {kinds} {a}")
    # A NaN that comes is taken, and never let go of.
    better = body.set(f"fcmp {'ogt' if how == 'max' else 'olt'} {kinds} {b}, {a}")
    largest = body.set(f"select {truth} {better}, {kinds} {b}, {kinds} {a}")  # an instruction
    nan = body.set(f"fcmp uno {kinds} {b}, {b}")
    return body.set(f"select {truth} {nan}, {kinds} {b}, {kinds} {largest}")


def combined_launches(item: Reduction, partial: Base, memory: set[Base]) -> list[Launch]:
    """What puts the sums of parts together."""
    given = Input(partial.shape, partial.kind, partial.place)
    fusion = Fusion()
    total = Reduction(
        item.shape, item.kind, item.how, whole(given), "all" if item.along == "all" else "first"
    )
    fusion.add(total)
    found = launches(fusion.groups[0], {total})
    names = {given: partial, total: item}
    return [
        x._replace(
            arrays=[(names.get(b, b), begin) for b, begin in x.arrays],
            over=(),
            outputs=[names.get(b, b) for b in x.outputs],
        )
        for x in found
    ]
