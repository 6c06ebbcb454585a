"""The eager tensor: an array that does not change, and an identity that recorders can follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from wengert.host.locks import new_lock
from wengert.values.dtypes import VARIANT
from wengert.values.exits import exit_watchers, left
from wengert.values.on_device import Settings
from wengert.values.shapes import Dims, TensorShape
from wengert.values.value import HELD, Key, Value, on_own_lines, shown_value, slot_of

_new: Final = object.__new__
# Among the attributes of a tensor, that its dtype gives way (values/weak.py).
WEAK: Final = "_is_weak"


class Tensor(Value):
    """A multidimensional array of one dtype that takes part in differentiation.

    Made by `tf.constant`, `tf.convert_to_tensor` and every operation. It cannot be changed.

    >>> t = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> t.shape, t.dtype
    (TensorShape([2, 2]), tf.float32)
    >>> t[0] * 10.0
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([10., 20.], dtype=float32)>
    """

    __slots__ = ("__dict__",)  # libraries hang attributes of their own on tensors

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(
            "A tensor is made from a value: use tf.constant(value) or tf.convert_to_tensor(value)."
        )

    # ---- what it is --------------------------------------------------------------------------

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        try:
            return TensorShape(slot_of(self).shape)
        except AttributeError:
            return TensorShape(self._form.shape)

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self.shape

    def _shape_tuple(self) -> tuple[int | None, ...] | None:
        """The shape as libraries ask for it; None if the rank is unknown."""
        return None if self.shape.rank is None else tuple(self.shape)

    @property
    def _id(self) -> int:
        return id(self)

    def _num_elements(self) -> int:
        return int(self._array.size)

    def _datatype_enum(self) -> int:
        return self.dtype.as_datatype_enum

    def _numpy(self) -> Any:
        return self.numpy()

    def _rank(self) -> int | None:
        return self.shape.rank

    @property
    def backing_device(self) -> str:
        """Where the value is kept: the same as `device`."""
        return self.device

    @property
    def is_packed(self) -> bool:
        """No: a tensor is on one device."""
        return False

    def _shape_as_list(self) -> list[int | None] | None:
        return None if self.shape.rank is None else list(self.shape)

    def set_shape(self, shape: Any) -> None:
        """Check that the tensor has a shape; an eager tensor's shape cannot change."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape "
                f"{TensorShape(shape)}."
            )

    # ---- its value ---------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = np.asarray(self._array)
        if exit_watchers:
            left(self, "NumPy")
        if copy or (dtype is not None and np.dtype(dtype) != array.dtype):
            if copy is False:
                raise ValueError("Unable to avoid copy: the dtype has to be converted.")
            return array.astype(dtype or array.dtype)
        view = array.view()
        view.flags.writeable = False  # a tensor does not change
        return view

    def __dlpack__(self, **kwargs: Any) -> Any:
        """The memory itself for consumers that only read it; a copy for all others."""
        array = self.__array__()
        try:
            return array.__dlpack__(**kwargs)
        except BufferError:  # older consumers cannot be told that an array is read-only
            return array.copy().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[Any, Any]:
        device: tuple[Any, Any] = np.asarray(self._array).__dlpack_device__()
        return device

    def __iter__(self) -> Iterator[Tensor]:
        if not self._array.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(self._array.shape[0]))

    # ---- as an object ------------------------------------------------------------------------

    def __deepcopy__(self, memo: Any) -> Tensor:
        return wrap(self._array)

    def __reduce__(self) -> Any:
        return _unpickle, (np.array(self._array),)

    def cpu(self) -> Tensor:
        """The tensor where it is: there is one device."""
        return self

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec)

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, "
            f"numpy={shown_value(self._array)}{self._weakness()}>"
        )

    def __str__(self) -> str:
        value = on_own_lines(str(self._array))
        return f"tf.Tensor({value}, shape={self.shape}, dtype={self.dtype.name}{self._weakness()})"

    def _weakness(self) -> str:
        return ", weak=True" if WEAK in self.__dict__ else ""

    def consumers(self) -> Any:
        """The operations that take it: there are none to ask for, as it has a value."""
        raise NotImplementedError(
            "Tensor.consumers is not supported when eager execution is enabled."
        )

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Its value in a session: it has one without."""
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
        )

    def __getattr__(self, name: str) -> Any:
        if name == "_array" and HELD in self.__dict__:
            self._array = found = Settings.fetch(self.__dict__[HELD])
            return found
        if name == "assign" and id(self) in PARTS:
            return PARTS[id(self)][1]
        raise AttributeError(_no_attribute(name))


# By the ids of tensors that are parts of variables: how the parts are assigned. The weak reference
# takes an entry away when the tensor goes.
PARTS: Final[dict[int, tuple[Any, Callable[..., Any]]]] = {}


def wrap(array: Any) -> Tensor:
    """A tensor around an array that is not written to any more."""
    tensor: Tensor = _new(Tensor)
    tensor._array = array
    tensor._key = None
    return tensor


def wrap_on_device(array: Any) -> Tensor:
    """A tensor whose array is on a device."""
    tensor: Tensor = _new(Tensor)
    tensor._key = None
    tensor.__dict__[HELD] = array  # as `put` does
    return tensor


class TensorList(list):  # type: ignore[type-arg]
    """A list of arrays where an array stands: what loops in graphs pass around (ops/control/tensor_list.py).

    None stands where nothing was written; in a cotangent, where there is none.
    """

    __slots__ = ("_dense", "_fixed", "_form", "_held")

    dtype = VARIANT
    shape = ()

    @property
    def dense(self) -> Any:
        """One array that holds all elements, where a compiled loop made the list; it has not changed since."""
        found = getattr(self, "_dense", None)
        return found if found is None or len(found) == len(self) else None

    def of_dense(self, array: Any) -> TensorList:
        """The list itself, whose elements are the rows of an array."""
        self._dense = array
        return self

    @property
    def held(self) -> Any:
        """What holds all elements on a device, where a compiled function gave the list; it has not changed since."""
        length, found = getattr(self, "_held", (None, None))
        return found if length == len(self) else None

    def held_by(self, rows: Any) -> TensorList:
        """The list itself, whose elements are on a device as well."""
        self._held = len(self), rows
        return self

    @property
    def form(self) -> Any:
        """What the elements must be, where a program said so: their dtype, their shape, how many at most."""
        return getattr(self, "_form", None)

    def of_form(self, form: Any) -> TensorList:
        """The list itself, which now knows what its elements must be."""
        self._form = form
        return self

    @property
    def fixed(self) -> bool:
        """Whether nothing may be written past its end."""
        return getattr(self, "_fixed", False)

    def of_length(self, fixed: bool) -> TensorList:
        """The list itself, which now keeps its length, or may grow."""
        self._fixed = fixed
        return self

    @property
    def element_shape(self) -> Dims | None:
        """The shape of every element, if all were written, and are arrays of the same."""
        if self.dense is not None:
            return self.dense.shape[1:]  # type: ignore[no-any-return]
        shapes = {None if isinstance(v, TensorList) else getattr(v, "shape", None) for v in self}
        return shapes.pop() if len(shapes) == 1 else None

    def zeros(self) -> TensorList:
        """A list of as many zeros of the same shapes."""
        return TensorList([None] * len(self))


# Threads whose tapes watch one value at the same moment know it by one key.
_KEYING: Final = new_lock()


def key_of(value: Any) -> Key:
    """The key of a tensor or variable; made when first asked for."""
    key: Key | None = value._key
    if key is None:
        new = Key()
        with _KEYING:
            key = value._key
            if key is None:
                key = value._key = new
    return key


def dims(value: Any) -> Dims:
    """The shape of an input of a rule, which may have been kept as a shape alone.

    In a graph it may contain sizes that are not known (values/symbolic.py).
    """
    return value if type(value) is tuple else value._array.shape


def _unpickle(array: Any) -> Tensor:
    return wrap(array)


# What PyTorch and JAX have as attributes of tensors.
_OTHERS_METHODS: Final = {
    "grad": "a tf.GradientTape, whose gradient(y, x) gives it, or tf.grad(f)(x)",
    "backward": "a tf.GradientTape: tape.gradient(y, x)",
    "requires_grad": "tape.watch(x) of a tf.GradientTape",
    "requires_grad_": "tape.watch(x) of a tf.GradientTape",
    "detach": "tf.stop_gradient(x)",
    "at": "tf.tensor_scatter_nd_update(x, [[i]], [value])",
    "cpu": "it as it is: tensors are on the processor",
    "view": "tf.reshape(x, shape)",
    "unsqueeze": "tf.expand_dims(x, axis)",
}
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
_GRAPH_ONLY: Final = ("op", "graph", "name", "value_index")


def _no_attribute(name: str) -> str:
    if name in _GRAPH_ONLY:
        return f"Tensor.{name} is undefined when eager execution is enabled."
    if name in _NUMPY_METHODS:
        return (
            f"Tensor object has no attribute '{name}': it is not a NumPy array. "
            f"Use {_NUMPY_METHODS[name]}, or tensor.numpy().{name} outside a gradient. With "
            "tf.experimental.numpy.experimental_enable_numpy_behavior() tensors have it."
        )
    if name in _OTHERS_METHODS:
        return f"Tensor object has no attribute '{name}'. Use {_OTHERS_METHODS[name]}."
    return f"Tensor object has no attribute '{name}'"
