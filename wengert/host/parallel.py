"""Multithreading: work in parts, one for each processor.

NumPy releases the GIL while it computes, so threads can share the work. Their matrix products must
then be single-threaded: OpenBLAS would make one thread wait for the other. Measured on two
processors, a convolution of a million float32 in tiles: one thread with threaded products 7.5 ms,
two threads with threaded products 7.6, two threads with single-threaded products 4.4.
"""

from __future__ import annotations

import contextvars
import functools
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import numpy as np

from wengert.host.locks import load_module
from wengert.host.numpy_openblas import bundled_function
from wengert.host.threads import processors

if TYPE_CHECKING:
    from wengert.values.typing import Array

Result = TypeVar("Result")


@functools.cache
def _pool() -> Any:
    futures = load_module("concurrent.futures")  # slower to import than its size suggests
    return futures.ThreadPoolExecutor(max(processors() - 1, 1), thread_name_prefix="wengert")


if hasattr(os, "register_at_fork"):  # the threads of a pool do not survive a fork
    os.register_at_fork(after_in_child=_pool.cache_clear)


def in_parts(work: Callable[[Any], Result], items: Sequence[Any]) -> list[Result]:
    """Call `work` on parts of the items in parallel, one for each processor."""
    count = min(processors(), len(items))
    if count < 2 or threading.current_thread().name.startswith("wengert"):
        return [work(items)]
    parts = [items[i * len(items) // count : (i + 1) * len(items) // count] for i in range(count)]
    with _single_products():
        others = [_pool().submit(contextvars.copy_context().run, work, p) for p in parts[1:]]
        try:
            first = work(parts[0])
        finally:
            results = [other.result() for other in others]
    return [first, *results]


_SMALL_BUFFER: Final = 512  # elements


@contextmanager
def without_buffers() -> Iterator[None]:
    """Avoid copies into NumPy's buffers when computing rows that are not contiguous.

    Unless a row is at least half as long as its buffer, 8192 elements, NumPy's iterator copies even
    what needs no cast: the maximum of two arrays of 64 rows of 1008 float32 took 26 us with it, 8
    with a buffer of 512, and 6 in one piece (NumPy 2.4). The size is part of the context, which
    `in_parts` passes on.
    """
    before = np.setbufsize(_SMALL_BUFFER)
    try:
        yield
    finally:
        np.setbufsize(before)


# ---- the threads of NumPy's matrix products -----------------------------------------------------


class _Products:
    """How many of our threads are at work, and how many threads products had before."""

    lock = threading.RLock()
    users: ClassVar[set[object]] = set()
    before = 0


@functools.cache
def _openblas() -> tuple[Any, Any] | None:
    """The functions that get and set the number of threads of NumPy's bundled OpenBLAS."""
    return _threads_of(np)


def _threads_of(package: Any) -> tuple[Any, Any] | None:
    get, put = (bundled_function(package, f"{verb}_num_threads") for verb in ("get", "set"))
    return None if put is None else (get, put)


@contextmanager
def _single_products() -> Iterator[None]:
    """Single-threaded products while any of our threads is at work."""
    functions = _openblas()
    if functions is None:
        yield
        return
    get, put = functions
    me = object()
    try:
        try:
            with _Products.lock:
                if not _Products.users:
                    _Products.before = get()
                    _Products.users.add(me)
                    put(1)
                _Products.users.add(me)
            yield
        finally:
            _leave(me, put)
    finally:  # also if the first was interrupted
        _leave(me, put)


def _leave(me: object, put: Any) -> None:
    with _Products.lock:
        if me in _Products.users:
            if len(_Products.users) == 1:
                put(_Products.before)
            _Products.users.discard(me)


def _alone_in_child() -> None:
    """Reset in the child of a fork: it has only the forking thread, which is not at work."""
    _Products.lock = threading.RLock()
    functions = _openblas() if _Products.users else None
    _Products.users.clear()
    if functions is not None:
        functions[1](_Products.before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_alone_in_child)


_LOOK: Final = 1.0  # seconds between two looks at the machine
_LEAST: Final = 0.05  # seconds that a look takes
_MOST: Final = 0.5  # after more we did not compute all the time, and another program may have
_ENOUGH: Final = 0.75  # of our processors: less, and they are shared


class _Load:
    """When the machine is looked at again, and how many threads products had before it was busy."""

    again = 0.0
    before: ClassVar[dict[str, int]] = {}  # by the package whose copy of OpenBLAS it is
    others: ClassVar[dict[str, tuple[Any, Any]]] = {}  # than NumPy's copy: what gets and sets them
    # Of the look that has begun: the time, and the idle and our own seconds until then.
    seen: tuple[float, float, float] | None = None


def mind_the_load() -> None:
    """Single-threaded products while the machine is overloaded.

    OpenBLAS's threads spin while they wait for each other: the time that another process takes from
    one of them is lost to all. A product of 200 x 200 float32, beside six busy processes on two
    processors, took 5.1 ms on average with two threads and 0.8 with one; alone 0.09 and 0.14.
    """
    now = time.monotonic()
    if now < _Load.again:
        return
    functions = _openblas()
    if functions is None:
        return
    busy = _is_busy()
    _Load.again = now + (_LEAST if busy is None else _LOOK)
    if busy is None:
        return
    with _Products.lock:
        if _Products.users:
            return
        for package, (get, put) in {"numpy": functions, **_Load.others}.items():
            if busy:
                _make_single(package, get, put)
            elif package in _Load.before:
                put(_Load.before.pop(package))


def _make_single(package: str, get: Any, put: Any) -> None:
    if (threads := get()) > 1:
        _Load.before[package] = threads
        put(1)


def mind_the_load_of(package: Any) -> None:
    """Mind it for the copy of OpenBLAS that another package brings, too."""
    functions = _threads_of(package)
    if functions is None:
        return
    with _Products.lock:
        _Load.others[package.__name__] = functions
        if _Load.before:  # NumPy's are single at the moment
            _make_single(package.__name__, *functions)


def _is_busy() -> bool | None:
    """Whether other programs leave us less than our processors; None while that is being measured.

    The system's load is an average of a minute: it tells whether a program began a second ago only
    where nothing else does.
    """
    begun, now = _Load.seen, _seconds_so_far()
    if now is None:
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        return load > (os.cpu_count() or 1) + 1
    if begun is None or now[0] - begun[0] > _MOST:
        _Load.seen = now
        return None
    _Load.seen = None
    passed, idle, own = (after - before for after, before in zip(now, begun, strict=True))
    return idle + own < _ENOUGH * processors() * passed


def _seconds_so_far() -> tuple[float, float, float] | None:
    """The time, the seconds that processors were idle, and those that we used; None if nothing tells."""
    try:
        with open("/proc/stat", "rb") as file:
            counts = file.readline().split()
        return time.monotonic(), int(counts[4]) / os.sysconf("SC_CLK_TCK"), time.process_time()
    except (OSError, ValueError, IndexError):
        return None


# ---- rows of one array ------------------------------------------------------------------------

_SHARED = 1 << 18  # elements from which on a second thread is worth the 50 us that it costs


def in_rows(work: Callable[[slice], None], x: Array, axis: int) -> None:
    """Call `work` on slices of rows in parallel, unless `axis` is the first one."""
    if x.ndim < 2 or axis in (0, -x.ndim):
        work(slice(None))
    else:
        in_blocks(work, x)


def in_blocks(work: Callable[[slice], None], x: Array, least: int = _SHARED) -> None:
    """Call `work` on one block of rows for each processor, if the array is large enough.

    Smaller blocks would fit a cache, but then the threads contend for the GIL: a batch norm of a
    million float32 takes 1.3 ms with them, 0.9 with one block for each processor.
    """
    count = min(processors(), len(x))
    if x.size < least or count < 2:
        work(slice(None))
        return
    edges = [len(x) * i // count for i in range(count + 1)]

    def some(parts: Sequence[slice]) -> None:
        for rows in parts:
            work(rows)

    in_parts(some, [slice(a, b) for a, b in itertools.pairwise(edges)])


def in_pieces(function: Callable[[Any], Any], x: Array) -> Array:
    """An elementwise function, with a piece of the array on each processor."""
    if x.size < _SHARED or not x.flags.c_contiguous:
        return function(x)
    flat = x.reshape(-1)
    out = np.empty_like(flat)

    def some(rows: slice) -> None:
        out[rows] = function(flat[rows])

    in_blocks(some, flat)
    return out.reshape(x.shape)
