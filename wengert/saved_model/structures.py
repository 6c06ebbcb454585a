"""Nested values of Python as StructuredValue, and back."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from wengert.compat.graph_defs.composites import COMPOSITES, composite_of
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.tensors import make_ndarray, make_tensor_proto, shape_of, shape_proto
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.type_spec import TensorSpec


def encoded(value: Any) -> Any:
    """A value as StructuredValue."""
    made = message("StructuredValue")()
    if value is None:
        made.none_value.SetInParent()
    elif isinstance(value, (bool, np.bool_)):
        made.bool_value = bool(value)
    elif isinstance(value, (int, np.integer)):
        made.int64_value = int(value)
    elif isinstance(value, (float, np.floating)):
        made.float64_value = float(value)
    elif isinstance(value, str):
        made.string_value = value
    elif isinstance(value, DType):
        made.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorShape):
        made.tensor_shape_value.CopyFrom(shape_proto(value))
    elif isinstance(value, TensorSpec):
        spec = made.tensor_spec_value
        spec.name, spec.dtype = value.name or "", value.dtype.as_datatype_enum
        spec.shape.CopyFrom(shape_proto(value.shape))
    elif type(value) in COMPOSITES:
        spec = made.type_spec_value
        spec.type_spec_class = COMPOSITES[type(value)]
        spec.type_spec_class_name = type(value).__name__
        spec.type_state.CopyFrom(encoded(value._serialize()))
        spec.num_flat_components = len(value._flat_tensor_specs)
    elif isinstance(value, np.ndarray):
        made.numpy_value.CopyFrom(make_tensor_proto(value))
    else:
        _nested(made, value)
    return made


def _nested(made: Any, value: Any) -> None:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        made.named_tuple_value.name = type(value).__name__
        for key, part in zip(value._fields, value, strict=True):
            made.named_tuple_value.values.add(key=key).value.CopyFrom(encoded(part))
    elif isinstance(value, (list, tuple)):
        field = made.list_value if isinstance(value, list) else made.tuple_value
        field.SetInParent()
        field.values.extend([encoded(part) for part in value])
    elif isinstance(value, Mapping):
        made.dict_value.SetInParent()
        for key, part in value.items():
            made.dict_value.fields[str(key)].CopyFrom(encoded(part))
    else:
        raise NotImplementedError(
            f"A saved model cannot hold {value!r} of type {type(value).__name__} in the signature of a "
            "function: tensors, also ragged and sparse ones, numbers, text, and lists, tuples and "
            "dictionaries of them can be."
        )


def decoded(proto: Any) -> Any:
    """The value of a StructuredValue."""
    kind = proto.WhichOneof("kind")
    if kind in (None, "none_value"):
        return None
    value = getattr(proto, kind)
    if kind in ("float64_value", "int64_value", "string_value", "bool_value"):
        return value
    if kind == "tensor_dtype_value":
        return as_dtype(value)
    if kind == "tensor_shape_value":
        return shape_of(value)
    if kind == "tensor_spec_value":
        return TensorSpec(shape_of(value.shape), as_dtype(value.dtype), value.name or None)
    if kind in ("tensor_value", "numpy_value"):
        return make_ndarray(value)
    if kind == "list_value":
        return [decoded(part) for part in value.values]
    if kind == "tuple_value":
        return tuple([decoded(part) for part in value.values])
    if kind == "dict_value":
        return {key: decoded(value.fields[key]) for key in sorted(value.fields)}
    if kind == "named_tuple_value":
        made = namedtuple(value.name, [p.key for p in value.values])  # type: ignore[misc]
        return made(*[decoded(p.value) for p in value.values])
    composite = composite_of(value.type_spec_class)
    if composite is not None:
        return composite._deserialize(decoded(value.type_state))
    raise NotImplementedError(
        f"The saved model has a {value.type_spec_class_name or kind} in the signature of a function, which "
        "cannot be read: tensors can, also ragged and sparse ones."
    )
