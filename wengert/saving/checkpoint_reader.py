"""What is in a checkpoint: tf.train.load_checkpoint, list_variables, load_variable."""

from __future__ import annotations

import os
from typing import Any, Final

from wengert.formats.bundles import BundleReader
from wengert.saving.checkpoint_state import latest_checkpoint
from wengert.values.dtypes import DType

_SHARDED: Final = "-?????-of-?????"


class CheckpointReader:
    """The tensors of a checkpoint by their names.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable([1.0, 2.0])).write(f"{tempfile.mkdtemp()}/ckpt")
    >>> reader = tf.train.load_checkpoint(path)
    >>> reader.get_variable_to_shape_map()["x/.ATTRIBUTES/VARIABLE_VALUE"]
    [2]
    >>> reader.get_tensor("x/.ATTRIBUTES/VARIABLE_VALUE").tolist()
    [1.0, 2.0]
    """

    def __init__(self, prefix: str) -> None:
        self._bundle = BundleReader(prefix.removesuffix(_SHARDED))

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes of the tensors."""
        return {name: list(self._bundle.entry(name).shape) for name in self._bundle.names()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes of the tensors."""
        return {name: self._bundle.entry(name).dtype for name in self._bundle.names()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of this name."""
        return tensor_str in self._bundle

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a tensor."""
        found = self._bundle.tensor(tensor_str)
        if found.dtype == object and found.ndim == 0:
            return found.item()
        return found if found.ndim else found[()]

    def debug_string(self) -> bytes:
        """Names, dtypes and shapes, as text."""
        shapes = self.get_variable_to_shape_map()
        dtypes = self.get_variable_to_dtype_map()
        return "\n".join(
            [f"{n} (DT_{dtypes[n].spoken.upper()}) {shapes[n]}" for n in shapes]
        ).encode()


def new_checkpoint_reader(filepattern: Any) -> CheckpointReader:
    """A reader of a checkpoint.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable(1.0)).write(f"{tempfile.mkdtemp()}/ckpt")
    >>> reader = tf.compat.v1.train.NewCheckpointReader(path)
    >>> print(reader.get_tensor("x/.ATTRIBUTES/VARIABLE_VALUE"))
    1.0
    """
    return CheckpointReader(os.fspath(filepattern))


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint, or of the latest one in a folder.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable(1.0)).save(f"{tempfile.mkdtemp()}/ckpt")
    >>> tf.train.load_checkpoint(path).has_tensor("x/.ATTRIBUTES/VARIABLE_VALUE")
    True
    """
    path = os.fspath(ckpt_dir_or_file)
    if os.path.isdir(path):
        found = latest_checkpoint(path)
        if found is None:
            raise ValueError(
                f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
            )
        path = found
    return CheckpointReader(path)


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Names and shapes of all tensors of a checkpoint.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable([1.0])).write(f"{tempfile.mkdtemp()}/ckpt")
    >>> tf.train.list_variables(path)[1:]
    [('x/.ATTRIBUTES/VARIABLE_VALUE', [1])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """The value of a tensor of a checkpoint.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable([1.0])).write(f"{tempfile.mkdtemp()}/ckpt")
    >>> tf.train.load_variable(path, "x/.ATTRIBUTES/VARIABLE_VALUE").tolist()
    [1.0]
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
