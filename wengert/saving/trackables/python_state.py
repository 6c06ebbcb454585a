"""Values of Python that are saved with a checkpoint: tf.train.experimental.PythonState."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.saving.trackables.base import Trackable
from wengert.values.convert import convert

_NAME = "py_state"


class PythonState(Trackable):
    """A base class: `serialize` returns bytes to be saved, `deserialize` takes them.

    >>> class Seen(tf.train.experimental.PythonState):
    ...     def __init__(self): self.names = ["a"]
    ...     def serialize(self): return " ".join(self.names)
    ...     def deserialize(self, text): self.names = text.decode().split()
    >>> import tempfile
    >>> seen = Seen()
    >>> path = tf.train.Checkpoint(seen=seen).write(f"{tempfile.mkdtemp()}/x")
    >>> seen.names = []
    >>> _ = tf.train.Checkpoint(seen=seen).read(path)
    >>> seen.names
    ['a']
    """

    def serialize(self) -> Any:
        """The state, as bytes or text."""
        raise NotImplementedError

    def deserialize(self, string_value: bytes) -> None:
        """Take the state that `serialize` returned."""
        raise NotImplementedError

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {_NAME: convert(self.serialize())}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self.deserialize(np.asarray(restored_tensors[_NAME]).item())
