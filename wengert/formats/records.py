"""Records one after the other: TFRecord, the format of data sets and of event files.

Length (8 bytes), its checksum (4), the data, their checksum (4).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO, Final

from wengert.errors import DataLossError
from wengert.formats.crc32c import crc32c, masked

_HEAD: Final = struct.Struct("<QI")
_FOOT: Final = struct.Struct("<I")
_PIECE: Final = 1 << 24  # bytes read at a time: a damaged length shall not ask for all the memory


def record(data: bytes) -> bytes:
    """The bytes as a record."""
    length = struct.pack("<Q", len(data))
    return b"".join(
        [length, _FOOT.pack(masked(crc32c(length))), data, _FOOT.pack(masked(crc32c(data)))]
    )


def records_in(file: IO[bytes]) -> Iterator[bytes]:
    """The records of a file, from where it stands to its end; a damaged one is an error."""
    at = 0
    while head := _read(file, _HEAD.size):
        if len(head) < _HEAD.size:
            raise DataLossError(f"truncated record at {at}: its length is incomplete.")
        length, checksum = _HEAD.unpack(head)
        if masked(crc32c(head[:8])) != checksum:
            raise DataLossError(f"corrupted record at {at}: its length is damaged.")
        data, foot = _read(file, length), _read(file, _FOOT.size)
        if len(data) < length or len(foot) < _FOOT.size:
            raise DataLossError(f"truncated record at {at}: it has {length} bytes.")
        if masked(crc32c(data)) != _FOOT.unpack(foot)[0]:
            raise DataLossError(f"corrupted record at {at}: its data are damaged.")
        yield data
        at += _HEAD.size + length + _FOOT.size


def named_records(file: IO[bytes], path: str) -> Iterator[bytes]:
    """The records of a file that may be compressed; errors name the file and the record."""
    found, number = records_in(file), 0
    while True:
        try:
            data = next(found, None)
        except DataLossError as error:
            raise DataLossError(f"{path}, record {number}: {error.message}") from None
        if data is None:
            return
        yield data
        number += 1


def _read(file: IO[bytes], count: int) -> bytes:
    """So many bytes, or those up to the end of the file: one call may give fewer."""
    parts = []
    while count and (part := file.read(min(count, _PIECE))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
