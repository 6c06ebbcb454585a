"""Files that may be compressed, as readers and writers of records name it: "", "GZIP", "ZLIB"."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import IO, Any, cast

from wengert.errors import DataLossError, InvalidArgumentError

_PIECE = 1 << 20


def opened(path: str, mode: str, codec: str = "") -> IO[bytes]:
    """A file, whose bytes are compressed when they are written, and the other way when read."""
    if codec == "":
        return cast("IO[bytes]", open(path, mode))
    if codec == "GZIP":
        return cast("IO[bytes]", gzip.open(path, mode))
    if codec == "ZLIB":
        return _Written(path) if "w" in mode else io.BufferedReader(_Read(path))
    raise InvalidArgumentError(
        f"Unsupported compression type {codec!r}: it is '', 'GZIP' or 'ZLIB'."
    )


class _Read(io.RawIOBase):
    """The bytes of a file that zlib compressed."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: SIM115  # closed with this
        self._codec = zlib.decompressobj()
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self._left and not self._codec.eof:
            data = self._file.read(_PIECE)
            if not data:
                raise DataLossError(f"{self._file.name} is cut short.")
            self._left = self._codec.decompress(data)
        n = min(len(target), len(self._left))
        target[:n], self._left = self._left[:n], self._left[n:]
        return n

    def close(self) -> None:
        self._file.close()
        super().close()


class _Written(io.BytesIO):
    """A file that zlib compresses."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._file = open(path, "wb")  # noqa: SIM115
        self._codec = zlib.compressobj()

    def write(self, data: Any) -> int:
        self._file.write(self._codec.compress(data))
        return len(data)

    def close(self) -> None:
        if not self._file.closed:
            self._file.write(self._codec.flush())
            self._file.close()
        super().close()
