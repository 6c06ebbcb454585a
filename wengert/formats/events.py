"""Events and summaries as messages, which TensorBoard reads."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from itertools import count
from pathlib import Path
from typing import Any, Final

from wengert.errors import of_os_error
from wengert.formats.records import record
from wengert.formats.tensors import tensor_message
from wengert.formats.wire import Message

_VERSION: Final = "brain.Event:2"
_NUMBERS: Final = count()
# Fields of Event.
_TIME, _STEP, FILE_VERSION, GRAPH, SUMMARY, _, _, RUN_METADATA = range(1, 9)


def metadata(plugin: str, content: bytes = b"", name: str = "", description: str = "") -> Message:
    """What a summary is, as SummaryMetadata: the plug-in that shows it."""
    data = Message().text(1, plugin)
    made = Message().message(1, data.data(2, content) if content else data)
    if name:
        made.text(2, name)
    return made.text(3, description) if description else made


def summary(tag: str, array: Any, about: bytes | None = None) -> Message:
    """A tensor under a name, as Summary; what it is as SummaryMetadata."""
    value = Message().text(1, tag).message(8, tensor_message(array))
    if about is not None:
        value.data(9, about)
    return Message().message(1, value)


def event(field: int, content: bytes, step: int = 0) -> bytes:
    """An event of now."""
    made = Message().float64(_TIME, time.time())
    if step:
        made.integer(_STEP, step)
    return made.data(field, content).done()


def file_name(suffix: str = ".v2") -> str:
    """A name that no other file has; in order of time, also within a second, as names are sorted."""
    now, number = int(time.time()), next(_NUMBERS)
    return (
        f"events.out.tfevents.{now:010d}.{socket.gethostname()}.{os.getpid()}.{number:06d}{suffix}"
    )


class EventFile:
    """A file of events in a folder; what is written waits in memory for a moment."""

    def __init__(
        self, folder: str, most: int = 10, seconds: float = 120.0, suffix: str = ".v2"
    ) -> None:
        self.path = Path(folder) / file_name(suffix)
        self._most, self._seconds = most, seconds
        self._lock = threading.Lock()
        self._waiting = [record(event(FILE_VERSION, _VERSION.encode()))]
        self._count = 0
        self._at = 0
        self._last = time.time()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise of_os_error(error) from error
        self.flush()

    def add(self, data: bytes) -> None:
        """Write an event."""
        with self._lock:
            self._waiting.append(record(data))
            self._count += 1
            is_time = self._count > self._most or time.time() - self._last > self._seconds
        if is_time:
            self.flush()

    def flush(self) -> None:
        """Write what waits; if that fails it waits on, and the file ends with its last whole record."""
        with self._lock:
            data = b"".join(self._waiting)
            try:
                with open(self.path, "r+b" if self._at else "wb") as file:
                    file.seek(self._at)
                    file.write(data)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.truncate(self.path, self._at)
                raise of_os_error(error, str(self.path)) from error
            self._at += len(data)
            self._waiting.clear()
            self._count = 0
            self._last = time.time()
