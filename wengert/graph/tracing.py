"""Tracing: the graph of what a Python function does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.core.context import Context, activate, thread, with_top
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.sizes import inference_mode


def traced_body(
    name: str, function: Callable[..., Any], outer: Any, arguments: Callable[[FunctionGraph], Any]
) -> tuple[FunctionGraph, Any]:
    """Build the graph of a function; `arguments(graph)` makes what it is called with.

    The outputs of the graph are the leaves of what the function returns, as tensors. The second
    result is the structure of that.
    """
    graph = FunctionGraph(name, outer)
    with activate((), with_top(graph)):
        returned = function(*arguments(graph))
        graph.outputs = [as_output(graph, leaf) for leaf in nest.tensors_of(returned)]
    return graph, returned


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
