"""tensorflow.python.framework.tensor_util: what is known of tensors while a graph is built."""

from __future__ import annotations

from typing import Any

from wengert.compat.internals.framework.smart_cond import evaluated
from wengert.ops.support.static_value import get_static_value
from wengert.values.shapes import TensorShape

try_evaluate_constant = evaluated


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """The shape that a vector of sizes stands for, as far as it is known."""
    known = get_static_value(tensor, partial=True)
    if known is None:
        rank = tensor.shape[0] if tensor.shape.rank else None
        return TensorShape(None if rank is None else [None] * rank)
    return TensorShape([None if n is None or n == -1 else int(n) for n in known])


def ShapeEquals(tensor_proto: Any, shape: Any) -> bool:
    """Whether a TensorProto is of a shape."""
    return [d.size for d in tensor_proto.tensor_shape.dim] == TensorShape(shape).as_list()
