"""Arrays as TensorProto, and back: tf.make_tensor_proto, tf.make_ndarray."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.compat.graph_defs.protos import message
from wengert.values.convert import as_array
from wengert.values.dtypes import as_dtype, bfloat16, bool_, float16, of_numpy, string
from wengert.values.shapes import TensorShape
from wengert.values.value import Value

# The field that holds single numbers, by dtype.
_FIELDS: Final = {
    "float32": "float_val", "float64": "double_val", "int32": "int_val", "uint8": "int_val", "int16": "int_val",
    "int8": "int_val", "uint16": "int_val", "int64": "int64_val", "bool": "bool_val", "string": "string_val",
    "complex64": "scomplex_val", "complex128": "dcomplex_val", "float16": "half_val", "bfloat16": "half_val",
    "uint32": "uint32_val", "uint64": "uint64_val",
}  # fmt: skip


def shape_proto(shape: Any) -> Any:
    """A shape as TensorShapeProto."""
    known = TensorShape(shape)
    if known.rank is None:
        return message("TensorShapeProto")(unknown_rank=True)
    sizes = [-1 if n is None else n for n in known.as_list()]
    return message("TensorShapeProto")(dim=[{"size": n} for n in sizes])


def shape_of(proto: Any) -> TensorShape:
    """A shape from TensorShapeProto."""
    if proto.unknown_rank:
        return TensorShape(None)
    return TensorShape([None if d.size == -1 else d.size for d in proto.dim])


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """An array, a number or a list as TensorProto.

    >>> proto = tf.make_tensor_proto([[1.0, 2.0]])
    >>> tf.make_ndarray(proto).tolist()
    [[1.0, 2.0]]
    """
    if isinstance(values, message("TensorProto")):
        return values
    wanted = None if dtype is None else as_dtype(dtype)
    array = np.asarray(values) if isinstance(values, Value) else as_array(values, wanted)
    own = array
    if shape is not None:
        dims = tuple(TensorShape(shape).as_list())
        if verify_shape and array.shape != dims:
            raise TypeError(f"Expected Tensor's shape: {dims}, got {array.shape}.")
        if array.size != 1 and array.size != int(np.prod(dims)):
            raise ValueError(f"{array.size} values do not make a tensor of shape {dims}.")
        own = np.broadcast_to(array, dims) if array.size == 1 else array.reshape(dims)
    kind = of_numpy(own.dtype)
    made = message("TensorProto")(dtype=kind.as_datatype_enum, tensor_shape=shape_proto(own.shape))
    if kind is not string and array.size > 1:
        made.tensor_content = np.ascontiguousarray(own).tobytes()
    else:
        getattr(made, _FIELDS[kind.name]).extend(_numbers(array, kind))
    return made


def _numbers(array: Any, kind: Any) -> list[Any]:
    flat = np.ravel(array)
    if kind in (float16, bfloat16):
        return flat.view(np.uint16).tolist()  # type: ignore[no-any-return]
    if kind.is_complex:
        return flat.view(flat.real.dtype).tolist()  # type: ignore[no-any-return]
    return flat.tolist()  # type: ignore[no-any-return]


def make_ndarray(tensor: Any) -> Any:
    """The array of a TensorProto.

    >>> tf.make_ndarray(tf.make_tensor_proto([1, 2]))
    array([1, 2], dtype=int32)
    """
    kind = as_dtype(tensor.dtype)
    dims = tuple(d.size for d in tensor.tensor_shape.dim)
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, kind.numpy_dtype).copy().reshape(dims)
    if kind.name not in _FIELDS:
        raise TypeError(f"Unsupported tensor type: {kind!r}.")
    given = list(getattr(tensor, _FIELDS[kind.name]))
    flat = _array_of(given, kind)
    count = int(np.prod(dims))
    if flat.size < count:  # the last number stands for all that follow
        last = flat[-1:] if flat.size else np.zeros(1, flat.dtype)
        flat = np.concatenate([flat, np.repeat(last, count - flat.size)])
    return flat.reshape(dims)


def _array_of(given: list[Any], kind: Any) -> Any:
    if kind is string:
        found = np.empty(len(given), object)
        found[:] = given
        return found
    if kind in (float16, bfloat16):
        return np.array(given, np.uint16).view(kind.numpy_dtype)
    if kind.is_complex:
        return np.array(given, kind.real_dtype.numpy_dtype).view(kind.numpy_dtype)
    return np.array(given, np.bool_ if kind is bool_ else kind.numpy_dtype)
