"""The first elements in sorted order, with their indices.

Equal elements keep their order, and NaN comes last. A few are inserted one by one into a sorted list;
for more, all are merged.
"""

from __future__ import annotations

from collections.abc import Sequence

from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.scalar import is_float
from wengert.engines.native.runtime.processor import vector_bytes


def top(
    w: FunctionWriter, kind: str, index: str, shape: tuple[int, int], count: int, largest: bool, few: bool
) -> None:  # fmt: skip
    """Of each row the first elements, and where they were; if they are few, inserted one by one."""
    order = _Order(w, kind, largest)
    rows, columns = shape

    def row(r: str, _: list[str]) -> None:
        x = w.place(kind, w.arrays[0], w.mul(r, columns))
        values = w.place(kind, w.arrays[1], w.mul(r, count))
        places = w.place(index, w.arrays[2], w.mul(r, count))
        if few:
            _insert_all(order, x, (values, places, index), columns, count)
        else:
            _merge_all(order, x, (values, places, index), columns, count)

    w.loop(0, rows, 1, row)


class _Order:
    """What comes before what."""

    def __init__(self, w: FunctionWriter, kind: str, largest: bool) -> None:
        self.w, self.kind, self.type = w, kind, llvm_type(kind, 1)
        word = "gt" if largest else "lt"
        if is_float(kind):
            self._compare = f"fcmp o{word}"
        else:
            self._compare = f"icmp {'s' if kind[0] == 'i' else 'u'}{word}"

    def before(self, a: str, b: str, width: int = 1) -> str:
        """Whether one number comes before another one, or those of a vector do."""
        w, kinds, truth = self.w, llvm_type(self.kind, width), llvm_type("b1", width)
        found = w.set(f"{self._compare} {kinds} {a}, {b}")
        if not is_float(self.kind):
            return found
        is_number = w.set(f"fcmp ord {kinds} {a}, {a}")
        is_nan = w.set(f"fcmp uno {kinds} {b}, {b}")
        return w.set(f"or {truth} {found}, {w.set(f'and {truth} {is_number}, {is_nan}')}")


def _insert_all(
    order: _Order, x: str, found: tuple[str, str, str], columns: int, count: int
) -> None:
    """Keep a sorted list of the first elements so far."""
    w, kind = order.w, order.kind
    values, places, index = found

    width = vector_bytes() // int(kind[1])
    whole = count + (columns - count) // width * width

    def element(i: str, _: list[str]) -> None:
        value, last = w.read(kind, x, i, 1), w.read(kind, values, count - 1, 1)
        w.when(order.before(value, last), lambda: insert(value, i, str(count - 1)))

    def block(i: str, _: list[str]) -> None:
        """Most have no element that comes before the last one so far."""
        last = w.spread(order.type, w.read(kind, values, count - 1, 1), width)
        some = order.before(w.read(kind, x, i, width), last, width)
        bits = w.set(f"bitcast <{width} x i1> {some} to i{width}")
        found = w.set(f"icmp ne i{width} {bits}, 0")
        w.when(found, lambda: w.loop(i, w.add(i, width), 1, element) and None)

    def insert(value: str, i: str, end: str) -> None:
        def later(now: list[str]) -> str:
            behind = w.set(f"icmp sgt i64 {now[0]}, 0")
            last = w.most(w.sub(now[0], 1), 0)
            return w.set(f"and i1 {behind}, {order.before(value, w.read(kind, values, last, 1))}")

        def move(now: list[str]) -> Sequence[str]:
            last = w.sub(now[0], 1)
            w.write(kind, values, now[0], w.read(kind, values, last, 1), 1)
            w.write(index, places, now[0], w.read(index, places, last, 1), 1)
            return [last]

        (at,) = w.as_long_as(later, move, [("i64", end)])
        w.write(kind, values, at, value, 1)
        w.write(index, places, at, _as_index(w, index, i), 1)

    w.loop(0, count, 1, lambda i, _: insert(w.read(kind, x, i, 1), i, i))
    w.loop(count, whole, width, block)
    w.loop(whole, columns, 1, element)


def _as_index(w: FunctionWriter, index: str, i: str) -> str:
    return i if index == "i8" else w.set(f"trunc i64 {i} to {llvm_type(index, 1)}")


def _merge_all(
    order: _Order, x: str, found: tuple[str, str, str], columns: int, count: int
) -> None:
    """Merge sorted runs until there is one, to and fro between two pairs of arrays."""
    w, kind = order.w, order.kind
    values, places, index = found
    rooms = w.arrays[3:7]  # two for elements, two for their indices

    def begin(i: str, _: list[str]) -> None:
        w.write(kind, rooms[0], i, w.read(kind, x, i, 1), 1)
        w.write(index, rooms[2], i, _as_index(w, index, i), 1)

    w.loop(0, columns, 1, begin)

    def one_pass(now: list[str]) -> Sequence[str]:
        size, *pointers = now
        twice = w.mul(size, 2)

        def runs(low: str, _: list[str]) -> None:
            middle = w.least(w.add(low, size), columns)
            end = w.least(w.add(low, twice), columns)
            _merge(order, index, pointers, (low, middle, end), columns)

        w.loop(0, columns, twice, runs)
        return [twice, pointers[1], pointers[0], pointers[3], pointers[2]]

    carried = [("i64", "1"), *[("ptr", room) for room in rooms]]
    done = w.as_long_as(lambda now: w.set(f"icmp slt i64 {now[0]}, {columns}"), one_pass, carried)

    def end(i: str, _: list[str]) -> None:
        w.write(kind, values, i, w.read(kind, done[1], i, 1), 1)
        w.write(index, places, i, w.read(index, done[3], i, 1), 1)

    w.loop(0, count, 1, end)


def _merge(
    order: _Order, index: str, rooms: Sequence[str], bounds: tuple[str, str, str], columns: int
) -> None:
    """Merge two runs that follow each other."""
    w, kind = order.w, order.kind
    old, new, old_places, new_places = rooms
    low, middle, end = bounds

    def element(k: str, now: list[str]) -> Sequence[str]:
        left, right = now
        at = [left, w.least(right, columns - 1)]
        a, b = (w.read(kind, old, i, 1) for i in at)
        none_left = w.set(f"icmp sge i64 {left}, {middle}")
        some_right = w.set(f"icmp slt i64 {right}, {end}")
        either = w.set(f"or i1 {none_left}, {order.before(b, a)}")
        is_right = w.set(f"and i1 {some_right}, {either}")
        chosen = w.set(f"select i1 {is_right}, i64 {at[1]}, i64 {left}")
        w.write(kind, new, k, w.read(kind, old, chosen, 1), 1)
        w.write(index, new_places, k, w.read(index, old_places, chosen, 1), 1)
        step = w.set(f"zext i1 {is_right} to i64")
        return [w.sub(w.add(left, 1), step), w.add(right, step)]

    w.loop(low, end, 1, element, [("i64", low), ("i64", middle)])
