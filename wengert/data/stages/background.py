"""Elements that are made while others are used.

A thread helps where making an element waits: for a file, for a Python function that sleeps. Where
it computes, a second thread of Python would take the time of the first. So the first elements are
made in place, and timed; threads begin when they spent much of it waiting.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from wengert.data.elements import Element
from wengert.data.functions import Call
from wengert.data.pipeline import Pipeline, stage

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
    if room == 0:
        return Pipeline(source.__iter__, source.count, [source])
    ahead = _AUTOTUNED if room < 0 else room
    return Pipeline(lambda: _ahead(source, ahead), source.count, [source])


def _ahead(source: Pipeline, room: int) -> Iterator[Element]:
    elements = iter(source)
    watch = _Watch()
    while watch.count < _TRIED:
        with watch:
            element = next(elements, None)
        if element is None:
            return
        yield element
        if watch.says_thread:
            break
    else:
        yield from elements
        return
    yield from _from_thread(elements, room)


class _Feed:
    """What a thread makes, and another uses. It knows nothing of who uses it, who may go away."""

    def __init__(self, elements: Iterator[Element], room: int) -> None:
        self._elements, self._room = elements, room
        self._made: deque[tuple[bool, Any]] = deque()
        self._changed = threading.Condition()
        self._stopped = False

    def run(self) -> None:
        """Make elements until there are no more, or nobody wants them."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or len(self._made) < self._room)
                if self._stopped:
                    return
            try:
                found: tuple[bool, Any] = True, next(self._elements)
            except StopIteration:
                found = False, None
            except BaseException as error:  # noqa: BLE001  # raised where it is used
                found = False, error
            with self._changed:
                self._made.append(found)
                self._changed.notify_all()
            if not found[0]:
                return

    def take(self) -> tuple[bool, Any]:
        """The next element, when it is made; False with an error, or None, at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._made)
            found = self._made.popleft()
            self._changed.notify_all()
            return found

    def stop(self) -> None:
        """Make no more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()


def _from_thread(elements: Iterator[Element], room: int) -> Iterator[Element]:
    feed = _Feed(elements, room)
    threading.Thread(target=feed.run, name="wengert-prefetch", daemon=True).start()
    try:
        while True:
            there, element = feed.take()
            if not there:
                if element is not None:
                    raise element
                return
            yield element
    finally:
        feed.stop()


# ---- side by side -------------------------------------------------------------------------------


def in_parallel(call: Call, source: Pipeline, workers: int) -> Iterator[Element]:
    """The results of a function, in the order of the elements; several are made at a time."""
    elements = iter(source)
    watch = _Watch()
    for element in elements:
        with watch:
            found = call(element)
        yield found
        if watch.says_thread or watch.count == _TRIED:
            break
    if not watch.says_thread:
        yield from map(call, elements)
        return
    yield from _by_pool(call, elements, _AUTOTUNED if workers == AUTOTUNE else workers)


def _by_pool(call: Call, elements: Iterator[Element], workers: int) -> Iterator[Element]:
    pool = ThreadPoolExecutor(workers, "wengert-map")
    waiting: deque[Future[Element]] = deque()
    try:
        for element in itertools.islice(elements, workers):
            waiting.append(pool.submit(call, element))
        while waiting:
            found = waiting.popleft().result()
            for element in itertools.islice(elements, 1):
                waiting.append(pool.submit(call, element))
            yield found
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
