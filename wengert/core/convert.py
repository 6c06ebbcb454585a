"""From Python and NumPy values to tensors, with TensorFlow's rules for dtypes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from wengert.core import dtypes
from wengert.core.dtypes import DType, as_dtype, of_numpy
from wengert.core.tensor import Tensor, wrap
from wengert.core.words import words

# A converter takes (value, dtype, hint) and returns a tensor.
Converter = Callable[[Any, DType | None, DType | None], Tensor]
_CONVERTERS: Final[list[tuple[int, tuple[type, ...], Converter]]] = []

_INT32: Final = np.iinfo(np.int32)


def register_converter(
    types: type | tuple[type, ...], convert_one: Converter, priority: int = 100
) -> None:
    """Say how values of a type become tensors; the smallest priority is asked first."""
    kinds = types if isinstance(types, tuple) else (types,)
    _CONVERTERS.append((priority, kinds, convert_one))
    _CONVERTERS.sort(key=lambda entry: entry[0])


def convert(value: Any, dtype: DType | None = None, hint: DType | None = None) -> Tensor:
    """A tensor of the value. `dtype` is demanded; `hint` is taken where the value allows it."""
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}. Use tf.cast(tensor, tf.{dtype.name})."
            )
        return value
    for _, kinds, convert_one in _CONVERTERS:
        if isinstance(value, kinds):
            return convert_one(value, dtype, hint)
    if isinstance(value, (list, tuple)) and any(_tensor_leaves(value)):
        return _packed(value, dtype, hint)
    return wrap(as_array(value, dtype, hint))


def as_array(value: Any, dtype: DType | None = None, hint: DType | None = None) -> Any:
    """An array of a Python or NumPy value that nobody else can change."""
    if dtype is not None:
        return _cast(value, _natural(value), dtype)
    natural = _natural(value)
    if hint is not None and hint is not of_numpy(natural.dtype):
        if _compatible(hint, of_numpy(natural.dtype)):
            return natural.astype(hint.numpy_dtype)
        if _is_python_number(value):
            return _cast(value, natural, hint)
    return natural


def _natural(value: Any) -> Any:
    """The array with the dtype TensorFlow would choose by itself."""
    kind = type(value)
    if kind is float:
        return np.float32(value)
    if kind is int:
        return np.asarray(value, np.int32 if _INT32.min <= value <= _INT32.max else None)
    if kind is bool:
        return np.bool_(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value)
    if isinstance(value, (str, bytes)):
        return _strings(np.asarray(value, object))
    return _from_sequence(value)


def _from_numpy(value: Any) -> Any:
    dtype = of_numpy(value.dtype)  # a TypeError here says which types there are
    if dtype is dtypes.string:
        return _strings(np.asarray(value, object))
    array = np.array(value, copy=True)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _from_sequence(value: Any) -> Any:
    if value is None or (not hasattr(value, "__len__") and not hasattr(value, "__array__")):
        _reject(value)
    try:
        array = np.array(value)
    except ValueError:
        raise ValueError(
            f"Can't convert non-rectangular Python sequence to Tensor: {value!r}"
        ) from None
    if array.dtype.kind in "USO":
        return _strings(np.array(value, dtype=object))
    if array.dtype == np.float64 and not _has_numpy_leaf(value):
        return array.astype(np.float32)
    if array.dtype == np.int64 and not _has_numpy_leaf(value):
        fits = array.size == 0 or (array.min() >= _INT32.min and array.max() <= _INT32.max)
        return array.astype(np.int32) if fits else array
    of_numpy(array.dtype)
    return array


def _strings(array: Any) -> Any:
    """Strings are kept as bytes, as TensorFlow shows them."""
    flat = [s.encode() if isinstance(s, str) else s for s in array.ravel().tolist()]
    for element in flat:
        if not isinstance(element, bytes):
            _reject(element)
    out = np.empty(len(flat), object)
    out[:] = flat
    return out.reshape(array.shape)


def _reject(value: Any) -> None:
    raise ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a "
        "Tensor. Numbers, strings, NumPy arrays and nested lists of them can be converted."
    )


def _cast(value: Any, natural: Any, dtype: DType) -> Any:
    found = of_numpy(natural.dtype)
    if found is dtype:
        return natural
    if not _compatible(dtype, found):
        raise TypeError(
            f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}"
            f" (it is {found.name}). Use tf.cast where you mean the conversion."
        )
    if dtype.is_integer and natural.size:
        _check_range(value, natural, dtype)
    return _exactly(value, natural, dtype)


def _exactly(value: Any, natural: Any, dtype: DType) -> Any:
    """Python numbers keep all their digits; arrays are converted."""
    if of_numpy(natural.dtype) is dtypes.float32 and not isinstance(
        value, (np.ndarray, np.generic)
    ):
        wide = np.array(value, np.float64)  # before float32 lost digits
        return wide.astype(dtype.numpy_dtype)
    return natural.astype(dtype.numpy_dtype)


def _check_range(value: Any, natural: Any, dtype: DType) -> None:
    low, high = dtype.limits
    if natural.min() < low or natural.max() > high:
        raise TypeError(
            f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}: "
            f"it lies outside [{low}, {high}]."
        )


def _compatible(wanted: DType, found: DType) -> bool:
    """Whether a constant may be converted without being asked: never loses its kind."""
    if wanted is found:
        return True
    if found.is_integer:
        return wanted.is_numeric
    if found.is_floating:
        return wanted.is_floating or wanted.is_complex
    return found.is_complex and wanted.is_complex


def _is_python_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex)) and not isinstance(value, np.generic)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _has_numpy_leaf(value: Any) -> bool:
    return any(isinstance(v, (np.ndarray, np.generic)) for v in _leaves(value)) or hasattr(
        value, "__array__"
    )


def _tensor_leaves(value: Any) -> Iterator[bool]:
    kinds = (Tensor, *(k for _, types, _ in _CONVERTERS for k in types))
    return (isinstance(v, kinds) for v in _leaves(value))


def _packed(value: Any, dtype: DType | None, hint: DType | None) -> Tensor:
    """A nested list with tensors in it becomes one tensor through which gradients flow."""
    tensors = (convert(v) for v in _leaves(value) if _is_tensor_like(v))
    dtype = dtype or next(tensors).dtype
    parts = [convert(v, dtype if not isinstance(v, (list, tuple)) else None, dtype) for v in value]
    return convert(words.stack(parts), dtype, hint)


def _is_tensor_like(value: Any) -> bool:
    return any(_tensor_leaves([value]))


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    dtype_hint: Any = None,
    name: str | None = None,
) -> Tensor:
    """A tensor of the value: of a number, an array, a nested list, a variable, IndexedSlices.

    >>> tf.convert_to_tensor([[1, 2], [3, 4]], dtype=tf.float64).dtype
    tf.float64
    """
    return convert(
        value,
        None if dtype is None else as_dtype(dtype),
        None if dtype_hint is None else as_dtype(dtype_hint),
    )
