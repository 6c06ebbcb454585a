"""Writers of event files: tf.summary.create_file_writer."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from wengert.formats.events import EventFile
from wengert.saving.summaries.current import current

_WAITING: Final = 10
_SECONDS: Final = 120.0


class SummaryWriter:
    """Where summaries go. `with writer.as_default():` sends those of a block there.

    >>> writer = tf.summary.create_noop_writer()
    >>> with writer.as_default(step=1):
    ...     tf.summary.scalar("loss", 0.5).numpy()
    np.False_
    """

    def __init__(self, file: EventFile | None = None) -> None:
        self._file = file
        self._is_closed = False
        if file is not None:
            weakref.finalize(self, _flushed, file)

    @contextlib.contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Summaries go to this writer inside, with the step if one is given."""
        self._check_open()
        before = current.writer, current.step
        current.use(self, current.step if step is None else step)
        try:
            yield self
        finally:
            self.flush()
            current.use(before[0], current.step if step is None else before[1])

    def set_as_default(self, step: Any = None) -> None:
        """Summaries go to this writer from now on."""
        self._check_open()
        current.use(self, current.step if step is None else step)

    def init(self) -> None:
        """The writer is ready without."""

    def add(self, data: bytes) -> None:
        """Write an event."""
        if self._file is not None and not self._is_closed:
            self._file.add(data)

    @property
    def writes(self) -> bool:
        """Whether anything is written."""
        return self._file is not None

    @property
    def path(self) -> Any:
        """The file."""
        return None if self._file is None else self._file.path

    def flush(self) -> None:
        """Write what waits in memory."""
        if self._file is not None and not self._is_closed:
            self._file.flush()

    def close(self) -> None:
        """Write what waits; nothing can be written after."""
        self.flush()
        self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError(f"SummaryWriter is already closed: {self.path}")


def _flushed(file: EventFile) -> None:
    with contextlib.suppress(Exception):
        file.flush()


def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer of a new event file in a folder.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(folder).as_default():
    ...     tf.summary.scalar("loss", 0.5, step=1).numpy()
    np.True_
    >>> len(os.listdir(folder))
    1
    """
    folder = logdir.numpy().decode() if hasattr(logdir, "numpy") else os.fspath(logdir)
    most = _WAITING if max_queue is None else int(np.asarray(max_queue))
    seconds = _SECONDS if flush_millis is None else int(np.asarray(flush_millis)) / 1000
    return SummaryWriter(EventFile(folder, most, seconds, filename_suffix or ".v2"))


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing.

    >>> with tf.summary.create_noop_writer().as_default():
    ...     tf.summary.should_record_summaries().numpy()
    np.False_
    """
    return SummaryWriter()


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Write what waits in a writer, or in that in force.

    >>> tf.summary.flush()
    """
    chosen = writer if writer is not None else current.writer
    if chosen is not None:
        chosen.flush()
