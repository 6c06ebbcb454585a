"""Blocks that Snappy compressed: reading them."""

from __future__ import annotations

from wengert.errors import DataLossError


def uncompressed(data: bytes | memoryview) -> bytes:
    """The bytes of which a block was made.

    >>> uncompressed(bytes([6, 4, ord("a"), ord("b"), 0b1, 2]))
    b'ababab'
    """
    view = memoryview(data)
    try:
        size, at = _length(view)
        found = _filled(view, at)
    except IndexError as error:
        raise DataLossError("A block that Snappy compressed is cut short.") from error
    if len(found) != size:
        raise DataLossError(f"A block that Snappy compressed has {len(found)} bytes, not {size}.")
    return bytes(found)


def _length(view: memoryview) -> tuple[int, int]:
    size = at = 0
    while True:
        byte = view[at]
        size |= (byte & 127) << 7 * at
        at += 1
        if byte < 128:
            return size, at


def _filled(view: memoryview, at: int) -> bytearray:
    found = bytearray()
    while at < len(view):
        tag = view[at]
        at += 1
        kind = tag & 3
        if kind == 0:  # bytes as they are
            count = tag >> 2
            if count >= 60:
                more = count - 59
                count = int.from_bytes(view[at : at + more], "little")
                at += more
            found += view[at : at + count + 1]
            at += count + 1
            continue
        if kind == 1:
            count, back = (tag >> 2 & 7) + 4, tag >> 5 << 8 | view[at]
            at += 1
        else:
            wide = 2 if kind == 2 else 4
            count, back = (tag >> 2) + 1, int.from_bytes(view[at : at + wide], "little")
            at += wide
        if not 0 < back <= len(found):
            raise DataLossError("A block that Snappy compressed refers to what is not there.")
        start = len(found) - back
        piece = found[start : start + count]
        while len(piece) < count:  # it overlaps what it makes
            piece += piece[: count - len(piece)]
        found += piece
    return found
