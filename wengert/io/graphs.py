"""Graphs and other messages written to files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from wengert.formats.protos import text_of
from wengert.host.files import replaced


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Write a graph as GraphDef; returns the path.

    >>> import pathlib, tempfile
    >>> with tf.Graph().as_default() as graph:
    ...     _ = tf.constant(1.0, name="x")
    >>> path = tf.io.write_graph(graph, tempfile.mkdtemp(), "graph.pbtxt")
    >>> pathlib.Path(path).read_text().splitlines()[:3]
    ['node {', '  name: "x"', '  op: "Const"']
    """
    given = graph_or_graph_def
    made = given if hasattr(given, "SerializeToString") else given.as_graph_def()
    path = os.path.join(os.fspath(logdir), name)
    write_message(path, made, as_text)
    return path


def write_message(path: str, made: Any, as_text: bool) -> None:
    """Write a message, as bytes or as text, all of it or nothing."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    replaced(path, text_of(made).encode() if as_text else made.SerializeToString())
