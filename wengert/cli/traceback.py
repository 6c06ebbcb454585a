"""Tracebacks of programs: the lines of the program, without those of the library."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

_OURS = (str(Path(__file__).parent.parent) + os.sep, "<frozen ", runpy.__file__)


def show(error: BaseException) -> None:
    """Print an error as Python would, with the lines of the program alone."""
    if os.environ.get("WENGERT_TRACEBACK") != "full":
        shorten(error)
    if sys.excepthook is sys.__excepthook__:
        traceback.print_exception(error)  # it has the lines of programs that are no files
    else:
        sys.excepthook(type(error), error, error.__traceback__)


def shorten(error: BaseException) -> None:
    """Leave the library's frames out of an error, and errors that never left the library."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        at.__traceback__ = _of_the_program(at.__traceback__)
        inner = at.__cause__ or at.__context__
        if inner is not None and _of_the_program(inner.__traceback__) is None:
            at.__cause__ = at.__context__ = None
        at = at.__cause__ or at.__context__


def _of_the_program(trace: TracebackType | None) -> TracebackType | None:
    found: TracebackType | None = None
    for t in reversed([t for t in _frames(trace) if not _is_ours(t)]):
        found = TracebackType(found, t.tb_frame, t.tb_lasti, t.tb_lineno)
    return found


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _is_ours(trace: TracebackType) -> bool:
    return trace.tb_frame.f_code.co_filename.startswith(_OURS)
