"""Arrays as TensorProto, and back: how TensorFlow writes a tensor into a message."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.errors import DataLossError
from wengert.formats.wire import Fields, Message, signed
from wengert.values.dtypes import as_dtype, of_numpy

_DTYPE, _SHAPE, _CONTENT, _STRINGS = 1, 2, 4, 8  # fields of TensorProto
_DIM, _SIZE = 2, 1  # of TensorShapeProto, and of its dimension
# Where single numbers stand, by the names of dtypes: the field, and how it is read.
_FLOATS: Final = {"float32": (5, "<f4"), "float64": (6, "<f8"), "complex64": (9, "<f4"),
                  "complex128": (12, "<f8")}  # fmt: skip
_INTEGERS: Final = {"int32": 7, "int16": 7, "int8": 7, "uint8": 7, "uint16": 7, "int64": 10,
                    "bool": 11, "uint32": 16, "uint64": 17, "float16": 13,
                    "bfloat16": 13}  # fmt: skip


def shape_message(shape: Any) -> Message:
    """A shape as TensorShapeProto."""
    found = Message()
    for size in shape:
        found.message(_DIM, Message().integer(_SIZE, size) if size else Message())
    return found


def tensor_message(array: Any) -> Message:
    """An array as TensorProto."""
    kind = of_numpy(array.dtype)
    found = Message().integer(_DTYPE, kind.as_datatype_enum)
    found.message(_SHAPE, shape_message(array.shape))
    if kind.name != "string":
        return found.data(_CONTENT, np.ascontiguousarray(array).tobytes()) if array.size else found
    for text in array.reshape(-1).tolist():
        found.data(_STRINGS, text)
    return found


def tensor_in(fields: Fields) -> Any:
    """The array of a TensorProto."""
    kind = as_dtype(fields.integer(_DTYPE))
    shape = tuple([signed(dim.integer(_SIZE)) for dim in fields.message(_SHAPE).messages(_DIM)])
    size = int(np.prod(shape, dtype=np.int64))
    if kind.name == "string":
        return _strings(fields, shape, size)
    if _CONTENT in fields:
        data = fields.data(_CONTENT)
        if len(data) != size * kind.numpy_dtype.itemsize:
            raise DataLossError(
                f"A tensor of shape {shape} and dtype {kind.name} has {len(data)} bytes."
            )
        return np.frombuffer(data, kind.numpy_dtype).reshape(shape)
    return _filled(_numbers(fields, kind), shape, size)


def _numbers(fields: Fields, kind: Any) -> Any:
    """The numbers that stand one by one."""
    if kind.name in _FLOATS:
        return fields.array(*_FLOATS[kind.name]).view(kind.numpy_dtype)
    if kind.name not in _INTEGERS:
        raise DataLossError(f"A tensor of dtype {kind.name} has no content.")
    values = [signed(v) for v in fields.integers(_INTEGERS[kind.name])]
    if _INTEGERS[kind.name] == _INTEGERS["float16"]:
        return np.array(values, np.uint16).view(kind.numpy_dtype)
    return np.array(values, np.int64).astype(kind.numpy_dtype)


def _filled(values: Any, shape: tuple[int, ...], size: int) -> Any:
    """The last number stands for those that are missing; none at all for zeros."""
    if len(values) < size:
        last = values[-1] if len(values) else np.zeros((), values.dtype)
        values = np.concatenate([values, np.full(size - len(values), last, values.dtype)])
    return values[:size].reshape(shape)


def _strings(fields: Fields, shape: tuple[int, ...], size: int) -> Any:
    found = np.empty(size, object)
    texts = [bytes(t) for t in fields.all_data(_STRINGS)]
    texts += [texts[-1] if texts else b""] * (size - len(texts))
    found[:] = texts[:size]
    return found.reshape(shape)
