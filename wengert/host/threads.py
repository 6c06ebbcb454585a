"""The number of threads that compute."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Final

from wengert.host.warn_once import warn_once


class _Asked:
    threads: int | None = None  # None: as many as there are processors


# Callbacks, for owners of threads, that run when the number of threads changes.
when_threads_change: Final[list[Callable[[], None]]] = []


def set_threads(count: int | None) -> None:
    """Set the number of threads of native plans; None for as many as processors, at most 8.

    There are never more threads than processors. If the number is reduced, surplus threads sleep.

    >>> tf.config.set_threads(1)
    >>> tf.config.get_threads()
    1
    >>> tf.config.set_threads(None)
    """
    if count is not None and (type(count) is not int or count < 1):
        raise ValueError(f"The number of threads must be a positive integer, got {count!r}.")
    _Asked.threads = count
    get_threads()  # warns if there are fewer processors
    for changed in when_threads_change:
        changed()


def asked_threads() -> int | None:
    """The number that set_threads was given."""
    return _Asked.threads


def get_threads() -> int:
    """The number of threads of native plans.

    It is OMP_NUM_THREADS from the environment unless set by set_threads. Never more than
    processors, as further threads would wait for each other.
    """
    asked = _Asked.threads or _asked_by_environment()
    if asked is None:
        return processors()
    if asked > available():
        warn_once(f"{asked} threads were requested, and {available()} are used: so many processors are available.")  # fmt: skip
    return min(asked, available())


def _asked_by_environment() -> int | None:
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(asked) if asked.isdecimal() and int(asked) > 0 else None


@functools.cache
def available() -> int:
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def processors() -> int:
    """The number of processors that are used by default."""
    return min(available(), 8)
