"""Rows of two to four elements, such as points in space: a row in each lane of a vector.

Such a row fills a part of a vector, and what is computed once for it, nothing of one. So what a loop
computes is written out for each column, and the loop goes over rows: sums along a row add up vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from wengert.engines.native.codegen.memory_access import NEAR
from wengert.engines.native.frontend.arrays import Base, Count
from wengert.engines.native.frontend.scalar import Code, is_float
from wengert.engines.native.optimize.fuse import END, FULL, ROW
from wengert.values.open_size import is_open

if TYPE_CHECKING:
    from wengert.engines.native.codegen.layout import Layout, Load

FEWEST_ROWS: Final = 32
LONGEST: Final = 200  # instructions that are written out


class Column:
    """A column of an array that is written."""

    __slots__ = ("array", "kind")

    def __init__(self, array: Base) -> None:
        self.array = array
        self.kind = array.kind


def are_short(layout: Layout) -> bool:
    """Whether a loop has such rows, and does nothing with them that columns cannot do."""
    axes, columns = layout.axes, layout.group.columns
    if len(axes) < 2 or is_open((axes[-1].size,)):
        return False
    rows, count = axes[-2].size, axes[-1].size
    if not 2 <= count <= NEAR or rows < FEWEST_ROWS or columns not in (None, count):
        return False
    if any(s.level == END and s.item.along != "all" for s in layout.sums):
        return False
    if count == NEAR and not any(s.level == ROW for s in layout.sums):
        return False  # rows of four are vectors
    code = layout.code.instructions
    if any(op == "gather" for op, *_ in code) or len(code) * count > LONGEST:
        return False
    if any(int(x.kind[1]) < 4 for x in (*layout.loads, *layout.stored)):
        return False
    written = [x.strides[-2:] for b, x in layout.targets.items() if layout.levels[b] == FULL]
    return all(map(_is_near, layout.loads)) and all(steps == [count, 1] for steps in written)


def _is_near(x: Load) -> bool:
    """Whether the elements that a vector has of a column are near each other, or are one."""
    step = x.strides[-2]
    return type(step) is int and 0 <= step <= NEAR


def write_out_columns(layout: Layout) -> None:
    """Write the code of such a loop out for each column, and take the axis away."""
    _Columns(layout).write_out()


class _Columns:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.count = layout.axes[-1].size
        self.code = Code()
        self.loads: list[Load] = []
        self._place_of: dict[Any, int] = {}

    def write_out(self) -> None:
        layout = self.layout
        values = self._values()
        stored, targets = self._stored(values)
        layout.sums = [
            s._replace(value=self._in_all(s.item, values[s.value]))
            for s in layout.sums
            if s.level == END
        ]
        layout.code, layout.loads, layout.stored, layout.targets = (
            self.code,
            self.loads,
            stored,
            targets,
        )
        layout.levels = dict.fromkeys(stored, FULL)
        layout.size //= self.count
        within = layout.axes[-1].size
        layout.axes = [a._replace(within=a.within // within) for a in layout.axes[:-1]]

    def _values(self) -> list[list[int]]:
        """For each value of the loop those for the columns, or one that is the same for all."""
        found: list[list[int]] = []
        for op, kind, args, extra in self.layout.code.instructions:
            if op == "param":
                which, k = extra
                if which == "load":
                    found.append(self._loaded(self.layout.loads[k]))
                else:
                    s = self.layout.sums[k]
                    found.append([self._in_all(s.item, found[s.value])])
                continue
            given = [found[a] for a in args]
            many = max((len(g) for g in given), default=1)
            found.append(
                [
                    self.code.add(op, kind, tuple([g[k % len(g)] for g in given]), extra)
                    for k in range(many)
                ]
            )
        return found

    def _loaded(self, x: Load) -> list[int]:
        return [self._load(x, k) for k in range(self.count if x.strides[-1] else 1)]

    def _load(self, x: Load, k: int) -> int:
        *strides, stride = x.strides
        key = x.base, x.offset + k * stride, tuple(strides)
        at = self._place_of.get(key)
        if at is None:
            at = self._place_of[key] = len(self.loads)
            load = self.layout.load(x.base, x.offset + k * stride, strides)
            if stride == 1 and strides[-1] == self.count and type(x.base) is not Count:
                load.column = k  # its elements lie between those of the others
            self.loads.append(load)
        return self.code.add("param", x.kind, (), ("load", at))

    def _in_all(self, item: Any, values: Sequence[int]) -> int:
        """The sum, the product or the extreme of a row."""
        found = values[0]
        for k in range(1, self.count):
            found = _combined(self.code, item.how, item.kind, found, values[k % len(values)])
        return found

    def _stored(self, values: list[list[int]]) -> tuple[dict[Any, int], dict[Any, Load]]:
        """What is written: the columns of arrays, and what there is once for a row."""
        layout, stored, targets = self.layout, {}, {}
        for base, value in layout.stored.items():
            target = layout.targets.get(base)
            if layout.levels[base] == ROW:
                stored[base] = values[value][0]
                if target is not None:
                    targets[base] = layout.load(target.base, target.offset, target.strides[:-1])
                continue
            *strides, stride = [a.within for a in layout.axes] if target is None else target.strides
            begin = 0 if target is None else target.offset
            into = base if target is None else target.base
            for k in range(self.count):
                column = Column(base)
                stored[column] = values[value][k % len(values[value])]
                targets[column] = layout.load(into, begin + k * stride, strides)
        return stored, targets


def _combined(code: Code, how: str, kind: str, a: int, b: int) -> int:
    """Combine two partial sums, products or extremes, as `combine` does."""
    word = {"sum": "add", "prod": "mul", "any": "or", "all": "and"}.get(how)
    if word is not None:
        return code.add(word, kind, (a, b))
    better = code.add("lt" if how == "min" else "gt", "b1", (b, a))
    found = code.add("select", kind, (better, b, a))
    if how == "top" or not is_float(kind):
        return found
    return code.add("select", kind, (code.add("ne", "b1", (b, b)), b, found))
