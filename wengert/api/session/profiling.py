"""tf.profiler.experimental: recordings may begin and end where TensorFlow's may. They record nothing.

What runs here is Python and NumPy, which Python's own profilers see.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from wengert.errors import AlreadyExistsError, UnavailableError
from wengert.host.locks import new_lock


class ProfilerOptions(NamedTuple):
    """How much a recording of TensorFlow notes."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _State:
    lock = new_lock()
    running = False


def start(logdir: str, options: ProfilerOptions | None = None) -> None:
    """Accepted: nothing is recorded. One recording at a time may run, as in TensorFlow.

    >>> tf.profiler.experimental.start("logs")
    >>> tf.profiler.experimental.stop()
    """
    with _State.lock:
        if _State.running:
            raise AlreadyExistsError(
                "Another profiler is running. Call tf.profiler.experimental.stop() first."
            )
        _State.running = True


def stop(save: bool = True) -> None:
    """End what `start` began; there is nothing to be written."""
    with _State.lock:
        if not _State.running:
            raise UnavailableError(
                "Cannot export profiling results. No profiler is running: call "
                "tf.profiler.experimental.start(logdir) first."
            )
        _State.running = False


class Profile:
    """A recording of a block: see `start`.

    >>> with tf.profiler.experimental.Profile("logs"):
    ...     y = tf.constant(2.0) * 3.0
    """

    def __init__(self, logdir: str, options: ProfilerOptions | None = None) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *_: object) -> None:
        stop()


class Trace:
    """A named part of a recording, such as a step of training.

    >>> with tf.profiler.experimental.Trace("train", step_num=3, _r=1):
    ...     y = tf.constant(2.0) * 3.0
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self.name = name

    def __enter__(self) -> Trace:
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Accepted: more about the part."""

    def __exit__(self, *_: object) -> None:
        """Nothing to do: nothing was begun."""
