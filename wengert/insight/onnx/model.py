"""A model of ONNX: nodes, values and constants, and how they are written.

The numbers of the fields are those of onnx.proto.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.formats.wire import Message

OPSET: Final = 18  # reductions take their axes as an input, and a padding its axes
_IR_VERSION: Final = 8
OWN_DOMAIN: Final = "wengert"  # of operations that ONNX does not have
_KINDS: Final = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "object": 8, "bool": 9,
    "float16": 10, "float64": 11, "uint32": 12, "uint64": 13, "complex64": 14, "complex128": 15, "bfloat16": 16,
}  # fmt: skip


class Slot:
    """A value of the model: an input, a constant, or what a node gives. Its name may come later."""

    __slots__ = ("dtype", "name", "shape")

    def __init__(
        self, dtype: Any, shape: Sequence[int | str] | None = None, name: str = ""
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.shape = shape
        self.name = name


class Node:
    """A node of the model."""

    def __init__(
        self,
        kind: str,
        inputs: Sequence[Slot | None],
        outputs: Sequence[Slot],
        attrs: dict[str, Any],
    ) -> None:
        self.kind = kind
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs
        self.name = ""
        self.about = ""  # the line of the program
        self.domain = ""


class Model:
    """A model that grows node by node."""

    def __init__(self) -> None:
        self.inputs: list[Slot] = []
        self.outputs: list[Slot] = []
        self.nodes: list[Node] = []
        self.constants: dict[Any, tuple[Slot, np.ndarray]] = {}
        self._names: set[str] = set()
        self._node_names: set[str] = set()
        self._constant_ids: set[int] = set()

    def add(
        self, kind: str, inputs: Sequence[Slot | None], dtypes: Sequence[Any], **attrs: Any
    ) -> list[Slot]:
        """A new node, with a result of each of these dtypes."""
        outputs = [Slot(dtype) for dtype in dtypes]
        self.nodes.append(Node(kind, inputs, outputs, attrs))
        return outputs

    def constant(self, array: Any, name: str = "") -> Slot:
        """A constant; the same one for the same numbers under the same name."""
        value = np.asarray(array)
        key = name, value.dtype.name, value.shape, hashlib.sha256(value.tobytes()).digest()
        if key not in self.constants:
            called = self.unique(name or _spoken(value))
            self.constants[key] = Slot(value.dtype, value.shape, called), value
            self._constant_ids.add(id(self.constants[key][0]))
        return self.constants[key][0]

    def is_constant(self, slot: Slot) -> bool:
        """Whether the value is one of the constants."""
        return id(slot) in self._constant_ids

    def unique(self, name: str) -> str:
        """A name that no other value has."""
        return _free(name, self._names)

    def unique_node(self, name: str) -> str:
        """A name that no other node has."""
        return _free(name, self._node_names)

    def written(self, name: str, version: str) -> bytes:
        """The model as the bytes of a file."""
        made = Message().integer(1, _IR_VERSION).text(2, "wengert").text(3, version)
        made.message(7, self._graph(name))
        made.message(8, Message().text(1, "").integer(2, OPSET))
        if any(node.domain for node in self.nodes):
            made.message(8, Message().text(1, OWN_DOMAIN).integer(2, 1))
        return made.done()

    def _graph(self, name: str) -> Message:
        made = Message()
        for node in self.nodes:
            made.message(1, _node(node))
        made.text(2, name)
        used = {id(x) for node in self.nodes for x in node.inputs} | {id(y) for y in self.outputs}
        for slot, array in self.constants.values():
            if id(slot) in used:
                made.message(5, tensor(array, slot.name))
        ends = {id(x) for x in (*self.inputs, *self.outputs)}
        inner = [
            y
            for node in self.nodes
            for y in node.outputs
            if y.shape is not None and kind_of(y.dtype) and id(y) not in ends
        ]
        for field, slots in ((11, self.inputs), (12, self.outputs), (13, inner)):
            for slot in slots:
                made.message(field, _value_info(slot))
        return made


def _free(name: str, taken: set[str]) -> str:
    found, count = name, 0
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken.add(found)
    return found


def _spoken(value: np.ndarray) -> str:
    """A name of a constant without one: its number, if it is one."""
    return f"{value[()]:.6g}" if value.ndim == 0 and value.dtype.kind in "fiu" else "constant"


def _node(node: Node) -> Message:
    made = Message()
    for x in node.inputs:
        made.text(1, "" if x is None else x.name)
    for y in node.outputs:
        made.text(2, y.name)
    made.text(3, node.name).text(4, node.kind)
    for key, value in node.attrs.items():
        made.message(5, _attribute(key, value))
    if node.about:
        made.text(6, node.about)
    return made.text(7, node.domain) if node.domain else made


def _attribute(name: str, value: Any) -> Message:
    """An attribute with its type behind it: 1 float, 2 int, 3 string, 4 tensor; 6 and 7 lists of the first two."""
    made = Message().text(1, name)
    if isinstance(value, np.ndarray):
        return made.message(5, tensor(value)).integer(20, 4)
    if isinstance(value, str):
        return made.text(4, value).integer(20, 3)
    if isinstance(value, (bool, int, np.integer)):
        return made.integer(3, int(value)).integer(20, 2)
    if isinstance(value, (float, np.floating)):
        return made.float32(2, float(value)).integer(20, 1)
    if any(isinstance(v, float) for v in value):
        for number in value:
            made.float32(7, number)
        return made.integer(20, 6)
    for number in value:
        made.integer(8, int(number))
    return made.integer(20, 7)


def tensor(array: np.ndarray, name: str = "") -> Message:
    """An array with its numbers, or its strings."""
    made = Message()
    for size in array.shape:
        made.integer(1, size)
    made.integer(2, kind_of(array.dtype))
    if array.dtype == object:
        for text in array.ravel():
            made.data(6, text if isinstance(text, bytes) else str(text).encode())
    made.text(8, name)
    if array.dtype != object:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        made.data(9, np.ascontiguousarray(little).tobytes())
    return made


def _value_info(slot: Slot) -> Message:
    kind = Message().integer(1, kind_of(slot.dtype))
    if slot.shape is not None:
        sizes = Message()
        for size in slot.shape:
            one = Message().text(2, size) if isinstance(size, str) else Message().integer(1, size)
            sizes.message(1, one)
        kind.message(2, sizes)
    return Message().text(1, slot.name).message(2, Message().message(1, kind))


def kind_of(dtype: Any) -> int:
    """The number of a dtype; 0 if ONNX has none."""
    return _KINDS.get(np.dtype(dtype).name, 0)


def is_calculated(dtype: Any) -> bool:
    """Whether ONNX computes with numbers of the dtype."""
    return kind_of(dtype) != 0 and np.dtype(dtype).kind not in "cO"
