"""NumPy's behaviour of tensors: its methods, its promotion by operators, its indices. Off by default.

Nothing asks whether it is on: the methods of the class are others then, so that tensors cost what
they cost before.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.api.numpy import (
    creation,
    elementwise,
    indexing,
    pairs,
    products,
    promotion,
    reductions,
    running,
    shapes,
    weakly,
)
from wengert.api.numpy.offer import Offered
from wengert.api.numpy.promotion import as_tensor, named, result_type
from wengert.ops import operators
from wengert.ops.arrays.identity import identity
from wengert.ops.math.elementwise import cast
from wengert.ops.state.variable_slices import part_of_variable
from wengert.state.variable import Variable
from wengert.values.dtypes import as_dtype, float64
from wengert.values.tensor import Tensor
from wengert.values.value import Value

# ---- methods ----------------------------------------------------------------------------------


def _sizes_or_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that takes a sequence, or its elements one by one."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(self, args if len(args) > 1 else args[0] if args else None, **kwargs)

    return method


def _astype(self: Any, dtype: Any) -> Tensor:
    # Of Python's types a float is float32 here, as TensorFlow's dtypes have it.
    return cast(self, as_dtype(dtype) if dtype is float else named(dtype))


def _tolist(self: Any) -> Any:
    return self.numpy().tolist()


def _item(self: Any, *args: Any) -> Any:
    return np.asarray(self).item(*args)


_METHODS: Final[dict[str, Any]] = {
    # Those that TensorFlow has, too.
    "T": property(lambda self: shapes.transpose(self)),
    "astype": _astype,
    "reshape": _sizes_or_one(shapes.reshape),
    "ravel": shapes.ravel,
    "flatten": shapes.flatten,
    "transpose": _sizes_or_one(shapes.transpose),
    "clip": pairs.clip,
    "data": property(lambda self: identity(self)),
    "max": reductions.max,
    "mean": reductions.mean,
    "min": reductions.min,
    "size": property(lambda self: shapes.size(self)),
    "tolist": _tolist,
    "__round__": elementwise.around,
    # The rest of NumPy's.
    "all": reductions.all,
    "any": reductions.any,
    "argmax": reductions.argmax,
    "argmin": reductions.argmin,
    "argsort": indexing.argsort,
    "conj": elementwise.conj,
    "conjugate": elementwise.conj,
    "copy": creation.copy,
    "cumprod": running.cumprod,
    "cumsum": running.cumsum,
    "diagonal": indexing.diagonal,
    "dot": products.dot,
    "imag": property(lambda self: elementwise.imag(self)),
    "item": _item,
    "nonzero": indexing.nonzero,
    "prod": reductions.prod,
    "real": property(lambda self: elementwise.real(self)),
    "repeat": shapes.repeat,
    "round": elementwise.around,
    "squeeze": shapes.squeeze,
    "std": reductions.std,
    "sum": reductions.sum,
    "swapaxes": shapes.swapaxes,
    "take": indexing.take,
    "trace": indexing.trace,
    "var": reductions.var,
}

# ---- operators --------------------------------------------------------------------------------

_NUMERIC: Final = (Value, numbers.Number, np.ndarray, np.generic, list, tuple)
_COMPARISONS: Final = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")
_PROMOTING: Final = (
    *[f"__{name}__" for name in operators.BINARY],
    *[f"__r{name}__" for name in operators.BINARY],
    *_COMPARISONS,
)


def _promoting(operator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operator after both operands became of one dtype."""

    def applied(self: Any, other: Any) -> Any:
        same = isinstance(other, Value) and other.dtype is self.dtype
        if not same and not _is_wide(self, other) and isinstance(other, _NUMERIC):
            listed = other if isinstance(other, (list, tuple)) else (other,)
            dtype = result_type(self, *listed)
            self, other = as_tensor(self, dtype), as_tensor(other, dtype)
        return operator(self, other)

    return applied


_WIDE: Final = np.dtype(np.float64)


def _is_wide(value: Value, other: Any) -> bool:
    """Whether a value of float64 meets a number or an array that becomes of it, or is: most operators of NumPy's programs."""
    if value.dtype is not float64:
        return False
    kind = type(other)
    return kind in (float, int) or (kind in (np.ndarray, np.float64) and other.dtype == _WIDE)


def _part_of_variable(self: Variable, key: Any) -> Any:
    """A part that can be assigned, or by NumPy's indices the elements that there are now."""
    parts = key if isinstance(key, tuple) else (key,)
    is_plain = all(isinstance(p, (int, slice)) or p is None or p is Ellipsis for p in parts)
    return part_of_variable(self, key) if is_plain else indexing.getitem(self, key)


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Give tensors NumPy's methods, and promotion where operands differ in dtype.

    With `prefer_float32` numbers with a fraction become float32, not float64. By
    `dtype_conversion_mode` dtypes are promoted by operators as NumPy does it ("legacy"), nowhere
    ("off"), or by operators, functions and assignments so that numbers of Python's give way and a
    result is no wider than it must be: "all", or "safe", which refuses what may lose digits.

    >>> tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="most")
    Traceback (most recent call last):
    ValueError: The provided promotion mode most does not exist. ...
    """
    if dtype_conversion_mode not in _MODES:
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. Make sure the provided "
            "dtype conversion mode is one of the followings: 'off', 'legacy', 'safe' or 'all'."
        )
    of_its_own = dtype_conversion_mode if dtype_conversion_mode in ("safe", "all") else None
    promotion.prefer_float32(prefer_float32)
    set_behavior(promotes=dtype_conversion_mode == "legacy", of_its_own=of_its_own)


_MODES: Final = ("off", "legacy", "safe", "all")


def set_behavior(promotes: bool, has_methods: bool = True, of_its_own: str | None = None) -> None:
    """Give the class NumPy's methods, or take them away; let its operators promote, or not."""
    weakly.set_promotion(of_its_own)
    promotion.settings.is_narrow = of_its_own is not None
    Offered.beside_methods = has_methods
    for name, method in _METHODS.items():
        if has_methods:
            keeps = of_its_own is not None and name in weakly.METHODS
            setattr(Value, name, weakly.keeping_method(method) if keeps else method)
        elif name in vars(Value):
            delattr(Value, name)
    for name in _PROMOTING:
        plain = operators.METHODS[name]
        setattr(Value, name, _promoting(plain) if promotes else plain)
    if of_its_own is not None:
        for name in weakly.PROMOTING:
            setattr(Value, name, weakly.promoting_operator(operators.METHODS[name]))
    for name in weakly.KEEPING:
        plain = operators.METHODS[name]
        setattr(Value, name, plain if of_its_own is None else weakly.keeping_method(plain))
    of_tensor, of_variable = _PARTS if has_methods else _PARTS_BEFORE
    for kind, method in ((Value, of_tensor), (Variable, of_variable)):
        setattr(kind, _BRACKETS, method)


_BRACKETS: Final = "__getitem__"
_PARTS: Final = (indexing.getitem, _part_of_variable)
_PARTS_BEFORE: Final = (operators.METHODS[_BRACKETS], part_of_variable)
