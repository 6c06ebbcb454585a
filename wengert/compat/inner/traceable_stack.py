"""tensorflow.python.framework.traceable_stack: a stack that knows from where each thing was pushed."""

from __future__ import annotations

import inspect
from typing import Any


class TraceableObject:
    """A thing, with the file and line of who handled it."""

    SUCCESS, HEURISTIC_USED, FAILURE = range(3)

    def __init__(self, obj: Any, filename: str | None = None, lineno: int | None = None) -> None:
        self.obj, self.filename, self.lineno = obj, filename, lineno

    def set_filename_and_line_from_caller(self, offset: int = 0) -> int:
        """Take file and line from the caller, or from one so many calls further out."""
        callers = inspect.stack(0)[1:]
        at = min(offset, len(callers) - 1)
        self.filename, self.lineno = callers[at].filename, callers[at].lineno
        return self.SUCCESS if at == offset else self.HEURISTIC_USED

    def copy_metadata(self) -> TraceableObject:
        """The same place without the thing."""
        return type(self)(None, filename=self.filename, lineno=self.lineno)


class TraceableStack:
    """A stack of such things."""

    def __init__(self, existing_stack: list[TraceableObject] | None = None) -> None:
        self._stack = list(existing_stack or [])

    def push_obj(self, obj: Any, offset: int = 0) -> int:
        """Push a thing, with the place of the caller."""
        traceable = TraceableObject(obj)
        self._stack.append(traceable)
        return traceable.set_filename_and_line_from_caller(offset + 1)

    def pop_obj(self) -> Any:
        """Remove the last thing."""
        return self._stack.pop().obj

    def peek_top_obj(self) -> Any:
        """The last thing."""
        return self._stack[-1].obj

    def peek_objs(self) -> list[Any]:
        """All things, the last one first."""
        return [t.obj for t in reversed(self._stack)]

    def peek_traceable_objs(self) -> list[TraceableObject]:
        """All things with their places, the last one first."""
        return list(reversed(self._stack))

    def copy(self) -> TraceableStack:
        """The same things on another stack."""
        return TraceableStack(self._stack)

    def __len__(self) -> int:
        return len(self._stack)
