"""tf.train.CheckpointManager: several checkpoints in a folder, of which the oldest go."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.api.session.logger import get_logger
from wengert.errors import DataLossError
from wengert.saving.checkpoint_state import (
    checkpoint_exists,
    fault_of,
    get_checkpoint_state,
    remove_checkpoint,
    update_checkpoint_state,
)

_HOUR: Final = 3600.0


class CheckpointManager:
    """Saves checkpoints with numbers into a folder, and keeps the latest of them.

    >>> import tempfile
    >>> step = tf.Variable(0)
    >>> checkpoint = tf.train.Checkpoint(step=step)
    >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> [p.rpartition("/")[2] for p in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    >>> manager.restore_or_initialize() == manager.latest_checkpoint
    True
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._every = keep_checkpoint_every_n_hours
        self._name = os.fspath(checkpoint_name)
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._kept: dict[str, float] = {}  # those that may be removed, with the time of each
        self._latest: str | None = None  # the prefix
        self._recover()

    def _recover(self) -> None:
        """Go on with what an earlier process left."""
        now = time.time()
        self._last_preserved = now
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = str(state.model_checkpoint_path)
        self._last_preserved = state.last_preserved_timestamp or now
        times = state.all_model_checkpoint_timestamps
        paths = state.all_model_checkpoint_paths
        if len(times) != len(paths):
            times = [now] * len(paths)
        self._kept = {p: t for p, t in zip(paths, times, strict=True) if checkpoint_exists(p)}

    # ---- what it has -------------------------------------------------------------------------

    @property
    def directory(self) -> str:
        """The folder."""
        folder: str = self._directory
        return folder

    @property
    def checkpoint(self) -> Any:
        """What is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps are between two checkpoints."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the latest checkpoint."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of those that were kept, the oldest first."""
        return list(self._kept)

    # ---- saving ------------------------------------------------------------------------------

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None
    ) -> str | None:
        """Save, and remove what is too old; None if the interval has not passed."""
        if self._interval is not None and check_interval and not self._is_time():
            return None
        if checkpoint_number is None:
            counter = self._checkpoint.save_counter
            counter.assign_add(1)
            checkpoint_number = counter
        number = int(np.asarray(checkpoint_number))
        path: str = self._checkpoint.write(
            os.path.join(self._directory, f"{self._name}-{number}"), options
        )
        if self._step_counter is not None:
            self._last_step = int(np.asarray(self._step_counter))
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest = path
        self._record()  # before anything is removed
        if self._sweep():
            self._record()
        return path

    def _is_time(self) -> bool:
        step = int(np.asarray(self._step_counter))
        return self._last_step is None or step >= self._last_step + (self._interval or 0)

    def _record(self) -> None:
        update_checkpoint_state(
            self._directory,
            self._latest or "",
            list(self._kept),
            None,
            list(self._kept.values()),
            self._last_preserved,
        )

    def _sweep(self) -> bool:
        """Remove the oldest, but for one now and then that is to stay; whether there were any."""
        extra = [] if self._max_to_keep is None else list(self._kept)[: -self._max_to_keep]
        for path in extra:
            written = self._kept.pop(path)
            if self._every is not None and written - self._every * _HOUR >= self._last_preserved:
                self._last_preserved = written
            else:
                remove_checkpoint(path)
        return bool(extra)

    # ---- restoring ---------------------------------------------------------------------------

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint that is whole; without any, call the function `init_fn`."""
        candidates = [p for p in reversed(self._kept) if p != self._latest]
        for path in [self._latest, *candidates] if self._latest is not None else candidates:
            if self._restored(path):
                return path
        if self._latest is not None:
            raise DataLossError(
                f"No checkpoint of {self._directory} can be read; the latest: {fault_of(self._latest)}"
            )
        if self._init_fn is not None:
            self._init_fn()
        return None

    def _restored(self, path: str) -> bool:
        fault = fault_of(path)
        try:
            if fault is None:
                self._checkpoint.restore(path)
                if self._step_counter is not None:
                    self._last_step = int(np.asarray(self._step_counter))
                return True
        except DataLossError as error:
            fault = error.message
        get_logger().warning("Checkpoint %s is passed over: %s", path, fault)
        return False

    def sync(self) -> None:
        """Wait until all is written: it is."""
        self._checkpoint.sync()
