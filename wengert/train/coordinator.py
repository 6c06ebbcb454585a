"""tf.compat.v1.train.Coordinator: lets threads stop together."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from wengert.errors import OutOfRangeError


class Coordinator:
    """Threads ask whether to stop, and each may ask all others to; `join` raises what went wrong.

    >>> coordinator = tf.train.Coordinator()
    >>> coordinator.should_stop()
    False
    >>> coordinator.request_stop()
    >>> coordinator.should_stop()
    True
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        self._clean = tuple(clean_stop_exception_types or (OutOfRangeError,))
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._threads: list[threading.Thread] = []
        self._joined = False

    @property
    def joined(self) -> bool:
        """Whether `join` has returned."""
        return self._joined

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._stop.is_set()

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop; an error is kept for `join`, unless it only says that data ended."""
        error = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if error is not None and not isinstance(error, self._clean) and self._error is None:
                if self._joined:
                    raise error
                self._error = error
            self._stop.set()

    def clear_stop(self) -> None:
        """Begin anew."""
        with self._lock:
            self._joined, self._error = False, None
            self._stop.clear()

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until a stop is requested; whether one was."""
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Let `join` wait for a thread."""
        with self._lock:
            self._threads.append(thread)

    def raise_requested_exception(self) -> None:
        """Raise the error with which a stop was requested."""
        if self._error is not None:
            raise self._error

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Request a stop if the block fails."""
        try:
            yield
        except Exception as error:  # noqa: BLE001  `join` raises it
            self.request_stop(error)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait for the threads to end; after a stop was requested, not longer than the grace period."""
        waited = [*self._threads, *(threads or [])]
        while any(t.is_alive() for t in waited) and not self.wait_for_stop(0.05):
            pass
        until = time.monotonic() + stop_grace_period_secs
        for thread in waited:
            thread.join(max(0.0, until - time.monotonic()))
        alive = [t.name for t in waited if t.is_alive()]
        with self._lock:
            self._joined, self._threads = True, []
        self.raise_requested_exception()
        if alive and not ignore_live_threads:
            raise RuntimeError(
                f"Coordinator stopped with threads still running: {' '.join(alive)}. Let them ask "
                "should_stop() more often, or close the queues that they wait for."
            )
