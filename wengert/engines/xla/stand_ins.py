"""What stands for variables and generators while a plan is traced."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np


class TracedCell:
    """A variable while its plan is traced: the steps of rows read and replace its array."""

    __slots__ = ("_array", "_lock", "_value", "before")

    def __init__(self, array: Any) -> None:
        self._array = self.before = array
        self._lock = nullcontext()

    @property
    def initialized(self) -> bool:
        """Whether it has a value."""
        return self._array is not None


class TracedPhilox(NamedTuple):
    """The state of a generator: its counter in two halves, and its key, 64 bits each."""

    low: Any
    high: Any
    key: Any


class TracedStream:
    """A generator while its plan is traced: where it stands, and how many blocks were taken."""

    __slots__ = ("_halves", "_key", "taken")

    shape = ()

    def __init__(self, halves: Any, key: Any, taken: Any = np.uint64(0)) -> None:  # noqa: B008
        self._halves = halves
        self._key = key
        self.taken = taken

    @property
    def parts(self) -> tuple[Any, Any, Any]:
        """What makes another one that stands there."""
        return self._halves, self._key, self.taken

    def reserve(self, blocks: int) -> TracedPhilox:
        """A generator for so many blocks; this one continues after them."""
        low = self._halves[0] + self.taken
        high = self._halves[1] + (low < self._halves[0]).astype(np.uint64)
        self.taken = self.taken + np.uint64(blocks)
        return TracedPhilox(low, high, self._key)
