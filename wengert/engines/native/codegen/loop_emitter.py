"""LLVM IR for groups: a function each.

A function computes one part of a group: some of its rows. Within a row there are stages: loops
over the columns, each of which may use what the one before has reduced. Values that are constant
along the row are computed between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from wengert.engines.native.codegen.column_loop import ColumnLoop
from wengert.engines.native.codegen.combine import across, combine, neutral
from wengert.engines.native.codegen.layout import Layout, Load, Sum
from wengert.engines.native.codegen.memory_access import NEAR, Access, add_terms, multiples, splat
from wengert.engines.native.codegen.short_rows import Column
from wengert.engines.native.codegen.vectors import Body, literal, llvm_type, memory_type
from wengert.engines.native.frontend.arrays import (
    Base,
    Count,
    Input,
    Piece,
    Reduction,
    whole,
)
from wengert.engines.native.optimize.fuse import END, FULL, ROW, Fusion, Group
from wengert.values.open_size import is_open

SCRATCH: Final = 1 << 16  # bytes of a row's values that are kept on the stack for a later stage


# Arrays that are read, each with those that may overwrite it.
Over = Sequence[tuple[Base, Sequence[Base]]]


class Launch(NamedTuple):
    """A function, the arrays that it is called with, and the number of parts."""

    text: str  # of the function, without its name
    arrays: Sequence[tuple[Base, int]]  # and the element with which each begins
    parts: int
    calls: Sequence[tuple[str, str, int]]  # functions of `mathematics` that it calls
    declarations: frozenset[str]
    group: Group
    outputs: Sequence[Base]
    once: bool  # whether each element is read before it is written, and not read again
    flops: int
    over: Over = ()


def launches(group: Group, memory: set[Base]) -> list[Launch]:
    """The functions to call in sequence to compute a group."""
    return Emitter(group, memory).launches()


class KnownOfRow:
    """What is known of the current row, by the names that it has in the LLVM IR."""

    __slots__ = ("names", "out_starts", "splats", "starts", "totals")

    def __init__(self) -> None:
        self.names: dict[int, str] = {}  # of its values
        self.splats: dict[int, str] = {}  # of the same values, broadcast to vectors
        self.totals: dict[int, str] = {}  # of its sums, as far as they are known
        self.starts: list[str] = []  # the address of the row in each array that is read
        self.out_starts: dict[Base, str] = {}  # and in each that is written


class Emitter(Layout):
    """Writes the function of a group."""

    def __init__(self, group: Group, memory: set[Base]) -> None:
        super().__init__(group, memory)
        self.arrays: list[tuple[Base, int]] = []
        self._place_of: dict[tuple[Base, int], int] = {}  # of each in that list
        self.outputs: list[Base] = []
        self.calls: dict[tuple[str, str, int], None] = {}
        self.more: list[Launch] = []  # combine the sums of the parts
        self.last_read: dict[Base, int] = {}  # the last stage that reads an array
        self.written_in: dict[Base, int] = {}  # the stage that writes one
        self.partial: dict[int, Base] = {}  # the arrays for sums over many rows
        self.column_sums: dict[int, str] = {}  # pointers to the column sums of the part
        self.scratch: dict[int, str] = {}  # memory for values that a later stage uses
        # Values that a later stage loads from the result.
        self.kept: dict[int, Base] = {
            v: b for b, v in self.stored.items() if self._is_full(b) and not _is_part(b)
        }
        self.known = KnownOfRow()
        self.write_into(Body(set()), self.width)

    def write_into(self, body: Body, width: int) -> None:
        """Append to the lines of a body, with vectors of so many elements."""
        self.body, self.width = body, width
        self.access = Access(body)
        self.loop = ColumnLoop(body, width, self.columns, self.line, bool(self.short), self.strips)

    def launches(self) -> list[Launch]:
        return [self._main(), *self.more]

    # ---- the function --------------------------------------------------------------------------

    def _main(self) -> Launch:
        self.outputs = list(dict.fromkeys(b.array if type(b) is Column else b for b in self.stored))
        self._sum_outputs()
        lines = self._function()
        arrays = list(self.arrays)
        once = not self.read_views and self.stages <= 1
        return Launch(
            "\n".join(lines), arrays, self.parts, list(self.calls),
            frozenset(self.body.declarations), self.group, self.outputs, once, self.flops(),
            self._over(),
        )  # fmt: skip

    def _over(self) -> list[tuple[Base, Sequence[Base]]]:
        """Arrays, each with those that may overwrite it: elements are read before.

        Not where lines are parts of vectors: each would wait until what the last one wrote is in the
        cache, as it begins within it. That took five times as long.
        """
        if self.size > self.line and self.line < min(self.width, self.native):
            return []
        elsewhere = {x.base for x in self.loads if x.level != FULL} | self.displaced
        written = [new for new in self.written_in if not _is_part(new)]
        # Shared by all arrays that are read alike: there may be as many of these as are written.
        found: dict[tuple[int, str, int], list[Base]] = {}

        def after(old: Base, read: int) -> list[Base]:
            key = old.size, old.kind, read
            if key not in found:
                found[key] = [
                    new
                    for new in written
                    if (new.size, new.kind) == key[:2] and read <= self.written_in[new]
                ]
            return found[key]

        return [(o, after(o, read)) for o, read in self.last_read.items() if o not in elsewhere]

    def flops(self) -> int:
        return self.size * sum(
            self.full[i] and op not in ("param", "const", "cast", "bits")
            for i, (op, *_) in enumerate(self.code.instructions)
        )

    def _sum_outputs(self) -> None:
        """Arrays for the sums over many rows, and launches that combine those of the parts."""
        for k, s in enumerate(self.sums):
            if s.level != END:
                continue
            columns = self._sums_columns(s)
            if self.matrices:
                self.outputs.append(s.item)
                self.partial[k] = s.item
                continue
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
        """The pointer to an array.

        It is an argument, so that functions that differ in nothing else are shared.
        """
        k = self._place_of.setdefault((base, offset), len(self.arrays))
        if k == len(self.arrays):
            self.arrays.append((base, offset))
        return f"%a{k}"

    def _function(self) -> list[str]:
        body = self.body
        self._collect_arrays()
        for b in self.partial.values():
            self._pointer(b)
        body.label("entry")
        self._find_arrays()
        self._scratches()
        if self.strips and self.short:
            self._limited("%part", self.parts)
        self._make_room_for_sums()
        if self.matrices:
            self._loop_over_matrices()
        elif self.rows == 1 and not self.strips:
            self._start_columns("0")
            self._row("0")
            self._end_columns("0")
        else:
            self._loop_over_rows("%part", self.per_part)
        body.do("ret void")
        return body.lines

    def _collect_arrays(self) -> None:
        for x in self.loads:
            if type(x.base) is not Count:
                self._pointer(x.base, x.offset - x.column)
        for b in self.stored:
            target = self.targets.get(b)
            self._pointer(*((b, 0) if target is None else (target.base, target.offset)))

    def _find_arrays(self, first: int = 0) -> None:
        """Load the pointers that are the function's arguments, from the `first` one on."""
        for k in range(len(self.arrays)):
            self.body.do(f"%g{k} = getelementptr ptr, ptr %b, i64 {first + k}")
            self.body.do(f"%a{k} = load ptr, ptr %g{k}")

    def _loop_over_matrices(self) -> None:
        """The matrices of a part, down whose columns there are sums."""
        begin, end = self._stretch("%part", self.per_part, self.matrices)

        def matrix(m: str) -> None:
            self._loop_over_rows(m, self.group.rows_of_one)

        self._counted("matrix", "%m", begin, end, matrix)

    def _loop_over_rows(self, part: str, count: int) -> None:
        """The rows of a part, or of a matrix: so many."""
        begin, end = self._stretch("0" if self.strips else part, count, self.rows)
        self._start_columns(part)
        self._counted("row", "%r", begin, end, self._row)
        self._end_columns(part)

    def _stretch(self, part: str, count: int, total: int) -> tuple[str, str]:
        """Where a part begins and ends, of which each has so many, but for the last one."""
        body = self.body
        begin = body.set(f"mul i64 {part}, {count}")
        end = body.set(f"add i64 {begin}, {count}")
        if is_open((total, count)) or total % count:
            beyond = body.set(f"icmp ugt i64 {end}, {total}")
            end = body.set(f"select i1 {beyond}, i64 {total}, i64 {end}")
        return begin, end

    def _counted(
        self, name: str, index: str, begin: str, end: str, one: Callable[[str], None]
    ) -> None:
        """A loop over an index."""
        body = self.body
        body.do(f"br label %{name}.from")
        body.label(f"{name}.from")
        body.do(f"br label %{name}")
        body.label(name)
        body.do(f"{index} = phi i64 [ {begin}, %{name}.from ], [ {index}.next, %{name}.end ]")
        one(index)
        body.do(f"br label %{name}.end")
        body.label(f"{name}.end")
        body.do(f"{index}.next = add i64 {index}, 1")
        body.do(f"%{name}.more = icmp ult i64 {index}.next, {end}")
        body.do(f"br i1 %{name}.more, label %{name}, label %{name}.done")
        body.label(f"{name}.done")

    def _make_room_for_sums(self) -> None:
        """Memory of the function's own for sums down columns."""
        self.column_sums = {}
        for k, s in enumerate(self.sums):
            if self._sums_columns(s) and self._has_own_sums():
                room = f"alloca {memory_type(s.item.kind, 1)}, i64 {self._padded()}, align 64"
                self.column_sums[k] = self.body.set(room)

    def _start_columns(self, part: str) -> None:
        """Initialize the column sums of a part."""
        for k, s in enumerate(self.sums):
            if not self._sums_columns(s):
                continue
            if not self._has_own_sums():
                self.column_sums[k] = self._sums_of(k, part)
            nothing = literal(s.item.kind, neutral(s.item.how, s.item.kind), self.width)

            def body(
                j: str, width: int, mask: str | None, k: int = k, nothing: str = nothing
            ) -> list[str]:
                self._set_columns(k, j, nothing, width, mask)
                return []

            self.loop.over_columns(f"init{k}", [], body, whole_row=True)

    def _end_columns(self, part: str) -> None:
        """Put sums in memory of the function's own where they belong."""
        if not self._has_own_sums():
            return
        for k, row in self.column_sums.items():
            kind, to = self.sums[k].item.kind, self._sums_of(k, part)

            def body(j: str, width: int, mask: str | None, row: str = row, kind: str = kind,
                     to: str = to) -> list[str]:  # fmt: skip
                found = self.access.read(row, kind, self._own(j), width, None)
                self.access.store(to, kind, j, found, mask, width)
                return []

            self.loop.over_columns(f"sums{k}", [], body, whole_row=True)

    def _has_own_sums(self) -> bool:
        """Whether sums down columns have memory of the function's own.

        They have if they are a few vectors, for which LLVM takes registers; and if a line ends with a
        part of a vector, as there the next line would wait for what was stored: in its own memory,
        each vector is a whole one.
        """
        if self.loop.vectors:
            return True
        if len(self.inner) < 2 or is_open((self.columns, self.line)):
            return False
        each = sum(int(s.item.kind[1]) for s in self.sums if self._sums_columns(s))
        return self.line % self.width != 0 and self._padded() * each <= SCRATCH

    def _padded(self) -> int:
        """The columns of a row of whole vectors."""
        return self.columns // self.line * self._padded_line()

    def _padded_line(self) -> int:
        return -(-self.line // self.width) * self.width

    def _own(self, j: str) -> str:
        """The place of a column in such memory."""
        if len(self.inner) < 2:
            return j
        line, within = self.loop.place
        return add_terms(self.body, 0, [(line, self._padded_line()), (within, 1)])

    def _sums_of(self, k: int, part: str) -> str:
        """Where the column sums of a part belong."""
        each = self.columns if self.parts > 1 or self.matrices else 0
        at = self.body.set(f"mul i64 {part}, {each}")
        return self.access.element(self._pointer(self.partial[k]), self.sums[k].item.kind, at)

    # ---- one row -------------------------------------------------------------------------------

    def _row(self, r: str) -> None:
        self.known = KnownOfRow()
        self._row_pointers(r)
        self._row_values(0)
        for stage in range(self.stages):
            self._stage(stage)
            self._row_values(stage + 1)
        for base, value in self.stored.items():
            if not self._is_full(base):
                self.access.store(
                    self.known.out_starts[base], base.kind, "0", self.known.names[value], None, 1
                )
        for k, s in enumerate(self.sums):
            if s.level == END and not self._sums_columns(s):
                row = self.access.element(self._pointer(self.partial[k]), s.item.kind, r)
                self.access.store(row, s.item.kind, "0", self.known.totals[k], None, 1)

    def _row_pointers(self, r: str) -> None:
        """Compute the address of the row in each array."""
        body = self.body
        if len(self.outer) > 1:
            index = self._unravelled(r, [self.axes[k].size for k in self.outer])
        else:
            index = [r]
        self.known.starts = [self._row_of(x, r, index) for x in self.loads]
        for base in self.stored:
            target = self.targets.get(base)
            if target is not None:
                at = self._start(target, r, index)
                array = self._pointer(target.base, target.offset)
            else:
                terms = [(r, self.row if self._is_full(base) else 1)]
                at = add_terms(body, 0, [*terms, *self._strip(1)])
                array = self._pointer(base)
            self.known.out_starts[base] = self.access.element(array, base.kind, at)
        if self.short and not self.strips:
            self._limited(r, self.rows)

    def _row_of(self, x: Load, r: str, index: Sequence[str]) -> str:
        """The address of the row in an array that is read."""
        start = self._start(x, r, index)
        if type(x.base) is Count:
            return start
        return self.access.element(self._pointer(x.base, x.offset - x.column), x.kind, start)

    def _limited(self, at: str, count: int) -> None:
        """Set the number of columns: the last row, or the last strip, is shorter."""
        last = self.body.set(f"icmp eq i64 {at}, {count - 1}")
        self.loop.limit = self.body.set(f"select i1 {last}, i64 {self.short}, i64 {self.columns}")

    def _start(self, x: Load, r: str, index: Sequence[str]) -> str:
        """The offset of a row in an array, in elements."""
        begin = x.offset if type(x.base) is Count else 0
        if self.blocked:
            return add_terms(self.body, begin, [(r, (x.strides or [0])[0] * self.columns)])
        terms = [(i, x.strides[k]) for i, k in zip(index, self.outer, strict=False)]
        if self.strips:
            terms += self._strip(x.strides[self.inner[0]])
        return add_terms(self.body, begin, terms)

    def _strip(self, stride: int) -> list[tuple[str, int]]:
        """The offset of a part's strip of columns."""
        return [("%part", self.columns * stride)] if self.strips else []

    def _unravelled(self, r: str, sizes: Sequence[int]) -> list[str]:
        """The index on each axis, from the index in row-major order."""
        found = []
        for size in reversed(sizes[1:]):
            found.append(self.body.set(f"urem i64 {r}, {size}"))
            r = self.body.set(f"udiv i64 {r}, {size}")
        return [r, *reversed(found)]

    def _row_values(self, depth: int) -> None:
        """Compute the values that are constant along the row and known before a stage."""
        for i, (op, _, args, extra) in enumerate(self.code.instructions):
            if self.full[i] or i in self.known.names or self.depth[i] != depth:
                continue
            if op == "param":
                which, k = extra
                if which == "load":
                    self.known.names[i] = self._load(k, "0", 1, None)
                else:
                    self.known.names[i] = self.known.totals[k]
            elif op == "gather":
                self.known.names[i] = self._picked(i, self.known.names[args[0]], "0", 1, None)
            else:
                names = [self.known.names[a] for a in args]
                self.known.names[i] = self.body.value(self.code, i, names, 1, self._called)

    def _called(self, name: str, kind: str, width: int) -> str:
        self.calls[name, kind, width] = None
        return f"@{name}.{kind}.{width}"

    # ---- one stage: a loop over the columns ----------------------------------------------------

    def _scratches(self) -> None:
        """Allocate memory for values that a later stage uses and should not recompute."""
        size = 0
        for i in sorted(self._used_later()):
            kind = self.code.kind(i)
            size += self.columns * int(kind[1])
            if i in self.kept or size > SCRATCH or not self._is_dear(i):
                continue
            name = self.body.set(f"alloca {memory_type(kind, 1)}, i64 {self.columns}, align 64")
            self.scratch[i] = name

    def _used_later(self) -> set[int]:
        """Elementwise values that are computed in one stage and used in a later one."""
        found: set[int] = set()
        for i, (_, _, args, _) in enumerate(self.code.instructions):
            if self.full[i]:
                found |= {a for a in args if self.full[a] and self.depth[a] < self.depth[i]}
        return found

    def _is_dear(self, i: int) -> bool:
        """Whether recomputing a value costs more than storing it."""
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
        beside, done = self._neighbours(stores)

        def body(j: str, width: int, mask: str | None, accumulators: list[str]) -> list[str]:
            names = self._elements(order, j, width, mask, stage)
            for b, v in stores:
                if b in beside and width > 1:
                    self._put_together(b, j, [names[v] for v in beside[b]], mask, width)
                elif b not in done or width == 1:
                    self._put(b, j, names[v], mask, width)
            for i in keeps:
                self.access.store(self.scratch[i], self.code.kind(i), j, names[i], mask, width)
            found: list[str] = []
            for k in sums:
                s = self.sums[k]
                value = names[s.value]
                if k in self.column_sums:
                    self._add_to_columns(k, j, value, width, mask)
                else:
                    found.append(self._combine(s, accumulators[len(found)], value, width, mask))
            return found

        ends = self.loop.over_columns(f"s{stage}", [self.sums[k].item for k in running], body)
        for k, vector in zip(running, ends, strict=True):
            item = self.sums[k].item
            self.known.totals[k] = across(self.body, item.how, item.kind, vector, self.width)

    def _order(self, wanted: Sequence[int], stage: int) -> list[int]:
        """The elementwise instructions of a stage, in order."""
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
        """Broadcast the row's values that a stage uses to vectors."""
        used = {a for i in order for a in self.code.instructions[i][2] if not self.full[a]}
        used |= {w for w in wanted if not self.full[w]}
        for i in sorted(used):
            if i not in self.known.splats and self.code.instructions[i][0] != "const":
                kind = self.code.kind(i)
                self.known.splats[i] = splat(self.body, self.known.names[i], kind, self.width)

    def _elements(
        self, order: Sequence[int], j: str, width: int, mask: str | None, stage: int
    ) -> dict[int, str]:
        names: dict[int, str] = dict(self.known.splats)
        code = self.code.instructions
        for i in self.known.names:
            if code[i][0] == "const":
                names[i] = literal(code[i][1], code[i][3], width)
        for i in order:
            op, kind, args, extra = code[i]
            if op == "param":
                names[i] = self._load(extra[1], j, width, mask)
            elif self._is_kept(i, stage):
                start = self.scratch.get(i) or self.known.out_starts[self.kept[i]]
                names[i] = self.access.read(start, kind, j, width, mask)
            elif op == "gather":
                index = names[args[0]] if self.full[args[0]] else self.known.names[args[0]]
                names[i] = self._picked(i, index, j, width, mask)
            else:
                given = [names[a] for a in args]
                names[i] = self.body.value(self.code, i, given, width, self._called)
        return names

    # ---- memory --------------------------------------------------------------------------------

    def _load(self, k: int, j: str, width: int, mask: str | None) -> str:
        """Load elements of a row, from column j on."""
        x = self.loads[k]
        at, stride = self._along(x, j)
        if x.column and width == 1:
            at = add_terms(self.body, x.column, [(at, 1)])
        if type(x.base) is Count:
            return self._counted_places(self.known.starts[k], at, stride, x.kind, width)
        return self._read(self.known.starts[k], x.kind, at, stride, width, mask, x.column)

    def _read(
        self, start: str, kind: str, at: str, stride: int, width: int, mask: str | None, column: int = 0
    ) -> str:  # fmt: skip
        """Read elements at a distance; or one element, for all of a vector."""
        if width == 1 or stride == 1:
            return self.access.read(start, kind, at, width, mask)
        if type(stride) is int and stride == 0:
            return splat(self.body, self.access.read(start, kind, at, 1, None), kind, width)
        return self.access.gathered(start, kind, at, stride, width, mask, column)

    def _picked(self, i: int, index: str, j: str, width: int, mask: str | None) -> str:
        """Gather elements of a table, with one index for the whole row, or one for each element."""
        body = self.body
        _, kind, (argument,), (which, step) = self.code.instructions[i]
        many = width if self.full[argument] else 1
        index_kind = self.code.kind(argument)
        if index_kind != "i8":
            source, target = llvm_type(index_kind, many), llvm_type("i8", many)
            index = body.set(f"sext {source} {index} to {target}")
        begin, (at, stride) = self.known.starts[which], self._along(self.loads[which], j)
        if many == 1:
            row = self.access.element(begin, kind, add_terms(body, 0, [(index, step)]))
            return self._read(row, kind, at, stride, width, mask)
        offsets = f"<{width} x i64>"
        far = body.set(f"mul {offsets} {index}, {splat(body, str(step), 'i8', width)}")
        places = body.set(f"add {offsets} {far}, {multiples(body, stride, 'i8', width)}")
        start = self.access.element(begin, kind, at)
        return self.access.at_places(
            body.set(f"getelementptr {memory_type(kind, 1)}, ptr {start}, {offsets} {places}"),
            kind, width, mask,
        )  # fmt: skip

    def _along(self, x: Load, j: str) -> tuple[str, int]:
        """The offset of column j within the row, and the stride to the next one."""
        if x.level == ROW or not self.inner:
            return "0", 0
        if len(self.inner) > 1:
            line, within = self.loop.place
            index = self._unravelled(line, [self.axes[a].size for a in self.inner[:-1]])
            strides = [x.strides[a] for a in self.inner]
            at = add_terms(self.body, 0, list(zip([*index, within], strides, strict=True)))
            return at, strides[-1]
        stride = x.strides[self.inner[0]]
        return add_terms(self.body, 0, [(j, stride)]), stride

    def _counted_places(self, start: str, at: str, stride: int, kind: str, width: int) -> str:
        """The values of a view of `Count`: linear in the index."""
        body = self.body
        first = body.set(f"add i64 {start}, {at}")
        narrow = body.set(f"trunc i64 {first} to i32") if kind == "i4" else first
        if width == 1:
            return narrow
        spread = splat(body, narrow, kind, width)
        steps = multiples(body, stride, kind, width)
        return body.set(f"add {llvm_type(kind, width)} {spread}, {steps}")

    def _neighbours(
        self, stores: Sequence[tuple[Any, int]]
    ) -> tuple[dict[Any, list[int]], set[Any]]:
        """Parts whose elements lie between those of others: for the first ones the values of all, and the others."""
        places = {self._comb_of(b, 0): (b, v) for b, v in stores if self._comb_of(b, 0)}
        found: dict[Any, list[int]] = {}
        others: set[Any] = set()
        for b, _ in stores:
            comb = [] if b in others else self._combs_of(b)
            if comb and all(c in places for c in comb):
                found[b] = [places[c][1] for c in comb]
                others |= {places[c][0] for c in comb[1:]}
        return found, others

    def _combs_of(self, base: Any) -> list[Any]:
        """Where a part goes, and where the others would go between whose elements its own are; nothing for any other."""
        own = self._comb_of(base, 0)
        return [] if own is None else [self._comb_of(base, k) for k in range(own[2][self.inner[0]])]

    def _comb_of(self, base: Any, further: int) -> Any:
        """Where a part goes that takes every second to fourth place, so many elements further on; None for any other."""
        target = self.targets.get(base)
        if not _is_part(base) or target is None or base.kind == "b1" or len(self.inner) != 1:
            return None
        stride = target.strides[self.inner[0]]
        if target.level == ROW or type(stride) is not int or not 2 <= stride <= NEAR:
            return None
        return target.base, target.offset + further, tuple(target.strides)

    def _put_together(
        self, base: Any, j: str, values: Sequence[str], mask: str | None, width: int
    ) -> None:
        """Store elements of a row, and those of the parts between them."""
        at, _ = self._along(self.targets[base], j)
        place = self.access.element(self.known.out_starts[base], base.kind, at)
        self.access.store_side_by_side(place, base.kind, values, mask, width)

    def _put(self, base: Base, j: str, value: str, mask: str | None, width: int) -> None:
        """Store elements of a row."""
        start, target = self.known.out_starts[base], self.targets.get(base)
        if target is None:
            self.access.store(start, base.kind, j, value, mask, width)
            return
        at, stride = self._along(target, j)
        if width == 1 or stride == 1:
            self.access.store(start, base.kind, at, value, mask, width)
        else:
            self.access.scatter(
                self.access.element(start, base.kind, at), base.kind, stride, value, mask, width
            )

    # ---- sums ----------------------------------------------------------------------------------

    def _combine(self, s: Sum, so_far: str, value: str, width: int, mask: str | None) -> str:
        """Add one more element to each accumulator of a row."""
        kind, how = s.item.kind, s.item.how
        then = combine(self.body, how, kind, so_far, value, width)
        if mask is None or width == 1:
            return then
        kinds = llvm_type(kind, width)
        return self.body.set(f"select <{width} x i1> {mask}, {kinds} {then}, {kinds} {so_far}")

    def _add_to_columns(self, k: int, j: str, value: str, width: int, mask: str | None) -> None:
        s = self.sums[k]
        place, within = (self._own(j), None) if self._has_own_sums() else (j, mask)
        so_far = self.access.read(self.column_sums[k], s.item.kind, place, width, within)
        then = combine(self.body, s.item.how, s.item.kind, so_far, value, width)
        self._set_columns(k, j, then, width, mask)

    def _set_columns(self, k: int, j: str, value: str, width: int, mask: str | None) -> None:
        """Store sums of some columns."""
        place, within = (self._own(j), None) if self._has_own_sums() else (j, mask)
        self.access.store(self.column_sums[k], self.sums[k].item.kind, place, value, within, width)


def _is_part(base: Any) -> bool:
    """Whether what is written is only some elements of an array."""
    return type(base) in (Piece, Column)


def combined_launches(item: Reduction, partial: Base, memory: set[Base]) -> list[Launch]:
    """The launches that combine the partial sums of the parts."""
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
