"""A graph with its collections, and what saves its variables, as MetaGraphDef."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any, Final

from wengert.api.session.logger import get_logger
from wengert.api.session.modes import executing_eagerly, get_default_graph
from wengert.api.variables.graph_variable import GraphVariable
from wengert.compat.graph_defs.protos import message
from wengert.compat.v1.graph_files.collections import collection_message
from wengert.compat.v1.graph_files.saver_nodes import with_reads
from wengert.io.graphs import write_message

_UNBOUND: Final = "$unbound_inputs_"


def export_meta_graph(
    filename: Any = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Sequence[str] | None = None,
    as_text: bool = False,
    graph: Any = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Any:
    """The graph, its collections and how it is saved, as MetaGraphDef; written to a file if one is named.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     x = v1.placeholder(tf.float32, [], name="x")
    ...     v1.add_to_collection("results", tf.square(x, name="y"))
    ...     meta = v1.train.export_meta_graph()
    >>> [node.name for node in meta.graph_def.node], list(meta.collection_def)
    (['x', 'y'], ['results'])
    """
    if graph is None:
        refuse_eager()
    graph = graph or get_default_graph()
    scope = f"{export_scope}/" if export_scope else ""
    made = message("MetaGraphDef")()
    if meta_info_def is not None:
        made.meta_info_def.CopyFrom(meta_info_def)
    made.meta_info_def.tensorflow_version = importlib.import_module("wengert.compat.v1").VERSION
    made.graph_def.CopyFrom(graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def)
    _add_collections(made, graph, collection_list, scope)
    if scope:
        _keep_scope(made.graph_def, scope)
    if clear_devices:
        clear_devices_of(made.graph_def)
    if saver_def is not None:
        made.saver_def.CopyFrom(saver_def)
    if filename:
        write_message(os.fspath(filename), made, as_text)
    return made


def _add_collections(made: Any, graph: Any, names: Sequence[str] | None, scope: str) -> None:
    for name in graph.get_all_collection_keys() if names is None else names:
        values = [v for v in graph.get_collection(name) if not scope or _is_in(v, scope)]
        with_reads(made.graph_def, [v for v in values if isinstance(v, GraphVariable)])
        found = collection_message(values, lambda text: text.removeprefix(scope))
        if found is None:
            get_logger().warning("The collection %r is not written: its values have no form.", name)
        elif values:
            made.collection_def[name].CopyFrom(found)


def _is_in(value: Any, scope: str) -> bool:
    return not hasattr(value, "name") or str(value.name).startswith(scope)


def _keep_scope(graph_def: Any, scope: str) -> None:
    """Leave the nodes of a scope; what they use of others has to be given when they are imported."""
    kept = [node for node in graph_def.node if node.name.startswith(scope)]
    for node in kept:
        node.name = node.name.removeprefix(scope)
        inputs = list(node.input)
        del node.input[:]
        for name in inputs:
            if name.startswith("^"):
                node.input.extend(
                    [f"^{name[1:].removeprefix(scope)}"] if name[1:].startswith(scope) else []
                )
            else:
                bound = name.startswith(scope)
                node.input.append(name.removeprefix(scope) if bound else f"{_UNBOUND}{name}")
    del graph_def.node[:]
    graph_def.node.extend(kept)


def clear_devices_of(graph_def: Any) -> None:
    """Let nodes run anywhere."""
    for node in graph_def.node:
        node.device = ""


def refuse_eager() -> None:
    """Raise in eager mode, where there is no graph."""
    if executing_eagerly():
        raise RuntimeError(
            "Exporting/importing meta graphs is not supported when eager execution is enabled. No graph "
            "exists when eager execution is enabled."
        )
