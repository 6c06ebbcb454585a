"""From random words to samples, taking as many words for each as TensorFlow does.

Uniform samples are made from the low bits of a word, normal ones in pairs by the Box-Muller
transform, truncated normal ones by rejection. The tests say which samples equal TensorFlow's.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.host.malloc import keep_blocks
from wengert.ops.random.philox import Philox, blocks, random_words
from wengert.ops.support.large_kernels import Often, samples_kernel, shuffle_kernel
from wengert.values.dtypes import DType, float32, float64

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace

# A number in [1, 2) has a fixed exponent, and its fraction is random.
_FRACTIONS: Final = {
    "float16": (np.uint16, 10, 15),
    "bfloat16": (np.uint16, 7, 127),
    "float32": (np.uint32, 23, 127),
    "float64": (np.uint64, 52, 1023),
}
_SMALLEST: Final = 1e-7  # number whose logarithm is taken
_LIMIT: Final = 2  # in standard deviations
_FEW: Final = 8  # samples up to which Python's numbers are faster than arrays
_LARGE: Final = 1 << 12  # samples for which a kernel is worth its compilation
_often: Final = Often(1 << 16)
_OF_ALL: Final = 2  # blocks, drawn for all groups by a kernel sooner than by NumPy for a sixth
_MANY: Final = 1 << 6  # rows to be shuffled
_SINGLE: Final = (1 << 23) - 1  # the fraction of a float32
_FLOAT: Final = struct.Struct("f")
_SMALLEST_SINGLE: Final = float(np.float32(_SMALLEST))


def words_each(dtype: DType) -> int:
    """The number of words that a sample takes."""
    return 2 if dtype.size == 8 else 1


def uniform_of(bits: Array, dtype: DType) -> Array:
    """Samples in [0, 1)."""
    if dtype is float64:
        bits = high_first(bits[..., 0::2], bits[..., 1::2])
    return fraction(bits, dtype)


def fraction(bits: Array, dtype: DType) -> Array:
    """Samples in [0, 1), each from as many bits as it has."""
    unsigned, width, exponent = _FRACTIONS[dtype.name]
    digits = bits.astype(unsigned) & unsigned((1 << width) - 1)
    one = dtype.as_numpy_dtype(1)
    return (digits | unsigned(exponent << width)).view(dtype.numpy_dtype) - one


def high_first(first: Array, second: Array) -> Array:
    """64 bits from two words, as a double takes them."""
    return first.astype(np.uint64) << np.uint64(32) | second


def low_first(first: Array, second: Array) -> Array:
    """64 bits from two words, as an integer takes them."""
    return first | second.astype(np.uint64) << np.uint64(32)


def normal_of(bits: Array, dtype: DType) -> Array:
    """Standard normal samples: a pair of uniform ones gives a radius and an angle."""
    if dtype is not float64:
        return _pairs(uniform_of(bits, float32), np.float32).astype(dtype.numpy_dtype)
    return _pairs(uniform_of(bits, float64), np.float64)


def _pairs(uniform: Array, kind: type[np.floating[Any]]) -> Array:
    """Normal samples from uniform ones."""
    sides = normal_pair(np, uniform[..., 0::2], uniform[..., 1::2], kind)
    return np.stack(sides, -1).reshape(uniform.shape)


def normal_pair(
    xp: Namespace, first: Array, second: Array, kind: type[np.floating[Any]]
) -> tuple[Array, Array]:
    """Two normal samples from two uniform ones, by the Box-Muller transform.

    Each function is computed in double precision and rounded, which nearly always agrees with the C
    library's single-precision functions.
    """
    first = xp.maximum(first, kind(_SMALLEST)).astype(float)
    angle = (2 * math.pi * second.astype(float)).astype(kind).astype(float)
    radius = xp.sqrt(kind(-2) * xp.log(first).astype(kind))
    return xp.sin(angle).astype(kind) * radius, xp.cos(angle).astype(kind) * radius


def _few_normal(words: list[int]) -> Array:
    """The same for a few single-precision samples: without arrays, whose functions take 1 us each."""
    found: list[float] = []
    for a, b in zip(words[0::2], words[1::2], strict=True):
        first, angle = [(w & _SINGLE) / (_SINGLE + 1) for w in (a, b)]
        angle = _rounded(2 * math.pi * angle)
        radius = _rounded(math.sqrt(-2 * _rounded(math.log(max(first, _SMALLEST_SINGLE)))))
        found += (_rounded(math.sin(angle)) * radius, _rounded(math.cos(angle)) * radius)
    return np.array(found, np.float32)


def _rounded(number: float) -> float:
    """A number in single precision."""
    return _FLOAT.unpack(_FLOAT.pack(number))[0]  # type: ignore[no-any-return]


def integers_of(bits: Array, dtype: DType) -> Array:
    """Integers from all bits; the first of an int64's two words is the low one."""
    if dtype.size == 8:
        bits = low_first(bits[..., 0::2], bits[..., 1::2])
    return bits.view(dtype.numpy_dtype)


# ---- samples from a generator -----------------------------------------------------------------


def uniform(state: Philox, count: int, dtype: DType) -> Array:
    """Samples from the uniform distribution on [0, 1), from a Philox stream."""
    found = _many("uniform", state, count, dtype)
    if found is not None:
        return found
    return uniform_of(random_words(state, count * words_each(dtype)), dtype)


def _many(name: str, state: Philox, count: int, dtype: DType) -> Array | None:
    """Many samples, by a kernel that makes them as it makes the words."""
    # Samples of float64 are not NumPy's to the bit.
    if count < _LARGE and not (dtype is float32 and count > _FEW and _often(count)):
        return None
    keep_blocks()
    size = 4 // words_each(dtype)
    found: Array | None = samples_kernel(name, *state, -(-count // size), 1, dtype)
    return None if found is None else found.reshape(-1)[:count]


def normal(state: Philox, count: int, dtype: DType) -> Array:
    """Samples from the standard normal distribution, from a Philox stream."""
    even = count + count % 2
    if count <= _FEW and dtype is float32:
        return _few_normal(random_words(state, even).tolist())[:count]
    found = _many("normal", state, count, _wide(dtype))
    if found is not None:
        return found.astype(dtype.numpy_dtype, copy=False)
    return normal_of(random_words(state, even * words_each(dtype)), dtype)[:count]


def full_integers(state: Philox, count: int, dtype: DType) -> Array:
    """Uniform integers over all values of the dtype, from a Philox stream."""
    return integers_of(random_words(state, count * words_each(dtype)), dtype)


def integers(state: Philox, count: int, dtype: DType, low: Array, high: Array) -> Array:
    """Integers in [low, high): full-range ones modulo the width, slightly biased for large widths."""
    unsigned = np.uint64 if dtype.size == 8 else np.uint32
    span = unsigned((int(high) - int(low)) % (1 << 8 * dtype.size))
    bits = full_integers(state, count, dtype).view(unsigned) % span
    return (bits + np.asarray(low).astype(unsigned)).view(dtype.numpy_dtype)


def truncated_normal(state: Philox, count: int, dtype: DType) -> Array:
    """Normal samples between -2 and 2; each group reserves enough blocks to draw again."""
    size = 4 // words_each(dtype)  # samples in a group, which are made from one block
    groups = _Groups(state, -(-count // size), 64 * size, _wide(dtype))
    result = np.empty((groups.number, size), dtype.numpy_dtype)
    waiting, drawn = np.arange(groups.number), 1
    while waiting.size:
        some = groups.drawn(waiting, drawn)
        inside = np.abs(some) < _LIMIT
        enough = inside.sum(-1) >= size
        chosen = some[enough]
        if drawn > 1:
            order = np.argsort(~inside[enough], axis=-1, kind="stable")[:, :size]
            chosen = np.take_along_axis(chosen, order, -1)
        result[waiting[enough]] = chosen
        waiting, drawn = waiting[~enough], drawn * 2
    return result.reshape(-1)[:count]


def _wide(dtype: DType) -> DType:
    """What normal samples are computed in."""
    return float64 if dtype is float64 else float32


class _Groups(NamedTuple):
    """Groups of normal samples of a dtype, whose first blocks are so many apart."""

    state: Philox
    number: int
    apart: int
    dtype: DType

    def drawn(self, which: Array, blocks_each: int) -> Array:
        """The samples of so many blocks of each of these groups."""
        if blocks_each <= _OF_ALL and self.number >= _LARGE // 4:
            of_all = [self._of_all(k) for k in range(blocks_each)]
            found = [some[which] for some in of_all if some is not None]
            if found:
                return np.concatenate(found, -1)
        starts = which.astype(np.uint64) * np.uint64(self.apart)
        offsets = (starts[:, None] + np.arange(blocks_each, dtype=np.uint64)).reshape(-1)
        bits = blocks(self.state, offsets).reshape(len(which), 4 * blocks_each)
        return normal_of(bits, self.dtype)

    def _of_all(self, k: int) -> Array | None:
        """The samples of one block of each group, by a kernel."""
        state = self.state.skipped(k)
        found: Array | None = samples_kernel("normal", *state, self.number, self.apart, self.dtype)
        return found


def permutation(state: Philox, count: int) -> Array:
    """A permutation of the integers below `count`, by the Fisher-Yates shuffle."""
    words = random_words(state, max(count - 1, 0))
    found: Array | None = shuffle_kernel(words) if count >= _MANY else None
    if found is not None:
        return found
    order = list(range(count))
    for i, word in enumerate(words.tolist()):
        j = i + word % (count - i)
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int64)


def categories(state: Philox, logits: Array, count: int) -> Array:
    """`count` classes for each row, drawn by unnormalized log-probabilities."""
    rows = len(logits)
    points = uniform(state, rows * count, float64).reshape(rows, count)
    finite = np.isfinite(logits)
    wide = np.where(finite, logits, 0).astype(np.float64)
    top = np.max(wide, -1, keepdims=True, initial=np.finfo(np.float32).min, where=finite)
    weights = np.cumsum(np.where(finite, np.exp(wide - top), 0.0), -1)
    return np.array(
        [np.searchsorted(w, w[-1] * p, "right") for w, p in zip(weights, points, strict=True)],
        np.int64,
    ).reshape(rows, count)
