"""A layer: an interpreter on top of another one, or of eager execution, to which it hands operations on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert.core.context import activate, announce, note_access, thread
from wengert.core.dispatch import apply
from wengert.core.recorder import GraphInterpreter, Interpreter
from wengert.core.row import Attrs, Row


class Layer:
    """Hands everything on to the interpreter beneath."""

    # Functions that are called under it are traced under it, too: calls of traces may pass it by.
    is_in_traces: ClassVar[bool] = False

    def __init__(self, outer: Interpreter | None) -> None:
        self.outer = outer

    @property
    def building(self) -> GraphInterpreter | None:
        """The graph beneath, if there is one."""
        return None if self.outer is None else self.outer.building

    def beneath(self) -> activate:
        """What happens inside does not come through this layer."""
        return activate(thread.context.recorders, self.outer)

    def apply(self, row: Row, inputs: Sequence[Any], attrs: Attrs, name: str | None = None) -> Any:
        """Have an operation carried out."""
        with self.beneath():
            return apply(row, inputs, attrs, name)

    def announce(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> Any:
        """An operation was carried out by other means."""
        with self.beneath():
            return announce(row, inputs, attrs, result)

    def accessed(self, variable: Any) -> None:
        """A variable is being read."""
        with self.beneath():
            note_access(variable)


def beneath_layers(active: Any) -> Any:
    """The interpreter under all layers, such as the batch that a rule runs in."""
    while isinstance(active, Layer):
        active = active.outer
    return active
