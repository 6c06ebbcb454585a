"""IndexedSlices: a gradient that is zero outside a few rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from wengert.values.bound_ops import bound
from wengert.values.composite import Composite
from wengert.values.dtypes import DType, as_dtype, float32, int32, int64
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import Size, is_certain, known_shape
from wengert.values.tensor import Tensor
from wengert.values.type_spec import ShapedSpec, TensorSpec


class IndexedSlicesSpec(ShapedSpec):
    """The shape of the whole tensor, and the dtypes of rows and indices."""

    __slots__ = ("_dense_shape_dtype", "_indices_dtype", "_indices_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> Any:
        """IndexedSlices."""
        return IndexedSlices

    def _serialize(self) -> Any:
        return (
            self._shape,
            self._dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

    @property
    def _component_specs(self) -> Any:
        rows = self._indices_shape.concatenate(self._shape[1:])
        return [TensorSpec(rows, self._dtype), TensorSpec(self._indices_shape, self._indices_dtype)]

    def _to_components(self, value: Any) -> Any:
        return [value.values, value.indices]

    def _from_components(self, components: Any) -> Any:
        values, indices, *shape = components
        known = self._shape.as_list() if self._shape.is_fully_defined() else None
        return IndexedSlices(values, indices, known if known or not shape else shape[0])


class IndexedSlices(Composite):
    """Rows `values[i]` that stand at `indices[i]` of a larger tensor; the same index may repeat.

    The gradient of `tf.gather` is one, so that a table of a million rows need not be filled with
    zeros. `tf.convert_to_tensor` makes it dense: repeated rows are added.

    >>> s = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 2]), [3, 1])
    >>> tf.convert_to_tensor(s).numpy().tolist()
    [[1.0], [0.0], [2.0]]

    Operators and functions take it for the whole tensor.

    >>> (s * 2.0).numpy().tolist()
    [[2.0], [0.0], [4.0]]
    """

    is_tensor: ClassVar[bool] = True
    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        # Rows may be ragged, or sparse.
        self._values: Any = values if isinstance(values, Composite) else bound.pack(values)
        self._indices: Tensor = bound.pack(indices)
        self._dense_shape = None if dense_shape is None else _as_dims(dense_shape)

    @property
    def values(self) -> Tensor:
        """The rows."""
        return self._values  # type: ignore[no-any-return]

    @property
    def indices(self) -> Tensor:
        """Where each row stands."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole tensor, as a tensor; None if it was not given."""
        return None if self._dense_shape is None else bound.pack(list(self._dense_shape))

    @property
    def dims(self) -> tuple[int, ...]:
        """The shape of the tensor that the rows stand in."""
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices without dense_shape: "
                f"{self!r}. Give dense_shape when you make it."
            )
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor."""
        dims = self._dense_shape
        return TensorShape(None) if dims is None else known_shape(dims)

    @property
    def dtype(self) -> DType:
        """The dtype of the rows."""
        dtype: DType = self._values.dtype
        return dtype

    @property
    def device(self) -> str:
        """Where the rows are."""
        device: str = self._values.device
        return device

    def with_values(self, values: Any) -> IndexedSlices:
        """Other rows at the same places."""
        return IndexedSlices(values, self._indices, self._dense_shape)

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        return IndexedSlicesSpec(
            self.shape,
            self.dtype,
            self._indices.dtype,
            None if self._dense_shape is None else int32,
            self._indices.shape,
        )

    def _parts(self) -> list[Any]:
        """The rows and the indices; the shape, too, where it is known only when a graph runs."""
        return [self._values, self._indices, *([self.dense_shape] if self._is_open else [])]

    @property
    def _is_open(self) -> bool:
        return self._dense_shape is not None and not is_certain(self._dense_shape)

    def _with_differentiated(self, gradient: Any) -> IndexedSlices:
        return self.with_values(gradient)

    def _with_parts(self, tensors: Iterator[Any]) -> IndexedSlices:
        values, indices = next(tensors), next(tensors)
        return IndexedSlices(values, indices, next(tensors) if self._is_open else self._dense_shape)

    def numpy(self) -> Any:
        """The whole tensor as an array."""
        return bound.to_dense(self).numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return bound.to_dense(self).__array__(dtype, copy)

    def __neg__(self) -> IndexedSlices:
        return self.with_values(-self._values)

    def __repr__(self) -> str:
        shown = self.shape if self._is_open else self.dense_shape  # no new tensors of a graph
        shape = "" if self._dense_shape is None else f", dense_shape={shown!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"


def _as_dims(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Tensor):  # in a graph, too, it is known what it was made of
        return bound.as_shape(value)
    return tuple([size if type(size) is Size else int(size) for size in value])
