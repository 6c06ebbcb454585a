"""Hooks that stop, log, count, save and summarize every so many steps."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.api.session.modes import get_default_graph
from wengert.api.variables.graph_variable import GraphKeys
from wengert.compat.v1 import logging
from wengert.compat.v1.functions.steps import get_global_step
from wengert.compat.v1.graph_files.saver import Saver
from wengert.compat.v1.monitored.hooks import (
    NanLossDuringTrainingError,
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from wengert.errors import UnimplementedError
from wengert.saving.summaries.version_1 import FileWriter, scalar_bytes


def _step_counter(who: str) -> Any:
    step = get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {who}.")
    return step


class StopAtStepHook(SessionRunHook):
    """Stops after so many steps, or at a step."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        """Find the step counter."""
        self._counter = _step_counter("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Count from the step that the session begins at."""
        if self._last_step is None:
            self._last_step = int(session.run(self._counter)) + (self._num_steps or 0)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the step."""
        return SessionRunArgs(self._counter)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Stop if it is the last one; the fetched value may be from before this step."""
        last = self._last_step or 0
        at = run_values.results + 1
        if at >= last and run_context.session.run(self._counter) >= last:
            run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Waits until others have come to a step."""

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        """Find the step counter."""
        self._counter = _step_counter("_GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        """Wait."""
        while run_context.session.run(self._counter) < self._wait_until_step:
            time.sleep(0.5)
        self._wait_until_step = 0


class NanTensorHook(SessionRunHook):
    """Ends training when a loss is NaN: by an error, or by a stop."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the loss."""
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Look at it."""
        if not np.isnan(run_values.results):
            return
        message = "Model diverged with loss = NaN."
        if self._fails:
            logging.error(message)
            raise NanLossDuringTrainingError
        logging.warning(message)
        run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors, every so many runs or seconds, or at the end."""

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[Any, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        self._tags = list(tensors)
        self._given = tensors if isinstance(tensors, dict) else {x: x for x in tensors}
        self._timer = None if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._formatter, self._at_end = formatter, at_end

    def begin(self) -> None:
        """Find the tensors that are given by names."""
        graph = get_default_graph()
        self._tensors = {
            tag: graph.as_graph_element(x) if isinstance(x, str) else x
            for tag, x in self._given.items()
        }
        self._runs = 0
        if self._timer is not None:
            self._timer.reset()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Fetch them when it is time."""
        self._now = self._timer is not None and self._timer.should_trigger_for_step(self._runs)
        return SessionRunArgs(self._tensors) if self._now else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Log them."""
        if self._now:
            self._log(run_values.results)
        self._runs += 1

    def end(self, session: Any) -> None:
        """Log them once more."""
        if self._at_end:
            self._log(session.run(self._tensors))

    def _log(self, values: dict[Any, Any]) -> None:
        passed = self._timer.update_last_triggered_step(self._runs)[0] if self._timer else None
        if self._formatter:
            logging.info(self._formatter(values))
            return
        text = ", ".join(f"{getattr(tag, 'name', tag)} = {values[tag]}" for tag in self._tags)
        logging.info(text if passed is None else f"{text} ({passed:.3f} sec)")


class StepCounterHook(SessionRunHook):
    """Counts steps per second: logs them, and writes them as a summary."""

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._writer, self._folder = summary_writer, output_dir

    def begin(self) -> None:
        """Find the step counter; open the file."""
        if self._writer is None and self._folder:
            self._writer = FileWriter(self._folder)
        self._counter = _step_counter("StepCounterHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the step."""
        return SessionRunArgs(self._counter)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Count."""
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = int(run_context.session.run(self._counter))
        secs, steps = self._timer.update_last_triggered_step(step)
        if not secs or steps is None:
            return
        rate = steps / secs
        if self._writer is not None:
            self._writer.add_summary(scalar_bytes("global_step/sec", np.asarray(rate)), step)
        logging.info(f"global_step/sec: {rate:g}")


class CheckpointSaverListener:
    """Is told when a CheckpointSaverHook saves."""

    def begin(self) -> None:
        """Before the session is made."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Before a checkpoint is written."""

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """After that; training stops if it returns True."""

    def end(self, session: Any, global_step_value: int) -> None:
        """At the end."""


class CheckpointSaverHook(SessionRunHook):
    """Saves at the first step, every so many steps or seconds, and at the end."""

    def __init__(
        self,
        checkpoint_dir: Any,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[Any] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._saver, self._scaffold = saver, scaffold
        self._listeners = list(listeners or ())
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        """Find the step counter."""
        self._counter = _step_counter("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Save what training begins with."""
        step = int(session.run(self._counter))
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the step."""
        return SessionRunArgs(self._counter)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Save when it is time; the fetched value may be from before this step."""
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = int(run_context.session.run(self._counter))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Save the last step."""
        step = int(session.run(self._counter))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Save; whether a listener wants to stop."""
        for listener in self._listeners:
            listener.before_save(session, step)
        self._chosen_saver().save(session, self._path, global_step=step)
        wishes = [listener.after_save(session, step) for listener in self._listeners]
        return any(wishes)

    def _chosen_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        found = get_default_graph().get_collection(GraphKeys.SAVERS)
        if len(found) > 1:
            raise RuntimeError(
                "More than one item in collection SAVERS. Please indicate which one to use by "
                "passing it to the constructor."
            )
        self._saver = found[0] if found else Saver()
        return self._saver


class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._scaffold, self._op = scaffold, summary_op
        self._writer, self._folder = summary_writer, output_dir
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        """Find the step counter; open the file."""
        if self._writer is None and self._folder:
            self._writer = FileWriter(self._folder)
        self._counter = _step_counter("SummarySaverHook")
        self._next: int | None = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the step, and the summaries when it is time."""
        self._now = self._next is None or self._timer.should_trigger_for_step(self._next)
        op = self._op if self._op is not None else self._scaffold.summary_op
        summaries = [op] if self._now and op is not None else []
        return SessionRunArgs({"step": self._counter, "summaries": summaries})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Write them."""
        step = int(run_values.results["step"])
        if self._now:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results["summaries"] if self._writer else ():
                self._writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session: Any) -> None:
        """Write what is left."""
        if self._writer is not None:
            self._writer.flush()


class ProfilerHook(SessionRunHook):
    """Timelines of TensorFlow's kernels: not here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise UnimplementedError(
            "ProfilerHook: there are no timelines of kernels here; Python's cProfile, and plan() of a "
            "compiled function, say what takes time."
        )
