"""The segments of a schedule: runs of native calls with their LLVM IR, and NumPy's steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from wengert.engines.native.codegen.gemm_forms import Function, blocks_of
from wengert.engines.native.codegen.loop_emitter import Launch, launches
from wengert.engines.native.codegen.size_table import reading_sizes
from wengert.engines.native.frontend.arrays import (
    AsList,
    Base,
    Choice,
    Map,
    Pieces,
    Product,
    Repeat,
    Routine,
    RowSet,
    Step,
    Tiled,
    View,
)
from wengert.engines.native.optimize.fuse import Group
from wengert.engines.native.program.choices import ChoiceWriter
from wengert.engines.native.program.epilogue import Finish
from wengert.engines.native.program.loops import LoopWriter, initial_copies
from wengert.engines.native.program.modules import Ahead, module_of
from wengert.engines.native.program.schedule import Schedule
from wengert.engines.native.program.steps import (
    Call,
    product_calls,
    products_of,
    routine_call,
    row_calls,
    stands_in,
    tiled_calls,
)
from wengert.engines.native.runtime.units import PREFIX


class Resumed(list[Call]):
    """A loop that is called again until it has come to its end."""

    pause = 0  # the number of iterations, if there is room for any


def _look(flag: Base) -> Call:
    """A check that a truth value is false."""
    return Call("", [(flag, 0)], 1, flag)


class Segments:
    """Lists of native calls, and NumPy's steps between them."""

    def __init__(
        self, schedule: Schedule, around: Segments | None = None, ahead: Ahead | None = None
    ) -> None:
        self._schedule = schedule
        self._ahead = ahead  # compiles functions as they are written
        self._is_outermost = around is None
        # The plan's functions by their names, and the names by the LLVM IR. Loops share those of
        # what is around.
        self.functions: dict[str, Function] = {} if around is None else around.functions
        self._names: dict[str, str] = {} if around is None else around._names
        self._once: set[Base] = set()  # computed in one pass that reads elements before writing
        self.items: list[list[Call] | Step] = []
        for group in schedule.order:
            self._add(group)

    @property
    def are_native(self) -> bool:
        """Whether any step is compiled."""
        return any(isinstance(item, list) for item in self.items)

    def overwrites(self, base: Base) -> Base | None:
        """The old value of a variable that a new one may overwrite."""
        old = self._schedule.overwritten.get(base)
        if old is None or (type(base) is Map and base not in self._once):
            return None
        return old

    def text(self) -> str:
        """The LLVM IR of the functions, of which some are called by loops alone; empty if there are none."""
        return module_of(self.functions, {call.name for call in self.calls})

    # ---- calls ---------------------------------------------------------------------------------

    def _add(self, group: Group) -> None:
        first = group.members[0]
        if type(first) is Step:
            self.items.append(first)
            return
        if type(first) is Repeat:
            self._add_loop(first)
        elif type(first) is Choice:
            self._add_choice(first)
        elif type(first) is Routine:
            self._continue([self._named(routine_call(first)), *self._looks(first.results)])
        else:
            self._continue(self._calls(group, first))

    def _continue(self, calls: list[Call]) -> None:
        """Add calls to the current segment."""
        last = self.items[-1] if self.items else None
        if type(last) is list:
            last += calls
        elif calls:
            self.items.append(calls)

    def _calls(self, group: Group, first: Any) -> list[Call]:
        if type(first) is Product:
            return self._product_calls(group, first) + self._looks(group.members)
        if type(first) is Tiled:
            return self._tiled_calls(group, first) + self._looks(group.members)
        if type(first) is Pieces:
            return []
        if type(first) is RowSet:
            return row_calls(first)
        return self._launched(launches(group, self._schedule.memory)) + self._looks(group.members)

    def _product_calls(self, group: Group, product: Product) -> list[Call]:
        form, many, _ = products_of(product)
        last = None
        if group.is_loop:
            last = Finish(group, self._schedule.memory, product, many * blocks_of(form))
        calls = [self._named(call) for call in product_calls(product, last)]
        return calls if last is None else calls + self._launched(last.more)

    def _tiled_calls(self, group: Group, item: Tiled) -> list[Call]:
        memory, last = self._schedule.memory, None
        if group.is_loop:
            last = Finish(group, memory, item, item.tiles.number)
        calls = [self._named(call) for call in tiled_calls(item, stands_in(item, memory), last)]
        return calls if last is None else calls + self._launched(last.more)

    def _add_loop(self, loop: Repeat) -> None:
        """The calls of a loop: one that may stop before its end is a segment of its own."""
        writer = self._loop_writer(loop)
        run = [self._named(writer.call())]
        if writer.stops:
            self._continue(initial_copies(loop))
            resumed = Resumed([*run, _look(writer.stopped)])
            resumed.pause = writer.pause
            self.items.append(resumed)
        else:
            self._continue([*initial_copies(loop), *run])
        if writer.looks:
            self._continue([_look(writer.wrong)])
        self._continue(self._looks(loop.results))

    def _add_choice(self, choice: Choice) -> None:
        """The call of branches."""
        bodies = [Segments(Schedule(part.low, part.results), self) for part in choice.inside.parts]
        given = [[_view(x).base for x in body._schedule.fetched] for body in bodies]
        writer = ChoiceWriter(choice, [body.calls for body in bodies], given)
        self._continue([self._named(writer.call())])
        if writer.looks:
            self._continue([_look(writer.wrong)])

    def _loop_writer(self, loop: Repeat) -> LoopWriter:
        inside = loop.inside
        body = Segments(Schedule(inside.body.low, [e.inside for e, _ in inside.emits]), self)
        emitted = [_view(x).base for x in body._schedule.fetched]
        parts = body.calls, body._schedule.writes, body.overwrites, emitted
        if inside.condition is None:
            return LoopWriter(loop, *parts, stops=self._is_outermost and inside.count is not None)
        ahead = Segments(Schedule(inside.condition.low, inside.condition.results), self)
        go = ahead._schedule.fetched[0].base
        return LoopWriter(loop, *parts, ahead.calls, go, self._is_outermost)

    @property
    def calls(self) -> list[Call]:
        """All calls of compiled steps."""
        return [call for item in self.items if isinstance(item, list) for call in item]

    def _launched(self, launches: Sequence[Launch]) -> list[Call]:
        found = []
        for launch in launches:
            if not launch.outputs:
                continue
            call = Call("", launch.arrays, launch.parts, launch)
            call.function = Function(launch.text, launch.declarations, tuple(launch.calls))
            found.append(self._named(call))
            if launch.once:
                self._once.update(launch.outputs)
        return found

    def _looks(self, made: Iterable[Base]) -> list[Call]:
        """The checks of what was made, as soon as their truth values are computed."""
        return [_look(b) for b in made if b in self._schedule.flags]

    def _named(self, call: Call) -> Call:
        """The same call, with a name if its function is one of this plan."""
        made = call.function
        if made is not None:
            text, call.sizes = reading_sizes(made.text, len(call.arrays) + len(call.tables))
            # Functions with equal code are shared.
            call.name = self._names.setdefault(text, f"@{PREFIX}{len(self._names)}")
            self.functions[call.name] = made._replace(text=text)
            if self._ahead is not None:
                self._ahead.add(call.name, self.functions)
        return call


def _view(fetched: Any) -> View:
    """What a body gives in memory, also if it is a list."""
    found: View = fetched.view if isinstance(fetched, AsList) else fetched
    return found
