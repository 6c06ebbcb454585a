"""The seeds of datasets: TensorFlow's numbers, one after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from wengert.core.context import current_graph
from wengert.ops.random.philox import LONG, blocks
from wengert.ops.random.seeds import graph_seeds, seeds, stream_for

_AT_ONCE: Final = 256  # blocks


def words(seed: int, seed2: int) -> Iterator[int]:
    """The 32-bit numbers of a generator with two seeds; of two zeros, by chance."""
    state = stream_for(seed, seed2).kept()
    size = 4  # the first are few: many passes end soon
    while True:
        yield from blocks(state, np.arange(size, dtype=np.uint64)).reshape(-1).tolist()
        state = state.skipped(size)
        size = _AT_ONCE


def dataset_seeds(seed: Any) -> tuple[int, int]:
    """The two seeds of a dataset, from its own seed or None."""
    graph = current_graph()
    of_graph = graph is not None and not graph.is_function
    first, second = graph_seeds(graph, seed) if of_graph else seeds(seed)
    return first or 0, second or 0


class SeedSource:
    """Gives each pass of a dataset two seeds: always the same, or others each time."""

    __slots__ = ("_again", "_first", "_lock", "_taken", "_words")

    def __init__(self, seed: int, seed2: int, again: bool) -> None:
        if not seed and not seed2:  # chance decides once, for all passes
            state = stream_for(0, 0).kept()
            seed, seed2 = state.key, (state.counter >> 64) & LONG
        self._first = seed, seed2
        self._again = again  # whether each pass has seeds of its own
        self._lock = threading.Lock()
        self.put_back((0, *self._first))

    def next(self) -> tuple[int, int]:
        """The seeds of the next pass."""
        if not self._again:
            return self._first
        with self._lock:
            self._taken += 1
            return next(self._words), next(self._words)

    def kept(self) -> tuple[int, int, int]:
        """How many passes took seeds, and the two that it began with."""
        return self._taken, *self._first

    def put_back(self, kept: tuple[int, int, int]) -> None:
        """Go on after so many passes."""
        with self._lock:
            self._taken, *first = kept
            self._first = first[0], first[1]
            self._words = words(*self._first)
            for _ in range(2 * self._taken):
                next(self._words)
