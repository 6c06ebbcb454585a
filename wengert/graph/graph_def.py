"""Operations as TensorFlow's message GraphDef: what TensorBoard, Netron and TensorFlow's tools read.

The numbers are those of tensorflow/core/framework: graph, node_def, attr_value, tensor and tensor_shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from wengert.formats.wire import Message
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import SymbolicTensor

_PRODUCER: Final = 2000  # the version of the format: newer than what any reader asks for
_UNKNOWN: Final = -1  # a size


def graph_def(nodes: Iterable[Message]) -> Message:
    """A graph of these nodes."""
    made = Message()
    for node in nodes:
        made.message(1, node)
    return made.message(4, Message().integer(1, _PRODUCER))


def node_def(
    name: str,
    kind: str,
    inputs: Sequence[str],
    after: Sequence[str] = (),
    device: str = "",
    attrs: Mapping[str, Any] | None = None,
) -> Message:
    """A node, what flows into it, and which nodes run before it; attributes that have no message are left out."""
    made = Message().text(1, name).text(2, kind)
    for x in (*inputs, *[f"^{other}" for other in after]):
        made.text(3, x)
    if device:
        made.text(4, device)
    for key, value in sorted((attrs or {}).items()):
        written = attr_value(value)
        if written is not None:
            made.message(5, Message().text(1, key).message(2, written))
    return made


def input_name(x: SymbolicTensor, name: str) -> str:
    """A tensor as the input of a node, whose operation is called by that name."""
    return name if x.value_index == 0 else f"{name}:{x.value_index}"


def attr_value(value: Any) -> Message | None:
    """An attribute; None if the format has nothing for it."""
    if isinstance(value, (list, tuple)) and not isinstance(value, TensorShape):
        return _list(value)
    array = getattr(value, "_array", value)
    if isinstance(array, np.ndarray):
        return Message().message(8, tensor(array))
    field = _field(value)
    return None if field is None else field[1](Message(), field[0])


def _list(values: Sequence[Any]) -> Message | None:
    made = Message()
    for value in values:
        field = _field(value)
        if field is None:
            return None
        field[1](made, field[0])
    return Message().message(1, made)


def _field(value: Any) -> tuple[int, Any] | None:
    """The number of the field for such a value, and what writes it."""
    if isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        return 2, lambda m, n: m.data(n, data)
    if isinstance(value, (bool, np.bool_)):
        return 5, lambda m, n: m.integer(n, bool(value))
    if isinstance(value, (int, np.integer)):
        return 3, lambda m, n: m.integer(n, int(value))
    if isinstance(value, (float, np.floating)):
        return 4, lambda m, n: m.float32(n, float(value))
    if isinstance(value, DType):
        return 6, lambda m, n: m.integer(n, value.as_datatype_enum)
    if isinstance(value, TensorShape):
        return 7, lambda m, n: m.message(n, shape(value))
    return None


def shape(value: TensorShape) -> Message:
    """What is known of a shape."""
    if value.rank is None:
        return Message().integer(3, True)
    made = Message()
    for size in value.as_list():
        made.message(2, Message().integer(1, _UNKNOWN if size is None else size))
    return made


def tensor(array: np.ndarray) -> Message:
    """An array with its numbers, or its strings."""
    dtype = as_dtype(array.dtype)
    made = Message().integer(1, dtype.as_datatype_enum).message(2, shape(TensorShape(array.shape)))
    if array.dtype != object:
        return made.data(4, np.ascontiguousarray(array).tobytes())
    for text in array.ravel():
        made.data(8, text if isinstance(text, bytes) else str(text).encode())
    return made
