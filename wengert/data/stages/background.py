"""Elements that are made while others are used.

A thread helps where making an element waits: for a file, for a Python function that sleeps. Where
it computes, a second thread of Python would take the time of the first. So the first elements are
made in place, and timed; threads begin when they spent much of it waiting.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Final

from wengert.data.elements import Element
from wengert.data.functions import Call
from wengert.data.pipeline import Pipeline, stage
from wengert.errors import InvalidArgumentError

_LONG: Final = 1e-3  # seconds for an element that are worth a thread
_TRIED: Final = 8  # elements
_AUTOTUNED: Final = 8  # workers, and elements ahead, where a program leaves the choice
AUTOTUNE: Final = -1


class _Watch:
    """How many of the first elements took long because they waited."""

    def __init__(self) -> None:
        self.count, self._waited = 0, 0

    def __enter__(self) -> None:
        self._at = time.perf_counter(), time.thread_time()

    def __exit__(self, *_: object) -> None:
        spent = time.perf_counter() - self._at[0]
        waited = spent - (time.thread_time() - self._at[1])
        self._waited += waited > max(_LONG, 0.3 * spent)
        self.count += 1

    @property
    def says_thread(self) -> bool:
        """Whether threads would help: one long wait may be due to other programs."""
        return self._waited >= max(2, self.count // 2)


# ---- ahead --------------------------------------------------------------------------------------


@stage("PrefetchDataset")
def prefetch(source: Pipeline, size: Any) -> Pipeline:
    room = int(size)
    if room < AUTOTUNE:
        raise InvalidArgumentError(f"buffer_size must be >= 0 or AUTOTUNE, got {room}.")
    if room == 0:
        return Pipeline(source.__iter__, source.count, [source])
    ahead = _AUTOTUNED if room < 0 else room
    return Pipeline(lambda: _Ahead(source, ahead), source.count, [source])


class _Ahead:
    """Elements that are made in place, or by a thread once the first ones waited."""

    def __init__(self, source: Pipeline, room: int) -> None:
        self._elements, self._room = iter(source), room
        self._watch = _Watch()
        self._feed: _Feed | None = None

    def __iter__(self) -> _Ahead:
        return self

    def __next__(self) -> Element:
        if self._feed is not None:
            return self._feed.take()
        if self._watch.count >= _TRIED:
            return next(self._elements)
        with self._watch:
            element = next(self._elements)
        if self._watch.says_thread:
            feed = _Feed(self._elements, self._room)
            weakref.finalize(self, feed.stop)
            self._feed = feed
        return element


def _thread(work: Callable[[], None], name: str) -> threading.Thread:
    """A thread that the end of the program does not wait for."""
    return threading.Thread(target=work, name=name, daemon=True)


def _begin(thread: threading.Thread) -> None:
    """Start a thread, unless it is started: an interrupt may have come when it was."""
    if thread.ident is None:
        try:
            thread.start()
        except RuntimeError:  # it is started already, or the system has no more
            if thread.ident is None:
                raise


class _Feed:
    """What a thread makes, and another uses. It knows nothing of who uses it, who may go away."""

    def __init__(self, elements: Iterator[Element], room: int) -> None:
        self._elements, self._room = elements, room
        self._made: deque[Element | BaseException] = deque()
        self._changed = threading.Condition()
        self._stopped = False
        self._thread = _thread(self.run, "wengert-prefetch")

    def run(self) -> None:
        """Make elements until there are no more, or nobody wants them."""
        goes_on = True
        while goes_on:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or len(self._made) < self._room)
                if self._stopped:
                    return
            found: Element | BaseException
            try:
                found = next(self._elements)
            except BaseException as error:  # noqa: BLE001  # raised where it is used
                found = error
                goes_on = isinstance(error, Exception) and not isinstance(error, StopIteration)
            with self._changed:
                self._made.append(found)
                self._stopped |= not goes_on
                self._changed.notify_all()
            del found  # an error knows who used it, and would keep them

    def take(self) -> Element:
        """The next element, when it is made, or the error instead of it."""
        _begin(self._thread)
        with self._changed:
            self._changed.wait_for(lambda: self._made or self._stopped)
            found = self._made.popleft() if self._made else StopIteration()
            self._changed.notify_all()
        if isinstance(found, BaseException):
            raise found
        return found

    def stop(self) -> None:
        """Make no more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()


# ---- side by side -------------------------------------------------------------------------------


class InParallel:
    """The results of a function, in the order of the elements; several are made at a time."""

    def __init__(self, call: Call, source: Pipeline, workers: int) -> None:
        self._call, self._elements = call, iter(source)
        self._count = _AUTOTUNED if workers == AUTOTUNE else workers
        self._watch = _Watch()
        self._pool: _Pool | None = None

    def __iter__(self) -> InParallel:
        return self

    def __next__(self) -> Element:
        if self._pool is not None:
            return self._pool.take(self._elements)
        element = next(self._elements)
        if self._watch.count >= _TRIED:
            return self._call(element)
        with self._watch:
            found = self._call(element)
        if self._watch.says_thread:
            pool = _Pool(self._call, self._count)
            weakref.finalize(self, pool.stop)
            self._pool = pool
        return found


class _Pool:
    """Threads that call a function."""

    def __init__(self, call: Call, count: int) -> None:
        self._count = count
        self._tasks: SimpleQueue[tuple[Future[Element], Element] | None] = SimpleQueue()
        self._waiting: deque[Future[Element]] = deque()
        work = functools.partial(_work, self._tasks, call)
        self._threads = [_thread(work, f"wengert-map-{n}") for n in range(count)]

    def take(self, elements: Iterator[Element]) -> Element:
        """The next result, or the error instead of it."""
        for thread in self._threads:
            _begin(thread)
        while len(self._waiting) < self._count and self._added(elements):
            pass
        if not self._waiting:
            raise StopIteration
        try:
            return self._waiting[0].result()
        finally:
            if self._waiting[0].done():  # and not interrupted
                self._waiting.popleft()

    def _added(self, elements: Iterator[Element]) -> bool:
        future: Future[Element] = Future()
        try:
            self._tasks.put((future, next(elements)))
        except StopIteration:
            return False
        except Exception as error:  # noqa: BLE001  # raised when its turn comes
            future.set_exception(error)
        self._waiting.append(future)
        return True

    def stop(self) -> None:
        """Call no more."""
        with contextlib.suppress(Empty):
            while True:
                self._tasks.get_nowait()
        for _ in range(self._count):
            self._tasks.put(None)


def _work(tasks: Any, call: Call) -> None:
    while (task := tasks.get()) is not None:
        future, element = task
        try:
            future.set_result(call(element))
        except BaseException as error:  # noqa: BLE001  # raised where it is used
            future.set_exception(error)
        del task, future, element  # an error knows who used it, and would keep them
