"""SipHash: numbers for strings that nobody can aim at who does not know the key."""

from __future__ import annotations

from struct import unpack_from
from typing import Final

_MASK: Final = 2**64 - 1
_BEGIN: Final = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def siphash(text: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4 of a string: two rounds for each word, four at the end."""
    state = [start ^ part for start, part in zip(_BEGIN, (*key, *key), strict=True)]
    whole = len(text) // 8 * 8
    words = unpack_from(f"<{whole // 8}Q", text)
    last = int.from_bytes(text[whole:], "little") | (len(text) & 255) << 56
    for word in (*words, last):
        state[3] ^= word
        _rounds(state, 2)
        state[0] ^= word
    state[2] ^= 255
    _rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _rounds(state: list[int], count: int) -> None:
    a, b, c, d = state
    for _ in range(count):
        a = a + b & _MASK
        c = c + d & _MASK
        b = _turned(b, 13) ^ a
        d = _turned(d, 16) ^ c
        a = _turned(a, 32)
        c = c + b & _MASK
        a = a + d & _MASK
        b = _turned(b, 17) ^ c
        d = _turned(d, 21) ^ a
        c = _turned(c, 32)
    state[:] = a, b, c, d


def _turned(value: int, by: int) -> int:
    return (value << by | value >> 64 - by) & _MASK
