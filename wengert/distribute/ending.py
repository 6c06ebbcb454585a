"""A process that ends says so: others that wait for a value of it would wait for ever.

At its end JAX waits until all processes are there, so its connections stay open, and who adds a value with it is
told nothing. What all of them compute together is counted, so it is known who waits in vain.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from typing import Any, Final

from wengert.engines.xla.backend import load
from wengert.engines.xla.meetings import Meetings, in_vain, is_in_vain, note_ended
from wengert.host.user_frames import place_of, users_frame

_KEY: Final = "wengert/ended"
_LOOK: Final = 0.5  # seconds


class Watch(threading.Thread):
    """Looks whether another process has ended, until this one does."""

    def __init__(self, index: int, count: int) -> None:
        super().__init__(name="wengert-watch", daemon=True)
        self._index, self._count = index, count
        self._done = threading.Event()
        # JAX's notes for all processes, which has no public name.
        self._notes: Any = load("jax._src.distributed").global_state.client

    def begin(self) -> None:
        """Look from now on."""
        if hasattr(self._notes, "key_value_try_get"):
            self.start()
            atexit.register(self._end)  # before JAX's own

    def run(self) -> None:
        """Until one has ended."""
        while not self._done.wait(_LOOK):
            with contextlib.suppress(RuntimeError, ValueError):  # there is none
                index, last = self._notes.key_value_try_get(_KEY).split()
                note_ended(f"process {index} of {self._count}", int(last))
                break
        if is_in_vain() and not self._done.is_set():
            _end_now()

    def _end(self) -> None:
        self._done.set()
        self.join()
        with contextlib.suppress(RuntimeError, ValueError):  # another one has ended before
            self._notes.key_value_set(_KEY, f"{self._index} {Meetings.begun}")


def _end_now() -> None:
    """End this process, whose main thread waits where no error reaches it; say where that is."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    place = "" if frame is None else f" ({place_of(users_frame(frame))})"
    sys.stderr.write(f"UnavailableError{place}: {in_vain()}\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)
