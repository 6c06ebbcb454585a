"""Warnings that are given once per process, and point at the user's line."""

from __future__ import annotations

import warnings
from typing import Final

from wengert.host.locks import new_lock
from wengert.host.user_frames import callers_depth

_WARNED: Final[set[str]] = set()
_LOCK: Final = new_lock()


def warn_once(message: str) -> None:
    """Give a warning, unless it was given before; it points at the user's line."""
    with _LOCK:
        if message in _WARNED:
            return
        _WARNED.add(message)
    warnings.warn(message, RuntimeWarning, stacklevel=callers_depth())
