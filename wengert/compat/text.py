"""Conversions of bytes and text: what tf.compat has besides versions."""

from __future__ import annotations

import os
from typing import Any


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Bytes unchanged, text encoded.

    >>> import wengert as tf
    >>> tf.compat.as_bytes("a")
    b'a'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Text unchanged, bytes decoded.

    >>> import wengert as tf
    >>> tf.compat.as_text(b"a")
    'a'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Text and bytes as text; anything else converted by `str`.

    >>> import wengert as tf
    >>> tf.compat.as_str_any(1.5)
    '1.5'
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> str:
    """A path as text.

    >>> import wengert as tf, pathlib
    >>> tf.compat.path_to_str(pathlib.PurePosixPath("a/b"))
    'a/b'
    """
    return str(os.fspath(path)) if hasattr(path, "__fspath__") else str(path)
