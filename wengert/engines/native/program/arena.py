"""The arena: memory for intermediate arrays that never leave the plan."""

from __future__ import annotations

import bisect
import sys
from typing import Any, Final

import numpy as np

ALIGNED: Final = 64


class Arena:
    """Allocates offsets for intermediate arrays, each from its first to its last use."""

    def __init__(self, limit: int = sys.maxsize) -> None:
        self.size = 0
        self._limit = limit
        self._free: list[tuple[int, int]] = []  # begin, size

    def has_room(self, size: int) -> bool:
        """Whether so much fits within the limit."""
        size = _rounded(size)
        at_end = self._free[-1][1] if self._free and sum(self._free[-1]) == self.size else 0
        return self.size - at_end + size <= self._limit or any(s >= size for _, s in self._free)

    def take(self, size: int) -> int:
        size = _rounded(size)
        best = min((s, at) for at, s in [*self._free, (self.size, sys.maxsize)] if s >= size)
        have, at = best
        if have == sys.maxsize:
            if self._free and sum(self._free[-1]) == self.size:
                at, _ = self._free.pop()
            self.size = at + size
            return at
        self._free.remove((at, have))
        if have > size:
            self._give(at + size, have - size)
        return at

    def give(self, at: int, size: int) -> None:
        self._give(at, _rounded(size))

    def _give(self, at: int, size: int) -> None:
        free, place = self._free, bisect.bisect(self._free, (at, size))
        if place < len(free) and free[place][0] == at + size:
            size += free.pop(place)[1]
        if place and sum(free[place - 1]) == at:
            place -= 1
            at, before = free.pop(place)
            size += before
        free.insert(place, (at, size))


def _rounded(size: int) -> int:
    return -(-max(size, 1) // ALIGNED) * ALIGNED


SMALL: Final = 1 << 16  # bytes; up to this size a plan keeps its arena for its next call


def new_arena(size: int) -> Any:
    """Memory aligned for vectors."""
    memory = np.empty(size + ALIGNED, np.uint8)
    begin = -memory.ctypes.data % ALIGNED
    return memory[begin : begin + size]
