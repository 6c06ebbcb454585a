"""tf.compat.v1.train.MonitoredSession and its kin: sessions that tell hooks of their runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from wengert.api.session.modes import get_default_graph
from wengert.compat.v1.monitored.hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)
from wengert.compat.v1.monitored.periodic import (
    CheckpointSaverHook,
    StepCounterHook,
    SummarySaverHook,
)
from wengert.compat.v1.monitored.scaffold import ChiefSessionCreator, Scaffold
from wengert.compat.v1.queues.runner import start_queue_runners
from wengert.errors import OutOfRangeError
from wengert.train.coordinator import Coordinator

_DEFAULT: Any = object()
_SECONDS, _STEPS = 600, 100  # between checkpoints, between summaries


class MonitoredSession:
    """A session that begins by itself, tells hooks of each run, and ends when they or the input ask for it.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.create_global_step()
    ...     count = tf.compat.v1.assign_add(step, 1)
    ...     hook = tf.compat.v1.train.StopAtStepHook(last_step=3)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as session:
    ...         while not session.should_stop():
    ...             print(session.run(count))
    1
    2
    3
    """

    def __init__(
        self,
        session_creator: Any = None,
        hooks: Sequence[Any] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._graph = get_default_graph()
        self._was_final = self._graph.finalized
        self._hooks = list(hooks or ())
        self._grace = stop_grace_period_secs
        for hook in self._hooks:
            hook.begin()
        self._session = (session_creator or ChiefSessionCreator()).create_session()
        self._coordinator = Coordinator(clean_stop_exception_types=())
        self._stops = False
        start_queue_runners(self._session, self._coordinator)
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coordinator)

    @property
    def graph(self) -> Any:
        """The graph."""
        return None if self._session is None else self._graph

    def should_stop(self) -> bool:
        """Whether a hook, a thread or the end of the session asked to stop."""
        return self._session is None or self._stops or self._coordinator.should_stop()

    def _open(self) -> Any:
        if self._session is None:
            raise RuntimeError(
                "Run called even after should_stop requested: the session is closed."
            )
        return self._session

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Run, with what the hooks fetch and feed."""
        session = self._open()
        asked = SessionRunArgs(fetches, feed_dict, options)
        context = SessionRunContext(asked, session)
        requests = [hook.before_run(context) for hook in self._hooks]
        wanted = [[] if r is None or r.fetches is None else [r.fetches] for r in requests]
        fed = _fed(dict(feed_dict or {}), requests)
        found, *of_hooks = session.run([fetches, *wanted], fed, options, run_metadata)
        for hook, results in zip(self._hooks, of_hooks, strict=True):
            given = results[0] if results else None
            hook.after_run(context, SessionRunValues(given, options, run_metadata))
        self._stops = self._stops or context.stop_requested
        self._coordinator.raise_requested_exception()
        return found

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Call a function of a context, which runs the session without the hooks or with them."""
        names = list(inspect.signature(step_fn).parameters)
        if names != ["step_context"]:
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` "
                f"arguments if it's an instance method. Got {tuple(names)} instead."
            )
        return step_fn(step_context=self.StepContext(self._open(), self.run))

    class StepContext:
        """What the function of `run_step_fn` gets."""

        def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
            self._session, self._run = session, run_with_hooks_fn

        @property
        def session(self) -> Any:
            """The session, whose runs no hook is told of."""
            return self._session

        def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
            """Run as the monitored session does."""
            return self._run(*args, **kwargs)

        def request_stop(self) -> None:
            """End the loop, by an exception that the end of the `with` block takes."""
            raise StopIteration("step_fn has requested the iterations to stop.")

    def close(self) -> None:
        """Tell the hooks, and end."""
        self._close(None)

    def _close(self, kind: type[BaseException] | None) -> None:
        if self._session is None:
            return
        try:
            for hook in self._hooks if kind is None else ():
                hook.end(self._session)
        finally:
            session, self._session = self._session, None
            self._coordinator.request_stop()
            try:
                self._coordinator.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
            finally:
                session.close()
                self._graph.finalized = self._was_final

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        ends = kind is not None and issubclass(kind, (OutOfRangeError, StopIteration))
        self._close(None if ends else kind)
        return ends


def _fed(fed: dict[Any, Any], requests: Sequence[SessionRunArgs | None]) -> dict[Any, Any]:
    """What the program feeds, and the hooks."""
    by_hooks: dict[Any, Any] = {}
    for request in requests:
        for tensor, value in (request.feed_dict or {}).items() if request is not None else ():
            _check_conflict(tensor, by_hooks, "Same tensor is fed by two hooks.")
            _check_conflict(tensor, fed, "Same tensor is fed by a hook and user.")
            by_hooks[tensor] = value
    return fed | by_hooks


def _check_conflict(tensor: Any, fed: dict[Any, Any], what: str) -> None:
    if any(tensor is other for other in fed):
        raise RuntimeError(f"{what} Conflict(s): [{tensor!r}]")


class SingularMonitoredSession(MonitoredSession):
    """A monitored session whose session is there for all to see.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(2)
    ...     with tf.compat.v1.train.SingularMonitoredSession() as session:
    ...         print(session.raw_session().run(x))
    2
    """

    def __init__(
        self,
        hooks: Sequence[Any] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session."""
        return self._session


def MonitoredTrainingSession(  # noqa: N802  TensorFlow's name
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: Any = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[Any] | None = None,
    chief_only_hooks: Sequence[Any] | None = None,
    save_checkpoint_secs: Any = _DEFAULT,
    save_summaries_steps: Any = _DEFAULT,
    save_summaries_secs: Any = _DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = _DEFAULT,
    summary_dir: Any = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A monitored session with the hooks of training: checkpoints, summaries, steps per second.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.create_global_step()
    ...     with tf.compat.v1.train.MonitoredTrainingSession() as session:
    ...         print(session.run(step))
    0
    """
    begins = scaffold or Scaffold()
    secs, steps = _chosen(save_checkpoint_secs, save_checkpoint_steps, (_SECONDS, None))
    summary_secs, summary_steps = _chosen(save_summaries_secs, save_summaries_steps, (None, _STEPS))
    folder = summary_dir or checkpoint_dir
    chosen = list(chief_only_hooks or ())
    if folder and log_step_count_steps:
        chosen.append(StepCounterHook(log_step_count_steps, output_dir=folder))
    if folder and (summary_steps or summary_secs):
        chosen.append(SummarySaverHook(summary_steps, summary_secs, folder, scaffold=begins))
    if checkpoint_dir and (secs or steps):
        chosen.append(CheckpointSaverHook(checkpoint_dir, secs, steps, scaffold=begins))
    creator = ChiefSessionCreator(begins, master, config, checkpoint_dir)
    return MonitoredSession(creator, [*chosen, *(hooks or ())], stop_grace_period_secs)


def _chosen(secs: Any, steps: Any, defaults: tuple[Any, Any]) -> tuple[Any, Any]:
    """Seconds and steps as given; if neither is, the usual ones."""
    if secs is _DEFAULT and steps is _DEFAULT:
        return defaults
    return (None if secs is _DEFAULT else secs, None if steps is _DEFAULT else steps)
