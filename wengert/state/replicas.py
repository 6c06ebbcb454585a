"""Which replica of a strategy runs in a thread, where there are several: variables and optimizers ask it."""

from __future__ import annotations

import threading
from typing import Any, Final


class Current(threading.local):
    """The context of the replica; None where there is one replica, or where all of them are meant."""

    context: Any = None


current: Final = Current()


def run_as(context: Any) -> Any:
    """Let this be the replica of the thread; returns the one before."""
    before, current.context = current.context, context
    return before
