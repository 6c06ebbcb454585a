"""A loop of a graph as one function, which calls those of its condition and its body.

The addresses of nearly all arrays are known when the function begins: what is carried is the result
of the loop, and what the body computes on the way lies in a block of memory of the loop's own. What
is taken or emitted has another address in each iteration. If there is no room for another row, the
function returns, and goes on where it was when it is called with more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.gemm_forms import Function
from wengert.engines.native.frontend.arrays import (
    Base,
    Input,
    Known,
    Repeat,
    Rows,
    View,
    Write,
)
from wengert.engines.native.frontend.loops import Part
from wengert.engines.native.program.arena import Arena
from wengert.engines.native.program.steps import Call

# What hands out the parts of a function to threads.
_PARALLEL: Final = "@parallel"
_COPY: Final = "@llvm.memcpy.p0.p0.i64"


def initial_copies(loop: Repeat) -> list[Call]:
    """The calls that copy what a loop carries to where it stays."""
    return [copy_call(*pair) for pair in zip(loop.initial, loop.results, strict=True)]


def copy_call(view: View, result: Base) -> Call:
    call = Call("@copy", [(view.base, view.offset), (result, 0)], 1, result)
    call.settings = "", np.int64(result.bytes).tobytes(), b""
    return call


class LoopWriter:
    """Writes the function of a loop, from the calls of its condition and of its body."""

    def __init__(
        self,
        loop: Repeat,
        body: Sequence[Call],
        writes: Sequence[Write],
        overwrites: Callable[[Base], Base | None],
        emitted: Sequence[Base],
        condition: Sequence[Call] = (),
        goes_on: Base | None = None,
    ) -> None:
        self.loop = loop
        self.body = body
        self.writes = writes
        self.emitted = emitted
        self.condition = condition
        self.goes_on = goes_on  # what the condition computes
        self.wrong = Base((), "b1", loop.place)  # whether a check failed
        self.full = Base((), "b1", loop.place)  # whether there is no room for another row
        self.looks = any(not call.name for call in body)
        self.grows = goes_on is not None and bool(loop.emitted)
        self._memory = Arena()
        self._block = Base((), "u1", loop.place)
        self._arguments: list[tuple[Base, int]] = []
        self._slots: dict[Base, int] = {}
        self._where: dict[Base, tuple[Base, int]] = {}  # another array, and an offset in bytes
        self._runtime = {_PARALLEL: "%f0"}  # functions of the runtime, and their names here
        self._settings: list[Any] = []
        self._entry: list[str] = []
        self._names: dict[tuple[str, int], str] = {}  # of addresses in arrays
        self._rows: list[tuple[str, Rows, bool]] = []  # the name of a row, and whether backward
        self._row_of: dict[Base, str] = {}
        self._emitted_before: list[tuple[str, Base]] = []  # copies to rows, as the body begins
        self._emitted_after: list[tuple[str, Base]] = []  # and as it ends
        for part in loop.inside.parts:
            self._find_inputs(part)
        self._find_rows()
        for call in body:
            for base in call.outputs:
                old = overwrites(base)
                if old is not None and base not in self._row_of:
                    self._where[base] = self._where[old]
        self._lay_out()

    # ---- where the arrays are --------------------------------------------------------------------

    def _find_inputs(self, part: Part) -> None:
        for base, at in part.carried.items():
            self._where[base] = self.loop.results[at], 0
        for base, at in part.fixed.items():
            view = self.loop.fixed[at]
            self._where[base] = view.base, view.offset * int(base.kind[1])
        for base, at in part.low.constants.items():
            self._where[base] = Known(base.shape, base.kind, part.numbers[at]), 0

    def _find_rows(self) -> None:
        """Where the body reads what it takes, and writes what it emits."""
        inside = self.loop.inside
        for base, at in inside.body.taken.items():
            self._row_of[base] = self._row(self.loop.taken[at], inside.loop.taken[at].backward)
        pairs = zip(self.loop.emitted, inside.emits, self.emitted, strict=True)
        for rows, (stack, _), base in pairs:
            name = self._row(rows, stack.backward)
            if type(base) is Input:
                self._emitted_before.append((name, base))
            elif base in self._row_of:
                self._emitted_after.append((name, base))
            else:
                self._row_of[base] = name

    def _row(self, rows: Rows, backward: bool) -> str:
        name = f"%row{len(self._rows)}"
        self._rows.append((name, rows, backward))
        return name

    def _lay_out(self) -> None:
        """Assign a place in the loop's memory to what it computes on the way."""
        calls = [*self.condition, *self.body]
        last = {base: at for at, call in enumerate(calls) for base, _ in call.arrays}
        last.update({w.view.base: len(calls) for w in self.writes})
        last.update({base: len(calls) for _, base in self._emitted_after})
        if self.goes_on is not None:
            last[self.goes_on] = len(calls)
        for at, call in enumerate(calls):
            bases = list(dict.fromkeys([base for base, _ in call.arrays]))
            for base in bases:
                if base not in self._where and base not in self._row_of:
                    self._where[base] = self._block, self._memory.take(base.bytes)
            for base in bases:
                owner, begin = self._where.get(base, (base, 0))
                if owner is self._block and last[base] == at:
                    self._memory.give(begin, base.bytes)
        size = max(self._memory.size, 1)
        self._block.shape, self._block.size = (size,), size

    def _argument(self, base: Base) -> str:
        """The name of an array that the function is called with."""
        if base not in self._slots:
            self._slots[base] = len(self._arguments)
            self._arguments.append((base, 0))
        return f"%a{self._slots[base]}"

    def _address(self, base: Base, begin: int = 0) -> str:
        """The name of an address, which is computed when the function begins, or of a row."""
        if base in self._row_of:
            assert not begin
            return self._row_of[base]
        owner, offset = self._where[base]
        offset += begin * int(base.kind[1])
        array = self._argument(owner)
        if not offset:
            return array
        name = self._names.get((array, offset))
        if name is None:
            name = self._names[array, offset] = f"%o{len(self._names)}"
            self._entry.append(f"{name} = getelementptr i8, ptr {array}, i64 {offset}")
        return name

    # ---- the function ----------------------------------------------------------------------------

    def call(self) -> Call:
        """The call of the loop, whose function has no name yet."""
        again, body, end = self._again(), self._body(), self._end()
        declared = [f"declare void {_COPY}(ptr, ptr, i64, i1)"]
        begin = "0" if self.loop.tally is None or not self.grows else "%begun"
        lines = [
            "entry:", *self._found(), *self._entry, "br label %again",
            "again:", f"%t = phi i64 [ {begin}, %entry ], [ %t.next, %next ]", *again,
            "body:", *body, "br label %next",
            "next:", "%t.next = add i64 %t, 1", "br label %again",
            "done:", *end, "ret void",
        ]  # fmt: skip
        made = Call("", self._arguments, 1, self.loop)
        made.function = Function("\n".join(lines), frozenset(declared), ())
        made.settings = "loop", tuple(self._runtime), tuple(self._settings)
        return made

    def _again(self) -> list[str]:
        """Whether there is another iteration."""
        tally = self.loop.tally
        if tally is not None:
            array = self._argument(tally)
            self._entry += [
                f"%begun = load i64, ptr {array}",
                f"%roomp = getelementptr i64, ptr {array}, i64 1",
                "%room = load i64, ptr %roomp",
            ]
        if self.goes_on is None:
            return ["%go = icmp ult i64 %t, %begun", "br i1 %go, label %body, label %done"]
        lines = self._called(self.condition, "c")
        lines += [
            f"%flag = load i8, ptr {self._address(self.goes_on)}",
            "%go = icmp ne i8 %flag, 0",
        ]
        if not self.grows:
            return [*lines, "br i1 %go, label %body, label %done"]
        return [
            *lines, "br i1 %go, label %look, label %done",
            "look:", "%fits = icmp ult i64 %t, %room", "br i1 %fits, label %body, label %full",
        ]  # fmt: skip

    def _body(self) -> list[str]:
        lines = []
        for name, rows, backward in self._rows:
            at = "%t"
            if backward:
                lines += [f"{name}.b = sub i64 %begun, 1", f"{name}.t = sub i64 {name}.b, %t"]
                at = f"{name}.t"
            lines.append(f"{name}.o = mul i64 {at}, {rows.bytes}")
            array = self._argument(rows)
            lines.append(f"{name} = getelementptr i8, ptr {array}, i64 {name}.o")
        for name, base in self._emitted_before:
            lines += _memcpy(name, self._address(base), base.bytes)
        lines += self._called(self.body, "b")
        for name, base in self._emitted_after:
            lines += _memcpy(name, self._address(base), base.bytes)
        return lines + [line for write in self.writes for line in self._copied(write)]

    def _end(self) -> list[str]:
        """What happens in the end, and where the loop is left before."""
        lines: list[str] = []
        if self.grows:
            array, full = self._argument(self.loop.emitted[0].tally), self._flag(self.full)
            lines += [f"store i64 %t, ptr {array}", "ret void"]
            lines += ["full:", f"store i8 1, ptr {full}", f"store i64 %t, ptr {array}", "ret void"]
        if self.looks:
            lines += ["ret void", "wrong:", f"store i8 1, ptr {self._flag(self.wrong)}"]
        return lines

    def _flag(self, base: Base) -> str:
        """The address of a truth value that is false in the beginning."""
        self._where[base] = base, 0
        address = self._address(base)
        self._entry.append(f"store i8 0, ptr {address}")
        return address

    def _found(self) -> list[str]:
        """The lines that find arrays, functions and settings."""
        lines = []
        for k in range(len(self._arguments) + 1):
            lines.append(f"%g{k} = getelementptr ptr, ptr %b, i64 {k}")
            lines.append(f"%a{k} = load ptr, ptr %g{k}")
        settings = f"%a{len(self._arguments)}"
        lines.append(f"%pool = load ptr, ptr {settings}")
        names = [*self._runtime.values(), *[f"%s{k}" for k in range(len(self._settings))]]
        for k, name in enumerate(names, 1):
            lines.append(f"%q{k} = getelementptr ptr, ptr {settings}, i64 {k}")
            lines.append(f"{name} = load ptr, ptr %q{k}")
        return lines

    def _called(self, calls: Sequence[Call], prefix: str) -> list[str]:
        lines: list[str] = []
        for number, call in enumerate(calls):
            name = f"{prefix}{number}"
            if not call.name:
                lines += self._look(call, name)
            elif call.name == "@copy":
                (old, begin), (new, _) = call.arrays
                lines += _memcpy(self._address(new), self._address(old, begin), new.bytes)
            else:
                lines += self._one_call(call, name)
        return lines

    def _look(self, call: Call, name: str) -> list[str]:
        """A check: the loop ends where a truth value says that something is wrong."""
        flag = self._address(call.arrays[0][0])
        return [
            f"%w{name} = load i8, ptr {flag}",
            f"%i{name} = icmp ne i8 %w{name}, 0",
            f"br i1 %i{name}, label %wrong, label %r{name}",
            f"r{name}:",
        ]

    def _one_call(self, call: Call, name: str) -> list[str]:
        places = [self._address(*place) for place in call.arrays]
        if call.settings is not None:
            places.append(f"%s{len(self._settings)}")
            self._settings.append(call.settings)
        lines: list[str] = []
        self._entry.append(f"%p{name} = alloca [{len(places)} x ptr]")
        for k, place in enumerate(places):
            self._entry.append(f"%p{name}.{k} = getelementptr ptr, ptr %p{name}, i64 {k}")
            moves = place.startswith("%row")
            (lines if moves else self._entry).append(f"store ptr {place}, ptr %p{name}.{k}")
        function = call.name
        if not call.name.startswith("@k"):
            function = self._runtime.setdefault(call.name, f"%f{len(self._runtime)}")
        if call.parts == 1:
            return [*lines, f"call void {function}(ptr %p{name}, i64 0)"]
        parts = f"i64 {call.parts}"
        return [*lines, f"call void %f0(ptr %pool, ptr {function}, ptr %p{name}, {parts})"]

    def _copied(self, write: Write) -> list[str]:
        """A new value is copied to where the old one is, if it was not computed there."""
        carried = next(b for b, x in self.loop.inside.body.low.cells.items() if x is write.cell)
        if self._where.get(write.view.base) == self._where[carried]:
            return []
        size = write.view.base.bytes
        return _memcpy(self._address(carried), self._address(write.view.base), size)


def _memcpy(to: str, source: str, size: int) -> list[str]:
    if to == source:
        return []
    return [f"call void {_COPY}(ptr {to}, ptr {source}, i64 {size}, i1 false)"]
