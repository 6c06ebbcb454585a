"""Attributes of nodes: TensorFlow's messages AttrValue as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.compat.graph_defs.tensors import make_ndarray, shape_of
from wengert.values.dtypes import as_dtype


def attr_of(value: Any) -> Any:
    """The value of an AttrValue."""
    kind = value.WhichOneof("value")
    if kind == "s":
        return value.s.decode()
    if kind == "type":
        return as_dtype(value.type)
    if kind == "shape":
        return shape_of(value.shape)
    if kind == "tensor":
        return make_ndarray(value.tensor)
    if kind == "list":
        return _list_of(value.list)
    if kind == "f":  # the number that was written, and not the nearest one of 32 bits
        return float(str(np.float32(value.f)))
    return getattr(value, kind) if kind in ("i", "b") else None


def _list_of(value: Any) -> list[Any]:
    if value.type:
        return [as_dtype(t) for t in value.type]
    if value.shape:
        return [shape_of(s) for s in value.shape]
    if value.s:
        return [s.decode() for s in value.s]
    return next((list(part) for part in (value.i, value.f, value.b) if part), [])
