"""Serializes a plan: a Python function, and the tables of native steps that it calls.

`program` makes it callable. Everything here is text and numbers: objects (a constant, an operation
for NumPy, machine code) are referred to by index or name.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import (
    AsList,
    Base,
    Dims,
    Input,
    Known,
    Literal,
    Outside,
    Repeat,
    Rows,
    Step,
    Tally,
    View,
    Write,
)
from wengert.engines.native.frontend.lowering import is_stream
from wengert.engines.native.frontend.numbers.complex_lanes import COMPLEX_OF
from wengert.engines.native.program.arena import SMALL, Arena
from wengert.engines.native.program.program import KEEPING, NativeStep, Program
from wengert.engines.native.program.room import Room
from wengert.engines.native.program.schedule import Schedule
from wengert.engines.native.program.segments import Resumed, Segments
from wengert.engines.native.program.steps import Call
from wengert.engines.native.runtime.array_memory import LEAST
from wengert.execution.plan import Plan
from wengert.values.open_size import OpenSize

# What is in memory already, or what Python makes room for.
_NOT_MADE: Final = (Input, Known, Literal, Outside, Rows, Tally)
LETTING_GO: Final = 1 << 15  # elements of work from which on the GIL is released


class ProgramWriter:
    """Writes the Python function that runs a plan."""

    def __init__(
        self, plan: Plan, schedule: Schedule, segments: Segments, code_names: tuple[str, ...]
    ) -> None:
        self.plan = plan
        self.schedule = schedule
        self.low = schedule.low
        self.segments = segments
        self.code_names = code_names  # of the machine code, in the cache
        self._is_held = bool(self.plan.changed())  # then the caller holds the variables' locks
        self.allocated = 0  # bytes of results, and of what NumPy's steps take
        self.fullest: Call | None = None  # the one at which the arena has its size
        self.names: dict[str, tuple[str, Any]] = {}
        self.lines: list[str] = []
        self._place_of_step = {id(op): at for at, op in enumerate(self.plan.steps)}
        self._place_of_known = {key: at for at, key in enumerate(self.plan.used())}
        self._name_of: dict[int, str] = {}  # of arrays that Python sees, by base
        self._objects: dict[int, str] = {}  # of other values, by tensor
        self._over: dict[Base, tuple[str, str]] = {}  # what may be overwritten: see `_over_here`

    def written(self) -> Program:
        plan, lines = self.plan, self.lines
        given = [f"v{i}" for i in range(len(plan.given))]
        for x, name in zip(plan.given, given, strict=True):
            self._objects[id(x)] = name
        self._seen = self._seen_by_python()
        self._lay_out()
        self._values_from_outside()
        if self.arena.size:
            self._take_arena()
        for segment in self.segments.items:
            if isinstance(segment, Resumed):
                self._resumed(segment)
            elif isinstance(segment, list):
                self._segment(segment)
            else:
                self._step(segment)
        if 0 < self.arena.size <= SMALL:
            lines.append("arenas.append(arena)")
        self._write(self.schedule.writes)
        results, fresh = self._results()
        lines.append(f"return [{', '.join(results)}]")
        head = "def run(values):\n"
        if given:
            head += f" {', '.join(given)}, = values\n"
        return Program(
            head + "".join(f" {line}\n" for line in lines),
            _closed(tuple([(name, *what) for name, what in self.names.items()])),
            tuple(fresh),
            # Then no earlier side effect could happen twice.
            len(self.segments.items) == 1,
            self.code_names,
        )

    def _values_from_outside(self) -> None:
        """Names for what is given, for variables and for constants."""
        for base, x in self.low.given.items():
            if base in self._native_uses:
                self._array(base, self._objects[id(x)])
        for rows in self.low.rows.values():
            if rows.source is not None and rows in self._native_uses:
                self._rows(rows)
        for base, x in self.low.cells.items():
            self._array(base, f"{self._objects[id(x)]}.{_held_in(x)}")
        for base, at in self.low.constants.items():
            self._name_of[id(base)] = self._new("c", "constant", at)
        for base, place in self.low.parts_of_constants.items():
            self._name_of[id(base)] = self._new("c", "part", place)

    def _take_arena(self) -> None:
        """Get an arena: a small one is the plan's own, and serves it again."""
        size = self.arena.size
        self.names["new_arena"] = "arena", size
        if size > SMALL:
            self._keep_block(size)
            self.lines.append("arena = new_arena()")
            return
        self.names["arenas"] = "arenas", None
        self.lines.append("arena = arenas.pop() if arenas else new_arena()")

    def _keep_block(self, size: int) -> None:
        """Before the first large array: in this thread there may have been none."""
        if size >= LEAST and KEEPING not in self.lines:
            self.lines.append(KEEPING)

    def _new(self, prefix: str, kind: str, which: Any) -> str:
        name = f"{prefix}{len(self.names)}"
        self.names[name] = kind, which
        return name

    def _array(self, base: Base, expression: str, early: bool = True) -> None:
        """A value from outside as an array, whose shape and dtype are checked."""
        name = f"a{len(self._name_of)}"
        self._name_of[id(base)] = name
        self.lines.append(f"{name} = {expression}")
        if base in self._chosen:  # of a branch that was not run there is no value
            self.lines.append(f"if {name} is None: {name} = {self._new_array(base)}")
        self.lines.append(f"if type({name}) is not ndarray: {name} = as_numbers({name})")
        # An array of another shape or dtype than the graph's must not reach machine code.
        dtype, shape = self._dtype(base), self._seen_shape(base.shape, base)
        otherwise = "return otherwise(values)" if early else f"misfit({name}, {shape!r}, {dtype})"
        self.lines.append(
            f"if {name}.shape != {shape!r} or ({name}.dtype is not {dtype} "
            f"and {name}.dtype != {dtype}): {otherwise}"
        )

    def _rows(self, rows: Rows) -> None:
        """A list from outside as rows, and their number."""
        name, tally = f"a{len(self._name_of)}", f"t{len(self._name_of)}"
        self._name_of[id(rows)], self._name_of[id(rows.tally)] = name, tally
        source = self._objects[id(rows.source)]
        self.lines.append(
            f"{name}, {tally} = as_rows({source}, {self._seen_shape(rows.shape, rows)!r}, {self._dtype(rows)})"
        )
        self.lines.append(f"if {name} is None: return otherwise(values)")

    def _new_array(self, base: Base) -> str:
        """An array of that form, as an expression."""
        return f"empty({self._seen_shape(base.shape, base)!r}, {self._dtype(base)})"

    def _seen_shape(self, shape: Dims, base: Base) -> Dims:
        """A shape as Python sees it: complex numbers have no axis of their parts."""
        return shape[:-1] if base in self.low.of_pairs else shape

    def _new_rows(self, rows: Rows, count: str) -> str:
        """An array of so many rows, as an expression."""
        return (
            f"empty((int({count}), *{self._seen_shape(rows.shape, rows)!r}), {self._dtype(rows)})"
        )

    def _dtype(self, base: Base) -> str:
        kind = "bool" if base.kind == "b1" else base.kind
        if base in self.low.of_pairs:
            kind = COMPLEX_OF[kind].str[1:]
        name = f"dtype_{kind}"
        self.names[name] = "dtype", kind
        return name

    def _seen_by_python(self) -> set[Base]:
        """The arrays that NumPy's steps use or make, or that are returned."""
        found = set(self.schedule.wanted)
        for segment in self.segments.items:
            if isinstance(segment, Step):
                found |= {v.base for v in segment.operands}
                found |= {r for r in segment.results if isinstance(r, Base)}
        return found

    # ---- memory layout -------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Assign an offset in the arena to every array that only native steps use."""
        calls = [
            (i, call)
            for i, segment in enumerate(self.segments.items)
            if isinstance(segment, list)
            for call in segment
        ]
        last: dict[int, int] = {}
        self._native_uses: set[Base] = set()
        elsewhere: set[Base] = set()
        for at, (_, call) in enumerate(calls):
            for base, _ in call.arrays:
                last[id(base)] = at
                self._native_uses.add(base)
                if base not in call.chosen:
                    elsewhere.add(base)
        self._chosen = self._native_uses - elsewhere  # used by nothing but branches
        self.arena = Arena()
        self.places: dict[int, tuple[Base | None, int]] = {}  # the result around it, if any
        self._same = self._shared_with_results([call for _, call in calls], last)
        room = Room([call for _, call in calls], last, self._allocated, self._same)
        for at, (_, call) in enumerate(calls):
            self._write_over(call, at, last)
            before = self.arena.size
            for base, _ in call.arrays:
                if (
                    id(base) not in self.places
                    and id(base) not in self._same
                    and base not in self._seen
                    and not isinstance(base, _NOT_MADE)
                ):
                    self.places[id(base)] = room.take(base) or (None, self.arena.take(base.bytes))
            if self.arena.size > before:
                self.fullest = call
            for base in {id(b): b for b, _ in call.arrays}.values():
                if last[id(base)] == at and id(base) in self.places:
                    result, place = self.places[id(base)]
                    arena = self.arena if result is None else room.arenas[result]
                    arena.give(place, base.bytes)

    def _allocated(self, base: Base) -> bool:
        """Whether a plan allocates memory for an array, and hands it out."""
        is_made = not isinstance(base, _NOT_MADE)
        return base in self._seen and is_made and self.segments.overwrites(base) is None

    def _shared_with_results(self, calls: list[Call], last: dict[int, int]) -> dict[int, Base]:
        """Arrays that are only copied into a result, and so are computed in the result's memory."""
        same: dict[int, Base] = {}
        for at, call in reversed(list(enumerate(calls))):
            if call.name != "@copy":
                continue
            (old, _), (new, _) = call.arrays
            result = same.get(id(new), new)
            if (
                result in self._seen
                and self.segments.overwrites(result) is None
                and old not in self._seen
                and not isinstance(old, _NOT_MADE)
                and last[id(old)] == at
                and (old.bytes, old.kind) == (new.bytes, new.kind)
            ):
                same[id(old)] = result
        return same

    def _write_over(self, call: Call, at: int, last: dict[int, int]) -> None:
        """Let the outputs of a call overwrite an input that is not read any more.

        So a product is added in place, and a loop touches no further memory.
        """
        for old, after in call.over:
            place = self.places.get(id(old))
            if place is None or last[id(old)] != at:
                continue
            for new in after:
                if (
                    id(new) not in self.places
                    and id(new) not in self._same
                    and new not in self._seen
                    and (old.bytes, old.kind) == (new.bytes, new.kind)
                ):
                    self.places[id(new)] = place
                    last[id(old)] = -1  # freed together with the new one
                    break

    # ---- a segment -----------------------------------------------------------------------------

    def _segment(self, calls: list[Call]) -> None:
        """Run a segment; calls that overwrite variables run apart if the others take long.

        The GIL is released only for the others: no other thread may get a reference to such an
        array.
        """
        over = self._writing_over(calls)
        if not any(over) or _work(calls) <= LETTING_GO:
            self._run(calls, any(over))
            return
        for is_over, run in itertools.groupby(zip(over, calls, strict=True), lambda pair: pair[0]):
            self._run([call for _, call in run], is_over)

    def _resumed(self, calls: Resumed) -> None:
        """Run a loop, and again until it has come to its end, with more room for what it emits."""
        loop = calls[0].what
        room = self._new("g", "iterations", None if loop.rows else calls.pause)
        tally = self._name_of[id(loop.tally)] = f"t{len(self._name_of)}"
        self.lines.append(f"{tally} = {room}.tally()")
        for rows in loop.rows:
            name = self._name_of[id(rows)] = f"a{len(self._name_of)}"
            self.lines.append(f"{name} = {self._new_rows(rows, f'{tally}[1]')}")
        entry, again, given, _ = self._entry(calls, False)
        names = [self._name_of[id(rows)] for rows in loop.rows]
        grown = "".join([f" {name} = more({name}, {tally});" for name in names])
        self.lines.append(f"s = {entry}({given})")
        self.lines.append(f"while s is not None and {again}(s, {given}):")
        self.lines.append(f" {room}.add_to({tally});{grown} s = {entry}({given})")
        if loop.rows:
            self.lines.append(f"{room}.note({tally})")

    def _check_lengths(self, loop: Repeat) -> None:
        """A loop reads a row of everything that it takes in each iteration."""
        lists = [x for x in loop.taken if isinstance(x, Rows)]
        tallies = list(dict.fromkeys([rows.tally for rows in lists]))
        if len(tallies) > 1:
            self.lines.append(f"check_lengths({', '.join(map(self._name, tallies))})")

    def _writing_over(self, calls: list[Call]) -> list[bool]:
        """For each call, whether it is between the first and last that overwrite some variable."""
        found = [False] * len(calls)
        places: dict[Base, list[int]] = {}
        for at, call in enumerate(calls):
            for base in {self._same.get(id(b), b) for b in call.outputs}:
                if self.segments.overwrites(base) is not None:
                    places.setdefault(base, []).append(at)
        for each in places.values():
            found[each[0] : each[-1] + 1] = [True] * (each[-1] + 1 - each[0])
        return found

    def _run(self, calls: list[Call], is_over: bool) -> None:
        name, again, given, over = self._entry(calls, is_over)
        self.lines.append(f"s = {name}({given})")
        if over:  # an array got another reference since `own` checked it, or is not contiguous
            fresh = "; ".join(f"{new} = {make}" for new, (_, make) in over.items())
            self.lines.append(f"if s is ... or s is False: {fresh}; s = {name}({given})")
        self.lines.append(f"if s is not None and {again}(s, {given}): return otherwise(values)")

    def _entry(
        self, calls: Sequence[Call], is_over: bool
    ) -> tuple[str, str, str, dict[str, tuple[str, str]]]:
        """The names of a function that runs calls, and of what looks at its status; its arguments.

        And the arrays that it overwrites.
        """
        arguments: list[str] = []
        slot_of: dict[str, int] = {}
        steps: list[NativeStep] = []

        def slot(name: str) -> int:
            if name not in slot_of:
                slot_of[name] = len(arguments)
                arguments.append(name)
            return slot_of[name]

        for call in calls:
            if type(call.what) is Repeat:
                self._check_lengths(call.what)
            places = []
            for base, begin in call.arrays:
                offset = begin * int(base.kind[1])
                if id(base) in self.places:
                    result, place = self.places[id(base)]
                    name = "arena" if result is None else self._name(result)
                    offset += place
                else:
                    name = self._name(self._same.get(id(base), base))
                places.append((slot(name), offset))
            steps.append((call.name, call.shares, tuple(places), call.tables))
        over = self._over_here(calls) if is_over else {}  # when all arrays have names
        pairs = tuple([(slot(old), slot(new)) for new, (old, _) in over.items()])
        letting_go = not is_over and _work(calls) > LETTING_GO
        name = self._new("n", "entry", (tuple(steps), len(arguments), letting_go, pairs))
        return name, self._new("m", "again", name), ", ".join(arguments), over

    def _name(self, base: Base) -> str:
        """The name of a base's array in Python; a result is allocated here."""
        name = self._name_of.get(id(base))
        if name is None and isinstance(base, Known):
            dense = np.ascontiguousarray(base.value)
            said = dense.dtype.str, base.shape, dense.tobytes()
            name = self._name_of[id(base)] = self._new("c", "array", said)
        if name is None and isinstance(base, Rows):  # there are as many as the loop takes
            name = self._name_of[id(base)] = f"a{len(self._name_of)}"
            self.lines.append(f"{name} = {self._new_rows(base, f'{self._name(base.tally)}[0]')}")
        if name is None:
            name = self._name_of[id(base)] = f"a{len(self._name_of)}"
            old = self.segments.overwrites(base)
            make = self._new_array(base if old is None else old)
            self._keep_block(base.bytes)
            self.allocated += base.bytes if old is None else 0
            if old is not None:  # overwritten if only the variable and this function refer to it
                before = self._name_of[id(old)]
                self._over[base] = before, make
                make = f"{before} if own({before}) else {make}"
            self.lines.append(f"{name} = {make}")
        return name

    def _over_here(self, calls: Sequence[Call]) -> dict[str, tuple[str, str]]:
        """The arrays that some calls overwrite: new name, old name, expression for a new array."""
        outputs = {self._same.get(id(b), b): None for call in calls for b in call.outputs}
        return {self._name_of[id(b)]: self._over[b] for b in outputs if b in self._over}

    # ---- a step of NumPy's -----------------------------------------------------------------------

    def _write(self, writes: Sequence[Write]) -> None:
        for cell, view, _ in writes:
            name = self._objects[id(cell)]
            lock = "" if self._is_held else f"with {name}._lock: "
            self.lines.append(f"{lock}{name}.{_held_in(cell)} = {self._shaped(view)}")

    def _reserve(self, step: Step) -> None:
        """A draw of which machine code computes the samples: the state from which it does."""
        call = self._new("f", "reserved", step.reserves)
        name = f"r{len(self._objects)}"
        self._objects[id(step)] = name
        self.lines.append(f"{name} = {call}({self._object(step.inputs[0])})")
        self._array(step.results[0], name, early=False)

    def _step(self, step: Step) -> None:
        if step.reserves:
            self._reserve(step)
            return
        self._write(step.writes)
        arguments = []
        for x in step.inputs:
            if isinstance(x, AsList):
                arguments.append(f"as_list({self._shaped(x.view)}, {x.depth})")
            elif isinstance(x, View):
                arguments.append(self._shaped(x))
            else:
                arguments.append(self._object(x))
        call = self._new("f", "step", self._place_of_step[id(step.op)])
        results = []
        for y in step.op.outputs:
            name = f"r{len(self._objects)}"
            results.append(name)
            self._objects[id(y)] = name
        assign = f"{', '.join(results)}{',' if step.op.row.many else ''} = " if results else ""
        self.lines.append(f"{assign}{call}({', '.join(arguments)})")
        for name, result in zip(results, step.results, strict=True):
            if isinstance(result, Base) and result in self._native_uses:
                self._array(result, name, early=False)

    def _object(self, x: Any) -> str:
        """A value that is not an array of numbers, or of unknown shape."""
        if id(x) not in self._objects and id(x) in self.low.rows:
            rows = self.low.rows[id(x)]
            name = self._objects[id(x)] = f"l{len(self._objects)}"
            self.lines.append(f"{name} = listed({self._name(rows)}, {self._name(rows.tally)})")
        if id(x) not in self._objects:
            self._objects[id(x)] = self._new("c", "known", self._place_of_known[id(x)])
        return self._objects[id(x)]

    def _shaped(self, view: View) -> str:
        """The array of a contiguous view."""
        source = self.low.source.get(view.base)
        name = self._name(view.base) if source is None else self._object(source)
        if view.shape == view.base.shape:
            return name
        return f"{name}.reshape({self._seen_shape(view.shape, view.base)!r})"

    # ---- results ---------------------------------------------------------------------------------

    def _results(self) -> tuple[list[str], list[bool]]:
        results, fresh, seen = [], [], set()
        made = {id(b) for segment in self.segments.items if isinstance(segment, list)
                for call in segment for b in call.outputs}  # fmt: skip
        written = {id(w.view.base) for w in self.schedule.all_writes}
        used = {id(v.base) for s in self.segments.items if isinstance(s, Step) for v in s.operands}
        for x in self.schedule.fetched:
            if isinstance(x, AsList):
                results.append(f"as_list({self._shaped(x.view)}, {x.depth})")
                fresh.append(False)
                continue
            source = x if not isinstance(x, View) else self.low.source.get(x.base)
            if source is not None and (x is source or x.shape == x.base.shape):
                results.append(self._object(source))  # unchanged
                fresh.append(False)
                continue
            base = x.base
            name = self._shaped(x)
            shape = self._seen_shape(x.shape, base)
            results.append(name if shape else f"{name}[()]")
            key = id(base)
            fresh.append(
                key in made
                and key not in written
                and key not in used
                and key not in seen
                and bool(shape)
            )
            seen.add(key)
        return results, fresh


def _closed(value: Any) -> Any:
    """A value of tuples in which open sizes are plain numbers."""
    if type(value) is tuple:
        return tuple(map(_closed, value))
    return int(value) if type(value) is OpenSize else value


def _held_in(cell: Any) -> str:
    """The attribute that has what a plan changes: of a variable, or of a stream."""
    return "words" if is_stream(cell) else "_array"


def _work(calls: Sequence[Call]) -> int:
    return sum(call.work for call in calls)
