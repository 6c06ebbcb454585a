"""Values of variables that live on a device, and are fetched when NumPy asks for them.

A variable's array is a slot. While the slot is empty the value is on the device alone, and the first
question for the array fetches it; whoever sets the slot replaces the value, as ever.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from wengert.values.value import Value


class OnDevice:
    """An array on a device, and NumPy's view or copy of it once it was fetched."""

    __slots__ = ("_fetch", "array", "host")

    def __init__(self, array: Any, fetch: Callable[[Any], Any]) -> None:
        self.array = array
        self.host: Any = None
        self._fetch = fetch

    def fetched(self) -> Any:
        """NumPy's array."""
        if self.host is None:
            self.host = self._fetch(self.array)
        return self.host


_SLOT: Any = Value.__dict__["_array"]
_HELD = "_on_device"


def held_by(variable: Any) -> OnDevice | None:
    """What holds the value of a variable on a device; None if its array is NumPy's."""
    held: OnDevice | None = getattr(variable, "__dict__", {}).get(_HELD)
    if held is None:
        return None
    try:
        _SLOT.__get__(variable)
    except AttributeError:
        return held
    return None


def hold(variable: Any, array: Any, fetch: Callable[[Any], Any] = np.asarray) -> bool:
    """Let a variable's value be an array on a device; False if it is of a kind that cannot.

    `fetch` makes it NumPy's.
    """
    if getattr(type(variable), "_array", None) is not _SLOT:
        return False
    variable.__dict__[_HELD] = OnDevice(array, fetch)
    with suppress(AttributeError):  # if it was on the device before
        del variable._array
    return True


def fetched(variable: Any, name: str) -> Any:
    """What `__getattr__` of a variable finds: its array, if that is on a device."""
    held = variable.__dict__.get(_HELD) if name == "_array" else None
    if held is None:
        raise AttributeError(f"{type(variable).__name__!r} object has no attribute {name!r}")
    return held.fetched()
