"""DynamicRaggedShape: the shape of a tensor whose rows may differ in length, as a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.ops.arrays import creation, shaping
from wengert.ops.arrays.gathering import gather
from wengert.ops.math.elementwise import cast
from wengert.ops.ragged.row_partition import RowPartition
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.support.static_value import get_static_value
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int64
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor, dims
from wengert.values.typed_calls import Handler, add_handler

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import DTypeLike, TensorLike


class DynamicRaggedShape(Composite):
    """The number of rows, the lengths of rows on each ragged axis, and the sizes within.

    >>> tf.experimental.DynamicRaggedShape.from_tensor(tf.ragged.constant([[1, 2], [], [3]]))
    <DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>
    >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 3), 5]).rank
    3
    """

    __slots__ = ("_inner_shape", "_partitions")

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: TensorLike,
        dtype: DTypeLike | None = None,
        validate: bool = False,
        static_inner_shape: Any = None,
    ) -> None:
        self._partitions = list(row_partitions)
        kind = as_dtype(dtype or (row_partitions[0].dtype if row_partitions else int64))
        self._inner_shape = cast(convert(inner_shape, hint=int64), kind)

    @classmethod
    def from_tensor(cls, t: Any, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """The shape of a tensor, ragged or not."""
        if not isinstance(t, RaggedTensor):
            return cls([], creation.shape(t), dtype or int64)
        partitions, inner = [], t
        while isinstance(inner, RaggedTensor):
            partitions.append(RowPartition.of(inner.row_splits, inner._uniform))
            inner = inner.values
        return cls(partitions, creation.shape(inner), dtype)

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[int | Sequence[int]],
        num_row_partitions: int | None = None,
        dtype: DTypeLike = int64,
    ) -> DynamicRaggedShape:
        """A size for each axis; for a ragged one the lengths of all its rows."""
        ragged = [i for i, n in enumerate(lengths) if not isinstance(n, (int, np.integer))]
        count = max(ragged, default=0) if num_row_partitions is None else num_row_partitions
        if ragged and (ragged[0] == 0 or count < max(ragged)):
            raise ValueError(
                f"The first length must be an integer and num_row_partitions at least {max(ragged)}."
            )
        partitions, rows = [], int(lengths[0])  # type: ignore[arg-type]
        for given in lengths[1 : count + 1]:
            partition = _partition(given, rows, as_dtype(dtype))
            partitions.append(partition)
            rows = int(np.asarray(partition.row_splits())[-1])
        return cls(partitions, [rows, *lengths[count + 1 :]], dtype)

    @classmethod
    def from_row_partitions(
        cls, row_partitions: Sequence[RowPartition], dtype: DTypeLike | None = None
    ) -> DynamicRaggedShape:
        """The shape of a tensor of numbers in these rows."""
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(row_partitions, [row_partitions[-1].nvals()], dtype)

    # ---- what it says ------------------------------------------------------------------------

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The rows of each ragged axis, the outermost first."""
        return tuple(self._partitions)

    @property
    def num_row_partitions(self) -> int:
        """The number of axes that are described by rows."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Tensor:
        """The shape of the values within the rows."""
        return self._inner_shape

    @property
    def inner_rank(self) -> int:
        """The number of axes of the values within the rows."""
        return int(dims(self._inner_shape)[0])

    @property
    def rank(self) -> int:
        """The number of axes."""
        return self.inner_rank + self.num_row_partitions

    @property
    def dtype(self) -> DType:
        """The dtype of sizes and lengths."""
        return self._inner_shape.dtype

    def with_dtype(self, dtype: DTypeLike) -> DynamicRaggedShape:
        """The same shape in another dtype."""
        return DynamicRaggedShape(
            [p.with_dtype(dtype) for p in self._partitions], self._inner_shape, dtype
        )

    def is_uniform(self, axis: int) -> bool:
        """Whether the rows along an axis are known to be of one length."""
        if axis == 0 or axis > self.num_row_partitions:
            return True
        return self._partitions[axis - 1].is_uniform()

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """A size for each axis, the lengths of the rows of ragged ones, None for what is not known."""
        if not self.num_row_partitions:
            return self._inner_sizes()
        found: list[Any] = [self._partitions[0].static_nrows]
        for partition in self._partitions:
            if partition.is_uniform():
                found.append(partition.static_uniform_row_length)
            else:
                found.append(_lengths(partition) if ragged_lengths else None)
        return [*found, *self._inner_sizes()[1:]]

    def _inner_sizes(self) -> list[Any]:
        """The sizes of the inner axes, None for what is not known."""
        known = get_static_value(self._inner_shape, partial=True)
        return [None] * self.inner_rank if known is None else list(known.tolist())

    def _to_tensor_shape(self) -> TensorShape:
        return TensorShape(self.static_lengths(ragged_lengths=False))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return DynamicRaggedShape.from_lengths(self.static_lengths()[index], dtype=self.dtype)
        at = index + self.rank if index < 0 else index
        if not 0 <= at < self.rank:
            raise IndexError(f"Index must be in the range [{-self.rank}, {self.rank}).")
        if not self.is_uniform(at):
            raise ValueError(f"Index {index} is not uniform")
        known = self.static_lengths()[at]
        return self._length(at) if known is None else convert(known, self.dtype)

    def _length(self, axis: int) -> Any:
        """The size of an axis that only a run knows."""
        if axis == 0 and self._partitions:
            return cast(self._partitions[0].nrows(), self.dtype)
        inner = axis - self.num_row_partitions
        if inner >= 1 or not self._partitions:
            return self._inner_shape[inner]
        return cast(self._partitions[axis - 1].uniform_row_length(), self.dtype)

    def _parts(self) -> list[Any]:
        return [*[p.row_splits() for p in self._partitions], self._inner_shape]

    def _with_parts(self, tensors: Iterator[Any]) -> DynamicRaggedShape:
        partitions = [p._with_parts(tensors) for p in self._partitions]
        made = DynamicRaggedShape(partitions, [0], self.dtype)
        made._inner_shape = next(tensors)
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DynamicRaggedShape):
            return NotImplemented
        return self.static_lengths() == other.static_lengths()

    def __hash__(self) -> int:
        return hash(str(self.static_lengths()))

    def __repr__(self) -> str:
        return (
            f"<DynamicRaggedShape lengths={self.static_lengths()} "
            f"num_row_partitions={self.num_row_partitions}>"
        )

    # ---- tensors of this shape ---------------------------------------------------------------

    def rows_around(self, values: Tensor) -> Any:
        """A ragged tensor of this shape with these values."""
        for partition in reversed(self._partitions):
            splits, length = partition.row_splits(), partition.static_uniform_row_length
            values = RaggedTensor._of(values, splits, length)  # type: ignore[assignment]
        return values

    def broadcast(self, value: Any) -> Any:
        """A value stretched to this shape."""
        if isinstance(value, RaggedTensor) and not self.num_row_partitions:
            raise ValueError(
                f"Unable to broadcast {value!r} to {self._inner_shape!r}, which has no ragged rows: "
                "its to_tensor() has none, either, and a tf.experimental.DynamicRaggedShape has some."
            )
        filled = self.rows_around(creation.zeros(self._inner_shape, dtype=convert_dtype(value)))
        if not self.num_row_partitions:
            return shaping.broadcast_to(value, self._inner_shape)
        return _stretched(value, filled)


def convert_dtype(value: Any) -> DType:
    """The dtype of a tensor, ragged or not."""
    return value.dtype if isinstance(value, RaggedTensor) else convert(value).dtype


def _stretched(value: Any, filled: RaggedTensor) -> Any:
    """A value in the rows of a ragged tensor of zeros: what broadcasts is repeated for each row."""
    if isinstance(value, RaggedTensor):
        if np.asarray(value.row_lengths()).tolist() == np.asarray(filled.row_lengths()).tolist():
            inner = filled.values
            if isinstance(inner, RaggedTensor):
                return filled.with_values(_stretched(value.values, inner))
            return filled.with_values(shaping.broadcast_to(value.values, dims(inner)))
        rows = filled.value_rowids()
        if (np.asarray(value.row_lengths()) == 1).all():
            return filled.with_values(gather(value.values, rows))
        raise ValueError(f"Unable to broadcast {value!r} to the rows of {filled!r}.")
    return filled + value


def _partition(given: Any, rows: int, dtype: DType) -> RowPartition:
    if isinstance(given, (int, np.integer)):
        return RowPartition.from_uniform_row_length(int(given), nrows=rows, dtype=dtype)
    if len(given) != rows:
        raise ValueError(f"There are {rows} rows, but {len(given)} lengths: {given!r}.")
    return RowPartition.from_row_lengths(list(given), dtype=dtype)


def _lengths(partition: RowPartition) -> tuple[int, ...] | None:
    if not hasattr(partition.row_splits(), "numpy"):
        return None
    return tuple(np.asarray(partition.row_lengths()).tolist())


# ---- functions that take such a shape -----------------------------------------------------------


def _broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    return _as_shape(shape).broadcast(input)


def _ones(shape: Any, dtype: DTypeLike | None = None, **_: Any) -> Any:
    return _filled(creation.ones, shape, dtype)


def _zeros(shape: Any, dtype: DTypeLike | None = None, **_: Any) -> Any:
    return _filled(creation.zeros, shape, dtype)


def _filled(make: Any, shape: Any, dtype: DTypeLike | None) -> Any:
    values = make(shape.inner_shape) if dtype is None else make(shape.inner_shape, dtype)
    return shape.rows_around(values)


def _reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    flat = tensor.flat_values if isinstance(tensor, RaggedTensor) else tensor
    if not isinstance(shape, DynamicRaggedShape):
        return shaping.reshape(flat, shape)
    return shape.rows_around(shaping.reshape(flat, shape.inner_shape))


def _as_shape(value: Any) -> DynamicRaggedShape:
    if isinstance(value, DynamicRaggedShape):
        return value
    return DynamicRaggedShape([], np.asarray(value))


def _answers(function: Any, target: Any) -> None:
    def answer(_: Any, args: Sequence[Any], kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        if not any(isinstance(v, (DynamicRaggedShape, RaggedTensor)) for v in given):
            return NotImplemented
        return target(*args, **kwargs)

    add_handler(function, Handler(target, answer))


_answers(shaping.broadcast_to, _broadcast_to)
_answers(creation.ones, _ones)
_answers(creation.zeros, _zeros)
_answers(shaping.reshape, _reshape)
