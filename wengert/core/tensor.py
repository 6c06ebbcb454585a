"""The eager tensor: an array that does not change, and an identity that recorders can follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core import dtypes
from wengert.core.dtypes import DType
from wengert.core.shapes import Dims, TensorShape

_new: Final = object.__new__


# The identity of a value, given when a tape first follows it. It outlives the tensor where a record
# mentions it, so that records need not keep tensors alive. A bare object, because it is unique, free
# of locks, and the cheapest thing there is for the garbage collector: it does not look at it.
Key = object


class Tensor:
    """A multidimensional array of one dtype that takes part in differentiation.

    Made by `tf.constant`, `tf.convert_to_tensor` and every operation. It cannot be changed.

    >>> t = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> t.shape, t.dtype
    (TensorShape([2, 2]), tf.float32)
    >>> t[0] * 10.0
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([10., 20.], dtype=float32)>
    """

    __slots__ = ("__weakref__", "_array", "_key")
    # NumPy arrays leave `array * tensor` to the tensor.
    __array_priority__ = 100

    _array: Any
    _key: Key | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(
            "A tensor is made from a value: use tf.constant(value) or tf.convert_to_tensor(value)."
        )

    # ---- what it is --------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        return dtypes.of_numpy(self._array.dtype)

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._array.shape)

    @property
    def ndim(self) -> int:
        return len(self._array.shape)

    @property
    def device(self) -> str:
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def get_shape(self) -> TensorShape:
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Check that the tensor has a shape; an eager tensor's shape cannot change."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape "
                f"{TensorShape(shape)}."
            )

    # ---- its value ---------------------------------------------------------------------------

    def numpy(self) -> Any:
        """The value, as a NumPy array of its own or, for a scalar, a NumPy scalar.

        >>> tf.constant([1, 2]).numpy()
        array([1, 2], dtype=int32)
        """
        array = self._array
        if array.shape:
            return array.copy()
        return array[()] if isinstance(array, np.ndarray) else array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = np.asarray(self._array)
        if copy or (dtype is not None and np.dtype(dtype) != array.dtype):
            if copy is False:
                raise ValueError("Unable to avoid copy: the dtype has to be converted.")
            return array.astype(dtype or array.dtype)
        view = array.view()
        view.flags.writeable = False  # a tensor does not change
        return view

    def __dlpack__(self, **kwargs: Any) -> Any:
        return np.asarray(self._array).__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[Any, Any]:
        device: tuple[Any, Any] = np.asarray(self._array).__dlpack_device__()
        return device

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __float__(self) -> float:
        return float(self._array)

    def __complex__(self) -> complex:
        return complex(self._array)

    def __index__(self) -> int:
        try:
            index: int = self._array.__index__()
        except (TypeError, AttributeError):
            raise TypeError(
                f"only integer scalar tensors can be converted to a scalar index, got {self!r}"
            ) from None
        return index

    def __len__(self) -> int:
        if not self._array.shape:
            raise TypeError("Scalar tensor has no `len()`")
        return int(self._array.shape[0])

    def __iter__(self) -> Iterator[Tensor]:
        if not self._array.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(self._array.shape[0]))

    def __contains__(self, value: Any) -> bool:
        raise TypeError("`in` is not defined for tensors: use tf.reduce_any(tensor == value).")

    # ---- as an object ------------------------------------------------------------------------

    def ref(self) -> Reference:
        """A hashable stand-in, for dictionaries and sets."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        return Reference(self)

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: Any) -> Tensor:
        return wrap(self._array)

    def __reduce__(self) -> Any:
        return _unpickle, (np.array(self._array),)

    def __format__(self, spec: str) -> str:
        return str(self) if not spec else format(self.numpy(), spec)

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, "
            f"numpy={shown_value(self._array)}>"
        )

    def __str__(self) -> str:
        value = self._array if self._array.shape else shown_value(self._array)
        return f"tf.Tensor({value}, shape={self.shape}, dtype={self.dtype.name})"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(_no_attribute(name))

    if TYPE_CHECKING:  # attached by ops/operators.py, so that this file names no operation

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __pos__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __eq__(self, other: object) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: object) -> Tensor: ...  # type: ignore[override]
        def __getitem__(self, key: Any) -> Tensor: ...


class Reference:
    """Stands for a tensor or a variable where a hashable object is needed."""

    __slots__ = ("_target",)

    def __init__(self, target: Any) -> None:
        self._target = target

    def deref(self) -> Any:
        return self._target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._target is other._target

    def __hash__(self) -> int:
        return id(self._target)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._target!r}>"


def wrap(array: Any) -> Tensor:
    """A tensor around an array that nobody will change."""
    tensor: Tensor = _new(Tensor)
    tensor._array = array
    tensor._key = None
    return tensor


def key_of(value: Any) -> Key:
    """The key of a tensor or variable; made when first asked for."""
    key: Key | None = value._key
    if key is None:
        key = value._key = Key()
    return key


def dims(value: Any) -> Dims:
    """The shape of an input of a rule, which may have been kept as a shape alone."""
    return value if type(value) is tuple else value._array.shape


def shown_value(array: Any) -> str:
    """An array as it stands in a repr."""
    if array.shape:
        return repr(array)
    return repr(array[()].item() if hasattr(array[()], "item") else array[()])


def _unpickle(array: Any) -> Tensor:
    return wrap(array)


_NUMPY_METHODS: Final = {
    "astype": "tf.cast(tensor, dtype)",
    "reshape": "tf.reshape(tensor, shape)",
    "ravel": "tf.reshape(tensor, [-1])",
    "flatten": "tf.reshape(tensor, [-1])",
    "transpose": "tf.transpose(tensor)",
    "T": "tf.transpose(tensor)",
    "sum": "tf.reduce_sum(tensor)",
    "mean": "tf.reduce_mean(tensor)",
    "max": "tf.reduce_max(tensor)",
    "min": "tf.reduce_min(tensor)",
    "prod": "tf.reduce_prod(tensor)",
    "dot": "tf.tensordot(a, b, 1)",
    "size": "tf.size(tensor)",
    "clip": "tf.clip_by_value(tensor, low, high)",
    "tolist": "tensor.numpy().tolist()",
    "item": "tensor.numpy().item()",
    "copy": "tf.identity(tensor)",
}
_GRAPH_ONLY: Final = ("op", "graph", "name", "value_index", "consumers", "eval")


def _no_attribute(name: str) -> str:
    if name in _GRAPH_ONLY:
        return f"Tensor.{name} is undefined when eager execution is enabled."
    if name in _NUMPY_METHODS:
        return (
            f"Tensor object has no attribute '{name}': it is not a NumPy array. "
            f"Use {_NUMPY_METHODS[name]}, or tensor.numpy().{name} outside a gradient."
        )
    return f"Tensor object has no attribute '{name}'"
