"""A loop of a graph as one function, which calls those of its condition and its body.

What is carried is the result of the loop. What is taken or emitted has another address in each
iteration. If there is no room for another row, or after so many iterations that an interrupt should
be seen, the function returns, and goes on where it was when it is called again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from wengert.engines.native.frontend.arrays import Base, Input, Repeat, View, Write
from wengert.engines.native.program.bodies import BodyWriter
from wengert.engines.native.program.steps import Call, copy_call

_PAUSE: Final = 1 << 26  # elements of work between two looks at signals
_CALL: Final = 16  # elements that a call is taken for
_INNER: Final = 1 << 16  # elements that a loop in a loop is taken for


def initial_copies(loop: Repeat) -> list[Call]:
    """The calls that copy what a loop carries to where it stays."""
    return [copy_call(*pair) for pair in zip(loop.initial, loop.results, strict=False)]


class _Row(NamedTuple):
    """The element of an iteration: its address has a name."""

    name: str
    source: Base
    begin: int  # bytes, as the following
    step: int
    backward: bool


class LoopWriter(BodyWriter):
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
        stops: bool = False,
    ) -> None:
        super().__init__(loop, [*condition, *body])
        self.loop = loop
        self.body = body
        self.writes = writes
        self.emitted = emitted
        self.condition = condition
        self.goes_on = goes_on  # what the condition computes
        # Before the end, to be called again.
        self.stops = stops and (loop.count is None or loop.count > self.pause)
        self.stopped = Base((), "b1", loop.place)  # whether it did
        self._rows: list[_Row] = []
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
        kept = [w.view.base for w in writes] + [base for _, base in self._emitted_after]
        self._lay_out(kept if goes_on is None else [*kept, goes_on])
        self._carried = self._keep_carried()

    def _find_rows(self) -> None:
        """Where the body reads what it takes, and writes what it emits."""
        inside = self.loop.inside
        for base, at in inside.body.taken.items():
            taken = self.loop.taken[at]
            backward = inside.loop.taken[at].backward
            if isinstance(taken, View):
                size = int(base.kind[1])
                begin, step = taken.offset * size, taken.strides[0] * size
                self._row_of[base] = self._row(taken.base, begin, step, backward)
            else:
                self._row_of[base] = self._row(taken, 0, base.bytes, backward)
        pairs = zip(self.loop.emitted, inside.emits, self.emitted, strict=True)
        for rows, (stack, _), base in pairs:
            name = self._row(rows, 0, base.bytes, stack.backward)
            if type(base) is Input:
                self._emitted_before.append((name, base))
            elif base in self._row_of:
                self._emitted_after.append((name, base))
            else:
                self._row_of[base] = name

    def _row(self, source: Base, begin: int, step: int, backward: bool) -> str:
        name = f"%row{len(self._rows)}"
        self._rows.append(_Row(name, source, begin, step, backward))
        return name

    def _keep_carried(self) -> list[Base]:
        """Keep what is carried in arrays of the function's own, if these are small, from its begin to its end."""
        bases: list[Base] = list(dict.fromkeys(self.loop.results))
        if not self._keep(bases):
            return []
        for base in bases:
            self._entry += self._copied(self._array(base), self._argument(base), base)
        return bases

    def call(self) -> Call:
        """The call of the loop, whose function has no name yet."""
        again, body, end = self._again(), self._body(), self._end()
        return self._made([
            "br label %again",
            "again:",
            f"%t = phi i64 [ {'%begun' if self.stops else '0'}, %entry ], [ %t.next, %next ]",
            *again,
            "body:", *body, "br label %next",
            "next:", "%t.next = add i64 %t, 1", "br label %again",
            "done:", *end, "ret void",
        ])  # fmt: skip

    @property
    def pause(self) -> int:
        """The number of iterations after which an interrupt should be seen: some hundredths of a second."""
        work = sum(_CALL + min(call.work, _INNER) for call in self.calls)
        return max(_PAUSE // max(work, 1), 1)

    def _again(self) -> list[str]:
        """Whether there is another iteration."""
        if self.stops or (self.goes_on is None and self.loop.count is None):
            array = self._argument(self.loop.tally)
            self._entry += [
                f"%begun = load i64, ptr {array}",
                f"%roomp = getelementptr i64, ptr {array}, i64 1",
                "%room = load i64, ptr %roomp",
            ]
        if self.goes_on is None:
            end = "%begun" if self.loop.count is None else self.loop.count
            lines = [f"%go = icmp ult i64 %t, {end}"]
        else:
            lines = self._called(self.condition, "c")
            lines += [
                f"%flag = load i8, ptr {self._address(self.goes_on)}",
                "%go = icmp ne i8 %flag, 0",
            ]
        if not self.stops:
            return [*lines, "br i1 %go, label %body, label %done"]
        return [
            *lines, "br i1 %go, label %look, label %done",
            "look:", "%fits = icmp ult i64 %t, %room", "br i1 %fits, label %body, label %stop",
        ]  # fmt: skip

    def _body(self) -> list[str]:
        lines = []
        for name, base in self._emitted_before:
            lines += self._copied(name, self._address(base), base)
        lines += self._called(self.body, "b")
        for name, base in self._emitted_after:
            lines += self._copied(name, self._address(base), base)
        for write in self.writes:
            lines += self._updated(write)
        return [*self._addresses_of_rows(), *self._parts_of_rows, *lines]

    def _addresses_of_rows(self) -> list[str]:
        lines = []
        end = "%begun" if self.loop.count is None else self.loop.count
        for name, source, begin, step, backward in self._rows:
            at = "%t"
            if backward:
                lines += [f"{name}.b = sub i64 {end}, 1", f"{name}.t = sub i64 {name}.b, %t"]
                at = f"{name}.t"
            lines.append(f"{name}.m = mul i64 {at}, {step}")
            lines.append(f"{name}.o = add i64 {name}.m, {begin}")
            array = self._array(source)
            lines.append(f"{name} = getelementptr i8, ptr {array}, i64 {name}.o")
        return lines

    def _end(self) -> list[str]:
        """What happens in the end, and where the loop is left before."""
        lines: list[str] = []
        if self.stops:
            array, flag = self._argument(self.loop.tally), self._flag(self.stopped)
            lines += [f"store i64 %t, ptr {array}", *self._given_back(), "ret void"]
            lines += ["stop:", f"store i8 1, ptr {flag}", f"store i64 %t, ptr {array}"]
        return [*lines, *self._given_back(), *self._ends_wrong()]

    def _given_back(self) -> list[str]:
        """What is carried is written to where it is expected."""
        lines: list[str] = []
        for base in self._carried:
            lines += self._copied(self._argument(base), self._array(base), base)
        return lines

    def _updated(self, write: Write) -> list[str]:
        """A new value is copied to where the old one is, if it was not computed there."""
        carried = next(b for b, x in self.loop.inside.body.low.cells.items() if x is write.cell)
        if self._where.get(write.view.base) == self._where[carried]:
            return []
        made = write.view.base
        return self._copied(self._address(carried), self._address(made), made)
