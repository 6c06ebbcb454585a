"""What tensors and variables have in common: an array, an identity, and Python's conversions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from wengert.values.dtypes import BY_NUMPY, DType
from wengert.values.exits import exit_watchers, left

if TYPE_CHECKING:
    from wengert.values.shapes import TensorShape
    from wengert.values.tensor import Tensor

# The identity of a value, given when a tape first follows it. It outlives the tensor where a record
# mentions it, so that records need not keep tensors alive. A bare object, because it is unique, free
# of locks, and the cheapest thing there is for the garbage collector: it does not look at it.
Key = object


# Among the attributes of a value, what it has on a device (values/on_device.py).
HELD: Final = "_on_device"


class TensorBase:
    """What is a tensor to a program that asks: tensors, variables, and the variables of libraries."""

    __slots__ = ()


class Value(TensorBase):
    """The base of Tensor and Variable."""

    __slots__ = ("__weakref__", "_array", "_key")
    OVERLOADABLE_OPERATORS: ClassVar[frozenset[str]]  # bound by api/bind.py, as the operators are
    # NumPy arrays leave `array * value` to the value.
    __array_priority__ = 100

    _array: Any
    _key: Key | None

    @property
    def dtype(self) -> DType:
        """The dtype."""
        try:
            return BY_NUMPY[slot_of(self).dtype]
        except AttributeError:
            return BY_NUMPY[self._form.dtype]

    @property
    def _form(self) -> Any:
        """What knows the shape and the dtype: not fetched for it, if the array is on a device."""
        found = getattr(self, "__dict__", {}).get(HELD)
        return self._array if found is None else found

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._array.shape)

    @property
    def device(self) -> str:
        """Where the value is: always the CPU."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def numpy(self) -> Any:
        """The value, as a NumPy array of its own or, for a scalar, a NumPy scalar.

        >>> tf.constant([1, 2]).numpy()
        array([1, 2], dtype=int32)
        """
        array = self._array
        if exit_watchers:
            left(self, ".numpy()")
        if array.shape:
            return array.copy()
        return array[()] if isinstance(array, np.ndarray) else array

    def __bool__(self) -> bool:
        if exit_watchers:
            left(self, "bool()")
        try:
            return bool(self._array)
        except ValueError as error:
            raise ValueError(
                f"{error}. Of a tensor: tf.reduce_any(a) or tf.reduce_all(a), and & and | in place "
                "of `and` and `or`."
            ) from None

    __nonzero__ = __bool__  # as Python 2 calls it: libraries copy both

    def __int__(self) -> int:
        if exit_watchers:
            left(self, "int()")
        return int(self._array)

    def __float__(self) -> float:
        if exit_watchers:
            left(self, "float()")
        return float(self._array)

    def __complex__(self) -> complex:
        if exit_watchers:
            left(self, "complex()")
        return complex(self._array)

    def __index__(self) -> int:
        if exit_watchers:
            left(self, "int()")
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

    def ref(self) -> Reference:
        """A hashable stand-in, for dictionaries and sets."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """The same as `ref`."""
        return Reference(self)

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __copy__(self) -> Any:
        return self  # of a variable, two with one value would not stay equal: use copy.deepcopy

    if TYPE_CHECKING:  # `shape` is of each kind; operators are attached by api/bind.py, so
        # that this file names no operation

        @property
        def shape(self) -> TensorShape: ...  # noqa: D102  # each kind says it

        def __contains__(self, item: Any) -> bool: ...
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


slot_of: Final = Value.__dict__["_array"].__get__


class Reference:
    """Stands for a tensor or a variable where a hashable object is needed."""

    __slots__ = ("_target",)

    def __init__(self, target: Any) -> None:
        self._target = target

    def deref(self) -> Any:
        """The value that it refers to."""
        return self._target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._target is other._target

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return NotImplemented
        return id(self._target) < id(other._target)  # some order: nest sorts the keys of dicts

    def __hash__(self) -> int:
        return id(self._target)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._target!r}>"


def shown_value(array: Any) -> str:
    """An array as it stands in a repr."""
    if array.shape:
        text, dtype = repr(array), f"{array.dtype!r})"
        if text.endswith(dtype):  # as new versions of ml_dtypes say it
            text = f"{text.removesuffix(dtype)}{array.dtype})"
        return on_own_lines(text)
    return repr(array[()].item() if hasattr(array[()], "item") else array[()])


def on_own_lines(text: str) -> str:
    """A multi-line text begins on a line of its own."""
    return f"\n{text}" if "\n" in text else text
