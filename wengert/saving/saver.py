"""tf.compat.v1.train.Saver: variables by their names, in files of TensorFlow's form."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.partitioned_variable import PartitionedVariable
from wengert.api.variables.variable_scope import graph_of_variables
from wengert.core.context import activate, current_graph
from wengert.errors import InvalidArgumentError, NotFoundError
from wengert.formats.bundles import BundleReader, BundleWriter, Extents
from wengert.saving.checkpoint_state import (
    checkpoint_exists,
    get_checkpoint_mtimes,
    remove_checkpoint,
    update_checkpoint_state,
)
from wengert.saving.object_graph import full_names
from wengert.state.variable import Variable
from wengert.values.shapes import TensorShape
from wengert.values.tensor import wrap

_HOUR: Final = 3600.0
Saved = Variable | PartitionedVariable
MISSING: Final = (
    "Restoring from checkpoint failed. This is most likely due to a Variable name or other graph key that is "
    "missing from the checkpoint. Please ensure that you have not altered the graph expected based on the "
    "checkpoint. Original error:\n\n"
)


class Saver:
    """Saves variables by their names, and keeps the last `max_to_keep` checkpoints.

    Without a list it saves all global variables of the graph. A dictionary says the names.

    >>> import tempfile
    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.get_variable("x", initializer=[1.0, 2.0])
    ...     saver = v1.train.Saver()
    ...     session.run(x.initializer)
    ...     path = saver.save(session, f"{tempfile.mkdtemp()}/model", global_step=7)
    ...     session.run(x.assign([0.0, 0.0]))
    ...     saver.restore(session, path)
    ...     print(path.rpartition("/")[2], session.run(x))
    array([0., 0.], dtype=float32)
    model-7 [1. 2.]
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        self._given = var_list
        self.saver_def = saver_def
        self._reshape = reshape
        self._max_to_keep = max_to_keep
        self._every = keep_checkpoint_every_n_hours
        self._allow_empty = allow_empty
        self._pad = pad_step_number
        self._relative = save_relative_paths
        self._next_to_stay = time.time() + self._every * _HOUR
        self._last: list[tuple[str, float]] = []
        self._parts: dict[str, Saved] | None = None
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Find the variables."""
        if self._parts is not None:
            return
        given = self._given
        if given is None:
            if current_graph() is None:
                raise RuntimeError(
                    "When eager execution is enabled, `var_list` must specify a list or dict of "
                    "variables to save"
                )
            given = _of_graph()
        self._parts = _named(given)
        if not self._parts and not self._allow_empty:
            raise ValueError("No variables to save")

    @property
    def _variables(self) -> dict[str, Saved]:
        if self._parts is None:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        return self._parts

    # ---- saving ------------------------------------------------------------------------------

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Save the variables of a session; returns the prefix of the files."""
        prefix = self._prefix(sess, os.fspath(save_path), global_step)
        self._write(sess, prefix)
        if write_state:
            old = self._remember(prefix)
            self._record(prefix, latest_filename)
            for path, written in old:
                self._remove(path, written, meta_graph_suffix)
        return prefix

    def _write(self, session: Any, prefix: str) -> None:
        with BundleWriter(prefix) as writer:
            for name, variable in sorted(self._variables.items()):
                _write(writer, name, variable, session)

    def _prefix(self, session: Any, path: str, step: Any) -> str:
        if step is None:
            return path
        if isinstance(step, Variable) and step.graph is not None:
            step = session.run(step)
        number = int(np.asarray(step))
        return f"{path}-{number:08d}" if self._pad else f"{path}-{number}"

    def _remember(self, prefix: str) -> list[tuple[str, float]]:
        """Note a checkpoint; returns those that are too old."""
        self._last = [(p, t) for p, t in self._last if p != prefix] + [(prefix, time.time())]
        if not self._max_to_keep:
            return []
        old, self._last = self._last[: -self._max_to_keep], self._last[-self._max_to_keep :]
        return old

    def _remove(self, path: str, written: float, suffix: str) -> None:
        """Remove a checkpoint, but for one now and then that is to stay."""
        if written > self._next_to_stay:
            self._next_to_stay += self._every * _HOUR
        elif checkpoint_exists(path):
            remove_checkpoint(path, meta_graph_suffix=suffix)

    def _record(self, prefix: str, latest_filename: str | None) -> None:
        folder = os.path.dirname(prefix)
        paths = self.last_checkpoints or [prefix]
        if self._relative:
            prefix, paths = (os.path.relpath(prefix, folder or "."), [os.path.relpath(p, folder or ".") for p in paths])  # fmt: skip
        update_checkpoint_state(folder, prefix, paths, latest_filename)

    @property
    def last_checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints that are kept, the oldest first."""
        return [path for path, _ in self._last]

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Say which checkpoints there are, the oldest first."""
        self.set_last_checkpoints_with_time([(path, float("nan")) for path in last_checkpoints])

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: Iterable[tuple[str, float]]
    ) -> None:
        """Say which checkpoints there are, and when they were written."""
        self._last = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Go on with the checkpoints of these paths that exist."""
        there = [p for p in checkpoint_paths if checkpoint_exists(p)]
        self._last = list(zip(there, get_checkpoint_mtimes(there), strict=True))

    # ---- restoring ---------------------------------------------------------------------------

    def restore(self, sess: Any, save_path: Any) -> None:
        """Give the variables of a session the values of a checkpoint: all of them or, on an error, none."""
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = os.fspath(save_path)
        if not checkpoint_exists(path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        self._read(sess, path)

    def _read(self, session: Any, path: str) -> None:
        bundle = BundleReader(path)
        keys = full_names(bundle)
        found = [
            pair
            for name, variable in self._variables.items()
            for pair in self._values(bundle, keys.get(name, name), name, variable)
        ]
        for variable, array in found:
            _load(variable, array, session)

    def _values(
        self, bundle: BundleReader, key: str, name: str, variable: Saved
    ) -> list[tuple[Variable, Any]]:
        if key not in bundle:
            raise NotFoundError(f"{MISSING}Key {name} not found in checkpoint {bundle.prefix}")
        if isinstance(variable, PartitionedVariable):
            return [(v, bundle.part(key, e)) for v, e in parts_of_whole(variable)]
        array = bundle.tensor(key)
        if self._reshape:
            array = array.reshape(variable.shape.as_list())
        _check(variable, array, name, bundle.prefix)
        return [(variable, array)]


def _check(variable: Variable, array: Any, name: str, prefix: str) -> None:
    if not TensorShape(variable.shape).is_compatible_with(array.shape):
        raise InvalidArgumentError(
            "Restoring from checkpoint failed. This is most likely due to a mismatch between the current "
            "graph and the graph from the checkpoint. Original error:\n\nAssign requires shapes of both "
            f"tensors to match. lhs shape= {variable.shape.as_list()} rhs shape= {list(array.shape)}: "
            f"variable {variable.name}, which {prefix} has as {name!r}."
        )
    found = wrap(array).dtype
    if found is not variable.dtype:
        raise InvalidArgumentError(
            f"tensor_name = {name}; expected dtype {variable.dtype.spoken} does not equal original dtype "
            f"{found.spoken}: variable {variable.name} cannot take it."
        )


def _load(variable: Any, array: Any, session: Any) -> None:
    if variable.graph is not None:
        variable.load(array, session)
        return
    with activate((), None):
        variable.assign(wrap(array))


def _of_graph() -> list[Any]:
    graph = graph_of_variables()
    found = [
        *graph.get_collection(GraphKeys.GLOBAL_VARIABLES),
        *graph.get_collection("saveable_objects"),
    ]
    return [v for v in found if isinstance(v, Saved)]


def _named(given: Any) -> dict[str, Saved]:
    """The variables by the names under which they are saved."""
    if isinstance(given, Mapping):
        return {str(name): _whole(variable) for name, variable in given.items()}
    found: dict[str, Saved] = {}
    for variable in given:
        variable = _whole(variable)
        if found.get(name := variable.name.rpartition(":")[0] or variable.name) is variable:
            continue  # another part of it
        if name in found:
            raise ValueError(
                f"At least two variables have the same name: {name}. Give a dictionary with names."
            )
        found[name] = variable
    return found


def _whole(value: Any) -> Any:
    if isinstance(value, list) and value and all(isinstance(v, Variable) for v in value):
        value = PartitionedVariable(value[0].name, value[0].shape, value[0].dtype, value, [1])
    if isinstance(value, Variable):
        return value.__dict__.get("_self_whole", value)
    if not isinstance(value, Saved):
        value = getattr(value, "value", value)  # such as those of Keras
    if not isinstance(value, Saved):
        raise TypeError(f"Variable to save is not a Variable: {value}")
    return value


def parts_of_whole(variable: PartitionedVariable) -> list[tuple[Variable, Extents]]:
    """The parts, and where each stands in the whole."""
    start, found = 0, []
    for part in variable:
        extents = [(0, -1)] * len(variable.shape)
        length = part.shape.as_list()[variable.axis] or 0
        extents[variable.axis] = (start, length)
        start += length
        found.append((part, tuple(extents)))
    return found


def _write(writer: BundleWriter, name: str, variable: Saved, session: Any) -> None:
    if not isinstance(variable, PartitionedVariable):
        writer.add(name, value_of(variable, session))
        return
    shape = [n or 0 for n in variable.shape.as_list()]
    for part, extents in parts_of_whole(variable):
        writer.add_slice(name, shape, extents, value_of(part, session))


def value_of(variable: Variable, session: Any) -> Any:
    """What a variable holds; one of a graph, in a session, by default the one in use."""
    if variable.graph is None:
        return np.asarray(variable.read_value())
    return np.asarray(variable.graph.session_for(session, "eval()").run(variable))
