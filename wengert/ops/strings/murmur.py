"""MurmurHash in 64 bits: TensorFlow's oldest numbers for strings, those of to_hash_bucket."""

from __future__ import annotations

from struct import unpack_from
from typing import Final

_MASK: Final = 2**64 - 1
_BY: Final = 0xC6A4A7935BD1E995
SEED: Final = 0xDECAFCAFFE


def murmur(text: bytes, seed: int = SEED) -> int:
    """The number of a string."""
    found = seed ^ len(text) * _BY & _MASK
    whole = len(text) // 8 * 8
    for word in unpack_from(f"<{whole // 8}Q", text):
        found = (found ^ _shifted(word * _BY) * _BY & _MASK) * _BY & _MASK
    if whole < len(text):
        found = (found ^ int.from_bytes(text[whole:], "little")) * _BY & _MASK
    return _shifted(_shifted(found) * _BY)


def _shifted(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def joined(one: int, other: int) -> int:
    """One number of two."""
    found = one ^ _BY
    found ^= _shifted(other * _BY) * _BY & _MASK
    return _shifted(_shifted(found * _BY) * _BY)
