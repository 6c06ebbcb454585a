"""RaggedTensor: a tensor whose rows have different lengths."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wengert.core.context import current_graph
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import static
from wengert.ops.math.elementwise import cast
from wengert.ops.ragged.partition_checks import (
    checked_row_ids,
    checked_splits,
    known_length,
    known_splits,
    length_of,
)
from wengert.ops.ragged.places import count_of_rows, from_lengths, row_ids, splits_of
from wengert.values import dtypes
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import Array, DTypeLike, IntLike, TensorLike


class RaggedTensor(Composite):
    """Rows of different lengths, stored as all values one after the other, and row splits.

    The values may be ragged themselves. Gradients flow to and from the values.

    >>> r = tf.RaggedTensor.from_row_splits([1.0, 2.0, 3.0], [0, 2, 2, 3])
    >>> r
    <tf.RaggedTensor [[1.0, 2.0], [], [3.0]]>
    >>> r[0].numpy().tolist(), tf.reduce_sum(r, axis=1).numpy().tolist()
    ([1.0, 2.0], [3.0, 0.0, 3.0])
    """

    is_tensor: ClassVar[bool] = True
    __slots__ = ("__weakref__", "_row_ids", "_row_splits", "_uniform", "_values")
    _values: Any
    _row_splits: Tensor
    _uniform: int | None
    _row_ids: Tensor | None  # where it was made from them
    __array_priority__ = 100

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise ValueError(
            "RaggedTensor constructor is private; please use one of the factory methods instead "
            "(e.g., RaggedTensor.from_row_lengths())"
        )

    @classmethod
    def _of(
        cls, values: Tensor | RaggedTensor, row_splits: Tensor, uniform: int | None = None
    ) -> RaggedTensor:
        made = cls.__new__(cls)
        made._values, made._row_splits, made._uniform = values, row_splits, uniform
        made._row_ids = None
        return made

    # ---- creation ----------------------------------------------------------------------------

    @classmethod
    def from_row_splits(
        cls,
        values: TensorLike,
        row_splits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Row i is values[row_splits[i]:row_splits[i + 1]]."""
        rows, splits = _values(values), _integers(row_splits, "row_splits")
        return cls._of(rows, checked_splits(rows, splits) if validate else splits)

    @classmethod
    def from_row_lengths(
        cls,
        values: TensorLike,
        row_lengths: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Row i has row_lengths[i] values."""
        return cls.from_row_splits(
            values, from_lengths(_integers(row_lengths, "row_lengths")), name, validate
        )

    @classmethod
    def from_row_limits(
        cls,
        values: TensorLike,
        row_limits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Row i ends before value row_limits[i]."""
        limits = _integers(row_limits, "row_limits")
        return cls.from_row_splits(values, concat([_zero(limits), limits], 0), name, validate)

    @classmethod
    def from_row_starts(
        cls,
        values: TensorLike,
        row_starts: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Row i begins with value row_starts[i]."""
        rows, starts = _values(values), _integers(row_starts, "row_starts")
        return cls.from_row_splits(
            rows, concat([starts, length_of(rows, starts)], 0), name, validate
        )

    @classmethod
    def from_value_rowids(
        cls,
        values: TensorLike,
        value_rowids: TensorLike,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Value i is in row value_rowids[i]; the row ids must be in ascending order."""
        rows, ids = _values(values), _integers(value_rowids, "value_rowids")
        ids = checked_row_ids(rows, ids, nrows, validate)
        made = cls.from_row_splits(rows, _splits_of(ids, nrows), name, validate)
        made._row_ids = ids
        return made

    @classmethod
    def from_uniform_row_length(
        cls,
        values: TensorLike,
        uniform_row_length: IntLike,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> RaggedTensor:
        """All rows have the same length."""
        rows, length = _values(values), _integers(uniform_row_length, "uniform_row_length")
        length.shape.assert_has_rank(0)
        splits = _uniform_splits(rows, length, nrows)
        made = cls.from_row_splits(rows, splits, name, validate)
        known = known_splits(length)
        made._uniform = None if known is None else int(known)
        return made

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: TensorLike,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Nested rows: the outermost splits come first."""
        made: RaggedTensor = _nested(cls.from_row_splits, flat_values, nested_row_splits, validate)
        return made

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Nested rows: the outermost lengths come first."""
        made: RaggedTensor = _nested(
            cls.from_row_lengths, flat_values, nested_row_lengths, validate
        )
        return made

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Sequence[Any],
        nested_nrows: Sequence[Any] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Nested rows: the outermost row ids come first."""
        _check_list("nested_value_rowids", nested_value_rowids)
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else nested_nrows
        _check_list("nested_nrows", counts)
        if len(counts) != len(nested_value_rowids):
            raise ValueError(
                f"Argument `nested_nrows` must have the same length as `nested_value_rowids`: "
                f"{len(counts)} and {len(nested_value_rowids)}."
            )
        result = flat_values
        for ids, count in zip(nested_value_rowids[::-1], counts[::-1], strict=True):
            result = cls.from_value_rowids(result, ids, count, validate=validate)
        return result  # type: ignore[no-any-return]

    # from_tensor and from_sparse are attached in conversions.py.
    from_tensor: Any
    from_sparse: Any

    # ---- properties --------------------------------------------------------------------------

    @property
    def values(self) -> Any:
        """The values of the outermost ragged dimension, themselves ragged if there are more."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values, a dense tensor."""
        inner = self._values
        while isinstance(inner, RaggedTensor):
            inner = inner._values
        return inner  # type: ignore[no-any-return]

    @property
    def row_splits(self) -> Tensor:
        """The row splits of the outermost ragged dimension: where each row begins and ends."""
        return self._row_splits

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of all ragged dimensions, the outermost first."""
        inner = self._values
        more = inner.nested_row_splits if isinstance(inner, RaggedTensor) else ()
        return (self._row_splits, *more)

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows, if it is known to be the same; None otherwise."""
        return None if self._uniform is None else convert(self._uniform, self._row_splits.dtype)

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self.flat_values.dtype

    @property
    def shape(self) -> TensorShape:
        """The sizes that are the same for all rows; None for those that are not."""
        count, inner = self._row_splits.shape, self._values.shape
        if inner.rank is None:
            return TensorShape(None)
        rows = None if count.rank is None or count[0] is None else count[0] - 1
        return TensorShape([rows, self._uniform, *list(inner)[1:]])

    def get_shape(self) -> TensorShape:
        """The static shape, with None for ragged dimensions."""
        return self.shape

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins."""
        return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends."""
        return self._row_splits[1:]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The number of values in each row; with a larger axis, of the rows on that axis."""
        if axis == 0:
            return self.nrows()
        if axis > 1:
            return self.with_values(self._values.row_lengths(axis - 1))
        return self._row_splits[1:] - self._row_splits[:-1]

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row lengths of all ragged dimensions, the outermost first."""
        return tuple([splits[1:] - splits[:-1] for splits in self.nested_row_splits])

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each value."""
        return row_ids(self._row_splits) if self._row_ids is None else self._row_ids

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row of each value, for all ragged dimensions, the outermost first."""
        return tuple([row_ids(splits) for splits in self.nested_row_splits])

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        kind = self._row_splits.dtype if out_type is None else as_dtype(out_type)
        return _row_count(self._row_splits, kind)

    # ---- modified copies ---------------------------------------------------------------------

    def with_values(self, new_values: TensorLike) -> RaggedTensor:
        """The same rows with other values."""
        new = _values(new_values)
        new.shape[:1].assert_is_compatible_with(self._values.shape[:1])
        return RaggedTensor._of(new, self._row_splits, self._uniform)

    def with_flat_values(self, new_values: TensorLike) -> RaggedTensor:
        """The same rows, down to the innermost ones, with other values."""
        inner = self._values
        new = inner.with_flat_values(new_values) if isinstance(inner, RaggedTensor) else new_values
        return self.with_values(new)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> RaggedTensor:
        """The same tensor with splits of int32 or int64."""
        kind, inner = as_dtype(dtype), self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(kind)
        return RaggedTensor._of(inner, cast(self._row_splits, kind), self._uniform)

    # ---- as a structure of tensors -----------------------------------------------------------

    def _parts(self) -> list[Any]:
        return [*_flat(self.flat_values), *self.nested_row_splits]

    def _with_parts(self, tensors: Iterator[Any]) -> RaggedTensor:
        flat = self.flat_values
        values = flat._with_parts(tensors) if isinstance(flat, Composite) else next(tensors)
        return self._rebuilt(values, [next(tensors) for _ in self.nested_row_splits])

    def _rebuilt(self, values: Any, splits: Sequence[Any]) -> RaggedTensor:
        inner = self._values
        if isinstance(inner, RaggedTensor):
            values = inner._rebuilt(values, splits[1:])
        return RaggedTensor._of(values, splits[0], self._uniform)

    def _in_common(self, others: Sequence[RaggedTensor]) -> RaggedTensor:
        """What holds for all of them: a uniform row length is kept only if it is the same in all."""
        same = bool(others) and all(other._uniform == self._uniform for other in others)
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner._in_common([other._values for other in others])
        return RaggedTensor._of(inner, self._row_splits, self._uniform if same else None)

    @property
    def _differentiated(self) -> Tensor:
        return self.flat_values

    def _with_differentiated(self, gradient: Tensor) -> RaggedTensor:
        return self.with_flat_values(gradient)

    def _fetched(self, values: Iterator[Any]) -> RaggedTensorValue:
        found = next(values)
        for splits in reversed([next(values) for _ in self.nested_row_splits]):
            found = RaggedTensorValue(found, splits)
        return found  # type: ignore[no-any-return]

    def _fed(self, value: Any) -> list[Any]:
        return [value.flat_values, *value.nested_row_splits]

    def consumers(self) -> list[Any]:
        """The operations of the graph that use one of its tensors."""
        found = [op for part in self._parts() for op in part.consumers()]
        return list(dict.fromkeys(found))

    # ---- its value ---------------------------------------------------------------------------

    def to_list(self) -> list[Any]:
        """Nested lists of Python's numbers."""
        inner, splits = self._values, np.asarray(self._row_splits).tolist()
        values = inner.to_list() if isinstance(inner, RaggedTensor) else inner.numpy().tolist()
        return [values[a:b] for a, b in itertools.pairwise(splits)]

    def numpy(self) -> Any:
        """An array if all rows are of one length, otherwise an array of arrays."""
        inner, splits = self._values, np.asarray(self._row_splits)
        values = inner.numpy()
        rows = [values[a:b] for a, b in itertools.pairwise(splits)]
        if rows and len({np.shape(r) for r in rows}) == 1:
            return np.stack(rows)
        out = np.empty(len(rows), object)
        for i, row in enumerate(rows):
            out[i] = row
        return out

    if TYPE_CHECKING:  # attached in operators.py

        def __add__(self, other: Any) -> RaggedTensor: ...
        def __radd__(self, other: Any) -> RaggedTensor: ...
        def __sub__(self, other: Any) -> RaggedTensor: ...
        def __rsub__(self, other: Any) -> RaggedTensor: ...
        def __mul__(self, other: Any) -> RaggedTensor: ...
        def __rmul__(self, other: Any) -> RaggedTensor: ...
        def __truediv__(self, other: Any) -> RaggedTensor: ...
        def __rtruediv__(self, other: Any) -> RaggedTensor: ...
        def __floordiv__(self, other: Any) -> RaggedTensor: ...
        def __rfloordiv__(self, other: Any) -> RaggedTensor: ...
        def __mod__(self, other: Any) -> RaggedTensor: ...
        def __rmod__(self, other: Any) -> RaggedTensor: ...
        def __pow__(self, other: Any) -> RaggedTensor: ...
        def __rpow__(self, other: Any) -> RaggedTensor: ...
        def __and__(self, other: Any) -> RaggedTensor: ...
        def __rand__(self, other: Any) -> RaggedTensor: ...
        def __or__(self, other: Any) -> RaggedTensor: ...
        def __ror__(self, other: Any) -> RaggedTensor: ...
        def __xor__(self, other: Any) -> RaggedTensor: ...
        def __rxor__(self, other: Any) -> RaggedTensor: ...
        def __neg__(self) -> RaggedTensor: ...
        def __abs__(self) -> RaggedTensor: ...
        def __invert__(self) -> RaggedTensor: ...
        def __lt__(self, other: Any) -> RaggedTensor: ...
        def __le__(self, other: Any) -> RaggedTensor: ...
        def __gt__(self, other: Any) -> RaggedTensor: ...
        def __ge__(self, other: Any) -> RaggedTensor: ...
        def __eq__(self, other: object) -> RaggedTensor: ...  # type: ignore[override]
        def __ne__(self, other: object) -> RaggedTensor: ...  # type: ignore[override]

    def __repr__(self) -> str:
        if _is_symbolic(self):
            parts = f"values={self._values}, row_splits={self._row_splits}"
            return f"tf.RaggedTensor({parts})"
        with np.printoptions(formatter={"all": _shown}):  # array2string does not nest its separator
            return f"<tf.RaggedTensor {_shown(self.numpy())}>"

    __str__ = __repr__

    def __hash__(self) -> int:
        if not _is_symbolic(self):
            raise TypeError("RaggedTensor is unhashable. Instead, use the id() of it as the key.")
        return id(self)  # of a graph, such as what is fed

    def __len__(self) -> int:
        return count_of_rows(self._row_splits)

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    # Attached in conversions.py, indexing.py and operators.py.
    to_tensor: Any
    to_sparse: Any
    bounding_shape: Any
    __getitem__: Callable[[Any, Any], Any]


class RaggedTensorValue:
    """The value that a session returns for a RaggedTensor, and that may be fed for one."""

    __slots__ = ("row_splits", "values")

    def __init__(self, values: Any, row_splits: Array) -> None:
        self.values, self.row_splits = values, row_splits

    @property
    def flat_values(self) -> Any:
        """The innermost values, an array."""
        return getattr(self.values, "flat_values", self.values)

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all ragged dimensions, the outermost first."""
        return (self.row_splits, *getattr(self.values, "nested_row_splits", ()))

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the values."""
        return self.values.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The number of rows, None for each ragged dimension, and the sizes of the values."""
        return (len(self.row_splits) - 1, None, *self.values.shape[1:])

    def to_list(self) -> list[Any]:
        """The rows as nested lists."""
        inner, splits = self.values, self.row_splits.tolist()
        values = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        return [values[a:b] for a, b in itertools.pairwise(splits)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"


def ragged_of(value: RaggedTensorValue) -> RaggedTensor:
    """The ragged tensor of a value that a session returned for one."""
    inner = value.values
    values = ragged_of(inner) if isinstance(inner, RaggedTensorValue) else convert(inner)
    return RaggedTensor.from_row_splits(values, value.row_splits, validate=False)


def _shown(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    return np.array2string(value, separator=", ") if value.size else repr(value.tolist())


def _flat(values: Any) -> list[Any]:
    """The tensors of flat values, which may be of another type made of tensors."""
    return values._parts() if isinstance(values, Composite) else [values]


# ---- arguments --------------------------------------------------------------------------------


def _values(value: TensorLike) -> Tensor | RaggedTensor:
    return value if isinstance(value, RaggedTensor) else convert(value)


def _integers(value: TensorLike, called: str) -> Tensor:
    """Splits, lengths or row ids: int32 if given so, otherwise int64."""
    if isinstance(value, (Tensor, np.ndarray)):
        given = convert(value)
        if given.dtype in (dtypes.int32, dtypes.int64):
            return given
        raise ValueError(f"{called} must have dtype int32 or int64, got {given.dtype!r}")
    if isinstance(value, (list, tuple)) and not value:
        return convert(np.zeros(0, np.int64))
    if isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) for v in value):
        return _integers(convert(value), called)  # a list takes the dtype of its tensors
    try:
        return convert(value, dtypes.int64)
    except TypeError as error:
        raise ValueError(f"{called} must have dtype int32 or int64, got {value!r}") from error


def _zero(like: Tensor) -> Array:
    return np.zeros(1, like.dtype.as_numpy_dtype)


@deferrable
@deferrable
def _uniform_splits(rows: Tensor | RaggedTensor, row_length: Tensor, nrows: Any) -> Tensor:
    """Splits of rows of one length: so many as there are values for, if no number is given."""
    length = int(static(row_length))
    if nrows is None:
        nrows = known_length(rows) // length if length else 0
    return convert(np.arange(int(static(nrows)) + 1) * length, row_length.dtype)


@deferrable
def _splits_of(ids: Tensor, nrows: Any) -> Tensor:
    if nrows is None:
        known = np.asarray(ids) if current_graph() is None else static(ids)
        nrows = int(known[-1]) + 1 if len(known) else 0
    return splits_of(ids, int(static(nrows)), ids.dtype)


@deferrable
def _row_count(splits: Tensor, dtype: DType) -> Tensor:
    return convert(count_of_rows(splits), dtype)


def _check_list(what: str, parts: Any) -> None:
    if not isinstance(parts, (list, tuple)):
        raise TypeError(f"{what} must be a list of Tensors, got {parts!r}")


def _nested(make: Callable[..., Any], values: Any, parts: Sequence[Any], validate: bool) -> Any:
    _check_list("The nested partition", parts)
    for part in parts[::-1]:
        values = make(values, part, validate=validate)
    return values


def _is_symbolic(ragged: RaggedTensor) -> bool:
    return any(not isinstance(part._array, (np.ndarray, np.generic)) for part in ragged._parts())
