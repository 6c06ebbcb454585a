"""Files that may be compressed, as readers and writers of records name it: "", "GZIP", "ZLIB"."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import IO, Any, cast

from wengert.errors import DataLossError, InvalidArgumentError

_PIECE = 1 << 20
_WINDOWS = {"GZIP": zlib.MAX_WBITS | 16, "ZLIB": zlib.MAX_WBITS}


def opened(path: str, mode: str, codec: str = "") -> IO[bytes]:
    """A file, whose bytes are compressed when they are written, and the other way when read."""
    if codec == "":
        return cast("IO[bytes]", open(path, mode))
    if codec == "GZIP" and "w" in mode:
        return cast("IO[bytes]", gzip.open(path, mode))
    if codec in _WINDOWS:
        return _Written(path) if "w" in mode else io.BufferedReader(_Read(path, _WINDOWS[codec]))
    raise InvalidArgumentError(
        f"Unsupported compression type {codec!r}: it is '', 'GZIP' or 'ZLIB'."
    )


class _Read(io.RawIOBase):
    """The bytes of a file that zlib compressed, in one piece or, by gzip, in several."""

    def __init__(self, path: str, window: int) -> None:
        self._file = open(path, "rb")  # noqa: SIM115  # closed with this
        self._window = window
        self._codec: Any = None
        self._packed = self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self._left and self._more():
            pass
        n = min(len(target), len(self._left))
        target[:n], self._left = self._left[:n], self._left[n:]
        return n

    def _more(self) -> bool:
        """Unpack the next bytes; whether there are any."""
        self._packed = self._packed or self._file.read(_PIECE)
        begins = self._codec is None or self._codec.eof
        if begins and not self._packed and self._window != zlib.MAX_WBITS:
            return False
        if begins and self._codec is not None and self._window == zlib.MAX_WBITS:
            return False
        if not self._packed:
            raise DataLossError(f"{self._file.name} is cut short.")
        if begins:
            self._codec = zlib.decompressobj(self._window)
        try:
            self._left = self._codec.decompress(self._packed)
        except zlib.error as error:
            raise DataLossError(f"{self._file.name} is damaged: {error}") from None
        self._packed = self._codec.unused_data
        return True

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
