"""The pool: threads that carry out parts of steps, and sleep when there are none."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any, Final

import numpy as np

from wengert.engines.native import runtime
from wengert.engines.native.cache import stored
from wengert.engines.native.machine import Loaded, compiled
from wengert.ops.workers import processors


class _Wanted:
    """How many threads were asked for; None: as many as there are processors."""

    threads: int | None = None


def set_threads(count: int | None) -> None:
    """Let native plans use so many threads; None for as many as there are processors.

    >>> tf.config.set_threads(2)
    >>> tf.config.get_threads()
    2
    >>> tf.config.set_threads(None)
    """
    if count is not None and (type(count) is not int or count < 1):
        raise ValueError(f"The number of threads must be a positive integer or None, got {count!r}")
    _Wanted.threads = count
    pool.resize()


def get_threads() -> int:
    """How many threads native plans use.

    The environment variable OMP_NUM_THREADS says it, if set_threads did not.
    """
    if _Wanted.threads is not None:
        return _Wanted.threads
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(asked) if asked.isdigit() and int(asked) > 0 else processors()


@functools.cache
def functions() -> Loaded:
    """The compiled runtime."""
    return Loaded(stored("runtime", runtime.text(), lambda: compiled(runtime.text())))


class Pool:
    """The memory that the threads look at, and the threads, which live as long as the process."""

    THREADS: Final = 216  # where the number of threads stands, in bytes

    def __init__(self) -> None:
        self._memory: Any = None
        self._started = 0

    @property
    def address(self) -> int:
        if self._memory is None:
            self._memory = np.zeros(runtime.POOL_BYTES // 8 + 8, np.int64)
            self.resize()
        here: int = self._memory.ctypes.data
        return -(-here // 64) * 64

    def resize(self) -> None:
        if self._memory is None:
            return
        wanted = get_threads() - 1 if runtime.has_threads() else 0
        while self._started < wanted:
            self._start()
        # Threads beyond those that are wanted help all the same, unless none is wanted.
        number = ctypes.c_int64.from_address(self.address + self.THREADS)
        number.value = min(wanted, self._started)

    def _start(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        thread = ctypes.c_void_p()
        begin = ctypes.c_void_p(functions().address("worker"))
        error = libc.pthread_create(
            ctypes.byref(thread), None, begin, ctypes.c_void_p(self.address)
        )
        if error:
            raise OSError(error, "a thread could not be started")
        libc.pthread_detach(thread)
        self._started += 1

    def forget(self) -> None:
        """After a fork the threads are gone: those of the child are started anew."""
        memory = self._memory
        self._started = 0
        if memory is not None:
            memory[:] = 0
            self.resize()


pool: Final = Pool()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.forget)
