"""An operation that is being written: its inputs as terms, its attributes, its shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.graph.operation import Operation
from wengert.insight.onnx.terms import NoCounterpartError, Term


class Site:
    """What a rule of the table is called with."""

    def __init__(self, op: Operation, x: list[Term]) -> None:
        self.op = op
        self.attrs = op.attrs
        self.x = x

    def size(self, at: int = 0) -> tuple[int, ...]:
        """The shape of an input."""
        return _known(self.op.inputs[at])

    def made(self, at: int = 0) -> tuple[int, ...]:
        """The shape of a result."""
        return _known(self.op.outputs[at])

    @property
    def rank(self) -> int:
        """Of the first input."""
        return len(self.size())

    def dtype(self, at: int = 0) -> Any:
        """The dtype of a result."""
        return self.op.outputs[at]._array.dtype


Rule = Callable[[Site], Any]  # gives a term, or a list of them


def _known(tensor: Any) -> tuple[int, ...]:
    shape = tensor.shape
    if not shape.is_fully_defined():
        raise NoCounterpartError("a shape that is known only when it runs")
    return tuple(shape.as_list())
