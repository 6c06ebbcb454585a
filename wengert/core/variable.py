"""Variables: values that can be replaced."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.convert import convert, register_converter
from wengert.core.dispatch import state
from wengert.core.dtypes import DType, as_dtype, of_numpy
from wengert.core.shapes import TensorShape
from wengert.core.tensor import Key, Reference, Tensor, shown_value
from wengert.core.words import words


class Variable:
    """A value that `assign` replaces and tapes watch by themselves.

    A variable stands wherever a tensor does. A tape records every trainable variable that is read.

    >>> v = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = v * v
    >>> tape.gradient(y, v).numpy()
    np.float32(6.0)
    >>> v.assign_sub(1.0).numpy()
    np.float32(2.0)
    """

    __slots__ = (
        "__weakref__",
        "_array",
        "_key",
        "_name",
        "_shape",
        "aggregation",
        "constraint",
        "synchronization",
        "trainable",
    )
    __array_priority__ = 100

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified. "
                "You are not providing a value to initialize the variable with."
            )
        value = initial_value() if callable(initial_value) else initial_value
        tensor = convert(value, None if dtype is None else as_dtype(dtype))
        self._array: Any = tensor._array
        self._key: Key | None = Key()
        self._name = f"{name or 'Variable'}:0"
        self._shape = TensorShape(tensor._array.shape if shape is None else shape)
        self._check_shape(tensor)
        self.trainable = tensor.dtype.is_differentiable if trainable is None else bool(trainable)
        self.constraint = constraint
        self.synchronization = synchronization
        self.aggregation = aggregation

    # ---- what it is --------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> DType:
        return of_numpy(self._array.dtype)

    @property
    def shape(self) -> TensorShape:
        """The shapes that may be assigned; None where any size may be."""
        return self._shape

    @property
    def ndim(self) -> int:
        return len(self._array.shape)

    @property
    def device(self) -> str:
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def get_shape(self) -> TensorShape:
        return self._shape

    # ---- its value ---------------------------------------------------------------------------

    def read_value(self) -> Tensor:
        """The value as it is now, as a tensor that later assignments do not change."""
        for recorder in state.here.recorders:
            recorder.accessed(self)
        tensor: Tensor = words.read(self)
        return tensor

    def value(self) -> Tensor:
        return self.read_value()

    def numpy(self) -> Any:
        return self._array.copy() if self._array.shape else self._array[()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.read_value().__array__(dtype, copy)

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable | None:
        """Replace the value; returns the variable."""
        return self._replace(convert(value, hint=self.dtype), read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable | None:
        """Add to the value; returns the variable."""
        return self._replace(self._now() + convert(delta, hint=self.dtype), read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable | None:
        """Subtract from the value; returns the variable."""
        return self._replace(self._now() - convert(delta, hint=self.dtype), read_value)

    def _now(self) -> Tensor:
        return convert(self._array)  # outside every tape: an assignment is not differentiated

    def _replace(self, tensor: Tensor, read_value: bool) -> Variable | None:
        if tensor.dtype is not self.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {self.dtype.name} for Tensor with dtype "
                f"{tensor.dtype.name}: cannot assign it to variable '{self._name}'. "
                f"Use tf.cast(value, tf.{self.dtype.name})."
            )
        self._check_shape(tensor)
        self._array = np.asarray(tensor)[()] if not tensor._array.shape else np.asarray(tensor)
        return self if read_value else None

    def _check_shape(self, tensor: Tensor) -> None:
        if not self._shape.is_compatible_with(tensor._array.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self._name}': Shape mismatch. "
                f"The variable shape {self._shape}, and the assigned value shape "
                f"{tensor.shape} are incompatible."
            )

    # ---- as an object ------------------------------------------------------------------------

    def ref(self) -> Reference:
        return Reference(self)

    def experimental_ref(self) -> Reference:
        return Reference(self)

    def __hash__(self) -> int:
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __float__(self) -> float:
        return float(self._array)

    def __complex__(self) -> complex:
        return complex(self._array)

    def __index__(self) -> int:
        return self.read_value().__index__()

    def __len__(self) -> int:
        return len(self.read_value())

    def __iter__(self) -> Any:
        return iter(self.read_value())

    def __deepcopy__(self, memo: Any) -> Variable:
        return self._copied()

    __copy__ = None  # two variables with one value would not stay equal: use copy.deepcopy

    def _copied(self) -> Variable:
        return _remake(
            copy.copy(self._array),
            self.trainable,
            self._name[:-2],
            self._shape,
            self.constraint,
        )

    def __reduce__(self) -> Any:
        parts = (
            np.array(self._array),
            self.trainable,
            self._name[:-2],
            self._shape,
            None,
        )
        return _remake, parts

    def __repr__(self) -> str:
        return (
            f"<tf.Variable '{self._name}' shape={self._shape} dtype={self.dtype.name}, "
            f"numpy={shown_value(self._array)}>"
        )

    if TYPE_CHECKING:  # attached by ops/operators.py

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __getitem__(self, key: Any) -> Tensor: ...


def _remake(array: Any, trainable: bool, name: str, shape: Any, constraint: Any) -> Variable:
    return Variable(array, trainable=trainable, name=name, shape=shape, constraint=constraint)


def _read(variable: Any, dtype: DType | None, hint: DType | None) -> Tensor:
    return convert(variable.read_value(), dtype)


register_converter(Variable, _read)
