"""Going on from the last checkpoint that is whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import wengert as tf
from wengert.errors import DataLossError, InvalidArgumentError, NotFoundError
from wengert.host.files import remove_all_rests
from wengert.saving.checkpoint_state import fault_of

_KEPT: Final = 3
_NAME: Final = "ckpt"


class Checkpoints:
    """The checkpoints of a run: the network, the state of its optimizer, the number of steps."""

    def __init__(self, folder: Path, learner: Any) -> None:
        self._folder = folder
        parts = {
            "model": learner.model,
            "optimizer": learner.optimizer,
            "steps": learner.steps_taken,
        }
        self._checkpoint = tf.train.Checkpoint(**parts)
        self._counter = self._checkpoint.save_counter  # made now, so that the first one has it
        self._manager = tf.train.CheckpointManager(
            self._checkpoint, folder, _KEPT, checkpoint_name=_NAME
        )

    def save(self, step: int) -> None:
        """Write one; those before it stay until it is whole."""
        self._manager.save(checkpoint_number=step)

    def restore(self) -> list[str]:
        """Take the last one that is whole; what is wrong with those after it, in words."""
        self._remove_rests()
        faults: list[str] = []
        for path in reversed(self._manager.checkpoints):
            fault = self._fault_in_taking(path)
            if fault is None:
                return faults
            faults.append(f"{Path(path).name} is passed over: {fault}")
        if faults:
            raise DataLossError(
                f"No checkpoint of {self._folder} can be read. {' '.join(faults)} Begin a new run."
            )
        return faults

    def _remove_rests(self) -> None:
        """Remove what a killed process began to write, or to remove: the folder is this run's alone."""
        kept = {Path(path).name for path in self._manager.checkpoints}
        for file in self._folder.glob(f"{_NAME}-*"):
            if file.name.partition(".")[0] not in kept:
                file.unlink(missing_ok=True)
        remove_all_rests(self._folder)

    def _fault_in_taking(self, path: str) -> str | None:
        fault = fault_of(path)
        if fault is not None:
            return fault
        try:
            self._checkpoint.restore(path).assert_existing_objects_matched()
        except (DataLossError, NotFoundError) as error:
            return str(error.message)
        except (ValueError, AssertionError, InvalidArgumentError) as error:
            raise InvalidArgumentError(
                f"{path} is a checkpoint of another network: {error} Train the network that it is of, "
                "or begin a new run with --out."
            ) from error
        return None
