"""What must be there until the process ends, later than Python itself."""

from __future__ import annotations

import ctypes
import sys
from typing import TypeVar

Value = TypeVar("Value")


def keep_for_ever(value: Value) -> Value:
    """The same value, with a reference that nobody gives back.

    When Python ends it clears modules one after the other. Machine code, and memory that threads or
    built-in functions look at, would go before those who use it.
    """
    if sys.implementation.name == "cpython":
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
    return value
