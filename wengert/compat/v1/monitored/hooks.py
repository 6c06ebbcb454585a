"""What hooks are: objects that a session tells of each of its runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple


class SessionRunArgs(NamedTuple):
    """What a hook adds to a run: fetches, and values that are fed."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a hook gets of a run: the values of its own fetches."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """A run, as hooks see it."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the program asked for."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session that runs."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook asked for the end of the loop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Ask for the end of the loop."""
        self._stop_requested = True


class SessionRunHook:
    """A hook that does nothing; others define the methods that they need.

    >>> class Printed(tf.compat.v1.train.SessionRunHook):
    ...     def before_run(self, run_context):
    ...         return tf.compat.v1.train.SessionRunArgs(loss)
    ...     def after_run(self, run_context, run_values):
    ...         print(run_values.results)
    >>> with tf.Graph().as_default():
    ...     loss = tf.constant(2.0)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[Printed()]) as session:
    ...         _ = session.run(loss)
    2.0
    """

    def begin(self) -> None:
        """Before the session is made: the graph may still grow."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """The session is made, its variables have values."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Before each run: what to fetch and feed besides."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """After each run: the values of what was fetched."""

    def end(self, session: Any) -> None:
        """After the last run, unless it failed."""


class SecondOrStepTimer:
    """Whether it is time again, by seconds or by steps.

    >>> timer = tf.compat.v1.train.SecondOrStepTimer(every_steps=2)
    >>> _ = timer.update_last_triggered_step(1)
    >>> [timer.should_trigger_for_step(step) for step in (2, 3)]
    [False, True]
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        self._secs, self._steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Begin again."""
        self._last_step: int | None = None
        self._last_time = 0.0

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time at a step; the first time always."""
        if self._last_step is None:
            return True
        if step == self._last_step:
            return False
        if self._secs is not None:
            return time.time() >= self._last_time + self._secs
        return bool(step >= self._last_step + (self._steps or 0))

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """It happened at a step: the seconds and steps since the last time."""
        now, before = time.time(), self._last_step
        passed = (None, None) if before is None else (now - self._last_time, step - before)
        self._last_step, self._last_time = step, now
        return passed

    def last_triggered_step(self) -> int | None:
        """The step at which it last happened."""
        return self._last_step


class NanLossDuringTrainingError(RuntimeError):
    """A loss became NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


class FeedFnHook(SessionRunHook):
    """Feeds in each run what a function returns."""

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """What the function returns."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class FinalOpsHook(SessionRunHook):
    """Runs operations at the end, and keeps what they give."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._ops, self._fed = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """What they gave."""
        return self._values

    def end(self, session: Any) -> None:
        """Run them."""
        if self._ops is not None:
            self._values = session.run(self._ops, feed_dict=self._fed)
