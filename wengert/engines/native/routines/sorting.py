"""The first elements in sorted order, with their indices.

Equal elements keep their order, and NaN comes last. A few are inserted one by one into a sorted list;
for more, all are sorted by the digits of keys, which takes the same time whatever their order is.
"""

from __future__ import annotations

from collections.abc import Sequence

from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.order_rules import Digits
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
            _sort_all(order, x, (values, places, index), columns, count)

    w.loop(0, rows, 1, row)


class _Order:
    """What comes before what."""

    def __init__(self, w: FunctionWriter, kind: str, largest: bool) -> None:
        self.w, self.kind, self.type = w, kind, llvm_type(kind, 1)
        self.largest = largest
        word = "gt" if largest else "lt"
        if is_float(kind):
            self._compare = f"fcmp o{word}"
        else:
            self._compare = f"icmp {'s' if kind[0] == 'i' else 'u'}{word}"

    def key(self, x: str) -> str:
        """An unsigned integer that is ordered as the number is; that of NaN is the largest one."""
        w, bits = self.w, 8 * int(self.kind[1])
        sign = -(1 << (bits - 1))
        if not is_float(self.kind):
            signed = w.set(f"xor i{bits} {x}, {sign}") if self.kind[0] == "i" else x
            return w.set(f"xor i{bits} {signed}, -1") if self.largest else signed
        number = w.set(f"fadd {self.type} {x}, 0.0")  # both zeros are one
        raw = w.set(f"bitcast {self.type} {number} to i{bits}")
        spread = w.set(f"ashr i{bits} {raw}, {bits - 1}")  # all bits of a negative number change
        changed = w.set(f"or i{bits} {spread}, {sign}")
        key = w.set(f"xor i{bits} {raw}, {changed}")
        if self.largest:
            key = w.set(f"xor i{bits} {key}, -1")
        is_nan = w.set(f"fcmp uno {self.type} {x}, {x}")
        return w.set(f"select i1 {is_nan}, i{bits} -1, i{bits} {key}")

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


def _sort_all(order: _Order, x: str, found: tuple[str, str, str], columns: int, count: int) -> None:
    """Sort keys by one digit after the other, to and fro between two pairs of arrays."""
    w = order.w
    values, places, index = found
    keys = _Keys(order, index, columns)
    number = keys.take_all(x) if count == columns else keys.take_first(x, count)
    ordered = keys.in_order(number)

    def end(i: str, _: list[str]) -> None:
        place = w.read(index, ordered, i, 1)
        at = place if index == "i8" else w.set(f"sext {llvm_type(index, 1)} {place} to i64")
        w.write(index, places, i, place, 1)
        w.write(order.kind, values, i, w.read(order.kind, x, at, 1), 1)

    w.loop(0, count, 1, end)


class _Keys:
    """The keys of a row with their places, and how often each digit is there."""

    def __init__(self, order: _Order, index: str, columns: int) -> None:
        self.w, self.order, self.index, self.columns = order.w, order, index, columns
        self.digits = Digits(order.kind, columns)
        self.kind = self.digits.kind
        self.rooms = [self.w.arrays[k] for k in (3, 5, 4, 6)]  # keys and places, twice
        self.counts = self.w.arrays[7]

    def take_all(self, x: str) -> str:
        """Note the key of each element; how many there are."""
        self.w.loop(0, self.columns, 1, lambda i, _: self._note(x, i, i) and None)
        return str(self.columns)

    def take_first(self, x: str, count: int) -> str:
        """Note the keys that can be among the first: whose highest digit is low enough."""
        w, top = self.w, self.digits.passes - 1
        self._forget(1)

        def see(i: str, _: list[str]) -> None:
            key = self.order.key(w.read(self.order.kind, x, i, 1))
            self._counted(self.counts, self._digit(key, top))

        w.loop(0, self.columns, 1, see)

        def more(now: list[str]) -> Sequence[str]:
            here = w.set(f"zext i32 {w.read('i4', self.counts, now[0], 1)} to i64")
            return [w.add(now[0], 1), w.add(now[1], here)]

        behind, _ = w.as_long_as(
            lambda now: w.set(f"icmp slt i64 {now[1]}, {count}"), more, [("i64", "0"), ("i64", "0")]
        )

        def take(i: str, now: list[str]) -> Sequence[str]:
            key = self._note(x, i, now[0])
            is_low = w.set(f"icmp ult i64 {self._digit(key, top)}, {behind}")
            return [w.add(now[0], w.set(f"zext i1 {is_low} to i64"))]

        return w.loop(0, self.columns, 1, take, [("i64", "0")])[0]

    def _note(self, x: str, i: str, at: str) -> str:
        w = self.w
        key = self.order.key(w.read(self.order.kind, x, i, 1))
        w.write(self.kind, self.rooms[0], at, key, 1)
        w.write(self.index, self.rooms[1], at, _as_index(w, self.index, i), 1)
        return key

    def in_order(self, number: str) -> str:
        """Bring the keys into order, unless they are; where their places are then."""
        rooms = [("ptr", room) for room in self.rooms]
        unordered = self._break_of("ule", number)

        def sort() -> Sequence[str]:
            is_mixed = self._break_of("ugt", number)
            reverse = self.w.set(f"xor i1 {is_mixed}, true")
            self.w.when(reverse, lambda: self._reverse(number))
            return self.w.when(is_mixed, lambda: self._sort(number), [*rooms[2:], *rooms[:2]])

        return self.w.when(unordered, sort, rooms)[1]

    def _break_of(self, relation: str, number: str) -> str:
        """Whether there are two neighbours of which a relation does not hold."""
        w = self.w

        def holds(now: list[str]) -> str:
            i = w.least(now[0], w.sub(number, 1))
            a, b = (w.read(self.kind, self.rooms[0], at, 1) for at in (w.sub(i, 1), i))
            does = w.set(f"icmp {relation} {llvm_type(self.kind, 1)} {a}, {b}")
            return w.set(f"and i1 {w.set(f'icmp slt i64 {now[0]}, {number}')}, {does}")

        (end,) = w.as_long_as(holds, lambda now: [w.add(now[0], 1)], [("i64", "1")])
        return w.set(f"icmp slt i64 {end}, {number}")

    def _reverse(self, number: str) -> None:
        w = self.w
        old, old_places, new, new_places = self.rooms
        last = w.sub(number, 1)

        def element(i: str, _: list[str]) -> None:
            at = w.sub(last, i)
            w.write(self.kind, new, at, w.read(self.kind, old, i, 1), 1)
            w.write(self.index, new_places, at, w.read(self.index, old_places, i, 1), 1)

        w.loop(0, number, 1, element)

    def _sort(self, number: str) -> Sequence[str]:
        w, digits = self.w, self.digits
        rows = [w.place("i4", self.counts, k * digits.size) for k in range(digits.passes)]
        self._forget(digits.passes)

        def count(i: str, _: list[str]) -> None:
            key = w.read(self.kind, self.rooms[0], i, 1)
            for k, counts in enumerate(rows):
                self._counted(counts, self._digit(key, k))

        w.loop(0, number, 1, count)
        now: Sequence[str] = self.rooms
        for k, counts in enumerate(rows):
            now = self._by_digit(k, counts, now, number)
        return now

    def _digit(self, key: str, k: int) -> str:
        """A digit of a key, counted from the lowest."""
        w, digits, type_ = self.w, self.digits, llvm_type(self.kind, 1)
        shifted = w.set(f"lshr {type_} {key}, {k * digits.bits}")
        digit = w.set(f"and {type_} {shifted}, {digits.size - 1}")
        return digit if self.kind == "i8" else w.set(f"zext {type_} {digit} to i64")

    def _forget(self, rows: int) -> None:
        end = rows * self.digits.size
        self.w.loop(0, end, 1, lambda i, _: self.w.write("i4", self.counts, i, "0", 1))

    def _counted(self, counts: str, digit: str) -> str:
        """The number at a digit, which is then one more."""
        before = self.w.read("i4", counts, digit, 1)
        self.w.write("i4", counts, digit, self.w.set(f"add i32 {before}, 1"), 1)
        return before

    def _by_digit(self, k: int, counts: str, rooms: Sequence[str], number: str) -> list[str]:
        """Sort by one digit, unless all keys have the same; the rooms, first those of the result."""
        w, digits = self.w, self.digits
        old, old_places, new, new_places = rooms
        first = w.read("i4", counts, self._digit(w.read(self.kind, old, 0, 1), k), 1)
        differ = w.set(f"icmp slt i64 {w.set(f'zext i32 {first} to i64')}, {number}")

        def start(i: str, total: list[str]) -> Sequence[str]:
            here = w.read("i4", counts, i, 1)
            w.write("i4", counts, i, total[0], 1)
            return [w.set(f"add i32 {total[0]}, {here}")]

        def element(i: str, _: list[str]) -> None:
            key = w.read(self.kind, old, i, 1)
            at = w.set(f"zext i32 {self._counted(counts, self._digit(key, k))} to i64")
            w.write(self.kind, new, at, key, 1)
            w.write(self.index, new_places, at, w.read(self.index, old_places, i, 1), 1)

        def sort() -> Sequence[str]:
            w.loop(0, digits.size, 1, start, [("i32", "0")])
            w.loop(0, number, 1, element)
            return [new, new_places, old, old_places]

        return w.when(differ, sort, [("ptr", room) for room in rooms])
