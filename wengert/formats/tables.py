"""Tables of keys and values in order: the SSTable of LevelDB, as TensorFlow's indexes are written.

Blocks of entries, each with its checksum; a block that says where the others are; a foot. In a block a key leaves
out what it has in common with the one before, but for every sixteenth.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from wengert.errors import DataLossError
from wengert.formats.crc32c import crc32c, masked
from wengert.formats.snappy import uncompressed
from wengert.formats.wire import varint

_FOOT: Final = 48
_MAGIC: Final = 0xDB4775248B80FB57
_TRAILER: Final = struct.Struct("<BI")  # how a block is compressed, and its checksum
_WORD: Final = struct.Struct("<I")
_BLOCK: Final = 1 << 18  # bytes at which a block ends
_EVERY: Final = 16
_RAW, _SNAPPY = 0, 1


def table(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A table of entries, whose keys are in order.

    >>> entries = [(b"a", b"1"), (b"ab", b"2")]
    >>> list(entries_of(table(entries))) == entries
    True
    """
    parts: list[bytes] = []
    size = 0

    def placed(content: bytes) -> bytes:
        nonlocal size
        check = masked(crc32c(bytes([_RAW]), crc32c(content)))
        parts.append(content + _TRAILER.pack(_RAW, check))
        at, size = size, size + len(parts[-1])
        return varint(at) + varint(len(content))

    index = []
    for last, content in _blocks(entries):
        index.append((last, placed(content)))
    foot = placed(_block([], _EVERY)) + placed(_block(index, 1))
    parts.append(foot.ljust(_FOOT - 8, b"\0") + struct.pack("<Q", _MAGIC))
    return b"".join(parts)


def _blocks(entries: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """The last key of each block, and the block."""
    waiting: list[tuple[bytes, bytes]] = []
    size = 0
    for key, value in entries:
        waiting.append((key, value))
        size += len(key) + len(value)
        if size >= _BLOCK:
            yield key, _block(waiting, _EVERY)
            waiting, size = [], 0
    if waiting:
        yield waiting[-1][0], _block(waiting, _EVERY)


def _block(entries: list[tuple[bytes, bytes]], every: int) -> bytes:
    found = bytearray()
    restarts = [0]
    before = b""
    for n, (key, value) in enumerate(entries):
        shared = 0
        if n % every == 0:
            restarts += [len(found)] if n else []
        else:
            shared = _in_common(before, key)
        found += varint(shared) + varint(len(key) - shared) + varint(len(value))
        found += key[shared:] + value
        before = key
    for at in [*restarts, len(restarts)]:
        found += _WORD.pack(at)
    return bytes(found)


def _in_common(first: bytes, second: bytes) -> int:
    for n, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return n
    return min(len(first), len(second))


def entries_of(data: bytes | memoryview) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of a table, in order; a damaged one is an error."""
    view = memoryview(data)
    if len(view) < _FOOT:
        raise DataLossError(f"file is too short to be an sstable: it has {len(view)} bytes.")
    if struct.unpack("<Q", view[-8:])[0] != _MAGIC:
        raise DataLossError("not an sstable (bad magic number): it is damaged or cut short.")
    foot = view[-_FOOT:]
    _, at = _handle(foot, 0)
    index, _ = _handle(foot, at)
    for _, where in _entries(_content(view, *index)):
        handle, _ = _handle(memoryview(where), 0)
        yield from _entries(_content(view, *handle))


def _handle(view: memoryview, at: int) -> tuple[tuple[int, int], int]:
    offset, at = _number(view, at)
    size, at = _number(view, at)
    return (offset, size), at


def _number(view: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(view) or shift > 63:
            raise DataLossError("The table is damaged: a number goes on behind its end.")
        byte = view[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _content(view: memoryview, offset: int, size: int) -> memoryview:
    """A block, whose checksum is right."""
    content, trailer = view[offset : offset + size], view[offset + size : offset + size + 5]
    if len(trailer) < _TRAILER.size:
        raise DataLossError(f"truncated block read: the block at {offset} has {size} bytes.")
    kind, check = _TRAILER.unpack(trailer)
    if masked(crc32c(trailer[:1], crc32c(content))) != check:
        raise DataLossError(f"block checksum mismatch: the block at {offset} is damaged.")
    if kind == _SNAPPY:
        return memoryview(uncompressed(content))
    if kind != _RAW:
        raise DataLossError(f"The block at {offset} is compressed in the unknown way {kind}.")
    return content


def _entries(block: memoryview) -> Iterator[tuple[bytes, bytes]]:
    if len(block) < _WORD.size:
        raise DataLossError("bad block contents: it is empty.")
    end = len(block) - _WORD.size * (1 + _WORD.unpack(block[-_WORD.size :])[0])
    at, key = 0, b""
    while at < end:
        shared, at = _number(block, at)
        rest, at = _number(block, at)
        size, at = _number(block, at)
        if shared > len(key) or at + rest + size > end:
            raise DataLossError("bad entry in block: a key or value goes beyond its end.")
        key = key[:shared] + bytes(block[at : at + rest])
        at += rest
        yield key, bytes(block[at : at + size])
        at += size
