"""Tracing: the graph of what a Python function does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from wengert.core.context import Context, activate, note_access, thread, with_top
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.host.context_manager import context_manager, enter
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.sizes import inference_mode


class ControlFlow:
    """Whether branches and loops are functions to a graph's override map, which then does not reach them.

    So they are in TensorFlow unless version 1 of its control flow was asked for.
    """

    is_functions: ClassVar[bool] = True

    @classmethod
    def choose(cls, is_functions: bool) -> None:
        """Let them be functions, or parts of the graph around."""
        cls.is_functions = is_functions


def traced_body(
    name: str,
    function: Callable[..., Any],
    outer: Any,
    arguments: Callable[[FunctionGraph], Any],
    scope: str = "",
) -> tuple[FunctionGraph, Any]:
    """Build the graph of a function; `arguments(graph)` makes what it is called with.

    The outputs of the graph are the leaves of what the function returns, as tensors. The second
    result is the structure of that.
    """
    graph = body_graph(name, outer, scope)
    with tracing(graph):
        returned = function(*arguments(graph))
        graph.outputs = [as_output(graph, leaf) for leaf in nest.tensors_of(returned)]
    return graph, returned


def body_graph(name: str, outer: Any, scope: str) -> FunctionGraph:
    """The graph of a branch or a loop: its names and collections go on from those around it."""
    graph = FunctionGraph(name, outer, goes_on=not ControlFlow.is_functions)
    graph.is_control_flow_graph = True
    entry = None if outer is None else outer.names.entry
    graph.names.go_on_in(scope, entry)
    graph.names.root = entry or ""
    if outer is not None:
        graph.collections = outer.collections
    return graph


@context_manager
def tracing(graph: FunctionGraph) -> tuple[FunctionGraph, Callable[[], None]]:
    """What is done inside is added to the graph; the surrounding tapes are told what it read."""
    _, leave = enter(activate((), with_top(graph)))

    def end() -> None:
        leave()
        note_accesses(graph)

    return graph, end


def note_accesses(graph: FunctionGraph) -> None:
    """Tell the tapes around a graph that was traced of the variables that it read."""
    for variable in graph.accessed_variables.values():
        note_access(variable)


def as_output(graph: FunctionGraph, leaf: Any) -> Any:
    """A result as a tensor of the graph. None and operations have no value."""
    if leaf is None or isinstance(leaf, Operation):
        return None
    return graph.entered(convert(leaf))


# ---- interrupts ---------------------------------------------------------------------------------


def snapshot() -> tuple[Any, ...]:
    """The recorders, interpreter and rules that are active in this thread."""
    context = thread.context
    return (inference_mode.now, *[getattr(context, name) for name in Context.__slots__])


def restore(before: tuple[Any, ...]) -> None:
    """Restore what was active before work that may have been interrupted anywhere.

    All tracing code calls it: an interrupt that comes just as a context ends keeps the context from
    restoring the state.
    """
    context = thread.context
    inference_mode.now, *values = before
    for name, value in zip(Context.__slots__, values, strict=True):
        setattr(context, name, value)
