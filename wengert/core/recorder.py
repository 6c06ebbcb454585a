"""The interfaces of recorders, interpreters, and graphs under construction.

A recorder is notified of an operation once, where the operation gets its result:

- by dispatch.apply and its fast door, of what a kernel computed;
- by context.note, of what was computed by other means: a custom gradient, a call of a subgraph, a
  call that is deferred until sizes are known;
- by a graph (`told`), of a node it added, with captured values as they were given;
- by a batch, of an operation on examples; recorders around the batch are notified by the door;
- by overrides, which carry out an operation again for rules: only recorders that compute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

from wengert.core.row import Attrs, Row
from wengert.core.scope import Scope


class Recorder:
    """Is notified of operations. This base class ignores them and follows no value."""

    __slots__ = ()

    # A recorder that computes when it is notified comes after those that only take notes, and the
    # recorders before it are notified of what it computes.
    computes: ClassVar[bool] = False
    # A recorder of every operation, whatever it is on, that is there to find derivatives.
    follows_all: ClassVar[bool] = False

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        """An operation was carried out; `result` is a list where the row has many."""

    def follows(self, values: Sequence[Any]) -> bool:
        """Whether an operation on these values would be recorded."""
        return False

    def within(self, scope: Scope | None, inputs: Sequence[Any], result: Any) -> None:
        """The operation just recorded belongs to a name scope."""

    def extended(self, first: Any, more: Sequence[Any]) -> None:
        """The operation that computed `first` has more results than were recorded."""

    def accessed(self, variable: Any) -> None:
        """A variable is being read."""


class Interpreter(Protocol):
    """Takes operations in place of the kernels."""

    @property
    def building(self) -> GraphInterpreter | None:
        """The graph that operations go into, in which values are not known yet."""

    def apply(self, row: Row, inputs: Sequence[Any], attrs: Attrs, name: str | None = None) -> Any:
        """The results of an operation."""

    def announce(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> Any:
        """An operation was carried out by other means; its results as others see them."""

    def accessed(self, variable: Any) -> None:
        """A variable is being read."""


class GraphInterpreter(Interpreter, Protocol):
    """A graph under construction: the interface for the layers below it."""

    overrides: dict[str, Any]  # functions from a row to its replacement, by operation type
    passed_on: dict[str, Any]  # those that hold in what is traced within it, too

    def entered(self, value: Any) -> Any:
        """What stands in this graph for a value: a constant, a capture, or itself."""

    def constant(self, tensor: Any) -> Any:
        """A tensor of plain values as a constant of the graph."""

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a public function, which may wait for sizes that it must know."""

    def call_named(self, function: Callable[..., Any], args: Any, kwargs: Any, name: Any) -> Any:
        """The same, within a name scope."""

    def call_like(
        self, function: Callable[..., Sequence[Any]], args: Any, asked: list[Any]
    ) -> Sequence[Any]:
        """The same for a function that returns one value like each of those in `asked`."""

    def rule_scope(self, y: Any) -> Any:
        """A context: what the rule of the operation that computed `y` adds is named after it."""
