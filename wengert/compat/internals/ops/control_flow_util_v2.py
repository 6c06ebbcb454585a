"""tensorflow.python.ops.control_flow_util_v2: branches and loops, which are always functions here."""

from __future__ import annotations

from wengert.api.session.modes import executing_eagerly, get_default_graph
from wengert.graph.function_graph import FunctionGraph

# Programs switch these; branches and loops have one form here, which keeps what gradients need.
_EXPERIMENTAL_OUTPUT_ALL_INTERMEDIATES_OVERRIDE = None
_DISABLE_LOWER_USING_SWITCH_MERGE = False


def in_defun() -> bool:
    """Whether a function is being traced."""
    return not executing_eagerly() and isinstance(get_default_graph(), FunctionGraph)


def in_while_loop_defun(graph: object) -> bool:
    """Whether a graph is the body or the condition of a loop."""
    return isinstance(graph, FunctionGraph) and graph.name in ("while_body", "while_cond")
