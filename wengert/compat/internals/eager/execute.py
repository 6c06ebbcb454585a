"""tensorflow.python.eager.execute: arguments of operations, checked and converted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.compat.raw_operations import functions
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor


def _wrong(kind: str, v: Any, arg_name: str) -> TypeError:
    return TypeError(f"Expected {kind} for argument '{arg_name}' not {v!r}.")


def make_float(v: Any, arg_name: str) -> float:
    """A number with a fraction."""
    if isinstance(v, str) or not hasattr(v, "__float__"):
        raise _wrong("float", v, arg_name)
    return float(v)


def make_int(v: Any, arg_name: str) -> int:
    """A whole number."""
    if isinstance(v, str):
        raise _wrong("int", v, arg_name)
    try:
        return int(v)
    except (ValueError, TypeError):
        raise _wrong("int", v, arg_name) from None


def make_str(v: Any, arg_name: str) -> bytes:
    """A text, as bytes."""
    if not isinstance(v, (bytes, str)):
        raise _wrong("string", v, arg_name)
    return v.encode() if isinstance(v, str) else v


def make_bool(v: Any, arg_name: str) -> bool:
    """A truth."""
    if not isinstance(v, bool):
        raise _wrong("bool", v, arg_name)
    return v


def make_type(v: Any, arg_name: str) -> int:
    """The number of a dtype."""
    try:
        return as_dtype(v).base_dtype.as_datatype_enum
    except TypeError:
        raise _wrong("DataType", v, arg_name) from None


def make_shape(v: Any, arg_name: str) -> list[int | None] | None:
    """The sizes of a shape; None if not even their number is known."""
    try:
        shape = TensorShape(v)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Error converting {arg_name} to a TensorShape: {error}.") from None
    return None if shape.rank is None else shape.as_list()


def args_to_matching_eager(
    l: Sequence[Any],  # noqa: E741  # its name there
    ctx: Any,
    allowed_dtypes: Sequence[Any],
    default_dtype: Any = None,
) -> tuple[Any, list[Any]]:
    """Values as tensors of the dtype of the first that is one, and that dtype's number."""
    if not l:
        return default_dtype, []
    kind = next((x.dtype for x in l if isinstance(x, Tensor)), None)
    hint = default_dtype if default_dtype in allowed_dtypes else None
    found = []
    for x in l:
        tensor = x if isinstance(x, Tensor) else convert(x, kind, hint=hint)
        kind = kind or tensor.dtype
        found.append(tensor)
    return found[0].dtype.as_datatype_enum, found


def convert_to_mixed_eager_tensors(values: Sequence[Any], ctx: Any) -> tuple[list[int], list[Any]]:
    """Values as tensors, and the numbers of their dtypes."""
    tensors = [convert(v) for v in values]
    return [t.dtype.as_datatype_enum for t in tensors], tensors


def execute(
    op_name: Any,
    num_outputs: int,
    inputs: Any,
    attrs: Any = None,
    ctx: Any = None,
    name: Any = None,
) -> list[Any]:
    """The results of an operation, of which the inputs and attributes are given in their order."""
    kind = op_name.decode() if isinstance(op_name, bytes) else op_name
    listed = list(attrs or ())
    named = dict(zip(listed[::2], listed[1::2], strict=True))
    rest = {key: value for key, value in named.items() if not key.startswith("T")}
    found = functions()[kind]()(*inputs, **rest)
    return list(found) if isinstance(found, (list, tuple)) else [found]


quick_execute = execute
