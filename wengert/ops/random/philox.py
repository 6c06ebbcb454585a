"""Philox 4x32-10: random words from a counter and a key, on whole arrays.

The generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
(2011). A block of four 32-bit words is a function of a 128-bit counter and a 64-bit key, so any
block can be computed without those before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from wengert.host.malloc import LARGE, keep_memory
from wengert.ops.support.large_kernels import philox_kernel

if TYPE_CHECKING:
    from wengert.values.shapes import Dims
    from wengert.values.typing import Array

    Words = TypeVar("Words", int, Array)


class Constants(NamedTuple):
    """What makes Philox 4x32-10 of all its kin."""

    rounds: int
    multipliers: tuple[int, int]
    steps: tuple[int, int]  # of the key, from round to round


# The steps are the golden ratio and sqrt(3) - 1.
CONSTANTS: Final = Constants(10, (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85))
_FEW: Final = 8  # blocks up to which Python's integers are faster than arrays
_PIECE: Final = 1 << 13  # blocks computed together, so that the rounds stay in the cache

SCRAMBLING: Final = 0x02461E293EC8F720  # the key of blocks that are made of seeds

WORD: Final = (1 << 32) - 1
LONG: Final = (1 << 64) - 1
_COUNTER: Final = (1 << 128) - 1


class Philox(NamedTuple):
    """The state of a generator: a counter of 128 bits and a key of 64."""

    counter: int
    key: int

    def skipped(self, blocks: int) -> Philox:
        """The state after skipping a number of blocks."""
        return Philox((self.counter + blocks) & _COUNTER, self.key)

    @property
    def words(self) -> Array:
        """The key, and the halves of the counter."""
        return np.array([self.key, self.counter & LONG, self.counter >> 64], np.uint64)

    @classmethod
    def of_words(cls, words: Array) -> Philox:
        """The state that such words say."""
        key, low, high = words.tolist()
        return cls(low | high << 64, key)


def rounds(
    a: Words, b: Words, c: Words, d: Words, key: int | Array
) -> tuple[Words, Words, Words, Words]:
    """A block: four words from four words. They are integers, or 64-bit arrays of them."""
    low, high = key & WORD, key >> 32
    count, (first, second), steps = CONSTANTS
    for _ in range(count):
        p, q = first * a, second * c
        a, b = (q >> 32) ^ b ^ low, q & WORD
        c, d = (p >> 32) ^ d ^ high, p & WORD
        low, high = (low + steps[0]) & WORD, (high + steps[1]) & WORD
    return a, b, c, d


def blocks(state: Philox, offsets: Array) -> Array:
    """The blocks at some offsets (64-bit, unsigned) from a state, as an array (n, 4)."""
    if len(offsets) <= _FEW:
        few = [_block(state.skipped(n)) for n in offsets.tolist()]
        return np.array(few, np.uint32).reshape(-1, 4)
    if len(offsets) > _PIECE:
        pieces = range(0, len(offsets), _PIECE)
        return np.concatenate([blocks(state, offsets[i : i + _PIECE]) for i in pieces])
    low = offsets + np.uint64(state.counter & LONG)
    carried = (low < offsets).astype(np.uint64)
    high = carried + np.uint64(state.counter >> 64)
    made = rounds(low & WORD, low >> 32, high & WORD, high >> 32, state.key)
    return np.stack(made, -1).astype(np.uint32)


def _block(state: Philox) -> Dims:
    n = state.counter
    return rounds(n & WORD, n >> 32 & WORD, n >> 64 & WORD, n >> 96, state.key)


def random_words(state: Philox, count: int) -> Array:
    """The first words of a generator."""
    if count >= LARGE:
        keep_memory(count)
    found = philox_kernel(CONSTANTS, *state, -(-count // 4))
    if found is None:
        found = blocks(state, np.arange(-(-count // 4), dtype=np.uint64))
    words: Array = found.reshape(-1)[:count]
    return words


def seeded_state(seed: int, seed2: int) -> Philox:
    """The generator for two seeds: one is the key, the other half of the counter."""
    return Philox((seed2 & LONG) << 64, seed & LONG)


def scrambled_state(seed: int, seed2: int) -> Philox:
    """The generator of a stateless operation: key and counter are a block computed from the seed.

    So both halves of a seed have equal effect, however weak one of them is.
    """
    start = Philox(seed & LONG | (seed2 & LONG) << 64, SCRAMBLING)
    found = philox_kernel(CONSTANTS, *start, 1)
    a, b, c, d = _block(start) if found is None else found[0].tolist()
    return Philox((c | d << 32) << 64, a | b << 32)
