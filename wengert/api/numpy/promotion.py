"""Which dtype several values have in common, by NumPy's rules, and tensors of that dtype, or of truths."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.ops.math.comparison import not_equal
from wengert.ops.math.elementwise import CAST, cast, zeros_like
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype, complex_of, of_numpy
from wengert.values.tensor import Tensor
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, TensorLike

    Numeric = TensorLike | bool | complex


class Settings:
    """What `experimental_enable_numpy_behavior` has been told."""

    prefers_float32 = False
    is_narrow = False  # 32 bits, too, where NumPy makes 64 of its own


settings: Final = Settings()
_WIDE: Final = {dtypes.float64: dtypes.float32, dtypes.complex128: dtypes.complex64}


def prefer_float32(is_preferred: bool) -> None:
    """Let Python's numbers with a fraction be float32, or float64."""
    settings.prefers_float32 = is_preferred


def allowed(dtype: DType) -> DType:
    """The dtype, or its half where that is preferred."""
    if dtype is dtypes.int64 and settings.is_narrow:
        return dtypes.int32
    is_half = settings.prefers_float32 or settings.is_narrow
    return _WIDE.get(dtype, dtype) if is_half else dtype


def own_float() -> DType:
    """What has a fraction where nothing says how wide it shall be."""
    return dtypes.float32 if settings.is_narrow else dtypes.float64


def named(dtype: DTypeLike) -> DType:
    """The dtype that a name stands for: Python's types are wide ones, as NumPy's are."""
    if isinstance(dtype, DType):
        return dtype
    if dtype not in (int, float, complex):
        return as_dtype(dtype)
    wide = of_numpy(np.dtype(dtype))
    return allowed(wide) if settings.is_narrow and dtype is not complex else wide


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that holds all of these: arrays, tensors, numbers and dtypes.

    >>> tf.experimental.numpy.result_type(tf.constant([1]), 1.5)
    tf.float64
    """
    one = _one_float(arrays_and_dtypes)
    if one is not None:
        return one
    parts = [_promotable(value) for value in arrays_and_dtypes]
    found = of_numpy(np.result_type(*parts)) if parts else dtypes.float64
    strong = not parts or any(map(_is_strong, arrays_and_dtypes))
    return found if strong else allowed(found)


def _one_float(values: Sequence[Any]) -> DType | None:
    """The dtype of floating tensors and arrays that all have it, beside Python's numbers: most calls have no others."""
    found = None
    for value in values:
        kind = type(value)
        if kind is float or kind is int:
            continue
        own = value.dtype if isinstance(value, Value) else _own_float(value)
        if own is None or not own.is_floating or (found is not None and own is not found):
            return None
        found = own
    return found


def _own_float(value: Any) -> DType | None:
    """The dtype of an array of floats."""
    return _FLOATS.get(value.dtype) if type(value) is np.ndarray else None


_FLOATS: Final = {t.numpy_dtype: t for t in (dtypes.float32, dtypes.float64)}


def _is_strong(value: Any) -> bool:
    """Whether it has a dtype of its own: not Python's numbers, nor lists of them where all is narrow."""
    if isinstance(value, (list, tuple)):
        return not (settings.is_narrow and value) or any(map(_is_strong, _leaves(value)))
    return isinstance(value, np.generic) or not isinstance(value, numbers.Number)


def promote_types(type1: DTypeLike, type2: DTypeLike) -> Any:
    """The smallest NumPy dtype that holds both.

    >>> tf.experimental.numpy.promote_types(tf.int32, tf.float32)
    dtype('float64')
    """
    return np.promote_types(named(type1).numpy_dtype, named(type2).numpy_dtype)


def _promotable(value: Any) -> Any:
    """What NumPy's promotion takes for a value: a dtype, or a number of Python's as it is."""
    if isinstance(value, (Value, np.ndarray, np.generic)):
        dtype = value.dtype
        return dtype.numpy_dtype if isinstance(dtype, DType) else dtype
    if isinstance(value, numbers.Number):
        return value
    if isinstance(value, (list, tuple)):
        return result_type_of_list(value).numpy_dtype
    if isinstance(value, (type, str, np.dtype, DType)):
        return named(value).numpy_dtype
    return convert(value).dtype.numpy_dtype


def result_type_of_list(values: Any) -> DType:
    """The dtype of a nested list, in which there may be tensors; Python's numbers are weak in it."""
    leaves = list(_leaves(values))
    return result_type(*leaves) if leaves else dtypes.float64


def _leaves(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _leaves(value)
        else:
            yield value


def as_tensor(value: Numeric, dtype: DType | None = None) -> Tensor:
    """A tensor of a value, of NumPy's dtype for it unless one is wanted; numbers wrap around."""
    if isinstance(value, Value):
        tensor = convert(value)
        return tensor if dtype is None or dtype is tensor.dtype else cast(tensor, dtype)
    kind: Any = type(value)
    if (kind is float or kind is int) and (dtype is dtypes.float64 or dtype is dtypes.float32):
        return convert(value, dtype)
    if kind is np.ndarray and dtype is not None and _own_float(value) is dtype:
        return convert(value, dtype)
    if isinstance(value, (list, tuple)) and _holds_values(value):
        return convert(_cast_within(value, dtype or result_type_of_list(value)))
    if not isinstance(value, (numbers.Number, np.ndarray, np.generic, list, tuple)):
        return as_tensor(convert(value), dtype)
    array = np.asarray(value)
    own = of_numpy(array.dtype)
    made = own if isinstance(value, (np.ndarray, np.generic)) or not array.size else allowed(own)
    wanted = dtype or made
    if wanted is own or dtypes.string in (own, wanted):
        return cast(convert(array, own), wanted)
    # At once, so that a graph has a constant and not a cast of one: some arguments must be known there.
    return convert(CAST.kernel(np, array, dtype=wanted, source=own), wanted)


def _holds_values(values: Any) -> bool:
    return any(isinstance(value, (Value, np.generic)) for value in _leaves(values))


def _cast_within(values: Any, dtype: DType) -> Any:
    return [
        _cast_within(v, dtype) if isinstance(v, (list, tuple)) else as_tensor(v, dtype)
        for v in values
    ]


def promoted(*values: Any) -> list[Tensor]:
    """Tensors of the values, of the dtype that holds all of them."""
    if all(isinstance(x, Tensor) for x in values) and len({x.dtype for x in values}) == 1:
        return list(values)
    dtype = result_type(*values)
    return [as_tensor(value, dtype) for value in values]


def in_floats(value: Numeric) -> Tensor:
    """A tensor that has a fraction: integers and booleans become floating."""
    tensor = as_tensor(value)
    return tensor if tensor.dtype.is_differentiable else cast(tensor, own_float())


def in_complex(value: Numeric) -> Tensor:
    """A tensor of complex numbers, whose parts are as wide as what it is made of."""
    tensor = in_floats(value)
    if tensor.dtype.is_complex:
        return tensor
    return cast(tensor, of_numpy(complex_of(tensor.dtype.numpy_dtype)))


def promoted_floats(*values: Any) -> list[Tensor]:
    """The same of several, of one dtype."""
    return [in_floats(x) for x in promoted(*values)]


def truth(value: Numeric) -> Tensor:
    """Whether each element is something else than zero."""
    tensor = as_tensor(value)
    return tensor if tensor.dtype.is_bool else not_equal(tensor, zeros_like(tensor))
