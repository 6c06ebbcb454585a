"""tensorflow.python.framework.func_graph: the graphs of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wengert.api.function.function import Function
from wengert.graph.function_graph import FunctionGraph as FuncGraph

__all__ = ["FuncGraph", "func_graph_from_py_func"]


def func_graph_from_py_func(
    name: str,
    python_func: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None,
    signature: Any = None,
    func_graph: Any = None,
    autograph: bool = False,
    *_: Any,
    **__: Any,
) -> Any:
    """The graph of what a function does with arguments, or with what their specs describe."""
    if func_graph is not None:
        raise NotImplementedError(
            "A function is traced to a graph of its own: leave out `func_graph`, and call the "
            "function within `with func_graph.as_default():` to add to one."
        )
    traced = Function(python_func, input_signature=signature, name=name, autograph=autograph)
    given = () if signature is not None else args
    trace = traced.get_concrete_function(*given, **(kwargs or {}))
    graph: Any = trace.graph
    graph.structured_outputs = trace.structured_outputs
    return graph
