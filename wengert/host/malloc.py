"""Memory of freed arrays is kept for the next ones.

The C library returns memory above a threshold to the system as soon as it is free, and requests it
again for the next array, for which the system first zeroes every page. For arrays of a million
floats that takes longer than most operations: a gradient of the sigmoid took 5.7 ms with it and
takes 0.6 ms without (measured with glibc 2.36 and NumPy 2.4). So the thresholds are raised before
the first large array: up to KEPT free bytes stay with the process. Larger blocks than the C library
accepts as a threshold are kept by `kept_memory`. WENGERT_KEEP_MEMORY=0 leaves all of it alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import os
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, ClassVar, Final

from wengert.host.kept_memory import is_kept, use_blocks_here
from wengert.host.thread_state import ThreadState

KEPT: Final = 256 << 20
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3  # the numbers of <malloc.h>


def _has_vector_functions() -> bool:
    """Whether NumPy computes functions such as log1p and tan with vectors: on Linux, with AVX-512."""
    known = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    return sys.platform == "linux" and bool(known.get("AVX512_SKX") or known.get("X86_V4"))


# Elements from which on an array is large: up to 16,384, NumPy is as fast as our kernels.
LARGE: Final = 1 << 15
# Of functions that take NumPy 3 to 16 ns for each element, unless it computes them with vectors.
LARGE_SLOW: Final = LARGE if _has_vector_functions() else 1 << 12
# Of two arrays of which NumPy computes one in one pass; of doubles a half.
LARGE_PAIR: Final = 1 << 17
LARGE_HALF: Final = 1 << 11  # of numbers of two bytes, each of which takes NumPy 2 to 9 ns
NARROW: Final = 32  # of a row, below which NumPy takes longer to begin with it than to compute it
MANY_ROWS: Final = 1 << 8  # of which NumPy reduces each for itself
SOME: Final = 2 * MANY_ROWS  # elements, below which an array has not so many rows
HUGE: Final = 1 << 19  # from which on its memory may be a block that is kept

# NumPy's allocation functions are those of a context. Whether they are ours in this one:
_IS_KEPT: Final[ContextVar[bool]] = ContextVar("blocks are kept", default=False)


class _Contexts(ThreadState):
    """Other contexts of a thread in which arrays are made: each as a function that runs in it."""

    runners: list[Callable[..., Any]]
    first: ClassVar = {"runners": list}


_CONTEXTS: Final = _Contexts()


class _Process:
    keeps_blocks = False


def keep_memory(elements: int) -> None:
    """Keep memory from now on; an array of so many elements is to be made, which may be all that is computed."""
    raise_thresholds()
    if elements >= HUGE:
        keep_blocks()


def keep_blocks() -> None:
    """Keep the blocks of arrays that are made in this context, and in others of this thread: one is to be large."""
    if not _IS_KEPT.get():
        _begin()


def keep_blocks_in(run: Callable[..., Any]) -> None:
    """Keep blocks in another context of this thread, too; now, if the process does already."""
    _CONTEXTS.runners.append(run)
    if _Process.keeps_blocks:
        _begin()


def _begin() -> None:
    raise_thresholds()
    _Process.keeps_blocks = True
    _keep_here()
    for run in _CONTEXTS.runners:
        with contextlib.suppress(RuntimeError):  # it is the context that we are in
            run(_keep_here)


def _keep_here() -> None:
    if is_kept() and not _IS_KEPT.get():  # where it is not, it may be later: see `set_kept_memory`
        _IS_KEPT.set(True)
        use_blocks_here()


@functools.cache
def raise_thresholds() -> bool:
    """Raise the thresholds, if the C library has them; whether that succeeded."""
    if not is_kept():
        return False
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if set_option is None:
        return False
    # 32 MiB is the most that glibc accepts for the second.
    options = ((_TRIM_THRESHOLD, KEPT), (_MMAP_THRESHOLD, 32 << 20), (_TOP_PAD, 16 << 20))
    return all(set_option(option, value) == 1 for option, value in options)
