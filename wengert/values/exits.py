"""Where values leave the library: as arrays, as Python's numbers. Nobody listens unless asked."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import numpy as np

# Each is called with the value and the way it left, such as ".numpy()".
exit_watchers: Final[list[Callable[[Any, str], None]]] = []
# Each is called with a function of NumPy's that took values as arrays, these values, and what it gave.
call_watchers: Final[list[Callable[[Any, Any, Any], None]]] = []
# Modules that take values on behalf of the program: values leave where these were called.
doors: Final[set[str]] = set()


# How a line begins that looks at a value, and does not compute with it.
LOOKS: Final = ("print(", "assert ", "if ", "while ", "log")
_ARRAYS: Final = ("numpy", "scipy")


def is_by_arrays(frame: FrameType) -> bool:
    """Whether a frame is NumPy's or SciPy's, or of what takes values for these."""
    module = frame.f_globals.get("__name__", "")
    return module in doors or module.partition(".")[0] in _ARRAYS


def frame_that_called(frame: FrameType) -> FrameType:
    """The frame that called into NumPy or SciPy, or itself."""
    at: FrameType | None = frame
    while at is not None and is_by_arrays(at):
        at = at.f_back
    return at or frame


def spoken_name(function: Any) -> str:
    """The name of a function of NumPy's or SciPy's, with its module where that is known."""
    owner: Any = getattr(function, "__self__", None)
    name: str = getattr(function, "__name__", str(function))
    if isinstance(owner, np.ufunc):
        name = owner.__name__ if name == "__call__" else f"{owner.__name__}.{name}"
    module = getattr(function, "__module__", None) or ""
    if hasattr(np, name.partition(".")[0]):
        return f"np.{name}"
    public = itertools.takewhile(lambda part: not part.startswith("_"), module.split("."))
    return ".".join([*filter(None, public), name])


def left(value: Any, way: str) -> None:
    """Tell those who listen."""
    for watcher in exit_watchers:
        watcher(value, way)
