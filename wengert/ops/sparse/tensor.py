"""SparseTensor: coordinates and the values there; everything else is zero."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from wengert.errors import SymbolicValueError
from wengert.graph.operation import Operation
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.shaping import as_shape
from wengert.ops.math.comparison import equal
from wengert.values import dtypes
from wengert.values.bound_ops import bound
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import DType
from wengert.values.shapes import TensorShape
from wengert.values.sizes import key_of
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.symbolic import AnyShape
    from wengert.values.typing import NumpyDType, ShapeLike, TensorLike


class SparseTensorValue(NamedTuple):
    """The value that a session returns for a SparseTensor, and that may be fed for one."""

    indices: Any
    values: Any
    dense_shape: Any


# What operations on sparse tensors take.
SparseLike: TypeAlias = "SparseTensor | SparseTensorValue"


class SparseTensor(Composite):
    """Values at coordinates of a larger tensor that is zero everywhere else.

    Operations expect the coordinates in row-major order; `tf.sparse.reorder` sorts them.

    >>> s = tf.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])
    >>> tf.sparse.to_dense(s).numpy().tolist()
    [[0.0, 5.0], [0.0, 0.0], [7.0, 0.0]]
    """

    is_tensor: ClassVar[bool] = True
    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_known", "_values")
    __array_priority__ = 100
    _known: TensorShape | None  # what a function's signature says of the shape

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: ShapeLike) -> None:
        self._indices = _int64(indices)
        self._values = convert(values)
        self._dense_shape = _int64(dense_shape)
        self._known = None
        _check_fit(self._indices, self._values, self._dense_shape)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A SparseTensor from the value that a session returned for one."""
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError(
                "Argument `sparse_tensor_value` must be a SparseTensor or SparseTensorValue. "
                f"Got: {sparse_tensor_value!r}"
            )
        value = sparse_tensor_value
        return cls(value.indices, value.values, value.dense_shape)

    @classmethod
    def _of(
        cls, indices: Any, values: Any, dense_shape: Any, known: TensorShape | None = None
    ) -> SparseTensor:
        """From tensors that are known to be consistent."""
        made = cls.__new__(cls)
        made._indices, made._values, made._dense_shape = indices, values, dense_shape
        made._known = known
        return made

    # ---- properties --------------------------------------------------------------------------

    @property
    def indices(self) -> Tensor:
        """The coordinates of the values, of shape [number of values, rank]."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The values at the coordinates, of shape [number of values]."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the dense tensor, as a tensor."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the dense tensor, as far as it is known."""
        try:
            return TensorShape(as_shape(self._dense_shape))
        except SymbolicValueError:
            sizes = dims(self._dense_shape)
        if self._known is not None:
            return self._known
        known = isinstance(sizes, tuple) and isinstance(sizes[0], int)
        return TensorShape([None] * sizes[0] if known else None)

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Say more of the shape than is known while a graph is built; otherwise check it."""
        said = TensorShape(shape)
        if not self.shape.is_compatible_with(said):
            raise ValueError(f"Shapes {self.shape} and {said} are not compatible")
        self._known = self.shape.merge_with(said)

    @property
    def dims(self) -> tuple[int, ...]:
        """The shape of the dense tensor, which must be known."""
        return as_shape(self._dense_shape)

    @property
    def rank(self) -> int:
        """The number of axes of the dense tensor."""
        return int(dims(self._dense_shape)[0])

    @property
    def op(self) -> Any:
        """The operation that produces the values."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the values."""
        return self._values.graph

    @property
    def name(self) -> Any:
        """The name of the values."""
        return self._values.name

    def consumers(self) -> list[Operation]:
        """The operations of the graph that use one of its tensors."""
        found: list[Operation] = []
        for part in self._parts():
            if isinstance(part, SymbolicTensor):
                found += [op for op in part.consumers() if not any(op is other for other in found)]
        return found

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """The same coordinates with other values."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """The value, computed by a session: the one given, or the default one."""
        run = self._values.op.graph.session_for(session, "eval()").run
        return run(self, feed_dict)  # type: ignore[no-any-return]

    # ---- as a structure of tensors -----------------------------------------------------------

    def _parts(self) -> list[Any]:
        return [self._indices, self._values, self._dense_shape]

    def _with_parts(self, tensors: Iterator[Any]) -> SparseTensor:
        return SparseTensor._of(next(tensors), next(tensors), next(tensors))

    @property
    def _differentiated(self) -> Tensor:
        return self._values

    def _with_differentiated(self, gradient: Tensor) -> SparseTensor:
        return SparseTensor._of(self._indices, gradient, self._dense_shape)

    def _fetched(self, values: Iterator[Any]) -> SparseTensorValue:
        return SparseTensorValue(next(values), next(values), next(values))

    def _fed(self, value: SparseTensorValue) -> list[Any]:
        """The values to feed for its parts, from a SparseTensorValue or a tuple."""
        return [*value._parts()] if isinstance(value, SparseTensor) else [*value]

    if TYPE_CHECKING:  # attached in math.py

        def __mul__(self, other: Any) -> SparseTensor: ...
        def __rmul__(self, other: Any) -> SparseTensor: ...
        def __truediv__(self, other: Any) -> SparseTensor: ...

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )


def _int64(value: Any) -> Tensor:
    """Coordinates or a shape: Python numbers and smaller integers become int64."""
    if isinstance(value, Tensor):
        return convert(value, dtypes.int64)
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, (list, tuple)) and not len(value):
        return convert(np.zeros((0, 0) if value == [] else (0,), np.int64))
    return convert(value, dtypes.int64)


def _check_fit(indices: Tensor, values: Tensor, dense_shape: Tensor) -> None:
    i, v, s = indices.shape, values.shape, dense_shape.shape
    i.assert_has_rank(2)
    v.assert_has_rank(1)
    s.assert_has_rank(1)
    _check_same(indices, 0, values, "There must be as many values as coordinates.")
    _check_same(indices, 1, dense_shape, "Coordinates must have an index for each axis.")


def _check_same(indices: Tensor, axis: int, other: Tensor, message: str) -> None:
    a, b = (
        None if x.shape.rank is None else x.shape[at] for x, at in ((indices, axis), (other, 0))
    )
    if None not in (a, b) and a != b:
        raise ValueError(f"Dimensions {a} and {b} are not compatible")
    if None in (a, b) and not _is_one(indices, axis, other):  # known only at run time
        bound.provided(None, equal(shape_of(indices)[axis], shape_of(other)[0]), message)


def _is_one(indices: Tensor, axis: int, other: Tensor) -> bool:
    """Whether two unknown sizes are known to be the same."""
    a, b = dims(indices), dims(other)
    if not isinstance(a, tuple) or not isinstance(b, tuple):
        return False
    return a[axis] is not None and key_of(a[axis]) == key_of(b[0])


def sparse(value: TensorLike) -> SparseTensor:
    """An argument that must be sparse, as a SparseTensor."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(
            f"Input must be a SparseTensor, got {value!r} of type '{type(value).__name__}'. "
            "tf.sparse.from_dense makes one of a tensor."
        )
    return value


def new_sparse(indices: Tensor, values: Tensor, shape: AnyShape | Sequence[int]) -> SparseTensor:
    """A SparseTensor of a known shape."""
    return SparseTensor._of(indices, values, convert(np.array(shape, np.int64).reshape(-1)))


Function = TypeVar("Function", bound=Callable[..., Any])
# The forms of the parts of a sparse tensor of unknown shape.
_INDICES: Final = ((None, None), np.dtype(np.int64))
_SIZES: Final = ((None,), np.dtype(np.int64))


def placeholder_sparse(dtype: NumpyDType, args: Any = ()) -> tuple[Any, list[Any]]:
    """A sparse tensor of a dtype, for a deferred call."""
    return SparseTensor._of(0, 0, 0), [_INDICES, ((None,), dtype), _SIZES]


def gives(says: Callable[[Any, Any], Any]) -> Callable[[Function], Function]:
    """Decorates a public function: `says` tells the form of its result.

    It is given the dtype of the values, and the arguments.
    """

    def marked(function: Function) -> Function:
        function.foreseen = says  # type: ignore[attr-defined]
        return function

    return marked


gives_sparse = gives(placeholder_sparse)
