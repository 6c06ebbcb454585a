"""The checksum CRC-32C (Castagnoli), which records and tables carry.

The register after many bytes is linear in them over the field of two elements. So neighbours are folded
together, all pairs at once: the left one is moved on by the length of the right one and added to it.
An engine may compute the registers of larger parts, from which it goes on in the same way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

_POLYNOMIAL: Final = 0x82F63B78  # with the highest power in the lowest bit
_ONES: Final = 0xFFFFFFFF
_FEW: Final = 512  # bytes, up to which a loop is faster
_MANY: Final = 1 << 14  # bytes, from which an engine's code is worth loading
_WORD: Final = 2  # the power of two of a word's bytes
_PART: Final = 15  # and of those of a part
_MASK: Final = 0xA282EAD8


def crc32c(data: bytes | memoryview, before: int = 0) -> int:
    """The checksum of bytes, or of what has the checksum `before` and of the bytes after it.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    >>> crc32c(b"6789", crc32c(b"12345")) == crc32c(b"123456789")
    True
    """
    register = before ^ _ONES
    if len(data) > _FEW:
        return _of_many(np.frombuffer(data, np.uint8), register) ^ _ONES
    table = _numbers()
    for byte in bytes(data):
        register = table[(register ^ byte) & 255] ^ register >> 8
    return register ^ _ONES


_kernels: Final[list[Callable[[Any, int, int], Any]]] = []


def compute_parts_by(kernel: Callable[[Any, int, int], Any]) -> None:
    """Let an engine compute the registers of parts: it lies above this room. It may return None to decline."""
    _kernels.append(kernel)


def masked(checksum: int) -> int:
    """A checksum as it is written beside its data: rotated and moved, so that data may contain it."""
    return ((checksum >> 15 | checksum << 17) + _MASK) & _ONES


@functools.cache
def _numbers() -> list[int]:
    """The register that one byte leaves."""
    found = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ _POLYNOMIAL * (byte & 1)
        found.append(byte)
    return found


@functools.cache
def _moved_by_words(power: int) -> Any:
    """Moving a register on by 2**power words of zeros: what becomes of each of its four bytes."""
    if power:
        half = _moved_by_words(power - 1)
        return _moved(half, half)
    one = np.array(_numbers(), np.uint32)
    tables = [one]
    for _ in range(3):
        tables.append(one[tables[-1] & 255] ^ tables[-1] >> 8)
    return np.stack(tables[::-1])


def _moved(registers: Any, tables: Any) -> Any:
    pieces = np.ascontiguousarray(registers).view(np.uint8).reshape(*registers.shape, 4)
    moved = tables[0].take(pieces[..., 0])
    for n in range(1, 4):
        moved ^= tables[n].take(pieces[..., n])
    return moved


def _of_many(data: Any, register: int) -> int:
    """The register after more than four bytes."""
    for kernel in _kernels if len(data) >= _MANY else ():
        registers = kernel(data, register, 1 << _PART)
        if registers is not None:
            return int(_folded(registers, _PART - _WORD))
    words = _folded(_words(data, register), 0)
    return int(_moved(words, _moved_by_words(0)))


def _words(data: Any, register: int) -> Any:
    """Bytes as words, the register added to the first; zeros before the first byte change nothing."""
    zeros = -len(data) % 4
    padded = np.zeros(zeros + len(data), np.uint8)
    padded[zeros:] = data
    padded[zeros : zeros + 4] ^= np.frombuffer(register.to_bytes(4, "little"), np.uint8)
    return padded.view("<u4")


def _folded(words: Any, power: int) -> Any:
    """What parts of 2**power words each come to together; the first one may be shorter."""
    while len(words) > 1:
        if len(words) % 2:
            words = np.concatenate([np.zeros(1, np.uint32), words])
        words = _moved(words[::2], _moved_by_words(power)) ^ words[1::2]
        power += 1
    return words[0]
