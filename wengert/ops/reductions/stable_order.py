"""The stable order of numbers along the last axis, by a plain sort of integers that contain their places.

NumPy's stable sort moves places, and compares numbers by way of them: 28 ns an element in rows of
50. Its plain sort compares vectors of them: 4 ns. So a number becomes an integer of the same order,
with its place as the last bits, and no two of these are equal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from wengert.values.typing import Array

ENOUGH: Final = 1 << 12  # elements, below which these steps take longer to begin than they save
SHORT: Final = 16  # of a row, below which NumPy inserts one after the other, as fast
LONG: Final = 1 << 12  # of a row of float64, of whose 52 bits the places take the last 12 at most
DIGITS: Final = 1 << 8  # of a row of one- or two-byte integers; NumPy orders longer ones by digits
# The bits of infinity: those of a NaN without its sign are more.
INFINITY: Final = {
    "float16": 0x1F << 10,
    "float32": 0xFF << 23,
    "float64": 0x7FF << 52,
}


def stable_order(key: Array, count: int) -> Array | None:
    """np.argsort(key, axis=-1, kind="stable")[..., :count]: NaN comes last, and both zeros are equal.

    None where NumPy is as fast.
    """
    if type(key) is not np.ndarray or key.size < ENOUGH:
        return None
    size, is_cut = key.shape[-1], key.dtype == np.float64
    is_few = 0 < count * 8 < size
    codes = None if is_few and is_cut else _codes(key)
    if codes is None:
        return None
    known = _known_order(codes)
    if known is not None:
        return np.broadcast_to(known[:count], (*codes.shape[:-1], count)).copy()
    bits = (size - 1).bit_length()
    both = _with_places(codes, bits, is_cut)
    if is_few:
        both.partition(count - 1, axis=-1)
        both = both[..., :count].copy()
    both.sort(axis=-1)
    both &= (1 << bits) - 1
    places = both.astype(np.intp, copy=False)
    return (_mended(codes, places) if is_cut else places)[..., :count]


def _with_places(codes: Array, bits: int, is_cut: bool) -> Array:
    """Integers whose last bits are places, before them the codes; or in place of the last bits of these."""
    wide = np.int32 if 8 * codes.itemsize + bits <= 32 else np.int64
    both = codes & -(1 << bits) if is_cut else codes.astype(wide) << bits
    both |= np.arange(codes.shape[-1], dtype=wide)
    return both


def taken(x: Array, places: Array) -> Array:
    """np.take_along_axis(x, places, -1), which asks for each element where its row begins."""
    if type(x) is not np.ndarray or x.ndim == 1:
        return np.take_along_axis(x, places, -1)
    *lead, size = x.shape
    begins = (np.arange(math.prod(lead)) * size).reshape(*lead, 1)
    return x.reshape(-1).take(places + begins)


def _codes(key: Array) -> Array | None:
    """Integers with a sign, in the same order and equal where the numbers are.

    None where NumPy's own order is as fast, or where they leave no room for places.
    """
    size, bytes_, kind = key.shape[-1], key.dtype.itemsize, key.dtype.kind
    if not key.dtype.isnative:
        return None
    if key.dtype.name in INFINITY:
        is_fit = size >= SHORT and (bytes_ < 8 or size <= LONG)
        return _codes_of_floats(key, INFINITY[key.dtype.name]) if is_fit else None
    if kind not in "iu" or (size > DIGITS if bytes_ <= 2 else size < SHORT):
        return None
    if bytes_ == 8:
        return _codes_of_long(key)
    if kind == "i":
        return key
    half = key.dtype.type(1 << (8 * bytes_ - 1))
    return (key ^ half).view(f"i{bytes_}")


def _codes_of_floats(key: Array, infinity: int) -> Array:
    """The bits without the sign, negated if there is one; all NaN are the largest number."""
    bits = key.view(f"i{key.dtype.itemsize}")
    sign = bits >> (8 * key.dtype.itemsize - 1)  # 0 or -1
    largest = np.iinfo(bits.dtype).max
    codes = bits & largest
    is_nan = codes > infinity
    codes ^= sign
    codes -= sign
    if is_nan.any():
        codes[is_nan] = largest
    return codes


def _codes_of_long(key: Array) -> Array | None:
    """Integers of eight bytes that are near each other: how far they are above the least."""
    low, high = int(key.min()), int(key.max())
    if (high - low).bit_length() + (key.shape[-1] - 1).bit_length() > 63:
        return None
    return (key - key.dtype.type(low)).astype(np.int64, copy=False)


def _mended(codes: Array, places: Array) -> Array:
    """Rows in which numbers differ in those bits alone that the places took are ordered by NumPy."""
    is_wrong = _descents(taken(codes, places)).any(-1)
    if is_wrong.any():
        places[is_wrong] = np.argsort(codes[is_wrong], axis=-1, kind="stable")
    return places


def _known_order(codes: Array) -> Array | None:
    """Of rows that all ascend, or that all descend; NumPy, too, finds that out in one pass."""
    for some in (codes[..., :SHORT], codes):
        descends = _descents(some)
        ascend, descend = not descends.any(), descends.all()
        if not (ascend or descend):
            return None
    places = np.arange(codes.shape[-1])
    return places if ascend else places[::-1]


def _descents(codes: Array) -> Array:
    return codes[..., 1:] < codes[..., :-1]
