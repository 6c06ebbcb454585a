"""The loop: steps, tests, checkpoints, and what is written and shown of them."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

import wengert as tf
from wengert.errors import OpError
from wengert.training.checkpoints import Checkpoints
from wengert.training.examples import Data, Examples
from wengert.training.feeding import Feed
from wengert.training.progress import Screen
from wengert.training.run_folder import Record, RunFolder
from wengert.training.settings import Settings
from wengert.training.step import Learner
from wengert.training.stopping import Stopping
from wengert.training.tasks import Task

_EVENTS_EVERY: Final = 10
_TEST_AFTER: Final = 100  # steps at least


@dataclass
class Outcome:
    """What became of a run."""

    step: int
    last: int
    seconds: float = 0.0
    waited: float = 0.0  # seconds for data
    steps_here: int = 0  # in this process
    interrupted: bool = False
    problem: str = ""
    right: Any = None  # of each class, the share of the test
    test: Record | None = None


@dataclass
class Run:
    """A run in its folder: begun or gone on with."""

    task: Task
    settings: Settings
    data: Data
    folder: RunFolder
    screen: Screen
    learner: Learner = field(init=False)
    checkpoints: Checkpoints = field(init=False)
    feed: Feed = field(init=False)

    def __post_init__(self) -> None:
        chosen = self.settings
        self.learner = Learner(self.task, chosen, self.data)
        self.data = self.data.of_floats(self.learner.dtype)
        self.checkpoints = Checkpoints(self.folder.checkpoints, self.learner)
        self.feed = Feed(self.data.train, chosen.batch, chosen.seed, self.task.change)
        self._failed: set[str] = set()

    @property
    def is_first(self) -> bool:
        """Whether this is the process that writes checkpoints, and tests."""
        return self.learner.process == 0

    def go(self) -> Outcome:
        """Train until the last step, an interrupt, or a loss that is no number."""
        if self.is_first:
            for fault in self.checkpoints.restore():
                self.screen.say(fault)
        self.learner.begin_alike()
        first = int(self.learner.steps_taken.numpy())
        if self.folder.holds_steps and not first and self.is_first:
            self.screen.say(
                f"no checkpoint in {self.folder.checkpoints}: it begins again at step 1"
            )
        for history in (self.folder.history, self.folder.tests):
            history.go_on(first)
        if first:
            self.screen.say(f"going on after step {first}")
        outcome = Outcome(first, self.settings.steps)
        if first >= outcome.last:
            self.screen.say(
                f"nothing is left of its {outcome.last} steps: --steps N, for the whole run, goes on"
            )
        self.screen.begin(first, outcome.last, self.folder.history.records)
        try:
            with Stopping() as stopping, self._events() as events:
                self._steps(outcome, stopping, events)
        finally:
            self.screen.end()
        return outcome

    def _steps(self, outcome: Outcome, stopping: Stopping, events: Any) -> None:
        start = time.perf_counter()
        first = outcome.step
        saved = first
        for inputs, targets in self._batches(outcome):
            if self.learner.agreed(stopping.is_asked):
                outcome.interrupted = True
                break
            record = self._step(outcome.step + 1, inputs, targets)
            outcome.step = record.step
            if not math.isfinite(record.loss):
                outcome.problem = self._not_finite(record, saved)
                break
            self._note(record, events)
            if record.step % self.settings.save_every == 0 and self._save(record.step):
                saved = record.step
            if record.step % self._test_every() == 0 and record.step < outcome.last:
                self._test(outcome, events)
        outcome.interrupted &= outcome.step < outcome.last
        outcome.steps_here, outcome.seconds = outcome.step - first, time.perf_counter() - start
        self._finish(outcome, saved, events)

    def _batches(self, outcome: Outcome) -> Iterator[tuple[Any, Any]]:
        """The batches; the time until each is there is counted."""
        if outcome.step >= outcome.last:
            return
        batches = self.feed.batches(outcome.step, outcome.last)
        while True:
            start = time.perf_counter()
            batch = next(batches, None)
            outcome.waited += time.perf_counter() - start
            if batch is None:
                return
            yield batch

    def _step(self, number: int, inputs: Any, targets: Any) -> Record:
        loss, right = self.learner.step(inputs, targets).numpy().tolist()
        return Record(number, loss, right)

    def _note(self, record: Record, events: Any) -> None:
        self.folder.history.add(record)
        self.screen.step(record)
        if record.step % _EVENTS_EVERY == 0:
            self._events_of("train", record, events)

    def _not_finite(self, record: Record, saved: int) -> str:
        last = (
            f"The last checkpoint is of step {saved}." if saved else "There is no checkpoint yet."
        )
        return (
            f"the loss of step {record.step} is {record.loss}: take a smaller --rate than "
            f"{self.settings.rate:g}. {last}"
        )

    def _finish(self, outcome: Outcome, saved: int, events: Any) -> None:
        if outcome.problem:
            self._try("the history", self.folder.history.flush)
            return
        if outcome.step != saved and not self._save(outcome.step):
            outcome.problem = (
                f"the checkpoint of step {outcome.step} could not be written: make room, and go on from the "
                f"last one with wengert train --resume {self.folder.path}"
            )
        if not outcome.interrupted:
            self._test(outcome, events)

    # ---- files -------------------------------------------------------------------------------

    def _save(self, step: int) -> bool:
        """Write a checkpoint, and before it the history up to it; whether it could be written."""
        self._try("the history", self.folder.history.flush)
        if not self.is_first:
            return True
        return self._try("the checkpoint", lambda: self.checkpoints.save(step), f" of step {step}")

    def _try(self, what: str, work: Callable[[], Any], of: str = "") -> bool:
        """Write something; a disk that is full does not end a run. Said once, until it works again."""
        try:
            work()
        except OpError as error:
            if what not in self._failed:
                self.screen.say(
                    f"{what}{of} could not be written: {error.message}; training goes on"
                )
            self._failed.add(what)
            return False
        self._failed.discard(what)
        return True

    @contextlib.contextmanager
    def _events(self) -> Iterator[Any]:
        """The writer of events; None if none can be written."""
        made: list[Any] = []
        path = str(self.folder.events)
        self._try("the events", lambda: made.append(tf.summary.create_file_writer(path)))
        yield made[0] if made else None
        if made:
            self._try("the events", made[0].close)

    def _events_of(self, kind: str, record: Record, events: Any) -> None:
        if events is not None:
            self._try("the events", lambda: self._written(kind, record, events))

    def _written(self, kind: str, record: Record, events: Any) -> None:
        with events.as_default(step=record.step):
            tf.summary.scalar(f"{kind}/loss", record.loss)
            if self.learner.classifies:
                tf.summary.scalar(f"{kind}/accuracy", record.accuracy)

    # ---- tests -------------------------------------------------------------------------------

    def _test_every(self) -> int:
        epochs = math.ceil(_TEST_AFTER / self.feed.per_epoch)
        return epochs * self.feed.per_epoch

    def _test(self, outcome: Outcome, events: Any) -> None:
        if not self.is_first:
            return
        record, outcome.right = self._tested(outcome.step)
        outcome.test = record
        if all(known.step != record.step for known in self.folder.tests.records):
            self.folder.tests.add(record)
        self._try("the tests", self.folder.tests.flush)
        self._events_of("test", record, events)
        self.screen.tested(record)

    def _tested(self, step: int) -> tuple[Record, Any]:
        """Loss and accuracy of the test, and which of its examples are right, as 0 and 1."""
        losses, right = [], []
        for part in parts_of(self.data.test, self.settings.batch):
            inputs = part.inputs if self.task.prepare is None else self.task.prepare(part.inputs)
            loss, outputs = self.learner.tested(inputs, part.targets)
            losses.append(float(loss) * len(part))
            if self.learner.classifies:
                right.append(np.argmax(outputs.numpy(), 1) == part.targets)
        count = len(self.data.test)
        hits = np.concatenate(right) if right else np.zeros(1)
        return Record(step, math.fsum(losses) / count, float(hits.mean())), hits


def parts_of(examples: Examples, size: int) -> Iterator[Examples]:
    """The examples in parts, the last of which may be smaller."""
    for at in range(0, len(examples), size):
        yield Examples(examples.inputs[at : at + size], examples.targets[at : at + size])
