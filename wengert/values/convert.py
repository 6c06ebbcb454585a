"""From Python and NumPy values to tensors, with TensorFlow's rules for dtypes."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from typing import Any, Final

import numpy as np

from wengert.errors import NotATensorError, SymbolicValueError, noted
from wengert.host.fp_errors import quietly, strictly
from wengert.host.malloc import LARGE, keep_memory
from wengert.values import dtypes
from wengert.values.bound_ops import bound
from wengert.values.composite import Composite
from wengert.values.dtypes import DType, as_dtype, of_numpy
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor, wrap

# A converter takes (value, dtype, hint) and returns a tensor.
Converter = Callable[[Any, DType | None, DType | None], Tensor]
_CONVERTERS: Final[list[tuple[int, tuple[type, ...], Converter]]] = []

_INT32: Final = np.iinfo(np.int32)


def register_converter(
    types: type | tuple[type, ...], convert_one: Converter, priority: int = 100
) -> None:
    """Register how values of a type become tensors; the smallest priority is tried first."""
    kinds = types if isinstance(types, tuple) else (types,)
    _CONVERTERS.append((priority, kinds, convert_one))
    _CONVERTERS.sort(key=lambda entry: entry[0])


def convert(value: Any, dtype: DType | None = None, hint: DType | None = None) -> Tensor:
    """A tensor of the value. `dtype` is required; `hint` is for values that are not tensors yet."""
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}. Use tf.cast(tensor, tf.{dtype.name})."
            )
        return value
    if type(value) not in _PLAIN:
        for _, kinds, convert_one in _CONVERTERS:
            if isinstance(value, kinds):
                return convert_one(value, dtype, hint)
        if isinstance(value, (list, tuple)) and _has_tensors(value):
            return _packed(value, dtype or hint)
        if hasattr(type(value), "__tf_tensor__"):
            return convert(value.__tf_tensor__(dtype, None), dtype)
    tensor: Tensor = bound.entered(wrap(as_array(value, dtype or hint)))
    return tensor


def as_array(value: Any, dtype: DType | None = None) -> Any:
    """An array of a Python or NumPy value that nobody else can change.

    NumPy's arrays are cast to any dtype; Python's numbers only where they keep their kind.
    """
    if type(value) in _NUMBERS:
        return _from_number(value, dtype)
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    if hasattr(value, "__array__") and not isinstance(value, type):
        return _from_numpy(np.asarray(value), dtype)
    return _from_python(value, dtype)


# ---- from NumPy -------------------------------------------------------------------------------


def _from_numpy(value: Any, dtype: DType | None) -> Any:
    found = _dtype_of(value)
    wanted = dtype or found
    if (found is dtypes.string) is not (wanted is dtypes.string):
        raise _cannot(value, wanted)
    if found is dtypes.string:
        return _strings(np.asarray(value, object))
    if value.size >= LARGE:
        keep_memory(value.size)
    if wanted is found:
        return np.array(value, wanted.numpy_dtype)
    return _cast(np.asarray(value), wanted)


def _dtype_of(value: Any) -> DType:
    try:
        return of_numpy(value.dtype)
    except TypeError:
        raise ValueError(
            "Failed to convert a NumPy array to a Tensor "
            f"(Unsupported numpy type: {value.dtype}). Convert it with astype first."
        ) from None


def _cast(array: Any, dtype: DType) -> Any:
    """Cast without a warning: what cannot be represented becomes inf, or is truncated."""
    if array.dtype.kind == "c" and (dtype.is_floating or dtype.is_integer):
        array = array.real
    return quietly(array.astype, dtype.numpy_dtype)


def _strings(array: Any) -> Any:
    """Strings are kept as bytes, as TensorFlow shows them."""
    flat = [s.encode() if isinstance(s, str) else s for s in array.ravel().tolist()]
    for element in flat:
        if not isinstance(element, bytes):
            raise ValueError(
                "Failed to convert a NumPy array to a Tensor (Unsupported object type "
                f"{type(element).__name__}). An array of objects may hold strings only."
            )
    out = np.empty(len(flat), object)
    out[:] = flat
    return out.reshape(array.shape)


# ---- from Python ------------------------------------------------------------------------------

# What a Python number becomes by itself.
_NUMBERS: Final = {
    bool: dtypes.bool_,
    int: dtypes.int32,
    float: dtypes.float32,
    complex: dtypes.complex128,
}
_PLAIN: Final = {*_NUMBERS, np.ndarray}  # which nobody says how to convert
# What a Python bool may become, where that is asked for.
_TAKE_TRUTHS: Final = frozenset(
    (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.complex128)
)
# Numbers up to this fit every dtype but the small integers, for which NumPy raises.
_SAFE: Final = 65504

# Python values by their kind, a letter as in NumPy; s for strings. A later letter is wider.
_KINDS: Final = {bool: "b", int: "i", float: "f", complex: "c", str: "s", bytes: "s"}
_WIDE: Final = {"b": np.bool_, "i": np.int64, "f": np.float64, "c": np.complex128, "s": object}
_NUMPY_KINDS: Final = {"u": "i", "V": "f", "O": "s"}
# What may follow the first element of a sequence.
_MAY_FOLLOW: Final = {"b": "b", "i": "ibf", "f": "fib", "c": "cifb", "s": "s"}
_ORDER: Final = "bifcs"
# What TensorFlow takes in any order where such a dtype is asked for: it reads element by element then.
_TAKEN: Final[dict[DType | None, str]] = {
    **dict.fromkeys((dtypes.int32, dtypes.int64, dtypes.uint64), "bi"),
    **dict.fromkeys((dtypes.float16, dtypes.float32, dtypes.float64), "bif"),
    dtypes.complex128: "bifc",
}


def _from_number(value: Any, dtype: DType | None) -> Any:
    found = _NUMBERS[type(value)]
    wanted = dtype or found
    if found is not dtypes.complex128 and -_SAFE <= value <= _SAFE and _compatible(wanted, found):
        try:
            return wanted.as_numpy_dtype(value)
        except OverflowError:
            pass  # it wraps around
    return _from_python(value, dtype)


def _from_python(value: Any, dtype: DType | None) -> Any:
    """The array of a number, a string or a nested sequence."""
    parts = list(value) if _is_sequence(value) else value
    first, kinds = _first(parts), _kinds(parts)
    if len(kinds) > 1 or "?" in kinds:
        _check_mixture(value, first, kinds, dtype)
    widest = max(kinds, key=_ORDER.index, default="f")
    wide = _rectangular(value, parts, widest, dtype)
    found = _by_itself(wide, widest, first)
    if dtype is None:
        return _narrowed(value, wide, found)
    if kinds and not _compatible(dtype, found):
        raise _cannot(value, dtype)
    return wide if found is dtypes.string else _cast(wide, dtype)


def _check_mixture(value: Any, first: Any, kinds: set[str], dtype: DType | None) -> None:
    leading = next(iter(_kinds(first)), "f")
    if leading == "?":
        raise _unsupported(first)
    composite = next((v for v in _leaves(value) if isinstance(v, Composite)), None)
    if composite is not None:
        raise _unsupported(composite)
    if not kinds <= set(_MAY_FOLLOW[leading] + _TAKEN.get(dtype, "")):
        text = "Can't convert Python sequence with mixed types to Tensor."
        raise noted(ValueError(text), f"It is {reprlib.repr(value)}.")


def _is_sequence(value: Any) -> bool:
    if isinstance(value, (list, tuple, Sequence, TensorShape)):
        return not isinstance(value, (str, bytes))
    if isinstance(value, (Mapping, Composite)) or hasattr(type(value), "__array__"):
        return False
    # A library's own, which has a length and its elements by number.
    return isinstance(value, Sized) and hasattr(value, "__getitem__")


def _first(value: Any) -> Any:
    while type(value) not in _KINDS and _is_sequence(value) and len(value):
        value = next(iter(value))
    return value


def _kinds(value: Any) -> set[str]:
    """The kinds of everything in a nested sequence; a question mark for anything else."""
    if not _is_sequence(value):
        return {_kind(value)}
    kinds: set[str] = set()
    for kind in set(map(type, value)):
        if kind in _KINDS:
            kinds.add(_KINDS[kind])
        else:
            kinds.update(*(_kinds(part) for part in value if type(part) is kind))
    return kinds


def _kind(value: Any) -> str:
    if hasattr(type(value), "__array__"):
        kind: str = _dtype_of(np.asarray(value)).numpy_dtype.kind
        return _NUMPY_KINDS.get(kind, kind)
    return next((kind for base, kind in _KINDS.items() if isinstance(value, base)), "?")


def _rectangular(value: Any, parts: Any, widest: str, dtype: DType | None) -> Any:
    """An array in which nothing has been rounded yet."""
    wide: Any = _WIDE[widest]
    if widest == "i" and dtype is not None:
        if dtype.is_differentiable:
            wide = np.float64
        elif dtype is dtypes.uint64:
            wide = np.uint64
    try:
        array = np.array(parts, wide)
    except OverflowError:
        raise ValueError(
            f"Can't convert Python sequence with out-of-range integer to Tensor: {value!r}"
        ) from None
    except SymbolicValueError:
        raise
    except (TypeError, ValueError):
        raise _ragged(value) from None
    if widest != "s":
        return array
    if any(_is_sequence(s) for s in array.ravel().tolist()):
        raise _ragged(value)
    return _strings(array)


def _by_itself(wide: Any, widest: str, first: Any) -> DType:
    """The dtype TensorFlow chooses. Of NumPy's types it keeps those of floats that stand first."""
    if widest == "i":
        small = not wide.size or (wide.min() >= _INT32.min and wide.max() <= _INT32.max)
        return dtypes.int32 if small else dtypes.int64
    if widest == "f":
        own = of_numpy(first.dtype) if hasattr(first, "dtype") else dtypes.float32
        return own if own.is_floating else dtypes.float32
    return of_numpy(wide.dtype)


def _narrowed(value: Any, wide: Any, dtype: DType) -> Any:
    try:
        return strictly(wide.astype, dtype.numpy_dtype)
    except FloatingPointError:
        raise ValueError(
            "Can't convert Python sequence with a value out of range for a double-precision "
            f"float: {value!r} does not fit {dtype.name}. Give the dtype you mean."
        ) from None


def _compatible(wanted: DType, found: DType) -> bool:
    """Whether a Python value may become a dtype: it never loses its kind."""
    if wanted is found:
        return True
    if found.is_integer:
        return wanted.is_numeric
    if found.is_floating:
        return wanted.is_floating or wanted.is_complex
    if found.is_bool:
        return wanted in _TAKE_TRUTHS
    return found.is_complex and wanted.is_complex


# ---- what cannot be converted -----------------------------------------------------------------


def _unsupported(value: Any) -> ValueError:
    if isinstance(value, Composite):
        return NotATensorError(value)
    return ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a "
        "Tensor. Numbers, strings, NumPy arrays and nested lists of them can be converted."
    )


def _ragged(value: Any) -> ValueError:
    text = "Can't convert non-rectangular Python sequence to Tensor."
    return noted(ValueError(text), f"It is {reprlib.repr(value)}. tf.ragged.constant takes such.")


def _cannot(value: Any, dtype: DType) -> TypeError:
    return TypeError(
        f"Cannot convert {value!r} to EagerTensor of dtype {dtype.spoken}. "
        "Use tf.cast where you mean the conversion."
    )


# ---- lists with tensors in them ---------------------------------------------------------------


def _has_tensors(value: Any) -> bool:
    kinds = set(map(type, value))
    if kinds <= _KINDS.keys():
        return False
    return any(
        _has_tensors(part) if isinstance(part, (list, tuple)) else _is_tensor_like(part)
        for part in value
    )


def _is_tensor_like(value: Any) -> bool:
    if isinstance(value, Tensor) or hasattr(type(value), "__tf_tensor__"):
        return True
    return any(isinstance(value, kinds) for _, kinds, _ in _CONVERTERS)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _packed(value: Any, dtype: DType | None) -> Tensor:
    """A nested list with tensors in it becomes one tensor through which gradients flow."""
    wanted = dtype or dtype_within(value)
    if dtype is None or wanted is None:
        return convert(bound.stack([convert(v, wanted) for v in value]), wanted)
    return bound.stack([bound.cast(convert(v, hint=wanted), wanted) for v in value])


def dtype_within(value: Any) -> DType | None:
    """The dtype of the first tensor in a nested list; None if there is none."""
    return next((convert(v).dtype for v in _leaves(value) if _is_tensor_like(v)), None)


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
    if dtype is None and dtype_hint is not None:
        try:
            return convert(value, hint=as_dtype(dtype_hint))
        except (TypeError, ValueError):
            pass  # a hint is not binding
    return convert(value, None if dtype is None else as_dtype(dtype))
