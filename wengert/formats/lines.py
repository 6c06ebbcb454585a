"""Lines of text files, as TensorFlow reads them: without their ends, of either kind."""

from __future__ import annotations

from wengert.formats.compressed import opened


def lines_of(path: str, codec: str = "") -> list[bytes]:
    """The lines of a file."""
    with opened(path, "rb", codec) as file:
        return [line.removesuffix(b"\n").removesuffix(b"\r") for line in file]
