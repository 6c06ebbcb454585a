"""The graph for TensorBoard: a file of events, of which it reads the graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from wengert.formats.events import GRAPH, EventFile, event
from wengert.formats.wire import Message
from wengert.graph.graph_def import attr_value, graph_def, input_name, node_def
from wengert.insight.journal import operations_behind
from wengert.insight.program_text import line_text, short
from wengert.insight.source.derivation import Derivation
from wengert.values.tensor import Tensor

_MOST: Final = 64  # elements of a constant that are written: TensorBoard shows no more


def write_events(d: Derivation, folder: str | Path) -> Path:
    """Write the graph into a new file of the folder; the file."""
    file = EventFile(str(folder))
    file.add(event(GRAPH, graph_def(nodes_of(d)).done()))
    file.flush()
    return file.path


def nodes_of(d: Derivation) -> Iterator[Message]:
    """The inputs, the operations in a scope `forward` and a scope `backward`, and the results."""
    ends = d.results()
    reached = operations_behind(y for _, y in ends)
    names: dict[int, str] = {}
    outside = {id(x.op) for x in d.graph.all_inputs}
    for number, op in enumerate(d.graph.operations):
        if id(op) not in reached:
            continue
        side = "forward" if number < d.forward else "backward"
        names[id(op)] = f"inputs/{op.name}" if id(op) in outside else f"{side}/{op.name}"
        after = [names[id(other)] for other in op.control_inputs if id(other) in names]
        inputs = [input_name(x, names[id(x.op)]) for x in op.inputs]
        yield node_def(names[id(op)], op.type, inputs, after, op.device, _attrs(d, op))
    for name, y in ends:
        attrs = {"dtype": y.dtype, "_output_shapes": [y.shape]}
        yield node_def(f"results/{name}", "Identity", [input_name(y, names[id(y.op)])], attrs=attrs)


def _attrs(d: Derivation, op: Any) -> dict[str, Any]:
    """Those of the operation that can be read, its line, and what is known of its results."""
    found = {key: _readable(value) for key, value in op.attrs.items() if _is_small(value)}
    if op.type == "Const" and "value" in found:
        found["value"] = np.asarray(found["value"])  # a message of its own, be it one number
    line = d.lines.get(id(op), op.place)
    found |= {"line": short(line), "code": line_text(line)}
    if op.outputs:
        found |= {"dtype": op.outputs[0].dtype, "_output_shapes": [y.shape for y in op.outputs]}
    return found


def _readable(value: Any) -> Any:
    """Slices and tuples of tuples have no message of their own."""
    is_told = not isinstance(value, (tuple, list, slice)) or attr_value(value) is not None
    return value if is_told else str(value)


def _is_small(value: Any) -> bool:
    array = value._array if isinstance(value, Tensor) else value
    return not isinstance(array, np.ndarray) or array.size <= _MOST
