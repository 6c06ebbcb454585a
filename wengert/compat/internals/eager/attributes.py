"""The kinds of attributes of operations, as numbers that eager mode passes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.compat.graph_defs.op_defs import op_defs
from wengert.compat.graph_defs.tensors import shape_proto
from wengert.values.dtypes import as_dtype

KINDS: Final = {
    "string": 0, "int": 1, "float": 2, "bool": 3, "type": 4, "shape": 5, "tensor": 6, "func": 8,
}  # fmt: skip
_MADE: Final[dict[int, Callable[[Any], Any]]] = {
    KINDS["type"]: as_dtype,
    KINDS["shape"]: shape_proto,
    KINDS["string"]: lambda value: value.encode() if isinstance(value, str) else value,
}


def op_attr_type(op_type: str, attr_name: str) -> Any:
    """The number of an attribute's kind; of a list, in a list."""
    found = op_defs().get(op_type) or op_defs()[f"{op_type}V2"]  # what took its place
    kind = found.attrs[attr_name].kind
    return [KINDS[kind[5:-1]]] if kind.startswith("list(") else KINDS[kind]


def make_attr(attr_type: Any, value: Any) -> Any:
    """An attribute from what eager mode has of it."""
    if isinstance(attr_type, list):
        return [make_attr(attr_type[0], part) for part in value]
    return _MADE.get(attr_type, lambda given: given)(value)
