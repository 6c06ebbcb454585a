"""What a function computed, operation by operation.

In eager mode a trail intercepts the operations of its thread, as a batch does, and has them carried
out as they would be without it: so a call of a traced function or a graph's loop is seen as the
operations within. While a graph is built, it only listens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from wengert.core.context import (
    activate,
    announce,
    install,
    listening,
    note,
    note_access,
    start,
    stop,
    thread,
)
from wengert.core.dispatch import apply
from wengert.core.layer import Layer
from wengert.core.recorder import Interpreter, Recorder
from wengert.core.row import Attrs, Row
from wengert.host.context_manager import Change, context_manager


class Event(NamedTuple):
    """One operation that was carried out."""

    row: Row
    inputs: tuple[Any, ...]
    attrs: Attrs
    results: tuple[Any, ...]


def beneath_layers_in_traces(around: Interpreter | None, trail: Trail) -> Interpreter:
    """The trail under the layers that functions are traced under, so that it sees what these make of a function."""
    top: Interpreter = trail
    while isinstance(around, Layer):
        top = type(around)(top) if around.is_in_traces else top
        around = around.outer
    return top


class Trail(Recorder):
    """The operations carried out while it is active, in their order."""

    building: ClassVar[None] = None
    follows_all: ClassVar[bool] = True

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.outer: Interpreter | None = None
        self.outer_recorders: tuple[Recorder, ...] = ()

    @context_manager
    def active(self) -> Change:
        """Intercept the operations of this thread, or listen to them."""
        if thread.context.building is not None:
            start(self)
            return None, lambda: stop(self)
        self.outer, self.outer_recorders = thread.context.interpreter, thread.context.recorders
        install((), beneath_layers_in_traces(self.outer, self))
        return None, lambda: install(self.outer_recorders, self.outer)

    def outside(self) -> activate | listening:
        """As it was before the trail began."""
        if thread.context.interpreter is not self:  # it only listens
            recorders = thread.context.recorders
            return listening(*recorders[: recorders.index(self)])
        return activate(self.outer_recorders, self.outer)

    def apply(self, row: Row, inputs: Sequence[Any], attrs: Attrs, name: str | None = None) -> Any:
        """Have an operation carried out, and note it."""
        with self.outside():
            result = apply(row, inputs, attrs, name)
        # Before the recorders added since the trail began are notified: they may compute with it.
        self._keep(row, inputs, attrs, result)
        note(row, inputs, attrs, result)
        return result

    def announce(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> Any:
        """An operation was carried out by other means."""
        with self.outside():
            result = announce(row, inputs, attrs, result)
        self._keep(row, inputs, attrs, result)
        note(row, inputs, attrs, result)
        return result

    def accessed(self, variable: Any) -> None:
        """A variable is being read: as an interpreter, it notifies the recorders around it."""
        if thread.context.interpreter is self:
            with self.outside():
                note_access(variable)

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        """An operation was added to a graph."""
        self._keep(row, inputs, attrs, result)

    def _keep(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        results = tuple(result) if row.many else (result,)
        self.events.append(Event(row, tuple(inputs), attrs, results))
