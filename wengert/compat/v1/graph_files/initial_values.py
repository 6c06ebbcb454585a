"""tf.compat.v1.train.init_from_checkpoint: variables whose initializers read a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from wengert.api.variables.graph_variable import GraphVariable
from wengert.api.variables.partitioned_variable import PartitionedVariable
from wengert.api.variables.variable_scope import graph_of_variables
from wengert.compat.v1.graph_files.exporting import refuse_eager
from wengert.core.context import activate
from wengert.formats.bundles import BundleReader
from wengert.ops.state.assignments import assign_later
from wengert.saving.checkpoint_state import latest_checkpoint
from wengert.saving.object_graph import full_names
from wengert.saving.operations import restored
from wengert.values.convert import convert


def init_from_checkpoint(
    ckpt_dir_or_file: Any, assignment_map: Mapping[str, Any] | list[tuple[str, Any]]
) -> None:
    """Let the initializers of variables take their values from a checkpoint.

    The map goes from a name in the checkpoint to a variable or its name, or from a scope there, `scope/`, to one here.

    >>> import tempfile
    >>> v1, path = tf.compat.v1, f"{tempfile.mkdtemp()}/model"
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.get_variable("old/x", initializer=[1.0, 2.0])
    ...     session.run(x.initializer)
    ...     _ = v1.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     y = v1.get_variable("new/x", [2])
    ...     v1.train.init_from_checkpoint(path, {"old/": "new/"})
    ...     session.run(y.initializer)
    ...     print(session.run(y))
    [1. 2.]
    """
    refuse_eager()
    path = os.fspath(ckpt_dir_or_file)
    prefix = latest_checkpoint(path) or path if os.path.isdir(path) else path
    bundle = BundleReader(prefix)
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    for there, here in pairs:
        for name, variable in _matched(bundle, there, here):
            _let_initialize(prefix, bundle, name, variable)


def _matched(bundle: BundleReader, there: str, here: Any) -> Iterator[tuple[str, Any]]:
    """Names in the checkpoint, and the variables that they are for."""
    if isinstance(here, PartitionedVariable):
        raise NotImplementedError("A variable in parts is restored by tf.compat.v1.train.Saver.")
    if isinstance(here, list):
        raise ValueError(f"A list of variables is not one variable: {here}")
    if isinstance(here, GraphVariable):
        yield there, here
        return
    ours = {v.op.name: v for v in graph_of_variables().get_collection("variables")}
    if here in ours:
        yield there, ours[here]
        return
    if here not in ("/", "") and not here.endswith("/"):
        raise ValueError(f"Assignment map with scope only name {there} should map to scope only {here}. Should be 'scope/': 'other_scope/'.")  # fmt: skip
    scope, prefix = here.strip("/"), there.strip("/")
    found = [name for name in ours if not scope or name.startswith(f"{scope}/")]
    if not found:
        raise ValueError(f"No variables of the graph are in the scope {here!r}.")
    for name in found:
        own = name[len(scope) + 1 :] if scope else name
        yield f"{prefix}/{own}" if prefix else own, ours[name]


def _let_initialize(prefix: str, bundle: BundleReader, name: str, variable: Any) -> None:
    key = full_names(bundle).get(name, name)
    if key not in bundle:
        raise ValueError(
            f"Tensor {name} is not found in {prefix} checkpoint {{{', '.join(bundle.names())}}}"
        )
    shape = bundle.entry(key).shape
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape of tensor {name} "
            f"({list(shape)}) from checkpoint reader."
        )
    graph = variable.graph
    with (
        activate((), graph),
        graph.control_dependencies(None),
        graph.names.scoped(f"{variable.op.name}/checkpoint_initializer"),
    ):
        (value,) = restored(convert(prefix), convert([name]), convert([""]), [variable.dtype])
        value.set_shape(variable.shape)
        variable._initial_value = value
        variable.initializer = assign_later(variable, "assign", value)
