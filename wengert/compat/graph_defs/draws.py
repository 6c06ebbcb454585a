"""Draws of random numbers as files have them: the two seeds are attributes, and no stream is an input.

Here an operation that draws takes its stream first, which stands in the graph as a variable does; in loops and
branches it is captured from outside.
"""

from __future__ import annotations

from typing import Any

from wengert.graph.operation import Operation
from wengert.ops.random.seeds import STREAM
from wengert.values.dtypes import resource


class Draw:
    """An operation that draws, without its stream."""

    def __init__(self, op: Operation, stream: Operation) -> None:
        self._op = op
        self.inputs = op.inputs[1:]
        self.seeds = [stream.attrs[name] or 0 for name in ("seed", "seed2")]
        self.own_attrs = op.attrs
        self.attrs = {**op.attrs, "seed": self.seeds[0], "seed2": self.seeds[1]}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._op, name)


def stream_of(x: Any) -> Operation | None:
    """The operation of the stream that a tensor is, or stands for within a loop or a branch."""
    while getattr(x, "dtype", None) is resource and hasattr(x, "op"):
        if x.op.row is STREAM:
            found: Operation = x.op
            return found
        outside = [value for value, own in getattr(x.op.graph, "captures", ()) if own is x]
        if not outside:
            return None
        (x,) = outside
    return None


def is_stream(op: Operation) -> bool:
    """Whether an operation gives nothing but a stream: files have no node for it."""
    return len(op.outputs) == 1 and stream_of(op.outputs[0]) is not None


def without_stream(op: Operation) -> Any:
    """A draw without its stream; any other operation as it is."""
    stream = stream_of(op.inputs[0]) if op.row.stateful and op.inputs else None
    return op if stream is None else Draw(op, stream)
