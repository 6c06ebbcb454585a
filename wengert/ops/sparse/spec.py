"""The type spec of sparse tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert.ops.sparse.tensor import SparseTensor, SparseTensorValue
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, float32, int64
from wengert.values.shapes import TensorShape
from wengert.values.type_spec import ShapedSpec, TensorSpec

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, ShapeLike


class SparseTensorSpec(ShapedSpec):
    """The shape and dtype of a sparse tensor.

    >>> total = tf.function(
    ...     lambda s: tf.sparse.reduce_sum(s), [tf.SparseTensorSpec([None, 3], tf.float32)]
    ... )
    >>> total(tf.SparseTensor([[0, 1], [4, 2]], [1.0, 2.0], [5, 3])).numpy()
    np.float32(3.0)
    """

    __slots__ = ()

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)

    @property
    def value_type(self) -> Any:
        """SparseTensor."""
        return SparseTensor

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The spec of a sparse tensor, or of what a session returned for one."""
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, SparseTensorValue):
            return cls(value.dense_shape, value.values.dtype)
        raise TypeError(f"Expected SparseTensor or SparseTensorValue. Received: {value!r}.")

    def _serialize(self) -> Any:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> Any:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], int64),
        ]

    def _to_components(self, value: Any) -> Any:
        if isinstance(value, SparseTensorValue):
            value = SparseTensor.from_value(value)
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Any) -> Any:
        indices, values, dense_shape = components
        if self._shape.is_fully_defined():  # known while tracing as well
            dense_shape = convert(self._shape.as_list(), int64)
        return SparseTensor._of(indices, values, dense_shape, self._shape)

    def _batch(self, batch_size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return SparseTensorSpec(self._shape[1:], self._dtype)


def spec_of_loop_variable(self: SparseTensor, shape: TensorShape) -> SparseTensorSpec:
    """The spec of a loop's variable that begins with a sparse tensor, and takes shapes like this."""
    return SparseTensorSpec(shape, self.dtype)
