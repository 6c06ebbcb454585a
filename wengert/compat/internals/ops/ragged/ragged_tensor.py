"""tensorflow.python.ops.ragged.ragged_tensor: its names that are not public."""

from __future__ import annotations

from typing import Any

from wengert.ops.math.elementwise import cast
from wengert.ops.ragged.tensor import RaggedTensor, RaggedTensorValue, ragged_of
from wengert.values.convert import convert_to_tensor
from wengert.values.dtypes import as_dtype, int64


def is_ragged(value: Any) -> bool:
    """Whether a value is a ragged tensor, or what a session returns for one."""
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def convert_to_tensor_or_ragged_tensor(
    value: Any, dtype: Any = None, preferred_dtype: Any = None, name: str | None = None
) -> Any:
    """A ragged tensor unchanged, everything else as a tensor."""
    kind = None if dtype is None else as_dtype(dtype)
    if isinstance(value, RaggedTensorValue):
        value = ragged_of(value)
    if not isinstance(value, RaggedTensor):
        return convert_to_tensor(value, dtype, preferred_dtype)
    if kind is not None and not kind.is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {kind.name} for RaggedTensor with dtype "
            f"{value.dtype.name}: {value}"
        )
    return value


def match_row_splits_dtypes(*tensors: Any, **kwargs: Any) -> Any:
    """Values of which the ragged ones have row splits of one dtype, and optionally that dtype."""
    kinds = {t.row_splits.dtype for t in tensors if isinstance(t, RaggedTensor)}
    found = list(tensors)
    if len(kinds) > 1:
        found = [_widened(t) if isinstance(t, RaggedTensor) else t for t in tensors]
    if not kwargs.get("return_dtype"):
        return found
    return (int64 if len(kinds) > 1 else next(iter(kinds), int64)), found


def _widened(value: Any) -> Any:
    if not isinstance(value, RaggedTensor):
        return value
    splits = cast(value.row_splits, int64)
    return RaggedTensor.from_row_splits(_widened(value.values), splits, validate=False)
