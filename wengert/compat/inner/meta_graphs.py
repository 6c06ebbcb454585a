"""Graphs with their collections, as MetaGraphDef."""

from __future__ import annotations

from typing import Any

from wengert.api.session.modes import get_default_graph
from wengert.compat.v1.graph_files.exporting import export_meta_graph
from wengert.graph.graph import Graph


def create_meta_graph_def(
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Any = None,
    graph: Any = None,
    export_scope: str | None = None,
    **how: Any,
) -> Any:
    """A graph, its collections and how it is saved, as MetaGraphDef."""
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"graph must be of type Graph. Received type: {type(graph)}.")
    return export_meta_graph(
        meta_info_def=meta_info_def,
        graph_def=graph_def,
        saver_def=saver_def,
        collection_list=collection_list,
        graph=graph or get_default_graph(),
        export_scope=export_scope,
        **how,
    )
