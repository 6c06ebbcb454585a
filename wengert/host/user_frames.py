"""The user's code in the call stack, for messages."""

from __future__ import annotations

import contextlib
import os
import sys
from types import FrameType
from typing import Final

_PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NOT_THE_USERS: Final = (_PACKAGE, contextlib.__file__)


class _Files(dict[str, bool]):
    """Caches whether a file is not the user's, which is looked up often for every operation."""

    def __missing__(self, name: str) -> bool:
        found = self[name] = name.startswith(_NOT_THE_USERS)
        return found


_IS_OURS: Final = _Files()


def callers_frame() -> FrameType:
    """The frame that called into the library."""
    frame = sys._getframe(1)
    while _IS_OURS[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame


def callers_place() -> str:
    """The line that called into the library, as file:line."""
    frame = callers_frame()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def callers_depth() -> int:
    """The `stacklevel` that makes a warning point at that line."""
    depth, frame = 1, sys._getframe(1)
    while _IS_OURS[frame.f_code.co_filename] and frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    return depth
