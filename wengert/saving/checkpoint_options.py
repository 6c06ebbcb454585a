"""tf.train.CheckpointOptions: how a checkpoint is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class CheckpointOptions:
    """How `tf.train.Checkpoint` saves and restores.

    `experimental_write_callbacks` are called with the path when it is written; with
    `experimental_skip_slot_variables` slots are not restored. Writing happens at once, in one file: the others are
    accepted.

    >>> tf.train.CheckpointOptions(experimental_skip_slot_variables=True).experimental_skip_slot_variables
    True
    """

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.experimental_enable_async_checkpoint = (
            enable_async or experimental_enable_async_checkpoint
        )
        self.enable_async = self.experimental_enable_async_checkpoint
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
