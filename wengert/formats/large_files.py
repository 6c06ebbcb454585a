"""Many bytes to and from files, as fast as the system moves them."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO, Final

import numpy as np

from wengert.host.parallel import in_parts

_WRITTEN: Final = 1 << 25  # bytes, after which the disk is told to begin
_SYNC_FILE_RANGE_WRITE: Final = 2
_READ: Final = 1 << 23  # bytes that a thread reads at once


def write(file: BinaryIO, data: Any) -> None:
    """Write bytes at the end of a file, the disk at work while the next ones are copied.

    Else it would begin when the file is synchronized: a gigabyte then takes half as long again.
    """
    for start in range(0, len(data), _WRITTEN):
        at = file.tell()
        file.write(data[start : start + _WRITTEN])
        if len(data) >= _WRITTEN and (begin := _begin_writing()) is not None:
            begin(file.fileno(), at, file.tell() - at, _SYNC_FILE_RANGE_WRITE)


@functools.cache
def _begin_writing() -> Any:
    """Linux's function that tells the disk to begin; None elsewhere."""
    found = getattr(ctypes.CDLL(None), "sync_file_range", None) if sys.platform == "linux" else None
    if found is not None:
        found.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    return found


def read(path: str, offset: int, size: int) -> Any:
    """Bytes of a file, fewer where it ends before; several threads share many of them."""
    if size <= _READ or not hasattr(os, "preadv"):
        return np.fromfile(path, np.uint8, size, offset=offset)
    found = np.empty(size, np.uint8)
    with open(path, "rb", buffering=0) as file:

        def some(starts: Sequence[int]) -> int:
            pieces = ((found[s : s + _READ], offset + s) for s in starts)
            return sum(_read_into(file.fileno(), piece, at) for piece, at in pieces)

        return found[: sum(in_parts(some, range(0, size, _READ)))]


def _read_into(file: int, data: Any, at: int) -> int:
    """Fill an array from a place on; the number of bytes that are there."""
    done = 0
    while done < len(data):
        count = os.preadv(file, [data[done:]], at + done)
        if not count:
            break
        done += count
    return done
