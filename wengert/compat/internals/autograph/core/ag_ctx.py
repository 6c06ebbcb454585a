"""tensorflow.python.autograph.core.ag_ctx: whether what is called is converted."""

from __future__ import annotations

import enum
from typing import Any, ClassVar, Final

from wengert.host.thread_state import ThreadState


class Status(enum.Enum):
    """Whether conversion was asked for."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class _Stack(ThreadState):
    contexts: list[ControlStatusCtx]
    first: ClassVar = {"contexts": lambda: [ControlStatusCtx(Status.UNSPECIFIED)]}


class ControlStatusCtx:
    """A context in which conversion was asked for, or forbidden."""

    def __init__(self, status: Status, options: Any = None) -> None:
        self.status = status
        self.options = options

    def __enter__(self) -> ControlStatusCtx:
        _stack.contexts.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _stack.contexts.pop()

    def __repr__(self) -> str:
        return f"{self.status}[{self.options}]"


class NullCtx:
    """A context without an effect."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


_stack: Final = _Stack()


def control_status_ctx() -> ControlStatusCtx:
    """The innermost context."""
    return _stack.contexts[-1]
