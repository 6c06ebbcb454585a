"""Nodes of GraphDef, and their attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.tensors import make_tensor_proto, shape_proto
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import TensorShape


def plain_node(kind: str, name: str, inputs: Sequence[str], **attrs: Any) -> Any:
    """A node of an operation that is in files alone."""
    made = message("NodeDef")(name=name, op=kind, input=inputs)
    for key, value in attrs.items():
        made.attr[key].CopyFrom(attr_value(value))
    return made


def constant(name: str, value: Any, dtype: DType | None = None) -> Any:
    """A node with an array: of a dtype, or with integers of 32 bits where they suffice."""
    array = np.array(value, None if dtype is None else dtype.numpy_dtype)
    is_long = array.dtype == np.int64 and array.size and np.abs(array).max() >= 2**31
    is_whole = array.dtype.kind in "iu" or not array.size  # no axes are integers, too
    if dtype is None and is_whole and not is_long:
        array = array.astype(np.int32)
    proto = make_tensor_proto(array)
    made = message("NodeDef")(name=name, op="Const")
    made.attr["value"].tensor.CopyFrom(proto)
    made.attr["dtype"].type = proto.dtype
    return made


def attr_value(value: Any) -> Any:
    """A value as AttrValue."""
    made = message("AttrValue")()
    if isinstance(value, (list, tuple)) and not isinstance(value, TensorShape):
        made.list.SetInParent()
        for part in value:
            _put(made.list, part, True)
    else:
        _put(made, value, False)
    return made


def _put(made: Any, value: Any, in_list: bool) -> None:
    field, stored = _field(value)
    if in_list:
        getattr(made, field).append(stored)
    elif field in ("shape", "tensor"):
        getattr(made, field).CopyFrom(stored)
    else:
        setattr(made, field, stored)


def _field(value: Any) -> tuple[str, Any]:
    if isinstance(value, (bool, np.bool_)):
        return "b", bool(value)
    if isinstance(value, (int, np.integer)):
        return "i", int(value)
    if isinstance(value, (float, np.floating)):
        return "f", float(value)
    if isinstance(value, (DType, np.dtype)):
        return "type", as_dtype(value).as_datatype_enum
    if isinstance(value, TensorShape):
        return "shape", shape_proto(value)
    if isinstance(value, (str, bytes)):
        return "s", value.encode() if isinstance(value, str) else value
    return "tensor", make_tensor_proto(value)
