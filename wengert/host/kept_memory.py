"""How much memory of freed arrays is kept for the next ones.

An engine may keep blocks that are too large for the C library to keep (`register_blocks`). The
bound is WENGERT_KEEP_MEMORY, or what `set_kept_memory` was given, or an eighth of the memory.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Callable
from typing import Any, Protocol

from wengert.host.memory_size import bytes_of


class Blocks(Protocol):
    """What keeps freed blocks."""

    def use_here(self) -> None:
        """Keep the blocks of arrays that are made in this context from now on."""

    def set_limit(self, limit: int) -> None:
        """Keep so many bytes at most."""

    def release(self) -> int:
        """Give all that is kept back to the system; how many bytes that was."""

    def about(self) -> dict[str, int]:
        """How much is kept, in how many blocks, and how often a block was used again."""


class _Process:
    asked: int | None = None  # the bound, if one was set
    load: Callable[[], Blocks | None] | None = None
    blocks: Blocks | None = None  # once they were needed


def register_blocks(load: Callable[[], Blocks | None]) -> None:
    """Let an engine keep blocks; it is asked when the first large array is made."""
    _Process.load = load


def use_blocks_here() -> None:
    """Keep the blocks of arrays that are made in this context from now on."""
    if _Process.blocks is None and _Process.load is not None and is_kept():
        _Process.blocks = _Process.load()
        if _Process.blocks is not None:
            _Process.blocks.set_limit(get_kept_memory())
    if _Process.blocks is not None:
        _Process.blocks.use_here()


def is_kept() -> bool:
    """Whether freed memory is kept at all."""
    return get_kept_memory() > 0


def get_kept_memory() -> int:
    """How many bytes of freed arrays are kept for the next ones, at most.

    >>> tf.config.set_kept_memory("100 MiB")
    >>> tf.config.get_kept_memory()
    104857600
    >>> tf.config.set_kept_memory(None)
    """
    return _by_environment() if _Process.asked is None else _Process.asked


def set_kept_memory(amount: str | int | None) -> None:
    """Keep so much memory of freed arrays for the next ones at most, such as "2 GiB"; 0: nothing.

    None is the default: WENGERT_KEEP_MEMORY, or an eighth of the memory of the machine. What is
    not used again goes back to the system after ten to twenty seconds, or by
    `tf.config.release_memory()`.

    >>> tf.config.set_kept_memory(0)
    >>> tf.config.get_kept_memory()
    0
    >>> tf.config.set_kept_memory(None)
    """
    _Process.asked = None if amount is None else _bytes_of(amount)
    if _Process.blocks is not None:
        _Process.blocks.set_limit(get_kept_memory())


def release_memory() -> int:
    """Give what is kept of freed arrays back to the system; how many bytes of large ones that was.

    >>> released = tf.config.release_memory()
    >>> released >= 0, tf.config.release_memory()
    (True, 0)
    """
    released = 0 if _Process.blocks is None else _Process.blocks.release()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)
    return released


def about_kept_memory() -> dict[str, Any]:
    """What is kept now, and how much may be."""
    use_blocks_here()
    limit, blocks = get_kept_memory(), _Process.blocks
    return {"limit": limit, "works": blocks is not None, **(blocks.about() if blocks else {})}


# ---- the bound ----------------------------------------------------------------------------------


@functools.cache
def _by_environment() -> int:
    """WENGERT_KEEP_MEMORY; anything but an amount, as "1" was before there were any, is the default."""
    asked = os.environ.get("WENGERT_KEEP_MEMORY", "1")
    if asked != "1":
        with contextlib.suppress(ValueError):
            return _bytes_of(asked)
    return _memory() // 8


def _bytes_of(amount: str | int) -> int:
    return 0 if amount in (0, "0") else bytes_of(amount, "The memory that is kept")


def _memory() -> int:
    """The bytes of memory that this process may use; those of the machine, or of its container."""
    try:
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0
    for file in ("memory.max", "memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError), open(f"/sys/fs/cgroup/{file}") as limit:
            found = min(found, int(limit.read()))
    return found
