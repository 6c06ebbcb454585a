"""Objects that must outlive the Python interpreter."""

from __future__ import annotations

import ctypes
import sys
from typing import TypeVar

Value = TypeVar("Value")


def keep_for_ever(value: Value) -> Value:
    """The same value, with a reference that is never released.

    On exit Python clears modules one after the other. Machine code, and memory that threads or
    built-in functions read, would be freed before its users.
    """
    if sys.implementation.name == "cpython":
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
    return value
