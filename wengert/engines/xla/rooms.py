"""How many iterations the stacks of loops have room for, where a loop says only when it runs how many there are.

XLA must know the size of an array when it compiles. So a loop whose iterations are kept, as a gradient needs
them, has stacks with room for some. One that runs on counts its iterations; the call then changes nothing, the plan
is compiled for more room, and run again. Later calls mostly find what they need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.execution.plan import Plan
from wengert.graph.operation import Operation

FIRST: Final = 32  # iterations, unless they keep a lot
LEAST: Final = 2
FIRST_BYTES: Final = 1 << 26


class Rooms:
    """The room of each loop of a plan, those in other loops and in branches included."""

    def __init__(self, plan: Plan) -> None:
        loops = [op for op in inner_operations(plan) if _has_condition(op)]
        self._places = {id(op): at for at, op in enumerate(loops)}
        # Loops that only the trace makes, where an operation waited for sizes, share the last one.
        self._rooms = [0] * (len(loops) + 1)

    def place(self, op: Operation) -> int:
        """The index of a loop among all."""
        return self._places.get(id(op), len(self._places))

    def room(self, op: Operation, size: int) -> int:
        """How many iterations, each of which keeps so many bytes, there is room for."""
        first = min(FIRST, max(LEAST, FIRST_BYTES // max(size, 1)))
        return max(self._rooms[self.place(op)], first)

    def none_lacking(self) -> Any:
        """What says that no loop ran on: for each the number of iterations, if it was too large, else zero."""
        return np.zeros(len(self._rooms), np.int64)

    def grow(self, lacking: Sequence[int]) -> None:
        """Make room for so many iterations, and for up to twice as many: then calls soon find what they need."""
        grown = [1 << int(n - 1).bit_length() if n else 0 for n in lacking]
        self._rooms = list(map(max, self._rooms, grown))


def inner_operations(plan: Plan) -> list[Operation]:
    """The operations of a plan, and of the bodies of its loops and branches."""
    found = list(plan.steps)
    for op in found:  # which grows meanwhile
        for graph in op.row.graphs:
            found += graph.operations
    return found


def _has_condition(op: Operation) -> bool:
    return getattr(op.row.bodies, "condition", None) is not None


class Answers:
    """What Python answered in each run: a run that is made again for more room is answered the same, and calls no more."""

    def __init__(self, errors: list[Exception]) -> None:
        self._errors = errors  # those that calls note
        self._given: dict[int, list[tuple[Any, list[Exception]]]] = {}
        self._places: dict[int, int] = {}

    def begin(self, run: int | None) -> None:
        """Answer from the first call on. A run without a number is not made again, or calls nothing."""
        if run is not None:
            self._given.setdefault(int(run), [])
            self._places[int(run)] = 0

    def end(self, run: int | None) -> None:
        """Forget a run."""
        if run is not None:
            del self._given[int(run)], self._places[int(run)]

    def answer(self, run: int, call: Callable[[], Any]) -> Any:
        """The answer to the next call of a run."""
        given, at = self._given[run], self._places[run]
        self._places[run] = at + 1
        if at < len(given):
            answer, errors = given[at]
            self._errors += errors
            return answer
        before = len(self._errors)
        answer = call()
        given.append((answer, self._errors[before:]))
        return answer
