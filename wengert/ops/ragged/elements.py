"""Ragged tensors under tf.map_fn: their rows as elements, and rows of results as a ragged tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert.ops.arrays.creation import shape
from wengert.ops.control.elements import KINDS, Elements
from wengert.ops.control.tensor_array import TensorArray
from wengert.ops.math.elementwise import cast
from wengert.ops.ragged.spec import RaggedTensorSpec
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.values.dtypes import as_dtype

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, TensorLike


class _OfRows(Elements):
    """The rows of a ragged tensor, which are tensors or ragged themselves."""

    def tensors(self, value: Any) -> list[Any]:
        return [value.row_splits[:-1]]

    def read_from(self, value: Any) -> Any:
        return value

    def element(self, spec: Any, source: Any, i: Any) -> Any:
        splits = source.row_splits
        return _rows(source.values, splits[i], splits[i + 1])

    def arrays(self, spec: Any, n: TensorLike) -> Any:
        flat = _lists(spec.dtype, n)
        return [flat, *[_lists(spec.row_splits_dtype, n) for _ in range(spec.ragged_rank + 1)]]

    def write(self, spec: Any, arrays: Any, i: TensorLike, value: Any) -> Any:
        flat, count, *lengths = arrays
        kind = spec.row_splits_dtype
        is_ragged = isinstance(value, RaggedTensor)
        own = value.nested_row_lengths() if is_ragged else ()
        rows = value.nrows() if is_ragged else shape(value)[0]
        return [
            flat.write(i, value.flat_values if is_ragged else value),
            count.write(i, cast(rows, kind)),
            *[a.write(i, cast(v, kind)) for a, v in zip(lengths, own, strict=True)],
        ]

    def stack(self, spec: Any, arrays: Any) -> Any:
        flat, count, *lengths = arrays
        nested = [count.stack(), *[a.concat() for a in lengths]]
        return RaggedTensor.from_nested_row_lengths(flat.concat(), nested, validate=False)


def _rows(values: Any, begin: Any, end: Any) -> Any:
    """Rows from one to another, of a tensor or of a ragged tensor."""
    if not isinstance(values, RaggedTensor):
        return values[begin:end]
    splits = values.row_splits[begin : end + 1]
    inner = _rows(values.values, splits[0], splits[-1])
    return RaggedTensor._of(inner, splits - splits[0], values._uniform)


def _lists(dtype: DTypeLike, n: TensorLike) -> TensorArray:
    return TensorArray(as_dtype(dtype), size=n, infer_shape=False)


KINDS[RaggedTensorSpec] = _OfRows()
