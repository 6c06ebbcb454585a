"""The pool: threads that carry out parts of steps, and sleep when there are none."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from _thread import start_new_thread
from typing import Any, Final

import numpy as np

from wengert.engines.native.runtime import runtime_ir
from wengert.engines.native.runtime.cache import load_or_store
from wengert.engines.native.runtime.llvm import LoadedObject, compile_text, load_llvm
from wengert.host.lifetime import keep_for_ever
from wengert.host.locks import awaited_lock
from wengert.host.threads import get_threads, when_threads_change
from wengert.host.warn_once import warn_once

# Compiled code must be loaded by one thread: if two loaded it and one copy were dropped, that would
# be freed while threads run it.
_LOCK: Final = awaited_lock()


def functions() -> LoadedObject:
    """The compiled runtime."""
    with _LOCK:
        return _functions()


def prepare() -> None:
    """Load the runtime in a thread of its own, where there are processors for two.

    What is raised there is raised again where the runtime is asked for.
    """
    if _functions.cache_info().currsize or get_threads() < 2:
        return
    load_llvm()  # imports are many short reads, after each of which a thread waits for Python's lock

    def load() -> None:
        with contextlib.suppress(Exception):
            functions()

    with contextlib.suppress(RuntimeError):  # the system has no more threads
        start_new_thread(load, ())  # a single call: an interrupt leaves nothing behind


def one_at_a_time() -> Any:
    """A lock for what only one thread may load at a time."""
    return _LOCK


@functools.cache
def _functions() -> LoadedObject:
    text = runtime_ir.text()
    code = load_or_store("runtime", text, lambda: compile_text(text, quickly=True))
    return keep_for_ever(LoadedObject(code))


class Pool:
    """The threads, which live as long as the process, and the memory that they share."""

    THREADS: Final = 216  # the offset of the number of threads, in bytes

    def __init__(self) -> None:
        self._memory: Any = None
        self._started = 0

    @property
    def address(self) -> int:
        with _LOCK:
            if self._memory is None:
                self._memory = keep_for_ever(np.zeros(runtime_ir.POOL_BYTES // 8 + 8, np.int64))
                self.resize()
        here: int = self._memory.ctypes.data
        return -(-here // 64) * 64

    def resize(self) -> None:
        with _LOCK:
            if self._memory is not None:
                self._resize()

    def _resize(self) -> None:
        wanted = get_threads() - 1 if runtime_ir.has_threads() else 0
        while self._started < wanted:
            if not self._start():
                warn_once(
                    f"Of {wanted + 1} threads {self._started + 1} could be had: plans use those."
                )
                break
        number = ctypes.c_int64.from_address(self.address + self.THREADS)
        number.value = min(wanted, self._started)
        if self._started:
            tell = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(functions().address("resized"))
            tell(self.address)

    def _start(self) -> bool:
        """Start one more thread; False if the system allows no more, or has no memory for it."""
        libc = ctypes.CDLL(None, use_errno=True)
        thread = ctypes.c_void_p()
        begin = ctypes.c_void_p(functions().address("worker"))
        error = libc.pthread_create(
            ctypes.byref(thread), None, begin, ctypes.c_void_p(self.address)
        )
        if error:
            return False
        libc.pthread_detach(thread)
        self._started += 1
        return True

    def forget(self) -> None:
        """Start the threads anew in the child after a fork, which copies none."""
        memory = self._memory
        self._started = 0
        if memory is not None:
            memory[:] = 0
            self.resize()


pool: Final = Pool()
when_threads_change.append(pool.resize)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.forget)
