"""The pool: threads that carry out parts of steps, and sleep when there are none."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any, Final

import numpy as np

from wengert.engines.choosing import get_threads, when_threads_change
from wengert.engines.native import runtime
from wengert.engines.native.cache import stored
from wengert.engines.native.machine import Loaded, compiled


@functools.cache
def functions() -> Loaded:
    """The compiled runtime."""
    return Loaded(stored("runtime", runtime.text(), lambda: compiled(runtime.text(), quickly=True)))


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
when_threads_change.append(pool.resize)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.forget)
