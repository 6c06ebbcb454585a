"""The journal of a tape: every operation in its block with the line of the program, and every exit.

Other than a tape it notes what has no gradient, too, and keeps all values alive. A call of a traced
function, or a loop of a graph, is noted as the operations within.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

from wengert.core.context import thread
from wengert.core.row import Attrs, Row
from wengert.core.scope import Scope
from wengert.core.tape import Tape
from wengert.derivatives.trail import Trail
from wengert.host.context_manager import ContextManager
from wengert.host.user_frames import callers_place, is_ours, place_of, replayed_place
from wengert.values.exits import doors, exit_watchers, frame_that_called
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import key_of


class Step(NamedTuple):
    """One operation that was carried out, or one of a graph."""

    row: Row
    inputs: tuple[Any, ...]
    attrs: Attrs
    results: tuple[Any, ...]
    line: str
    name: str = (
        ""  # with its name scopes; of an eager operation these alone, with a slash at the end
    )
    entry: Scope | None = None  # of an eager operation

    @property
    def scope(self) -> str:
        """The name scope, with a slash at its end."""
        return "".join(self.name.rpartition("/")[:2])


def step_of(op: Any, line: str = "") -> Step:
    """An operation of a graph as a step, at its own line unless another is named."""
    return Step(op.row, tuple(op.inputs), op.attrs, tuple(op.outputs), line or op.place, op.name)


def operations_behind(values: Iterable[Any], but: Container[int] = ()) -> set[int]:
    """The ids of the operations that compute tensors of a graph, without those in `but` and what is behind them."""
    found: set[int] = set()
    waiting = [v.op for v in values if isinstance(v, SymbolicTensor)]
    while waiting:
        op = waiting.pop()
        if id(op) not in found and id(op) not in but:
            found.add(id(op))
            waiting += [x.op for x in op.inputs]
    return found


class Exit(NamedTuple):
    """A value left for Python or NumPy."""

    value: Any
    way: str
    line: str
    at: int  # how many steps came before


class Journal:
    """What happened in the block of a tape."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.exits: list[Exit] = []
        self.began = ""  # the line of the block
        self.tapes: list[tuple[Tape, int]] = []  # those followed, with the number of steps before
        self.resets: list[tuple[str, int]] = []
        self.pauses: list[tuple[int, bool]] = []  # from which step on the tape records, or does not
        self._active: list[Any] = []

    def begin(self) -> None:
        """The block begins."""
        self.began = self.began or callers_place()
        active = _Listener(self).active()
        active.__enter__()
        exit_watchers.append(self._left)
        self._active.append(active)

    def listening(self) -> ContextManager:
        """What is carried out inside is noted, without exits."""
        return _Listener(self).active()

    def end(self) -> None:
        """The block ends."""
        if self._active:
            exit_watchers.remove(self._left)
            self._active.pop().__exit__(None, None, None)

    def follow(self, tape: Tape) -> None:
        """The tape records from here on."""
        self.tapes.append((tape, len(self.steps)))

    def note_recording(self, is_on: bool) -> None:
        """The tape begins to record, or stops."""
        self.pauses.append((len(self.steps), is_on))

    def was_recording(self, number: int) -> bool:
        """Whether the tape recorded when an operation was carried out."""
        states = [is_on for at, is_on in self.pauses if at <= number]
        return not states or states[-1]

    def note_reset(self) -> None:
        """The tape forgets what it recorded."""
        self.resets.append((callers_place(), len(self.steps)))

    def _left(self, value: Any, way: str) -> None:
        # By itself the library looks at values, too: __array__ or numpy() is two frames above.
        caller = sys._getframe(3)
        if not is_ours(caller) or caller.f_globals.get("__name__") in doors:
            place = replayed_place() or place_of(frame_that_called(caller))
            self.exits.append(Exit(value, way, place, len(self.steps)))


class _Listener(Trail):
    follows_all: ClassVar[bool] = False  # it looks on: what a tape does not follow stays NumPy's

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal

    def _keep(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        results = tuple(result) if row.many else (result,)
        for value in (*inputs, *results):
            if hasattr(value, "_key"):
                key_of(value)
        replaced = thread.context.overrides.get(row.name)
        row = row if replaced is None else replaced(row)
        entry = thread.context.scope
        step = Step(row, tuple(inputs), attrs, results, callers_place(), entry or "", entry)
        self._journal.steps.append(step)
