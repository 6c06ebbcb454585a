"""Functions that call those of the bodies of an operation: of a loop, or of branches.

The addresses of nearly all arrays are known when the function begins: what the bodies compute on the
way lies in a block of memory of the function's own.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any, Final

from wengert.engines.native.codegen.gemm_forms import Function
from wengert.engines.native.codegen.vectors import memory_type
from wengert.engines.native.frontend.arrays import Base, Input, Known
from wengert.engines.native.frontend.parts import Part
from wengert.engines.native.frontend.scalar import NotLowered, part_of
from wengert.engines.native.program.arena import Arena
from wengert.engines.native.program.steps import Call
from wengert.values.open_size import OpenSize

# What hands out the parts of a function to threads.
_PARALLEL: Final = "@parallel"
_COPY: Final = "@llvm.memcpy.p0.p0.i64"
# Bodies that become parts of the function that calls them have so many lines at most, and the arrays
# that it may then keep in registers so many bytes.
_LINES: Final = 400
_REGISTERS: Final = 1024
_REGISTER: Final = 64  # bytes of one


class BodyWriter:
    """Writes a function that calls others, on arrays whose addresses it computes."""

    def __init__(self, what: Any, calls: Sequence[Call]) -> None:
        self.what = what
        self.calls = calls  # of all bodies, one after the other
        self.wrong = Base((), "b1", what.place)  # whether a check failed
        self.looks = any(not call.name for call in calls)
        self.inlines = all(map(_is_plain, calls)) and sum(map(_lines, calls)) <= _LINES
        self._memory = Arena()
        self._block = Base((), "u1", what.place)
        self._arguments: list[tuple[Base, int]] = []
        self._slots: dict[Base, int] = {}
        self._where: dict[Base, tuple[Base, int]] = {}  # another array, and an offset in bytes
        self._row_of: dict[Base, str] = {}  # the names of addresses that change
        self._parts_of_rows: list[str] = []  # the lines that compute addresses in them
        self._runtime = {_PARALLEL: "%f0"}  # functions of the runtime, and their names here
        self._settings: list[Any] = []
        self._entry: list[str] = []
        self._names: dict[tuple[str, int], str] = {}  # of addresses in arrays
        self._copy_count = 0
        self._own: dict[Base, str] = {}  # arrays of the function's own, which are no arguments

    # ---- where the arrays are --------------------------------------------------------------------

    def _find_inputs(self, part: Part) -> None:
        """What a body takes from outside, and the numbers in it."""
        for base, at in part.carried.items():
            self._where[base] = self.what.results[at], 0
        for base, at in part.fixed.items():
            view = self.what.fixed[at]
            self._where[base] = view.base, view.offset * int(base.kind[1])
        for base, at in part.low.constants.items():
            self._where[base] = Known(base.shape, base.kind, part.numbers[at]), 0
        for base, (at, which) in part.low.parts_of_constants.items():
            self._where[base] = Known(base.shape, base.kind, part_of(part.numbers[at], which)), 0

    def _lay_out(self, kept: Iterable[Base]) -> None:
        """Assign a place in the block to what is computed on the way; some of it to the end."""
        calls = self.calls
        last = {base: at for at, call in enumerate(calls) for base, _ in call.arrays}
        last.update(dict.fromkeys(kept, len(calls)))
        for at, call in enumerate(calls):
            self._write_over(call, at, last)
            bases = list(dict.fromkeys([base for base, _ in call.arrays]))
            for base in bases:
                if type(base) is Known:  # of a loop or a branch inside
                    self._where.setdefault(base, (base, 0))
                elif base not in self._where and base not in self._row_of:
                    if type(base) is Input:  # which nobody would write
                        raise NotLowered("an array of unknown place")
                    self._where[base] = self._block, self._memory.take(base.bytes)
            for base in bases:
                owner, begin = self._where.get(base, (base, 0))
                if owner is self._block and last[base] == at:
                    self._memory.give(begin, base.bytes)
        size = max(self._memory.size, 1)
        self._block.shape, self._block.size = (size,), size
        self._keep([self._block])

    def _write_over(self, call: Call, at: int, last: dict[Base, int]) -> None:
        """Let the outputs of a call overwrite an input in the block that is not read any more."""
        for old, after in call.over:
            if old not in self._where or self._where[old][0] is not self._block or last[old] != at:
                continue
            for new in after:
                if (
                    new not in self._where
                    and new not in self._row_of
                    and (old.bytes, old.kind) == (new.bytes, new.kind)
                ):
                    self._where[new] = self._where[old]
                    last[old] = -1  # freed together with the new one
                    break

    def _argument(self, base: Base) -> str:
        """The name of an array that the function is called with."""
        if base not in self._slots:
            self._slots[base] = len(self._arguments)
            self._arguments.append((base, 0))
        return f"%a{self._slots[base]}"

    def _keep(self, bases: Sequence[Base]) -> bool:
        """Have arrays of the function's own for some, which LLVM puts into registers if it can."""
        sizes = [base.bytes for base in bases]
        if not self.inlines or OpenSize in map(type, sizes) or sum(sizes) > _REGISTERS:
            return False
        for base, size in zip(bases, sizes, strict=True):
            self._own[base] = f"%own{len(self._own)}"
            self._entry.append(f"{self._own[base]} = alloca [{size} x i8], align 64")
        return True

    def _array(self, base: Base) -> str:
        """The name of an array: of the function's own, or of one that it is called with."""
        return self._own.get(base) or self._argument(base)

    def _address(self, base: Base, begin: int = 0) -> str:
        """The name of an address, which is computed when the function begins, or of a row."""
        if base in self._row_of:
            return self._in_row(self._row_of[base], begin * int(base.kind[1]))
        owner, offset = self._where[base]
        offset += begin * int(base.kind[1])
        array = self._array(owner)
        if not offset:
            return array
        name = self._names.get((array, offset))
        if name is None:
            name = self._names[array, offset] = f"%o{len(self._names)}"
            self._entry.append(f"{name} = getelementptr i8, ptr {array}, i64 {offset}")
        return name

    def _in_row(self, row: str, offset: int) -> str:
        """The name of an address in a row, which is computed where the row's own is."""
        if not offset:
            return row
        name = self._names.get((row, offset))
        if name is None:
            name = self._names[row, offset] = f"{row}.{len(self._names)}"
            self._parts_of_rows.append(f"{name} = getelementptr i8, ptr {row}, i64 {offset}")
        return name

    # ---- the function ----------------------------------------------------------------------------

    def _made(self, lines: Sequence[str]) -> Call:
        """The call of the function of these lines, which has no name yet."""
        made = Call("", self._arguments, 1, self.what)
        made.inside = self.calls
        declared = f"declare void {_COPY}(ptr, ptr, i64, i1)"
        text = ["entry:", *self._found(), *self._entry, *lines]
        made.function = Function("\n".join(text), frozenset([declared]), (), self.inlines)
        if not self.inlines:
            made.settings = "loop", tuple(self._runtime), tuple(self._settings)
        made.chosen = frozenset([base for base, _ in self._arguments]) - self._read()
        return made

    def _read(self) -> set[Base]:
        """The arrays that are read whatever branches are chosen inside."""
        read = [base for call in self.calls for base, _ in call.arrays if base not in call.chosen]
        return {self._where[base][0] if base in self._where else base for base in read}

    def _found(self) -> list[str]:
        """The lines that find arrays, functions and settings."""
        lines = []
        count = len(self._arguments)
        for k in range(count if self.inlines else count + 1):
            lines.append(f"%g{k} = getelementptr ptr, ptr %b, i64 {k}")
            lines.append(f"%a{k} = load ptr, ptr %g{k}")
        if self.inlines:  # which needs neither threads nor tables
            return lines
        settings = f"%a{count}"
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
                lines += self._copied(self._address(new), self._address(old, begin), new)
            else:
                lines += self._one_call(call, name)
        return lines

    def _look(self, call: Call, name: str) -> list[str]:
        """A check: the loop ends where a truth value says that something is wrong."""
        flag = self._address(*call.arrays[0])
        return [
            f"%w{name} = load i8, ptr {flag}",
            f"%i{name} = icmp ne i8 %w{name}, 0",
            f"br i1 %i{name}, label %wrong, label %r{name}",
            f"r{name}:",
        ]

    def _one_call(self, call: Call, name: str) -> list[str]:
        places = [self._address(*place) for place in call.arrays]
        places += [self._table(table, f"%n{name}.{k}") for k, table in enumerate(call.tables)]
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
        self._entry += [f"%pace{name} = alloca i64", f"store i64 0, ptr %pace{name}"]
        job = f"ptr {function}, ptr %p{name}, i64 {call.shares}, ptr %pace{name}"
        return [*lines, f"call void %f0(ptr %pool, {job})"]

    def _table(self, table: tuple[str, Any, Any], name: str) -> str:
        """The name of a table of numbers, which are given, or in the code, where LLVM sees them."""
        if not self.inlines:
            self._settings.append(table)
            return f"%s{len(self._settings) - 1}"
        count = len(table[1]) // 8
        self._entry.append(f"{name} = alloca [{count} x i64]")
        for k, number in enumerate(struct.unpack(f"={count}q", table[1])):
            self._entry += [
                f"{name}.{k} = getelementptr i64, ptr {name}, i64 {k}",
                f"store i64 {number}, ptr {name}.{k}",
            ]
        return name

    def _copied(self, to: str, source: str, base: Base) -> list[str]:
        """The lines that copy an array as large as one, if it is to be elsewhere.

        A small one is copied as what it is: of its bytes LLVM would make an integer.
        """
        if to == source or not base.size:
            return []
        if type(base.bytes) is OpenSize or base.bytes > _REGISTER or base.kind[1] not in "48":
            return [f"call void {_COPY}(ptr {to}, ptr {source}, i64 {base.bytes}, i1 false)"]
        self._copy_count += 1
        name, form = f"%copy{self._copy_count}", memory_type(base.kind, base.size)
        place = f"align {base.kind[1]}"
        return [
            f"{name} = load {form}, ptr {source}, {place}",
            f"store {form} {name}, ptr {to}, {place}",
        ]

    def _flag(self, base: Base) -> str:
        """The address of a truth value that is false in the beginning."""
        self._where[base] = base, 0
        address = self._address(base)
        self._entry.append(f"store i8 0, ptr {address}")
        return address

    def _ends_wrong(self) -> list[str]:
        """Where the function is left if a check fails."""
        if not self.looks:
            return []
        return ["ret void", "wrong:", f"store i8 1, ptr {self._flag(self.wrong)}"]


def _is_plain(call: Call) -> bool:
    """Whether all that a call does is in functions of the plan, whose tables of numbers are known and short."""
    if call.name.startswith("@k"):
        tables = call.settings is None or (
            not call.settings[0] and len(call.settings[1]) <= _REGISTERS
        )
        return call.parts == 1 and call.sizes is None and tables
    return call.name in ("", "@copy")


def _lines(call: Call) -> int:
    own = 1 if call.function is None else call.function.text.count("\n")
    return own + sum(map(_lines, call.inside))
