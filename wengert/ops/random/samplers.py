"""Distributions over classes, drawn from word by word as TensorFlow's candidate samplers do."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from wengert.ops.random.philox import Philox, random_words

if TYPE_CHECKING:
    from wengert.values.typing import Array

_AT_ONCE: Final = 256  # words

# ---- numbers from words -------------------------------------------------------------------------


class Draws:
    """Numbers of a generator, word by word."""

    def __init__(self, state: Philox) -> None:
        self._words = _words_of(state)

    def word(self) -> int:
        """All 32 bits of a word."""
        return next(self._words)

    def long(self) -> int:
        """64 bits, the low ones first."""
        return self.word() | self.word() << 32

    def below(self, n: int) -> int:
        """An integer below n."""
        return _below(n, self.word, 32)

    def single(self) -> float:
        """A number in [0, 1), of 23 bits."""
        return (self.word() & (1 << 23) - 1) / (1 << 23)

    def double(self) -> float:
        """A number in [0, 1), of 52 bits, the high ones first."""
        high = self.word() & (1 << 20) - 1
        return float((high << 32 | self.word()) / (1 << 52))


def _words_of(state: Philox) -> Iterator[int]:
    for block in itertools.count(0, _AT_ONCE // 4):
        yield from random_words(state.skipped(block), _AT_ONCE).tolist()


def _below(n: int, draw: Callable[[], int], bits: int) -> int:
    """An integer below n; numbers that would favour some are drawn again."""
    if n & (n - 1) == 0:
        return draw() & (n - 1)
    surplus = ((1 << bits) - 1) % n + 1
    while (found := draw()) < surplus:
        pass
    return found % n


# ---- distributions ------------------------------------------------------------------------------


class Sampler(NamedTuple):
    """A distribution over the classes 0, 1, ..., size - 1."""

    size: int
    draw: Callable[[Draws], int]
    probability: Callable[[int], float]
    learn: Callable[[Array], None] | None = None  # from true classes


def uniform(size: int) -> Sampler:
    """All classes alike."""
    return Sampler(size, lambda draws: _below(size, draws.long, 64), lambda _: 1.0 / size)


def log_uniform(size: int) -> Sampler:
    """Zipf's law, the most frequent classes first: class k has log((k + 2) / (k + 1)) / log(size + 1)."""
    whole = math.log1p(size)
    return Sampler(
        size,
        lambda draws: (int(math.exp(draws.double() * whole)) - 1) % size,
        lambda k: math.log((k + 2.0) / (k + 1.0)) / whole,
    )


def learned_unigram(size: int) -> Sampler:
    """Classes by how often they were seen as true ones, and once more."""
    counts = np.ones(size, np.int64)

    def draw(draws: Draws) -> int:
        ends = counts.cumsum()
        return int(np.searchsorted(ends, draws.below(int(ends[-1])), "right"))

    return Sampler(
        size,
        draw,
        lambda k: float(np.float32(counts[k]) / np.float32(counts.sum())),
        lambda classes: np.add.at(counts, classes, 1),
    )


def fixed_unigram(weights: Sequence[float]) -> Sampler:
    """Classes by weights, through a table of alternatives: each column holds two classes at most."""
    count, total = len(weights), sum(weights)
    share, other = _alternatives(weights)

    def draw(draws: Draws) -> int:
        chance, column = draws.single(), draws.below(count)
        return column if chance < share[column] else other[column]

    return Sampler(count, draw, lambda k: weights[k] / total)


def _alternatives(weights: Sequence[float]) -> tuple[list[float], list[int]]:
    """For each column the share of its own class, and the class that has the rest."""
    total, count = sum(weights), len(weights)
    left = [w * count / total for w in weights]
    share, other = [1.0] * count, list(range(count))
    low = [i for i, w in enumerate(left) if w < 1.0]
    high = [i for i, w in enumerate(left) if w >= 1.0]
    while low and high:
        rich, poor = high.pop(), low.pop()
        share[poor], other[poor] = left[poor], rich
        left[rich] += left[poor] - 1.0
        (low if left[rich] < 1.0 else high).append(rich)
    return share, other
