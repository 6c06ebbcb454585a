"""Sparse tensors under tf.map_fn: their rows as elements, and results as one sparse tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert.ops.arrays.creation import fill, range_, shape
from wengert.ops.arrays.joining import concat
from wengert.ops.control.elements import KINDS, Elements
from wengert.ops.control.tensor_array import TensorArray
from wengert.ops.math.comparison import equal
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_max
from wengert.ops.sparse.shaping import retain
from wengert.ops.sparse.spec import SparseTensorSpec
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values.dtypes import int64

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike


class _OfRows(Elements):
    """The slices of a sparse tensor along its first axis."""

    def tensors(self, value: Any) -> list[Any]:
        return [range_(value.dense_shape[0])]

    def read_from(self, value: Any) -> Any:
        return value

    def element(self, spec: Any, source: Any, i: TensorLike) -> Any:
        row = retain(source, equal(source.indices[:, 0], cast(i, int64)))
        known = spec._unbatch().shape
        return SparseTensor._of(row.indices[:, 1:], row.values, source.dense_shape[1:], known)

    def arrays(self, spec: Any, n: TensorLike) -> Any:
        kinds = (int64, spec.dtype, int64)
        return [TensorArray(kind, size=n, infer_shape=False) for kind in kinds]

    def write(self, spec: Any, arrays: Any, i: TensorLike, value: Any) -> Any:
        row = fill([shape(value.indices)[0], 1], cast(i, int64))
        parts = (concat([row, value.indices], 1), value.values, value.dense_shape)
        return [a.write(i, part) for a, part in zip(arrays, parts, strict=True)]

    def stack(self, spec: Any, arrays: Any) -> Any:
        indices, values, shapes = arrays
        count = cast(indices.size(), int64)
        whole = concat([[count], reduce_max(shapes.stack(), 0)], 0)
        return SparseTensor._of(indices.concat(), values.concat(), whole)


KINDS[SparseTensorSpec] = _OfRows()
