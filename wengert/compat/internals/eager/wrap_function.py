"""tensorflow.python.eager.wrap_function: graphs of version 1 as functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.compat.graph_defs.importing import import_graph_def
from wengert.compat.v1.functions.wrapped import WrappedFunction as WrappedFunction
from wengert.compat.v1.functions.wrapped import wrap_function as wrap_function


def function_from_graph_def(
    graph_def: Any, inputs: Sequence[str], outputs: Sequence[str], captures: Any = None
) -> WrappedFunction:
    """A frozen graph as a function of some of its tensors, which gives others; all by names."""
    whole = wrap_function(lambda: import_graph_def(graph_def, name=""), [])
    return whole.prune(list(inputs), list(outputs))
