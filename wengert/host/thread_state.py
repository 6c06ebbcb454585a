"""What each thread has of its own.

A thread's first question may come in two at once: a finalizer can run while the answer to another is
made, on the same thread. `threading.local` runs `__init__` then as well, and shows an object without
attributes. So what can change is made when it is asked for, and what was made first is kept;
what cannot change is an attribute of the class.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, ClassVar


class ThreadState(threading.local):
    """Attributes of each thread, made by the functions in `first`.

    >>> class Lists(ThreadState):
    ...     first = {"seen": list}
    ...     count = 0
    >>> state = Lists()
    >>> state.seen.append(1)
    >>> state.seen, state.count
    ([1], 0)
    """

    first: ClassVar[Mapping[str, Callable[[], Any]]]

    def __getattr__(self, name: str) -> Any:
        make = self.first.get(name)
        if make is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.__dict__.setdefault(name, make())
