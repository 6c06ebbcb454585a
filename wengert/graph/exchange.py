"""A graph as a message of TensorFlow's: declared here, bound by the package, loaded when asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.values.shapes import TensorShape


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

    def node_def(self, op: Any) -> Any:
        """An operation as NodeDef."""
        return self._load().node_def(op)

    def op_def(self, kind: str) -> Any:
        """A type of operations as OpDef."""
        return self._load().op_def(kind)

    def attribute(self, op: Any, name: str) -> Any:
        """An attribute that TensorFlow's form of an operation has; None if it has not."""
        return self._load().attribute_of(op, name)

    def told(self, op: Any, name: str, value: Any) -> Any:
        """An attribute as programs read it: a shape and a constant's tensor are messages."""
        if isinstance(value, (TensorShape, np.ndarray, np.generic, list)):
            return self._load().told(op, name, value)
        return value

    def versions(self) -> Any:
        """The versions of the format that is written, as VersionDef."""
        return self._load().versions()

    def plain(self, value: Any) -> Any:
        """What a message AttrValue says; anything else itself."""
        return self._load().attr_of(value) if self.is_message(value) else value

    def is_message(self, value: Any) -> bool:
        """Whether a value is a message AttrValue."""
        return hasattr(value, "WhichOneof")


exchange: Final = Exchange()
