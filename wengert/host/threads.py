"""How many threads compute: what was asked for, and what the processors allow."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Final

from wengert.host.warn_once import warn_once


class _Asked:
    threads: int | None = None  # None: as many as there are processors


# What whoever keeps threads does when their number changes.
when_threads_change: Final[list[Callable[[], None]]] = []


def set_threads(count: int | None) -> None:
    """Let native plans use so many threads; None for as many as there are processors, at most 8.

    There are never more than processors. Fewer than before leave the others asleep.

    >>> tf.config.set_threads(1)
    >>> tf.config.get_threads()
    1
    >>> tf.config.set_threads(None)
    """
    if count is not None and (type(count) is not int or count < 1):
        raise ValueError(f"The number of threads must be a positive integer, got {count!r}.")
    _Asked.threads = count
    get_threads()  # which says so if there are not so many
    for changed in when_threads_change:
        changed()


def get_threads() -> int:
    """How many threads native plans use.

    The environment variable OMP_NUM_THREADS says it, if set_threads did not. More than there are
    processors would wait for each other, and are not used.
    """
    asked = _Asked.threads or _asked_by_environment()
    if asked is None:
        return processors()
    if asked > available():
        warn_once(f"Of {asked} threads that were asked for {available()} are used: so many processors there are.")  # fmt: skip
    return min(asked, available())


def _asked_by_environment() -> int | None:
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(asked) if asked.isdecimal() and int(asked) > 0 else None


@functools.cache
def available() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def processors() -> int:
    """How many of them are used if nothing is said."""
    return min(available(), 8)
