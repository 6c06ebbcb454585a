"""How a group is laid out: its scalar code, its axes, rows and columns, parts, and stages."""

from __future__ import annotations

from typing import Any, ClassVar, Final, NamedTuple

from wengert.engines.native.codegen.short_rows import are_short, write_out_columns
from wengert.engines.native.frontend.arrays import (
    Base,
    Gather,
    Literal,
    Map,
    Piece,
    Reduction,
    View,
    is_plain,
)
from wengert.engines.native.frontend.scalar import Code
from wengert.engines.native.mathematics import elementary
from wengert.engines.native.optimize.fuse import END, FULL, ROW, Group
from wengert.engines.native.runtime.processor import vector_bytes
from wengert.values.open_size import OpenSize, is_open, of_both

BLOCK: Final = 4096  # columns of a row, where the length of rows is free
PART: Final = 1 << 16  # elements, times their cost, that are worth handing to another thread
MOST_PARTS: Final = 1 << 6  # more of them cost 3 % for 40 MB: each begins somewhere else in memory
MOST_SCATTERED: Final = 4  # in long vectors, for which LLVM writes an instruction for each element
MOST_SUMS: Final = 16  # parts, where each has column sums of its own


def _last_row(size: int, columns: int) -> int:
    """The columns of the last row, if it is shorter; of open sizes it may be as long as the others."""
    if is_open((size, columns)):
        return of_both(lambda a, b: a % b or b, size, columns)
    return size % columns


def _per_part(rows: int, worth: int, most: int) -> int:
    """How many rows a part has, where so many are worth one: about as many as any other part.

    The number of parts is a power of two, for as many threads to be done at the same time.
    """
    parts = max(min(-(-rows // worth), most), 1)
    return max(-(-rows // (1 << (parts - 1).bit_length())), 1)


class Axis(NamedTuple):
    size: int
    within: int  # elements within one step


class Load:
    """An array that is read, with a stride for each axis of the group."""

    __slots__ = ("base", "column", "kind", "level", "offset", "strides")

    def __init__(self, base: Base, offset: int, strides: list[int]) -> None:
        self.base = base
        self.kind = base.kind
        self.offset = offset
        self.strides = strides
        self.level = FULL
        self.column = 0  # which of the elements between those of a stride it reads


class Sum(NamedTuple):
    """A reduction: the value that it sums, its result, and its level in the loop."""

    item: Reduction
    value: int
    result: int  # the value of the result, at the level of rows; -1 at the end
    level: str


class Layout:
    """What a group computes as scalar code, and the loops around it."""

    is_free: ClassVar = True  # whether the loops are the group's own, and not around a product

    def __init__(self, group: Group, memory: set[Base]) -> None:
        self.group = group
        self.memory = memory
        self.code = Code()
        self.loads: list[Load] = []
        self._load_of: dict[Any, int] = {}
        self.values: dict[Base, int] = {}
        self.sums: list[Sum] = []
        self.read_views = False
        self.displaced: set[Base] = set()  # arrays that are read at other indices than the loop's
        self.size = group.size
        self.levels: dict[Any, str] = group.levels
        self._plan()

    # ---- the scalar code -----------------------------------------------------------------------

    def _plan(self) -> None:
        chain = sorted({*self.group.boundaries, self.group.columns or 1, self.group.size} - {1})
        self.axes = [Axis(b // a, a) for a, b in zip([1, *chain], chain, strict=False)][::-1]
        for item in self.group.members:
            level = self.group.levels.get(item)
            if level is None:
                continue  # a product, whose elements are read
            if type(item) is Gather:
                self._gather(item, (self.group.columns or 1) if level == ROW else 1)
            elif isinstance(item, Map):
                self._map(item, (self.group.columns or 1) if level == ROW else 1)
            else:
                self._reduction(item, level)
        self._expand()
        columns = self.group.columns
        self._merge_axes(columns)
        if self.is_free and are_short(self):
            write_out_columns(self)
            columns = None
            self._merge_axes(columns)
        self._lay_out(columns)
        self._set_levels()
        self._split()
        self.native = self._native()
        self.width = self._width()

    def _map(self, item: Map, within: int) -> None:
        arguments = [self._argument(v, within) for v in item.views]
        self.values[item] = self.code.inserted(item.code, arguments)[item.result]

    def _gather(self, item: Gather, within: int) -> None:
        index, table = item.views
        which = len(self.loads)
        self.displaced.add(table.base)
        self.loads.append(Load(table.base, table.offset, self._on_axes(table, within)))
        arguments = (self._argument(index, within),)
        self.read_views = True
        extra = (which, item.step)
        self.values[item] = self.code.add("gather", item.kind, arguments, extra)

    def _reduction(self, item: Reduction, level: str) -> None:
        value = self._argument(item.view, 1)
        result = -1
        if level == ROW:
            result = self.code.add("param", item.kind, (), ("sum", len(self.sums)))
            self.values[item] = result
        self.sums.append(Sum(item, value, result, level))

    def _argument(self, view: View, within: int) -> int:
        base = view.base
        if type(base) is Literal:
            return self.code.constant(base.kind, base.value)
        if base in self.values:
            return self.values[base]
        strides = self._on_axes(view, within)
        key = (base, view.offset, tuple(strides))
        found = self._load_of.get(key)
        if found is None:
            extra = ("load", len(self.loads))
            self.loads.append(Load(base, view.offset, strides))
            found = self._load_of[key] = self.code.add("param", base.kind, (), extra)
            if not is_plain(view) or within != 1:
                self.read_views = True
                self.displaced.add(base)
        return found

    def _on_axes(self, view: View, within: int) -> list[int]:
        """The strides of a view on the axes of the group."""
        if is_plain(view):
            return [a.within // within if a.within >= within else 0 for a in self.axes]
        strides = [0] * len(self.axes)
        begin = within
        for size, stride in zip(view.shape[::-1], view.strides[::-1], strict=True):
            end = begin * size
            for k, axis in enumerate(self.axes):
                if size != 1 and begin <= axis.within < end:
                    strides[k] = stride * (axis.within // begin)
            begin = end
        return strides

    def _expand(self) -> None:
        """Inline functions of `mathematics`, except those that are called often."""
        stored = [
            b
            for b in self.group.members
            if b in self.values and (b in self.memory or type(b) is Piece)
        ]
        self.targets: dict[Any, Load] = {
            b: Load(
                b.target.base,
                b.target.offset,
                self._on_axes(b.target, (self.group.columns or 1) if self._is_row(b) else 1),
            )
            for b in stored
            if type(b) is Piece
        }
        wanted = [self.values[b] for b in stored] + [s.value for s in self.sums]
        wanted += [s.result for s in self.sums if s.result >= 0]
        self.code, found = elementary.expanded(self.code, wanted)
        given = iter(found)
        self.stored: dict[Any, int] = {b: next(given) for b in stored}
        values = [next(given) for _ in self.sums]
        results = [next(given) if s.result >= 0 else -1 for s in self.sums]
        self.sums = [
            s._replace(value=v, result=r)
            for s, v, r in zip(self.sums, values, results, strict=True)
        ]

    # ---- the loops -----------------------------------------------------------------------------

    def load(self, base: Base, offset: int, strides: list[int]) -> Load:
        """An array, as the code that is written out reads or writes it."""
        return Load(base, offset, strides)

    def _merge_axes(self, columns: int | None) -> None:
        """Merge axes that are contiguous in all views."""
        accesses = [*self.loads, *self.targets.values()]
        k = len(self.axes) - 2
        while k >= 0:
            outer, inner = self.axes[k], self.axes[k + 1]
            if outer.within != columns and all(
                x.strides[k] == x.strides[k + 1] * inner.size for x in accesses
            ):
                self.axes[k : k + 2] = [Axis(outer.size * inner.size, inner.within)]
                for x in accesses:
                    del x.strides[k]
            k -= 1

    def _lay_out(self, columns: int | None) -> None:
        """Divide the axes into rows and columns."""
        self.short = 0  # columns of the last row, if it is shorter
        size = self.size
        if columns:
            self.columns = columns
        elif len(self.axes) <= 1:
            self.columns = min(size, 2 * BLOCK) if size <= 2 * BLOCK else BLOCK
            self.short = _last_row(size, max(self.columns, 1))
        else:
            self.columns = self.axes[-1].size
        self.rows = -(-size // self.columns) if self.columns else 1
        self.outer = [k for k, a in enumerate(self.axes) if a.within >= self.columns]
        self.inner = [k for k, a in enumerate(self.axes) if a.within < self.columns]
        self.blocked = not columns and len(self.axes) <= 1 and self.rows > 1
        for x in self.loads:
            if not any(x.strides[k] for k in self.inner):
                x.level = ROW
        if self.columns == 1:
            self.inner = []
        self.line = self.axes[self.inner[-1]].size if len(self.inner) > 1 else self.columns

    def _split(self) -> None:
        """Cut the rows into parts, independently of the number of threads."""
        weight = 1 + len(self.code.instructions) / 16
        worth = of_both(lambda n: max(1, int(PART / weight / max(n, 1))), self.columns)
        columns = any(self._sums_columns(s) for s in self.sums)
        most = MOST_SUMS if columns else MOST_PARTS
        self.row = self.columns  # elements from one row to the next
        self.matrices = self.group.rows_of_one and self.rows // self.group.rows_of_one
        if self.matrices:  # down the columns of each: a part has some of them
            rows = self.group.rows_of_one
            self.strips = False
            self.per_part = of_both(
                lambda n, count: _per_part(count, max(n // rows, 1), MOST_PARTS),
                worth,
                self.matrices,
            )
            self.parts = -(-self.matrices // self.per_part)
            return
        self.strips = columns and self._may_be_in_strips()
        if self.strips:
            self.columns = self.line = BLOCK
            self.short = self.row % BLOCK
            self.per_part, self.parts = self.rows, -(-self.row // BLOCK)
            return
        if columns and self.rows <= most:
            most = 1
        self.per_part = of_both(lambda n, rows: _per_part(rows, n, most), worth, self.rows)
        self.parts = -(-self.rows // self.per_part)

    def _may_be_in_strips(self) -> bool:
        """Whether parts can be strips (some columns of all rows): for column sums of long rows."""
        return (
            self.row >= 2 * BLOCK
            and self.stages <= 1
            and len(self.inner) == 1
            and all(self._sums_columns(s) for s in self.sums)
            and all(map(self._is_full, self.stored))
        )

    def _sums_columns(self, s: Sum) -> bool:
        return s.level == END and s.item.along in ("first", "middle")

    def _set_levels(self) -> None:
        """For each instruction, whether it is per element, and the first stage that can run it."""
        code = self.code.instructions
        depth_of_sum: list[int] = [0] * len(self.sums)
        self.full = [False] * len(code)
        self.depth = [0] * len(code)
        at_value: dict[int, list[int]] = {}
        for k, s in enumerate(self.sums):
            at_value.setdefault(s.value, []).append(k)
        for i, (op, _, args, extra) in enumerate(code):
            if op == "param":
                which, k = extra
                if which == "load":
                    self.full[i] = self.loads[k].level == FULL
                else:
                    self.depth[i] = depth_of_sum[k]
            elif args:
                self.full[i] = any(self.full[a] for a in args)
                if op == "gather":
                    self.full[i] |= self.loads[extra[0]].level == FULL
                self.depth[i] = max(self.depth[a] for a in args)
            for k in at_value.get(i, ()):
                depth_of_sum[k] = self.depth[i] + 1
        stored = [self.depth[v] for b, v in self.stored.items() if self._is_full(b)]
        summed = [self.depth[s.value] for s in self.sums]
        self.stages = max([-1, *stored, *summed]) + 1

    def _is_row(self, base: Any) -> bool:
        return self.levels[base] == ROW

    def _is_full(self, base: Any) -> bool:
        return self.levels[base] == FULL

    def _native(self) -> int:
        """The number of elements in a register."""
        kinds = [k for i, (_, k, _, _) in enumerate(self.code.instructions) if self.full[i]]
        largest = max([int(k[1]) for k in kinds] + [int(b.kind[1]) for b in self.stored], default=4)
        return vector_bytes() // largest

    def _width(self) -> int:
        """The number of elements in a vector: several registers' worth where the code is short."""
        if self.columns == 1:
            return 1
        weight, native = sum(self.full), self.native
        times = 4 if weight <= 16 else 2 if weight <= 200 else 1
        if self._scattered() > MOST_SCATTERED:
            times = 1
        width = native * times
        if type(self.line) is OpenSize:  # what is left over is masked, all of a vector
            while width > native and self.line < 8 * width:
                width //= 2
        while width > 1 and (width // 2 >= self.line or self._ends_slowly(width)):
            width //= 2
        return width

    def _ends_slowly(self, width: int) -> bool:
        """Whether masks would often be needed for what is left of a line, by a processor without."""
        if len(self.inner) == 1 or vector_bytes() == 64 or is_open((self.line,)):
            return False
        return self.line < 8 * width and self.line % width != 0

    def _scattered(self) -> int:
        """How many arrays are read or written at distances along a row."""
        accesses = [*self.loads, *self.targets.values()]
        return sum(any(x.strides[k] not in (0, 1) for k in self.inner[-1:]) for x in accesses)
