"""The arena: memory for intermediate arrays that never leave the plan."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

from wengert.host.locks import new_lock

ALIGNED: Final = 64


class Arena:
    """Allocates offsets for intermediate arrays, each from its first to its last use."""

    def __init__(self) -> None:
        self.size = 0
        self._free: list[tuple[int, int]] = []  # begin, size

    def take(self, size: int) -> int:
        size = -(-max(size, 1) // ALIGNED) * ALIGNED
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
        self._give(at, -(-max(size, 1) // ALIGNED) * ALIGNED)

    def _give(self, at: int, size: int) -> None:
        self._free.append((at, size))
        self._free.sort()
        joined: list[tuple[int, int]] = []
        for begin, length in self._free:
            if joined and sum(joined[-1]) == begin:
                joined[-1] = (joined[-1][0], joined[-1][1] + length)
            else:
                joined.append((begin, length))
        self._free = joined


# ---- the pool of arenas -------------------------------------------------------------------------

SMALL: Final = 1 << 16  # bytes; up to this size a plan keeps its arena for its next call
KEPT: Final = 256 << 20  # bytes of free arenas, of all plans together, unless there is only one


class Shared:
    """A pool of arenas for all plans, which keeps a limited amount of memory for later runs."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._free: list[Any] = []  # the most recently returned one is last
        self._lock = new_lock()

    def take(self, size: int) -> Any:
        """Memory of at least that size, and at most twice that."""
        with self._lock:
            for at in range(len(self._free) - 1, -1, -1):
                if size <= self._free[at].nbytes <= 2 * size:
                    return self._free.pop(at)
        return new_arena(size)

    def give(self, arena: Any) -> None:
        """Give memory back."""
        with self._lock:
            self._free.append(arena)
            while len(self._free) > 1 and sum(a.nbytes for a in self._free) > self._kept:
                del self._free[0]


shared: Final = Shared()


def new_arena(size: int) -> Any:
    """Memory aligned for vectors."""
    memory = np.empty(size + ALIGNED, np.uint8)
    begin = -memory.ctypes.data % ALIGNED
    return memory[begin : begin + size]
