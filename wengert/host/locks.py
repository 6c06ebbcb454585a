"""The locks of variables: who changes a value by what it was holds the variable's lock meanwhile.

Who reads takes none: an array that is the value of a variable is not written to while anybody else
has it (the programs of the native engine see to that), so that a reader has the old value or the new
one, whole.
"""

from __future__ import annotations

import importlib
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

# Held while Python is traced: by one thread, so that functions that call each other have no order
# of locks to get wrong.
TRACING: Final[Any] = threading.RLock()

# Held while a module is loaded. In a child that is made meanwhile, Python would wait for ever for
# the thread that loads it.
_LOADING: Final[Any] = threading.RLock()

_ALL: Final[weakref.WeakSet[Any]] = weakref.WeakSet()
_AT_ONCE: Final = 8  # Python nests 20 contexts at most


def load_module(module: str) -> Any:
    """A module that is loaded when it is first needed.

    One whose library is damaged, or lacks another, is as good as none.
    """
    with _LOADING:
        try:
            return importlib.import_module(module)
        except OSError as error:
            raise ImportError(f"{module} is broken: {error}") from error


def new_lock() -> Any:
    """A lock that the thread that has it may take again, and that is free in a forked child."""
    lock = threading.RLock()
    _ALL.add(lock)
    return lock


class InOrder:
    """The locks of some variables, in the order in which everybody takes them.

    So no two wait for each other. The order is kept for the next time: mostly they are the same.
    """

    __slots__ = ("_found",)

    def __init__(self) -> None:
        # Exchanged as one: another thread may ask for other variables.
        self._found: tuple[list[Any], list[Any]] = [], []

    def holding(self, cells: Sequence[Any], work: Callable[[Any], Result], given: Any) -> Result:
        """work(given), with the locks of all these variables."""
        locks = [cell._lock for cell in cells]
        asked, ordered = self._found
        if asked != locks:
            ordered = sorted(locks, key=id)
            self._found = locks, ordered
        return _holding(ordered, 0, work, given)


def _holding(locks: list[Any], at: int, work: Callable[[Any], Result], given: Any) -> Result:
    """A loop would leave locks behind if it was interrupted between taking and noting one."""
    some = locks[at : at + _AT_ONCE]
    if len(some) == _AT_ONCE:
        a, b, c, d, e, f, g, h = some
        with a, b, c, d, e, f, g, h:
            return _holding(locks, at + _AT_ONCE, work, given)
    if some:
        with some[0]:
            return _holding(locks, at + 1, work, given)
    return work(given)


# ---- forks --------------------------------------------------------------------------------------

# Somebody who traces may wait for the thread that forks; who loads or compiles does not.
_PATIENCE: Final = 5.0  # seconds
# In the order in which threads take them.
_AWAITED: Final = [TRACING, _LOADING]
_HERE: Final = threading.local()


def awaited_lock() -> Any:
    """A lock that a fork waits for. Who has it may take those that were made before."""
    lock = threading.RLock()
    _AWAITED.insert(1, lock)
    return lock


def _wait() -> None:
    """A fork waits until nobody traces, loads or compiles.

    A module that was loaded meanwhile may have brought a lock of its own, whose turn was before.
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
    """Of the threads that held locks only the one that forked is in the child."""
    _go_on()
    for lock in (*_AWAITED, *_ALL):
        if not lock._is_owned():
            lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait, after_in_parent=_go_on, after_in_child=_freed_in_child)
