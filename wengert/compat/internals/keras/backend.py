"""tensorflow.python.keras.backend: the graph that models are built in."""

from __future__ import annotations

import threading
from typing import Any

from wengert.api.session.modes import executing_eagerly, get_default_graph
from wengert.compat.internals.framework.func_graph import FuncGraph

_of_thread = threading.local()


def get_graph() -> Any:
    """The default graph; in eager mode one of the thread's own."""
    if not executing_eagerly():
        return get_default_graph()
    if not hasattr(_of_thread, "graph"):
        _of_thread.graph = FuncGraph("keras_graph")
    return _of_thread.graph
