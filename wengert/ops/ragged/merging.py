"""Neighbouring dimensions of ragged tensors as one."""

from __future__ import annotations

from typing import Any

from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.ops.ragged.conversions import from_tensor
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.values.shapes import normal_axis


def merge_dims(self: RaggedTensor, outer_axis: int, inner_axis: int) -> Any:
    """The tensor with the dimensions from `outer_axis` to `inner_axis` as one.

    >>> tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(1, 2).to_list()
    [[1, 2, 3], [4]]
    """
    rank = self.shape.rank
    if rank is None:
        raise ValueError("merge_dims of a ragged tensor needs a known rank.")
    outer, inner = (normal_axis(axis, rank) for axis in (outer_axis, inner_axis))
    if outer > inner:
        raise ValueError(
            f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
            f"({inner_axis})"
        )
    return self if outer == inner else _merged(self, outer, inner)


def _merged(value: Any, outer: int, inner: int) -> Any:
    if not isinstance(value, RaggedTensor):
        sizes = shape(value)
        return reshape(value, concat([sizes[:outer], [-1], sizes[inner + 1 :]], 0))
    if outer > 1:
        return value.with_values(_merged(value.values, outer - 1, inner - 1))
    if outer == 0:
        return value.values if inner == 1 else _merged(value.values, 0, inner - 1)
    values = value.values
    while inner > 1:  # rows of rows are rows: their ends are those of their last parts
        if not isinstance(values, RaggedTensor):
            values = from_tensor(values, ragged_rank=1, row_splits_dtype=value.row_splits.dtype)
        splits = gather(values.row_splits, value.row_splits)
        value, values, inner = RaggedTensor._of(values.values, splits), values.values, inner - 1
    return value
