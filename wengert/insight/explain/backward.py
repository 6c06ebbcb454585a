"""The sweep, with notes: what each operation gets, and what it hands to its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import nullcontext
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from wengert.core.context import activate, apply_overrides, current_graph
from wengert.core.reverse import sweep
from wengert.core.row import Row
from wengert.core.tape import WIDTH, Records, Tape
from wengert.errors import OpError
from wengert.insight.explain.arrays import array_of
from wengert.insight.explain.history import History
from wengert.insight.explain.question import Between, Question
from wengert.insight.journal import Journal, Step
from wengert.ops.math.elementwise import ones_like
from wengert.overrides.override import Overrides
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import TensorList, key_of
from wengert.values.value import Key


class Back(NamedTuple):
    """One operation in the sweep: what came for its results, and what its inputs have afterwards."""

    number: int
    step: Step
    came: list[Any]
    goes: dict[Key, Any]
    cancels: bool = False  # what it hands to an input is the opposite of what another did


class StoppedError(Exception):
    """The rule of an operation raised."""

    def __init__(self, at: int, error: OpError) -> None:
        super().__init__(str(error))
        self.at = at


class Way(NamedTuple):
    """What went back, operation by operation, and all cotangents that nobody took."""

    backs: list[Back]
    left: dict[Key, Any]


def asked_backward(q: Question, between: Between, journal: Journal | None = None) -> Way:
    """Go back as a question asks; a journal notes what is computed on the way."""
    return backward(q.history, *between, q.target, q.seed, q.rules, journal)


def backward(
    history: History,
    on_way: Set[int],
    values: Set[Key],
    target: Any,
    seed: Any = None,
    rules: Overrides | None = None,
    journal: Journal | None = None,
) -> Way:
    """Go back from the target over these operations, by the one sweep; `values` lie on the way."""
    numbers = [n for n in sorted(on_way) if _is_seen(history, n)]
    tape = Tape()
    for n in numbers:
        _record(tape, history.steps[n], values)
    with activate((), current_graph()), apply_overrides(rules, must=False):
        records = tape.records
        if rules is not None:
            records = rules.on_tape(tape, records, [target], {target._key})
        notes = _Notes(history, records)
        dict.__setitem__(notes, key_of(target), ones_like(target) if seed is None else seed)
        if records:
            with nullcontext() if journal is None else journal.listening():
                try:
                    sweep(_Noted(records, notes), False, notes, values, set(), False)
                except OpError as error:
                    raise StoppedError(notes.at, error) from error
            notes.end()
    backs = notes.backs + [
        Back(n, history.steps[n], [notes.get(y._key) for y in history.steps[n].results], {})
        for n in numbers
        if n not in notes.seen and any(y._key in notes for y in history.steps[n].results)
    ]
    return Way(sorted(backs, key=lambda b: -b.number), notes)


def _is_seen(history: History, number: int) -> bool:
    """Whether an operation is not one inside another, which speaks for it."""
    for y in history.steps[number].results:
        if history.made_by[y._key] != number or isinstance(y, TensorList):
            return False
    return True


def _record(tape: Tape, step: Step, values: Set[Key]) -> None:
    """Let the tape have a record of an operation, if that has a gradient."""
    for x in step.inputs:
        key = getattr(x, "_key", None)
        if key in values and key not in tape.positions:
            tape.watch(x)
    before = len(tape.records)
    result = list(step.results) if step.row.many else step.results[0]
    tape.record(step.row, list(step.inputs), step.attrs, result)
    is_named = step.entry or isinstance(step.results[0], SymbolicTensor)
    if is_named and len(tape.records) > before:
        tape.within(step.entry, step.inputs, result)


class _Notes(dict[Key, Any]):
    """Cotangents that note who takes and who leaves them."""

    def __init__(self, history: History, records: Records) -> None:
        super().__init__()
        self.backs: list[Back] = []
        self.seen: set[int] = set()
        self._history = history
        self._waiting = [_numbered(history, records[at], records[at + 6])
                         for at in range(0, len(records), WIDTH)]  # fmt: skip
        self._came: list[Any] = []
        self._goes: dict[Key, Any] = {}
        self._sums = False

    def pop(self, key: Key, *default: Any) -> Any:
        found = super().pop(key, *default)
        self._came.append(found)
        return found

    def __setitem__(self, key: Key, value: Any) -> None:
        self._goes[key] = value
        self._sums |= key in self and _cancel(self[key], value)
        super().__setitem__(key, value)

    @property
    def at(self) -> int:
        """The operation that the sweep is at."""
        return self._waiting[-1][0]

    def end(self) -> None:
        """The sweep is done with an operation."""
        number, row = self._waiting.pop()
        if any(g is not None for g in self._came):
            self.seen.add(number)
            step = self._history.steps[number]
            if row is not step.row:
                step = step._replace(row=row)
            self.backs.append(Back(number, step, self._came, self._goes, self._sums))
        self._came, self._goes, self._sums = [], {}, False


def _cancel(before: Any, total: Any) -> bool:
    """Whether a contribution is the opposite of what had come before; true where it cannot be said."""
    was, now = array_of(before), array_of(total)
    return before is not None and (was is None or now is None or bool(np.any(was) > np.any(now)))


def _numbered(history: History, row: Row, out: Any) -> tuple[int, Row]:
    """The operation that a record stands for: of a whole name scope, the last."""
    made_by = history.made_by
    return (max([made_by[key] for key in out]) if row.many else made_by[out]), row


class _Noted(list[Any]):
    """Records that say when the sweep comes to the next."""

    def __init__(self, records: Sequence[Any], notes: _Notes) -> None:
        super().__init__(records)
        self._notes = notes

    def __reversed__(self) -> Iterator[Any]:
        return chain.from_iterable(self._backward())

    def _backward(self) -> Iterator[list[Any]]:
        for at in range(len(self) - WIDTH, -1, -WIDTH):
            yield self[at : at + WIDTH][::-1]
            if at:
                self._notes.end()
