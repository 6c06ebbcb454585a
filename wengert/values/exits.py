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


def called_of_arrays(frame: FrameType) -> str:
    """What of NumPy's or SciPy's the program called, where a value left inside of it: the outermost function."""
    outermost, at = None, frame
    while at is not None and is_by_arrays(at):
        outermost = at if _public_module(at) else outermost  # not a wrapper around it
        at = at.f_back  # type: ignore[assignment]
    if outermost is None:
        return "A function of SciPy's or NumPy's"
    names = [_public_module(outermost), outermost.f_code.co_name]
    owner = outermost.f_locals.get("self")
    if owner is not None:  # a distribution of SciPy's has a name
        own = getattr(owner, "name", None)
        names.insert(1, own if isinstance(own, str) else type(owner).__name__.removesuffix("_gen"))
    return ".".join(name for name in names if name != "__call__")


def _public_module(frame: FrameType) -> str:
    """The module that users import a function from, as its file's name tells; none of a library's inner ones."""
    parts = frame.f_globals.get("__name__", "").split(".")
    public = itertools.takewhile(lambda part: not part.startswith("_"), parts)
    return ".".join(public) if "_lib" not in parts else ""


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
