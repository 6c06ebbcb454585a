"""Random words and samples of lanes, by the functions that make them for NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from wengert.engines.native.frontend.lanes import LANES, Lane
from wengert.ops.random.distributions import fraction, high_first, normal_pair
from wengert.ops.random.philox import WORD, rounds
from wengert.values.dtypes import DType, float64

Words: TypeAlias = Sequence[Lane]


def words_after(at: Lane, key: Lane, first: Lane, second: Lane) -> Words:
    """The words of a block so many after a counter, whose halves these are."""
    n = first + at.view(np.uint64)
    high = second + (n < first).astype(np.uint64)
    return [word.astype(np.uint32) for word in block(n, high, key)]


def block(low: Lane, high: Lane, key: Any) -> Sequence[Lane]:
    """The words for a counter of 128 bits."""
    a, b = _halves(low)
    c, d = _halves(high)
    return rounds(a, b, c, d, key)


def _halves(number: Lane) -> list[Any]:
    """The words of a number of 64 bits, as such numbers."""
    long = (
        number.astype(np.int64).view(np.uint64)
        if number.dtype.kind == "i"
        else number.astype(np.uint64)
    )
    return [long & WORD, long >> 32]


def pairs_of(words: Words, joined: Callable[[Lane, Lane], Lane]) -> list[Lane]:
    """What each two words are joined to."""
    return [joined(a, b) for a, b in zip(words[0::2], words[1::2], strict=True)]


def uniform(words: Words, dtype: DType) -> list[Lane]:
    """Samples in [0, 1), from the words of a block."""
    bits = pairs_of(words, high_first) if dtype is float64 else words
    return [fraction(b, dtype) for b in bits]


def normal(words: Words, dtype: DType) -> list[Lane]:
    """Standard normal samples, from the words of a block."""
    found = uniform(words, dtype)
    pairs = zip(found[0::2], found[1::2], strict=True)
    return [y for a, b in pairs for y in normal_pair(LANES, a, b, dtype.as_numpy_dtype)]
