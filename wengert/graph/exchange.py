"""A graph as a message of TensorFlow's: declared here, bound by the package, loaded when asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final


class Exchange:
    """What writes a graph as GraphDef."""

    def __init__(self) -> None:
        self._load: Callable[[], Any] = lambda: None

    def given_by(self, load: Callable[[], Any]) -> None:
        """`load` gives the module that writes."""
        self._load = load

    def as_graph_def(self, graph: Any, from_version: int | None, add_shapes: bool) -> Any:
        """The operations of a graph as GraphDef."""
        return self._load().as_graph_def(graph, from_version, add_shapes)


exchange: Final = Exchange()
