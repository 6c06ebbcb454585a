"""Random words: blocks of Philox 4x32-10 that follow each other, a part of them on each thread."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.ops.random.philox import LONG, WORD

_PART: Final = 1 << 12  # blocks


def blocks(generator: Any, counter: int, key: int, count: int) -> Any:
    """The blocks from a counter on, as an array of words (count, 4); `generator` has the constants."""
    found = np.empty((count, 4), np.uint32)
    _blocks(generator)(-(-count // _PART), (), about(counter, key, count), found)
    return found


def about(counter: int, key: int, *more: int) -> Any:
    """What a kernel must know of a generator, and other numbers."""
    return np.array([counter & LONG, counter >> 64, key, *more], np.uint64)


@kernel
def _blocks(generator: Any) -> str:
    """The kernel: a block at a time, its rounds one after the other."""
    w = KernelWriter(2, 0)
    known, found = w.arrays
    counter, count = Counter(w, known, generator), w.read("i8", known, 3, 1)

    def block(i: str) -> None:
        for k, word in enumerate(counter.block(i)):
            w.write("u4", found, w.add(w.mul(i, 4), k), w.set(f"trunc i64 {word} to i32"), 1)

    w.share(str(_PART), count, block)
    return w.text()


class Counter:
    """Where a generator stands, as three words of an array say: the halves of its counter, and its key."""

    def __init__(self, w: KernelWriter, about: str, generator: Any) -> None:
        self.w, self.multipliers = w, generator.multipliers
        self.low, self.high, key = (w.read("i8", about, k, 1) for k in range(3))
        self.keys = _keys(w, key, generator)

    def block(self, i: str) -> list[str]:
        """The four words, as integers of 64 bits, of the block i after that."""
        w = self.w
        first = w.add(self.low, i)
        carry = w.set(f"zext i1 {w.set(f'icmp ult i64 {first}, {i}')} to i64")
        words = [*_halves(w, first), *_halves(w, w.add(self.high, carry))]
        for pair in self.keys:
            words = _round(w, words, pair, self.multipliers)
        return words


def _keys(w: KernelWriter, key: str, generator: Any) -> list[list[str]]:
    """The two words of the key in each round."""
    halves = _halves(w, key)
    return [
        [_low(w, w.add(x, n * step)) for x, step in zip(halves, generator.steps, strict=True)]
        for n in range(generator.rounds)
    ]


def _round(w: KernelWriter, words: list[str], key: list[str], multipliers: Any) -> list[str]:
    a, b, c, d = words
    p, q = w.mul(multipliers[0], a), w.mul(multipliers[1], c)
    return [_mixed(w, q, b, key[0]), _low(w, q), _mixed(w, p, d, key[1]), _low(w, p)]


def _mixed(w: KernelWriter, product: str, word: str, key: str) -> str:
    high = w.set(f"lshr i64 {product}, 32")
    return w.set(f"xor i64 {w.set(f'xor i64 {high}, {word}')}, {key}")


def _halves(w: KernelWriter, word: str) -> list[str]:
    return [_low(w, word), w.set(f"lshr i64 {word}, 32")]


def _low(w: KernelWriter, word: str) -> str:
    return w.set(f"and i64 {word}, {WORD}")
