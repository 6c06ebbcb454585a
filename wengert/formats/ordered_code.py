"""Names and numbers as bytes that are ordered as they are: the keys of slices in bundles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_ESCAPED: Final = {0: b"\x00\xff", 255: b"\xff\x00"}
_WIDEST: Final = 10


def number(value: int) -> bytes:
    """A number that is not negative.

    >>> list(number(0)), list(number(300))
    ([0], [2, 1, 44])
    """
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def text(value: bytes) -> bytes:
    """Bytes, of which the end can be told."""
    return b"".join(_ESCAPED.get(byte, bytes([byte])) for byte in value) + b"\x00\x01"


def signed_number(value: int) -> bytes:
    """A number that may be negative.

    >>> list(signed_number(-1)), list(signed_number(64))
    ([127], [192, 64])
    """
    bits = (~value if value < 0 else value).bit_length()
    size = bits // 7 + 1
    head = ((1 << size) - 1) << _WIDEST * 8 - size  # as many ones as there are bytes
    whole = value & ((1 << _WIDEST * 8) - 1)
    kept = bytearray(whole.to_bytes(_WIDEST, "big")[_WIDEST - size :])
    for at, byte in enumerate(head.to_bytes(_WIDEST, "big")[:size]):
        kept[at] ^= byte
    return bytes(kept)


def slice_key(name: str, extents: Sequence[tuple[int, int]]) -> bytes:
    """The key of a part of a tensor: beginning and length for each axis; of a whole axis 0 and -1."""
    parts = [number(0), text(name.encode()), number(len(extents))]
    for start, length in extents:
        parts += [signed_number(start), signed_number(length)]
    return b"".join(parts)
