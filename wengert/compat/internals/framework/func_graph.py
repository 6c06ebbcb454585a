"""tensorflow.python.framework.func_graph: the graphs of functions."""

from wengert.graph.function_graph import FunctionGraph as FuncGraph

__all__ = ["FuncGraph"]
