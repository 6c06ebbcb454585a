"""The user's code in the call stack, for messages."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from types import CodeType, FrameType
from typing import Final

Place = str | tuple[CodeType, int]  # a line, or the code and the instruction in it
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
    return users_frame(sys._getframe(1))


def is_the_users(frame: FrameType) -> bool:
    """Whether a frame is of the program, and not of the library."""
    return not _IS_OURS[frame.f_code.co_filename]


def users_frame(frame: FrameType) -> FrameType:
    """The frame of the user's that a frame was called from, or itself."""
    while _IS_OURS[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame


class _Replayed(threading.local):
    """The line of the operation of a graph that this thread carries out again, if any."""

    place = ""


_replayed: Final = _Replayed()


def replay_at(place: str) -> str:
    """The line of the operation that is carried out again from here on; returns the one before."""
    before, _replayed.place = _replayed.place, place
    return before


def replayed_place() -> str:
    """The line of the operation that is carried out again; empty if none is."""
    return _replayed.place


def callers_place() -> str:
    """The line that called into the library, as file:line; within a function the line in it."""
    if _replayed.place:
        return _replayed.place
    return place_of(callers_frame())


def noted_place() -> Place:
    """What `callers_place` says, for `line_of`: to note a place costs less than to say its line."""
    if _replayed.place:
        return _replayed.place
    frame = users_frame(sys._getframe(1))
    return frame.f_code, frame.f_lasti


def line_of(place: Place) -> str:
    """A place that was noted, as file:line."""
    if isinstance(place, str):
        return place
    code, at = place
    line = next((line for begin, end, line in code.co_lines() if begin <= at < end), None)
    return f"{code.co_filename}:{line or code.co_firstlineno}"


def place_of(frame: FrameType) -> str:
    """The line that a frame is at, as file:line."""
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of the library."""
    return _IS_OURS[frame.f_code.co_filename]


def is_ours_file(name: str) -> bool:
    """Whether a file is of the library."""
    return _IS_OURS[name]


def callers_depth() -> int:
    """The `stacklevel` that makes a warning point at that line."""
    depth, frame = 1, sys._getframe(1)
    while _IS_OURS[frame.f_code.co_filename] and frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    return depth
