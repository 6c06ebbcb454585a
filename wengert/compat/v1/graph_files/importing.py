"""MetaGraphDef into a graph: its nodes, its collections, and what restores its variables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from wengert.api.session.modes import get_default_graph, name_scope
from wengert.api.variables.graph_variable import GraphVariable
from wengert.compat.graph_defs.importing import Importer
from wengert.compat.graph_defs.protos import message
from wengert.compat.v1.graph_files.collections import Reader
from wengert.compat.v1.graph_files.exporting import clear_devices_of, refuse_eager
from wengert.compat.v1.graph_files.saver import Saver
from wengert.errors import DataLossError
from wengert.formats.protos import decode_error, of_text


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Add a graph with its collections; returns what restores its variables, None if there are none.

    >>> import tempfile
    >>> v1, path = tf.compat.v1, f"{tempfile.mkdtemp()}/model"
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.get_variable("x", initializer=[1.0, 2.0])
    ...     y = tf.square(x, name="y")
    ...     session.run(x.initializer)
    ...     _ = v1.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     saver = v1.train.import_meta_graph(f"{path}.meta")
    ...     saver.restore(session, path)
    ...     print(session.run("y:0"), v1.trainable_variables()[0].name)
    [1. 4.] x:0
    """
    refuse_eager()
    meta = read_meta_graph(meta_graph_or_file)
    add_meta_graph(meta, clear_devices, import_scope, **kwargs)
    if meta.HasField("saver_def"):
        return Saver(saver_def=within(meta.saver_def, import_scope), name=import_scope)
    graph = get_default_graph()
    return Saver() if graph.get_collection("variables") else None


def read_meta_graph(source: Any) -> Any:
    """A MetaGraphDef, from a file if it is one."""
    if hasattr(source, "SerializeToString"):
        return message("MetaGraphDef").FromString(source.SerializeToString())
    path = os.fspath(source)
    if not os.path.isfile(path):
        raise OSError(f"File does not exist. Received: {path}.")
    content = Path(path).read_bytes()
    kind = message("MetaGraphDef")
    try:
        return kind.FromString(content)
    except decode_error():
        pass
    try:
        return of_text(content.decode(), kind)
    except ValueError as error:
        raise DataLossError(
            f"{path} is no MetaGraphDef: it is cut short or damaged ({error})"
        ) from None


def add_meta_graph(
    meta: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    input_map: Any = None,
    return_elements: Sequence[str] | None = None,
    restore_collections_predicate: Any = None,
    **_: Any,
) -> list[Any] | None:
    """Add the nodes and the collections; returns the elements asked for."""
    graph = get_default_graph()
    if clear_devices:
        clear_devices_of(meta.graph_def)
    with name_scope(import_scope) if import_scope else nullcontext("") as scope:
        importer = Importer(graph, meta.graph_def.library)
        importer.replace(input_map or {})
        importer.add_all(meta.graph_def.node)
        found = None if return_elements is None else [importer.element(e) for e in return_elements]
    variables = {
        name: values[0]
        for name, values in importer.values.items()
        if values and isinstance(values[0], GraphVariable)
    }
    reader = Reader(graph, scope.rstrip("/"), variables)
    for name in sorted(meta.collection_def):
        if restore_collections_predicate is None or restore_collections_predicate(name):
            reader.add(name, meta.collection_def[name])
    return found


def within(saver_def: Any, scope: str | None) -> Any:
    """The nodes of a saver, of a graph that was added within a scope."""
    if not scope:
        return saver_def
    made = type(saver_def).FromString(saver_def.SerializeToString())
    for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
        setattr(made, field, f"{scope}/{getattr(saver_def, field)}")
    return made
