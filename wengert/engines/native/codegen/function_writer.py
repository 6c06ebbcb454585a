"""Writes a function in LLVM IR: integers, loops, branches, vectors and memory.

Like a step of a plan it is a function of a table of arrays and of a part.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from wengert.engines.native.codegen.gemm_forms import Function
from wengert.engines.native.codegen.memory_access import first, memory_mangled, spread, store_at
from wengert.engines.native.codegen.vectors import Body, memory_type

Step = Callable[[str, list[str]], Sequence[str] | None]  # None where no values are carried


class FunctionWriter(Body):
    """Writes a function whose arrays are pointers."""

    def __init__(self, arrays: int, more: int = 0) -> None:
        """`more` are arrays that an epilogue finds by itself."""
        super().__init__(set())
        # The functions of `mathematics` that it calls.
        self.calls: dict[tuple[str, str, int], None] = {}
        self._labels = itertools.count()
        self.label("entry")
        self.arrays = [self.loaded("ptr", "%b", k) for k in range(arrays)]
        self.tables = arrays + more  # the place of the first table of numbers

    def function(self) -> Function:
        """What was written, as a function of a plan."""
        text = "\n".join([*self.lines, "ret void"])
        return Function(text, frozenset(self.declarations), tuple(self.calls))

    def loaded(self, kind: str, pointer: str, k: int | str) -> str:
        """A word of a table: an integer, or an address."""
        return self.set(
            f"load {kind}, ptr {self.set(f'getelementptr i64, ptr {pointer}, i64 {k}')}"
        )

    def matrices(self, kinds: Sequence[str], number: str) -> list[str]:
        """The addresses of the matrices of a product: the table after the arrays says where they begin."""
        row = self.mul(number, len(kinds))
        table = self.loaded("ptr", "%b", self.tables)
        begins = [self.loaded("i64", table, self.add(row, x)) for x in range(len(kinds))]
        arrays = self.arrays[: len(kinds)]
        return list(map(self.place, kinds, arrays, begins))

    def called(self, name: str, kind: str, width: int) -> str:
        """The symbol of a function of `mathematics` that scalar code calls."""
        self.calls[name, kind, width] = None
        return f"@{name}.{kind}.{width}"

    # ---- integers ------------------------------------------------------------------------------

    # What is known now is computed now: LLVM would take its time over code that is never run.

    def add(self, *xs: Any) -> str:
        known = sum(x for x in map(_known, xs) if x is not None)
        open_ones = [str(x) for x in xs if _known(x) is None]
        if known or not open_ones:
            open_ones.append(str(known))
        return functools.reduce(lambda a, b: self.set(f"add i64 {a}, {b}"), open_ones)

    def sub(self, x: Any, y: Any) -> str:
        if _known(y) == 0:
            return str(x)
        a, b = _known(x), _known(y)
        if a is not None and b is not None:
            return str(a - b)
        return self.set(f"sub i64 {x}, {y}")

    def mul(self, *xs: Any) -> str:
        known = math.prod([x for x in map(_known, xs) if x is not None])
        open_ones = [str(x) for x in xs if _known(x) is None]
        if known == 0 or not open_ones:
            return str(known)
        if known != 1:
            open_ones.append(str(known))
        return functools.reduce(lambda a, b: self.set(f"mul i64 {a}, {b}"), open_ones)

    def div(self, x: Any, y: Any) -> tuple[str, str]:
        """The quotient and remainder of nonnegative integers."""
        a, b = _known(x), _known(y)
        if b == 1:
            return str(x), "0"
        if a is not None and b:
            return str(a // b), str(a % b)
        return self.set(f"udiv i64 {x}, {y}"), self.set(f"urem i64 {x}, {y}")

    def least(self, x: Any, y: Any) -> str:
        return self._of_two("smin", x, y)

    def most(self, x: Any, y: Any) -> str:
        return self._of_two("smax", x, y)

    def _of_two(self, name: str, x: Any, y: Any) -> str:
        self.declarations.add(f"declare i64 @llvm.{name}.i64(i64, i64)")
        return self.set(f"call i64 @llvm.{name}.i64(i64 {x}, i64 {y})")

    # ---- loops ---------------------------------------------------------------------------------

    def loop(
        self,
        begin: Any,
        end: Any,
        step: Any,
        body: Step,
        carried: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """A loop over i: `body(i, values)` gets the values that it returned in the last iteration.

        `carried` lists the types and initial values; the result is the final values.
        """
        first, last, by = _known(begin), _known(end), _known(step)
        if first is None or last is None:
            return self._looped(begin, end, step, body, carried, False)
        if first >= last:
            return [start for _, start in carried]
        if by is not None and first + by >= last:
            return list(body(str(first), [start for _, start in carried]) or ())
        return self._looped(begin, end, step, body, carried, True)

    def _looped(
        self,
        begin: Any,
        end: Any,
        step: Any,
        body: Step,
        carried: Sequence[tuple[str, str]],
        is_run: bool,
    ) -> list[str]:
        """A loop as code; `is_run` if there is at least one iteration."""
        name = f"l{next(self._labels)}"
        self.do(f"br label %{name}.before")
        self.label(f"{name}.before")
        if is_run:
            self.do(f"br label %{name}.loop")
        else:
            some = self.set(f"icmp slt i64 {begin}, {end}")
            self.do(f"br i1 {some}, label %{name}.loop, label %{name}.end")
        self.label(f"{name}.loop")
        at = len(self.lines)
        found = body(f"%{name}.i", [f"%{name}.c{k}" for k in range(len(carried))]) or ()
        phis = [f"%{name}.i = phi i64 [ {begin}, %{name}.before ], [ %{name}.n, %{name}.next ]"]
        ends = []
        for k, ((kind, start), then) in enumerate(zip(carried, found, strict=True)):
            ways = f"phi {kind} [ {start}, %{name}.before ], [ {then}, %{name}.next ]"
            phis.append(f"%{name}.c{k} = {ways}")
            ends.append(f"%{name}.e{k} = {ways}")
        self.lines[at:at] = phis
        self.do(f"br label %{name}.next")
        self.label(f"{name}.next")
        self.do(f"%{name}.n = add i64 %{name}.i, {step}")
        more = self.set(f"icmp slt i64 %{name}.n, {end}")
        self.do(f"br i1 {more}, label %{name}.loop, label %{name}.end")
        self.label(f"{name}.end")
        if is_run:
            return list(found)
        self.lines += ends
        return [f"%{name}.e{k}" for k in range(len(carried))]

    def as_long_as(
        self,
        condition: Callable[[list[str]], str],
        body: Callable[[list[str]], Sequence[str]],
        carried: Sequence[tuple[str, str]],
    ) -> list[str]:
        """A loop while a condition on the carried values holds; their values when it does not."""
        name = f"a{next(self._labels)}"
        self.do(f"br label %{name}.before")
        self.label(f"{name}.before")
        self.do(f"br label %{name}.test")
        self.label(f"{name}.test")
        at = len(self.lines)
        now = [f"%{name}.c{k}" for k in range(len(carried))]
        more = condition(now)
        self.do(f"br i1 {more}, label %{name}.loop, label %{name}.end")
        self.label(f"{name}.loop")
        found = body(now)
        self.do(f"br label %{name}.next")
        self.label(f"{name}.next")
        self.do(f"br label %{name}.test")
        self.label(f"{name}.end")
        self.lines[at:at] = [
            f"{c} = phi {kind} [ {start}, %{name}.before ], [ {then}, %{name}.next ]"
            for c, (kind, start), then in zip(now, carried, found, strict=True)
        ]
        return now

    def share(
        self, each: str, count: str, body: Callable[[str], None], number: str = "%part"
    ) -> None:
        """`body(k)` for the share of this number of `count` items: `each` of them per part."""
        begin = self.mul(number, each)
        self.loop(begin, self.least(self.add(begin, each), count), 1, lambda k, _: body(k))

    def portion(self, number: str, count: int, parts: int) -> tuple[Any, Any]:
        """The range of one of so many parts, among so many items."""
        begin, end = (self.div(self.mul(self.add(number, x), count), parts)[0] for x in (0, 1))
        return begin, end

    def when(
        self,
        condition: str,
        then: Callable[[], Sequence[str] | None],
        otherwise: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """A branch: the values of `then` if the condition holds, else those of `otherwise`."""
        name = f"w{next(self._labels)}"
        self.do(f"br label %{name}.before")
        self.label(f"{name}.before")
        self.do(f"br i1 {condition}, label %{name}.then, label %{name}.end")
        self.label(f"{name}.then")
        found = then() or ()
        self.do(f"br label %{name}.last")
        self.label(f"{name}.last")
        self.do(f"br label %{name}.end")
        self.label(f"{name}.end")
        pairs = zip(found, otherwise, strict=True)
        return [
            self.set(f"phi {kind} [ {value}, %{name}.before ], [ {new}, %{name}.last ]")
            for new, (kind, value) in pairs
        ]

    def along(
        self,
        count: str,
        width: int,
        body: Callable[[str, str | None, list[str]], Sequence[str] | None],
        carried: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """A vectorized loop, `body(j, mask, values)`; only the remainder at the end has a mask."""
        if width == 1:
            return self.loop(0, count, 1, lambda j, values: body(j, None, values), carried)
        whole = self.set(f"and i64 {count}, {-width}")
        now = self.loop(0, whole, width, lambda j, values: body(j, None, values), carried)
        kinds = [kind for kind, _ in carried]
        left = self.set(f"icmp ne i64 {whole}, {count}")

        def rest() -> Sequence[str] | None:
            return body(whole, first(self, self.sub(count, whole), 0, width), now)

        return self.when(left, rest, list(zip(kinds, now, strict=True)))

    # ---- vectors -------------------------------------------------------------------------------

    def spread(self, scalar: str, name: str, width: int) -> str:
        """Broadcast a scalar to a vector; the type is given by its LLVM name."""
        return spread(self, scalar, name, width)

    def place(self, kind: str, pointer: str, at: Any) -> str:
        """The address of an element."""
        if _known(at) == 0:
            return pointer
        return self.set(f"getelementptr {memory_type(kind, 1)}, ptr {pointer}, i64 {at}")

    def read(self, kind: str, pointer: str, at: Any, width: int, mask: str | None = None) -> str:
        """Load adjacent elements; zeros where the mask is off."""
        place, memory = self.place(kind, pointer, at), memory_type(kind, width)
        if mask is None:
            found = self.set(f"load {memory}, ptr {place}, align {kind[1]}")
        else:
            name = f"@llvm.masked.load.{memory_mangled(kind, width)}.p0"
            truth = f"<{width} x i1>"
            self.declarations.add(f"declare {memory} {name}(ptr, i32, {truth}, {memory})")
            given = f"ptr {place}, i32 {kind[1]}, {truth} {mask}, {memory} zeroinitializer"
            found = self.set(f"call {memory} {name}({given})")
        if kind != "b1":
            return found
        return self.set(f"icmp ne {memory} {found}, {'0' if width == 1 else 'zeroinitializer'}")

    def write(
        self, kind: str, pointer: str, at: Any, value: str, width: int, mask: str | None = None
    ) -> None:
        store_at(self, kind, self.place(kind, pointer, at), value, width, mask)


def _known(x: Any) -> int | None:
    """The number, if it is one that the text has for all sizes."""
    if type(x) is int:
        return x
    return int(x) if type(x) is str and x.isdecimal() else None
