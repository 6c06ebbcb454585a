"""The type spec of ragged tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wengert.ops.ragged.tensor import RaggedTensor, RaggedTensorValue
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor
from wengert.values.type_spec import ShapedSpec, TensorSpec

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import DTypeLike, ShapeLike


class RaggedTensorSpec(ShapedSpec):
    """The shape, dtype and ragged rank of a ragged tensor.

    >>> total = tf.function(
    ...     lambda r: tf.reduce_sum(r, 1), [tf.RaggedTensorSpec([None, None], tf.float32)]
    ... )
    >>> total(tf.ragged.constant([[1.0, 2.0], [3.0]])).numpy()
    array([3., 3.], dtype=float32)
    """

    __slots__ = ("_flat_values_spec", "_ragged_rank", "_row_splits_dtype")

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        self._flat_values_spec = flat_values_spec
        self._dtype = as_dtype(dtype if flat_values_spec is None else flat_values_spec.dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank!r}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self._ragged_rank = ragged_rank

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The dtype of the row splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The spec of the flat values, if they are no plain tensor."""
        return self._flat_values_spec

    @property
    def value_type(self) -> Any:
        """RaggedTensor; with no ragged dimension a tensor."""
        return RaggedTensor if self._ragged_rank else Tensor

    def _serialize(self) -> Any:
        own = self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype
        return own if self._flat_values_spec is None else (*own, self._flat_values_spec)

    @property
    def _component_specs(self) -> Any:
        if not self._ragged_rank:
            return [TensorSpec(self._shape, self._dtype)]
        return [self._flat_spec(), *[self._splits_spec(axis) for axis in range(self._ragged_rank)]]

    def _flat_spec(self) -> Any:
        if self._flat_values_spec is not None:
            return self._flat_values_spec
        shape: Any = None
        if self._shape.rank is not None:
            shape = [self._count(self._ragged_rank), *list(self._shape)[self._ragged_rank + 1 :]]
        return TensorSpec(shape, self._dtype)

    def _splits_spec(self, axis: int) -> TensorSpec:
        rows = self._count(axis)
        return TensorSpec([None if rows is None else rows + 1], self._row_splits_dtype)

    def _count(self, axis: int) -> int | None:
        """The number of rows of an axis in all, where every axis before is uniform."""
        total = 1
        for size in [None] if self._shape.rank is None else list(self._shape)[: axis + 1]:
            if size is None:
                return None
            total *= size
        return total

    def _to_components(self, value: Any) -> Any:
        if isinstance(value, (RaggedTensor, RaggedTensorValue)):
            return [value.flat_values, *value.nested_row_splits]
        return [convert(value, self._dtype)]

    def _from_components(self, components: Any) -> Any:
        flat, *splits = components
        sizes = [None] * len(splits) if self._shape.rank is None else list(self._shape)[1:]
        for at in reversed(range(len(splits))):
            flat = RaggedTensor._of(flat, splits[at], sizes[at])
        return flat

    def most_specific_common_supertype(self, others: Sequence[Any]) -> RaggedTensorSpec | None:
        """The most specific spec that takes what this one and the others take; None if none does."""
        found: RaggedTensorSpec | None = super().most_specific_common_supertype(others)
        return found

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of a ragged tensor."""
        flat = value.flat_values
        return cls(
            value.shape,
            flat.dtype,
            value.ragged_rank,
            value.row_splits.dtype,
            None if isinstance(flat, Tensor) else flat._type_spec,
        )

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _unbatch(self) -> RaggedTensorSpec:
        shape = self._shape[1:]  # a row may be a tensor: one of ragged rank 0
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank - 1, self._row_splits_dtype)


def spec_of_loop_variable(self: RaggedTensor, shape: TensorShape) -> RaggedTensorSpec:
    """The spec of a loop's variable that begins with a ragged tensor, and takes shapes like this."""
    return RaggedTensorSpec(shape, self.dtype, self.ragged_rank, self.row_splits.dtype)
