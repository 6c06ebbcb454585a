"""The locks of variables, held while a value is updated from the old one.

Readers take no lock: the array of a variable is not written to while anything else refers to it
(the programs of the native engine ensure that), so a reader sees the old value or the new one,
complete.
"""

from __future__ import annotations

import importlib
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from wengert.host.collector import uncollected

Result = TypeVar("Result")

# Held while Python is traced. One lock for all functions, so that those that call each other cannot
# deadlock.
TRACING: Final[Any] = threading.RLock()

# Held while a plan is compiled, and while operations are given more results: a plan has those of one moment.
# Its holder traces nothing and waits for no variable.
COMPILING: Final[Any] = threading.RLock()

# Held while a module is imported. In a child that is forked meanwhile, Python would wait forever
# for the importing thread.
_LOADING: Final[Any] = threading.RLock()

_ALL: Final[weakref.WeakSet[Any]] = weakref.WeakSet()
_AT_ONCE: Final = 8  # Python nests 20 contexts at most


def load_module(module: str) -> Any:
    """Import a module on demand.

    If its library is damaged, or lacks another one, that is an ImportError like a missing module.
    The collector waits: the finalizer of an object of the user's may use Wengert, and would find the
    module half-made.
    """
    with _LOADING:
        try:
            return uncollected(importlib.import_module, module)
        except OSError as error:
            raise ImportError(f"{module} is broken: {error}") from error


def new_lock() -> Any:
    """A reentrant lock that is free in a forked child."""
    lock = threading.RLock()
    _ALL.add(lock)
    return lock


class InOrder:
    """The locks of some variables, in a global order that prevents deadlocks.

    The order is cached for the next call, which mostly has the same variables.
    """

    __slots__ = ("_found",)

    def __init__(self) -> None:
        # Replaced atomically: another thread may pass other variables.
        self._found: tuple[list[Any], list[Any]] = [], []

    def holding(self, cells: Sequence[Any], work: Callable[[Any], Result], given: Any) -> Result:
        """Call work(given), holding the locks of all these variables."""
        locks = [cell._lock for cell in cells]
        asked, ordered = self._found
        if asked != locks:
            ordered = sorted(locks, key=id)
            self._found = locks, ordered
        return _holding(ordered, 0, work, given)


def _holding(locks: list[Any], at: int, work: Callable[[Any], Result], given: Any) -> Result:
    """Recursive, as a loop that is interrupted between taking and noting a lock would leak it."""
    some = locks[at : at + _AT_ONCE]
    if len(some) == _AT_ONCE:
        a, b, c, d, e, f, g, h = some
        with a, b, c, d, e, f, g, h:
            return _holding(locks, at + _AT_ONCE, work, given)
    if len(some) > 2:
        a, b, c = some[:3]
        with a, b, c:
            return _holding(locks, at + 3, work, given)
    if some:
        with some[0]:
            return _holding(locks, at + 1, work, given)
    return work(given)


# ---- forks --------------------------------------------------------------------------------------

# A tracing thread may be waiting for the forking one; threads that import or compile never are.
_PATIENCE: Final = 5.0  # seconds
# In the order in which threads take them.
_AWAITED: Final = [TRACING, COMPILING, _LOADING]
_HERE: Final = threading.local()


def awaited_lock() -> Any:
    """A lock that a fork waits for. Its holder may take those that were created before it."""
    lock = threading.RLock()
    _AWAITED.insert(_AWAITED.index(COMPILING) + 1, lock)
    return lock


def _wait() -> None:
    """Before a fork, wait until no thread traces, imports or compiles.

    A module that is imported meanwhile may add a lock of its own, which comes earlier in the order.
    """
    while True:
        asked = tuple(_AWAITED)
        _HERE.held = [
            lock for lock in asked if lock.acquire(timeout=_PATIENCE if lock is TRACING else -1)
        ]
        if asked == tuple(_AWAITED):
            return
        _go_on()


def _go_on() -> None:
    for lock in _HERE.held:
        lock.release()


def _freed_in_child() -> None:
    """Release the locks in the child, where only the forking thread exists."""
    _go_on()
    for lock in (*_AWAITED, *_ALL):
        if not lock._is_owned():
            lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait, after_in_parent=_go_on, after_in_child=_freed_in_child)
