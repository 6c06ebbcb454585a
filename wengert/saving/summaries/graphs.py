"""Graphs for TensorBoard; traces are accepted, and of them the graphs are written."""

from __future__ import annotations

from typing import Any, Final

from wengert.formats.events import GRAPH, event
from wengert.graph.graph_def import attr_value, graph_def, input_name, node_def
from wengert.saving.summaries.current import condition_now, current
from wengert.values.convert import convert
from wengert.values.tensor import Tensor

_MOST: Final = 64  # elements of a constant that are written: TensorBoard shows no more


def graph(graph_data: Any) -> Tensor:
    """Write a graph, or a GraphDef.

    >>> tf.summary.graph(tf.Graph()).numpy()
    np.False_
    """
    if current.writer is None or condition_now() is False:
        return convert(False)
    if hasattr(graph_data, "SerializeToString"):
        data = graph_data.SerializeToString()
    elif hasattr(graph_data, "get_operations"):
        data = graph_message(graph_data).done()
    else:
        raise ValueError(
            "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received graph_data="
            f"{graph_data} of type {type(graph_data).__name__}."
        )
    current.writer.add(event(GRAPH, data))
    return convert(True)


def graph_message(of: Any) -> Any:
    """A graph as GraphDef, without what cannot be shown."""
    return graph_def(
        node_def(
            op.name,
            op.type,
            [input_name(x, x.op.name) for x in op.inputs],
            [other.name for other in op.control_inputs],
            op.device,
            {key: value for key, value in op.attrs.items() if _is_shown(value)},
        )
        for op in of.get_operations()
    )


def _is_shown(value: Any) -> bool:
    size = getattr(value, "size", 0)
    return attr_value(value) is not None and (not isinstance(size, int) or size <= _MOST)


def trace_on(
    graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None
) -> None:
    """Accepted: a trace says what ran where, and here all runs in this process.

    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    current.__dict__["tracing"] = True


def trace_off() -> None:
    """End what `trace_on` began.

    >>> tf.summary.trace_off()
    """
    current.__dict__["tracing"] = False


def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """End what `trace_on` began; there is nothing to be written.

    >>> tf.summary.trace_on()
    >>> with tf.summary.create_noop_writer().as_default():
    ...     tf.summary.trace_export("steps", step=1)
    """
    if current.writer is None:
        return
    if not current.__dict__.get("tracing"):
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    trace_off()
