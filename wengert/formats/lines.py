"""Lines of text files, as TensorFlow reads them: without carriage returns, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from wengert.formats.compressed import opened


def lines_in(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of an open file, with the line feeds at their ends."""
    return (line.replace(b"\r", b"") for line in file)


def lines_of(path: str, codec: str = "") -> list[bytes]:
    """The lines of a file."""
    with opened(path, "rb", codec) as file:
        return [line.removesuffix(b"\n") for line in lines_in(file)]
