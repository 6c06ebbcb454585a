"""tf.train.Checkpoint: the values of a program's objects, in files of TensorFlow's form."""

from __future__ import annotations

import inspect
import os
from typing import Any

import numpy as np

from wengert.core.context import activate, current_graph
from wengert.errors import NotFoundError
from wengert.formats.bundles import BundleReader, BundleWriter
from wengert.saving.checkpoint_options import CheckpointOptions
from wengert.saving.checkpoint_state import update_checkpoint_state
from wengert.saving.names import of_names
from wengert.saving.object_graph import KEY, View, in_message, of_message
from wengert.saving.restoration import Restoration
from wengert.saving.status import LoadStatus, NothingRestored
from wengert.saving.trackables.auto import AutoTrackable
from wengert.saving.trackables.base import is_collection, is_trackable
from wengert.state.variable import Variable
from wengert.values.symbolic import SymbolicTensor


class Checkpoint(AutoTrackable):
    """Saves the variables of objects, and of the objects that these are made of.

    Each is found again by the way to it: by the names of attributes, keys, and indices. What is made after
    `restore` gets its value when it is made. The files are TensorFlow's.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> x, optimizer = tf.Variable([1.0, 2.0]), tf.optimizers.SGD(0.1)
    >>> path = tf.train.Checkpoint(x=x, optimizer=optimizer).save(f"{folder}/ckpt")
    >>> y = tf.Variable([0.0, 0.0])
    >>> status = tf.train.Checkpoint(x=y).restore(path)
    >>> y.numpy().tolist()
    [1.0, 2.0]
    """

    _self_root: Any
    _save_counter: Any

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        super().__init__()
        self._self_attached: dict[str, Any]
        for own, first in (("_self_attached", {}), ("_self_root", root), ("_save_counter", None)):
            object.__setattr__(self, own, first)  # these are no parts
        if root is not None and not (is_trackable(root) or _has_parts(root)):
            raise ValueError(_not_trackable("root", root))
        for name, value in sorted(kwargs.items()):
            if not (is_trackable(value) or is_collection(value) or _has_parts(value)):
                raise ValueError(_not_trackable(name, value))
            self._attach(name, value)

    def _attach(self, name: str, value: Any) -> None:
        setattr(self, name, value)
        if self._self_root is not None:
            self._self_attached[name] = getattr(self, name)

    def _view(self) -> View:
        if self._self_root is None:
            return View(self)
        return View(self._self_root, self._self_attached)

    @property
    def save_counter(self) -> Variable:
        """How many times `save` was called: an integer variable."""
        self._need_counter()
        return self._save_counter  # type: ignore[no-any-return]

    def _need_counter(self) -> None:
        if self._save_counter is not None:
            return
        graph = current_graph()
        eager = graph is None or graph.is_function
        with activate((), None if eager else graph):
            counter = Variable(np.int64(0), trainable=False, name="save_counter")
        object.__setattr__(self, "_save_counter", counter)
        parent = self if self._self_root is None else self._self_root
        if self._self_root is None:
            self._track_trackable(counter, "save_counter")
        else:
            self._self_attached["save_counter"] = counter
            for waiting in list(getattr(parent, "__dict__", {}).get("_self_pending", ())):
                waiting.attached(parent, "save_counter", counter)

    # ---- saving ------------------------------------------------------------------------------

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint at this prefix, and nothing else.

        >>> import tempfile
        >>> prefix = f"{tempfile.mkdtemp()}/ckpt"
        >>> tf.train.Checkpoint(x=tf.Variable(1.0)).write(prefix) == prefix
        True
        """
        return self._write(file_prefix, options, None)

    def _write(self, file_prefix: Any, options: CheckpointOptions | None, session: Any) -> str:
        prefix = _text(file_prefix)
        nodes, values = self._view().graph()
        arrays = _arrays(values, session)
        with BundleWriter(prefix) as writer:
            for key in sorted(arrays):
                writer.add(key, arrays[key])
            writer.add(KEY, np.array(in_message(nodes), object))
        for callback in (options.experimental_write_callbacks or ()) if options is not None else ():
            callback(*[prefix] * min(1, len(inspect.signature(callback).parameters)))
        return prefix

    def save(
        self,
        file_prefix: Any,
        options: CheckpointOptions | None = None,
        session: Any = None,
    ) -> str:
        """Write a checkpoint whose name has a number, which becomes the latest of its folder.

        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> checkpoint = tf.train.Checkpoint(x=tf.Variable(1.0))
        >>> checkpoint.save(f"{folder}/ckpt") == f"{folder}/ckpt-1" == tf.train.latest_checkpoint(folder)
        True
        """
        prefix = _text(file_prefix)
        number = self._counted(session)
        path = self._write(f"{prefix}-{number}", options, session)
        update_checkpoint_state(os.path.dirname(prefix), path, [path])
        return path

    def _counted(self, session: Any) -> int:
        is_new = self._save_counter is None
        counter = self.save_counter
        if counter.graph is None:
            counter.assign_add(1)
            return int(counter.numpy())
        chosen = counter.graph.session_for(session, "save()")
        if is_new:  # the program's initializers were run without it
            chosen.run(counter.initializer)
        with activate((), counter.graph):
            added: Any = counter.assign_add(1, read_value=False)
        chosen.run(added)
        return int(chosen.run(counter))

    # ---- restoring ---------------------------------------------------------------------------

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restore what `write` wrote.

        >>> import tempfile
        >>> path = tf.train.Checkpoint(x=tf.Variable(1.0)).write(f"{tempfile.mkdtemp()}/ckpt")
        >>> x = tf.Variable(0.0)
        >>> status = tf.train.Checkpoint(x=x).read(path).assert_consumed()
        >>> x.numpy()
        np.float32(1.0)
        """
        bundle = BundleReader(_text(save_path))
        root = self if self._self_root is None else self._self_root
        if KEY not in bundle:
            return LoadStatus(of_names(bundle, self._view()), self._view)
        with_slots = options is None or not options.experimental_skip_slot_variables
        restoration = Restoration(bundle, of_message(bundle.tensor(KEY).item()), with_slots)
        restoration.attach(root, self._self_attached)
        restoration.restore(root)
        return LoadStatus(restoration, self._view)

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restore what `save` wrote; with None, nothing.

        >>> import tempfile
        >>> path = tf.train.Checkpoint(x=tf.Variable(1.0)).save(f"{tempfile.mkdtemp()}/ckpt")
        >>> module = tf.Module()
        >>> status = tf.train.Checkpoint(module).restore(path)
        >>> module.x = tf.Variable(0.0)
        >>> module.x.numpy()
        np.float32(1.0)
        """
        if save_path is None:
            return NothingRestored(self._view)
        try:
            status = self.read(_prefix_of(_text(save_path)), options)
        except NotFoundError as error:
            raise NotFoundError(
                f"Error when restoring from checkpoint or SavedModel at {_text(save_path)}: "
                f"{error.message}\nPlease double-check that the path is correct. You may be missing the "
                "checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1')."
            ) from error
        self._need_counter()
        return status

    def sync(self) -> None:
        """Wait until all is written: it is."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if not name.startswith("_self_") and name in self.__dict__.get("_self_attached", ()):
            self._self_attached[name] = value


def _has_parts(value: Any) -> bool:
    """Whether it is a module or a function, which have parts without saying so."""
    return hasattr(value, "submodules") or hasattr(value, "get_concrete_function")


def _not_trackable(name: str, value: Any) -> str:
    return (
        f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from `Trackable`), "
        f"got {value}. If you believe this object should be trackable (i.e. it is part of the TensorFlow "
        "Python API and manages state), please open an issue."
    )


def _text(path: Any) -> str:
    if hasattr(path, "numpy"):
        path = path.numpy()
    found = os.fspath(path)
    return found.decode() if isinstance(found, bytes) else found


def _prefix_of(path: str) -> str:
    """The prefix; of a saved model, that of its variables."""
    inner = os.path.join(path, "variables", "variables")
    return inner if os.path.isdir(path) and os.path.exists(f"{inner}.index") else path


def _arrays(values: dict[str, Any], session: Any) -> dict[str, Any]:
    """The values as arrays; those of a graph from its session."""
    later = {k: v for k, v in values.items() if isinstance(v, SymbolicTensor)}
    found = {k: np.asarray(v) for k, v in values.items() if k not in later}
    if later:
        chosen = next(iter(later.values())).op.graph.session_for(session, "save()")
        found |= {k: np.asarray(v) for k, v in chosen.run(later).items()}
    return found
