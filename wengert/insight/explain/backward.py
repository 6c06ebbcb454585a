"""The sweep, with notes: what each operation gets, and what it hands to its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from wengert.core.context import activate, current_graph
from wengert.core.reverse import sweep
from wengert.core.tape import WIDTH, Tape
from wengert.insight.explain.history import History
from wengert.insight.journal import Step
from wengert.ops.math.elementwise import ones_like
from wengert.values.tensor import TensorList, key_of
from wengert.values.value import Key


class Back(NamedTuple):
    """One operation in the sweep: what came for its results, and what its inputs have afterwards."""

    number: int
    step: Step
    came: list[Any]
    goes: dict[Key, Any]


class Way(NamedTuple):
    """What went back, operation by operation, and all cotangents that nobody took."""

    backs: list[Back]
    left: dict[Key, Any]


def backward(history: History, on_way: set[int], values: set[Key], target: Any) -> Way:
    """Go back from the target over these operations, by the one sweep; `values` lie on the way."""
    numbers = [n for n in sorted(on_way) if _is_seen(history, n)]
    tape = Tape()
    followed = [n for n in numbers if _record(tape, history.steps[n], values)]
    notes = _Notes(history, followed)
    with activate((), current_graph()):
        dict.__setitem__(notes, key_of(target), ones_like(target))
        if tape.records:
            sweep(_Noted(tape.records, notes), False, notes, values, set(), False)
            notes.end()
    backs = notes.backs + [
        Back(n, history.steps[n], [notes.get(y._key) for y in history.steps[n].results], {})
        for n in numbers
        if n not in notes.seen and any(y._key in notes for y in history.steps[n].results)
    ]
    return Way(sorted(backs, key=lambda b: -b.number), notes)


def _is_seen(history: History, number: int) -> bool:
    """Whether an operation is not one inside another, which speaks for it."""
    results = history.steps[number].results
    return all(history.made_by[y._key] == number and not isinstance(y, TensorList) for y in results)


def _record(tape: Tape, step: Step, values: set[Key]) -> bool:
    """Whether the tape has a record of it: it has a gradient."""
    for x in step.inputs:
        if getattr(x, "_key", None) in values:
            tape.watch(x)
    before = len(tape.records)
    result = list(step.results) if step.row.many else step.results[0]
    tape.record(step.row, list(step.inputs), step.attrs, result)
    return len(tape.records) > before


class _Notes(dict[Key, Any]):
    """Cotangents that note who takes and who leaves them."""

    def __init__(self, history: History, numbers: Sequence[int]) -> None:
        super().__init__()
        self.backs: list[Back] = []
        self.seen: set[int] = set()
        self._history = history
        self._waiting = list(numbers)
        self._came: list[Any] = []
        self._goes: dict[Key, Any] = {}

    def pop(self, key: Key, *default: Any) -> Any:
        found = super().pop(key, *default)
        self._came.append(found)
        return found

    def __setitem__(self, key: Key, value: Any) -> None:
        self._goes[key] = value
        super().__setitem__(key, value)

    def end(self) -> None:
        """The sweep is done with an operation."""
        number = self._waiting.pop()
        if any(g is not None for g in self._came):
            self.seen.add(number)
            step = self._history.steps[number]
            self.backs.append(Back(number, step, self._came, self._goes))
        self._came, self._goes = [], {}


class _Noted(list[Any]):
    """Records that say when the sweep comes to the next."""

    def __init__(self, records: Sequence[Any], notes: _Notes) -> None:
        super().__init__(records)
        self._notes = notes

    def __reversed__(self) -> Iterator[Any]:
        for at in range(len(self) - WIDTH, -1, -WIDTH):
            yield from self[at : at + WIDTH][::-1]
            if at:
                self._notes.end()
