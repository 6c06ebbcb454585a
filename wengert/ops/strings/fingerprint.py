"""The 64-bit fingerprint of FarmHash, by which strings are put into buckets."""

from __future__ import annotations

from struct import unpack_from
from typing import Final

K0: Final = 0xC3A5C85C97CB3127
K1: Final = 0xB492B66FBE98F273
K2: Final = 0x9AE16A3B2F90404F
MASK: Final = 2**64 - 1


def fingerprint(text: bytes) -> int:
    """The fingerprint: the same on every machine and in every version."""
    size = len(text)
    if size <= 16:
        return _up_to_16(text, size)
    if size <= 32:
        return _up_to_32(text, size)
    return _up_to_64(text, size) if size <= 64 else _longer(text, size)


def _word(text: bytes, at: int) -> int:
    found: int = unpack_from("<Q", text, at)[0]
    return found


def _turned(value: int, by: int) -> int:
    value &= MASK
    return (value >> by | value << 64 - by) & MASK


def _shifted(value: int) -> int:
    value &= MASK
    return value ^ value >> 47


def _mixed(u: int, v: int, by: int) -> int:
    """Two words as one."""
    v &= MASK
    a = _shifted((u & MASK ^ v) * by)
    return _shifted((v ^ a) * by) * by & MASK


def _up_to_16(text: bytes, size: int) -> int:
    by = K2 + size * 2
    if size >= 8:
        a, b = _word(text, 0) + K2, _word(text, size - 8)
        return _mixed(_turned(b, 37) * by + a, (_turned(a, 25) + b) * by, by)
    if size >= 4:
        first, last = unpack_from("<I", text)[0], unpack_from("<I", text, size - 4)[0]
        return _mixed(size + (first << 3), last, by)
    if not size:
        return K2
    y = text[0] + (text[size >> 1] << 8)
    z = size + (text[-1] << 2)
    return _shifted(y * K2 & MASK ^ z * K0 & MASK) * K2 & MASK


def _up_to_32(text: bytes, size: int) -> int:
    by = K2 + size * 2
    a, b = _word(text, 0) * K1, _word(text, 8)
    c, d = _word(text, size - 8) * by, _word(text, size - 16) * K2
    return _mixed(_turned(a + b, 43) + _turned(c, 30) + d, a + _turned(b + K2, 18) + c, by)


def _up_to_64(text: bytes, size: int) -> int:
    by = K2 + size * 2
    a, b = _word(text, 0) * K2, _word(text, 8)
    c, d = _word(text, size - 8) * by, _word(text, size - 16) * K2
    y = _turned(a + b, 43) + _turned(c, 30) + d
    z = _mixed(y, a + _turned(b + K2, 18) + c, by)
    e, f = _word(text, 16) * by, _word(text, 24)
    g = (y + _word(text, size - 32)) * by
    h = (z + _word(text, size - 24)) * by
    return _mixed(_turned(e + f, 43) + _turned(g, 30) + h, e + _turned(f + a, 18) + g, by)


def _of_32(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Two words for 32 bytes and two seeds."""
    w, x, y, z = unpack_from("<4Q", text, at)
    a += w
    b = _turned(b + a + z, 21)
    c = a
    a += x + y
    return a + z & MASK, b + _turned(a, 44) + c & MASK


def _longer(text: bytes, size: int) -> int:
    y = 81 * K1 + 113
    z = _shifted(y * K2 + 113) * K2
    x = 81 * K2 + _word(text, 0)
    v, w = (0, 0), (0, 0)
    for at in range(0, (size - 1) // 64 * 64, 64):
        x, y, z, v, w = _round(text, at, x, y, z, v, w, K1, 1)
    by = K1 + ((z & 0xFF) << 1)
    rest = size - 1 & 63
    w = w[0] + rest, w[1]
    v = v[0] + w[0], v[1]
    w = w[0] + v[0], w[1]
    x, y, z, v, w = _round(text, size - 64, x, y, z, v, w, by, 9)
    return _mixed(
        _mixed(v[0], w[0], by) + _shifted(y) * K0 + z, _mixed(v[1], w[1], by) + x, by
    )  # fmt: skip


def _round(
    text: bytes, at: int, x: int, y: int, z: int, v: tuple[int, int], w: tuple[int, int], by: int, nine: int
) -> tuple[int, int, int, tuple[int, int], tuple[int, int]]:  # fmt: skip
    """What 64 bytes do to the state; the last ones weigh some words by nine."""
    x = _turned(x + y + v[0] + _word(text, at + 8), 37) * by
    y = _turned(y + v[1] + _word(text, at + 48), 42) * by
    x = (x ^ w[1] * nine) & MASK
    y = y + v[0] * nine + _word(text, at + 40) & MASK
    z = _turned(z + w[0], 33) * by & MASK
    v = _of_32(text, at, v[1] * by, x + w[0])
    w = _of_32(text, at + 32, z + w[1], y + _word(text, at + 16))
    return z, y, x, v, w
