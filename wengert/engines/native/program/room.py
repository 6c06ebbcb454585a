"""The room in results that are not written yet, for intermediate arrays.

A gradient is computed last, and what it is computed from, long before: the activations of a network
fit into the gradients of its weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from wengert.engines.native.frontend.arrays import Base
from wengert.engines.native.program.arena import SMALL, Arena
from wengert.engines.native.program.steps import Call


class Room:
    """Finds places in results for arrays whose last use comes before the result's first."""

    def __init__(
        self,
        calls: Sequence[Call],
        last: Mapping[int, int],
        is_allocated: Callable[[Base], bool],
        same: Mapping[int, Base],
    ) -> None:
        self._end = _ends(calls, last)
        first: dict[Base, int] = {}
        for at, call in enumerate(calls):
            for base, _ in call.arrays:
                first.setdefault(same.get(id(base), base), at)
        # The earliest first: it serves the arrays that are gone soonest.
        self._first = {b: at for b, at in first.items() if b.bytes >= SMALL and is_allocated(b)}
        self.arenas = {b: Arena(b.bytes) for b in self._first}

    def take(self, base: Base) -> tuple[Base, int] | None:
        """A result and a place in it, in bytes; None if there is none, or the array is small."""
        if base.bytes < SMALL:
            return None
        for result, first in self._first.items():
            if self._end[id(base)] < first and self.arenas[result].has_room(base.bytes):
                return result, self.arenas[result].take(base.bytes)
        return None


def _ends(calls: Sequence[Call], last: Mapping[int, int]) -> dict[int, int]:
    """The last use of each array, or of the arrays that may overwrite it."""
    ends = dict(last)
    for call in reversed(calls):
        latest: dict[int, int] = {}  # by the list of those that may overwrite an array
        for old, after in call.over:
            if id(after) not in latest:
                latest[id(after)] = max([ends.get(id(new), 0) for new in after], default=0)
            ends[id(old)] = max(ends.get(id(old), 0), latest[id(after)])
    return ends
