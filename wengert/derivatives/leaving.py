"""Values that leave a function which is differentiated: what is made of them has no gradient, and no error either."""

from __future__ import annotations

import linecache
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from opcode import opmap
from types import FrameType
from typing import Any, Final

from wengert.core.context import is_followed
from wengert.derivatives import structures
from wengert.errors import GradientWarning
from wengert.host.user_frames import callers_depth, callers_frame, is_the_users, place_of
from wengert.values.exits import (
    LOOKS,
    call_watchers,
    called_of_arrays,
    exit_watchers,
    frame_that_called,
    is_by_arrays,
    spoken_name,
)
from wengert.values.value import Value

_ZERO = "what is made of it counts as constant, and has a gradient of zero"


class _Watching(threading.local):
    is_on = False


_watching = _Watching()


def followed(f: Callable[[], Any]) -> Any:
    """What a function returns; a warning if values left it that its result may depend on.

    Functions of NumPy's and SciPy's that nothing follows are warned of where they are called, and so is what takes a
    value unasked: np.array of a list, an array that is written into. What the program takes by itself, as `float(x)`,
    may be for a look at it: it counts if all that is returned are numbers.
    """
    if _watching.is_on:  # a derivative of a derivative: the outer one watches
        return f()
    watcher = _Watcher()
    exit_watchers.append(watcher.left)
    call_watchers.append(watcher.called)
    _watching.is_on = True
    try:
        result = f()
    finally:
        _watching.is_on = False
        exit_watchers.remove(watcher.left)
        call_watchers.remove(watcher.called)
    if watcher.taken and not any(isinstance(x, Value) for x in structures.flatten(result)):
        warnings.warn(
            f"The function returned numbers, to which no gradient leads. A value left it by {watcher.taken}: "
            f"{_ZERO}. Return a tensor, made of tensors by operations of tf or by functions of NumPy's.",
            GradientWarning,
            stacklevel=callers_depth(),
        )
    return result


class _Watcher:
    """Notices what leaves in this thread."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self.taken = ""  # how and where the program took a value by itself

    def left(self, value: Any, way: str) -> None:
        """A value was taken as an array or a number."""
        if not self._counts([value]):
            return
        caller = sys._getframe(3)
        if is_the_users(caller) and not is_by_arrays(caller):
            self.taken = self.taken or f"{way} at {place_of(caller)}"
            what = _taken_unasked(caller, way)
            if what:
                _warn(caller, what)
        elif is_by_arrays(caller) and not caller.f_globals["__name__"].startswith("wengert."):
            _warn(frame_that_called(caller), called_of_arrays(caller))

    def called(self, function: Any, values: Iterable[Any], result: Any) -> None:
        """A function of NumPy's was given values, and its result is no tensor."""
        writes = getattr(function, "__name__", "") in _WRITERS
        if (writes or _has_fractions(result)) and self._counts(values):
            _warn(frame_that_called(callers_frame()), spoken_name(function))

    def _counts(self, values: Iterable[Any]) -> bool:
        return threading.get_ident() == self._thread and any(
            x.dtype.is_differentiable and is_followed((x,)) for x in values
        )


_OF_SEVERAL: Final = re.compile(r"array\(\s*(?:[\[(]|(\w+)\s*[,)])")
_ASKED: Final = {
    "NumPy": re.compile(r"array\("),
    "float()": re.compile(r"float\(|['\"] *%"),
    "complex()": re.compile(r"complex\("),
}
_WRITERS: Final = ("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask")
_WRITING: Final = opmap["STORE_SUBSCR"]


def _taken_unasked(frame: FrameType, way: str) -> str:
    """What took a value without being told to: the line does not say float(x), or np.asarray(x)."""
    code = frame.f_code
    line = linecache.getline(code.co_filename, frame.f_lineno).strip()
    if way not in _ASKED or not line or line.startswith(LOOKS):
        return ""
    if code.co_code[frame.f_lasti] == _WRITING:
        return "An array that is written into, where np.stack of a list would be followed,"
    names = frame.f_globals | frame.f_locals
    lists = [
        n for n in _OF_SEVERAL.findall(line) if not n or isinstance(names.get(n), (list, tuple))
    ]
    if lists:
        return "np.array of a list, where np.stack would be followed,"
    return "" if _ASKED[way].search(line) else "A function of numbers, or of lists of them,"


def _has_fractions(result: Any) -> bool:
    """Whether a result, or a part of it, is made of numbers that have derivatives."""
    if isinstance(result, (tuple, list)):
        return any(map(_has_fractions, result))
    return getattr(getattr(result, "dtype", None), "kind", "") in ("f", "c") or type(result) in (
        float,
        complex,
    )


def _warn(frame: FrameType, what: str) -> None:
    if not is_the_users(frame):  # the library itself, where it asks NumPy
        return
    others = (
        " Functions of SciPy's that are followed are in wengert.scipy." if "scipy" in what else ""
    )
    warnings.warn_explicit(
        f"{what} was given a value that is differentiated, and no gradient follows it: {_ZERO}.{others} See "
        '"A gradient of NumPy code" in docs/how-to.md; tf.wrap makes a function that has one of any.',
        GradientWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )
