"""NumPy as the namespace of kernels: its functions without their parts in Python.

Many of NumPy's functions spend 1 to 6 µs in Python, which is longer than an operation on a small
array takes in all. Those of `_OURS` do the same for arrays at once; all else is left to NumPy.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

Array = Any

# Elements up to which a copy takes less time than NumPy takes to make a view.
_FEW: Final = 1 << 12
# Elements up to which two copies of neighbours take less time than one of scattered elements.
_IN_CACHE: Final = 1 << 16


# ---- the same elements in another shape -------------------------------------------------------

# The parameters have NumPy's names, by which kernels may pass them; what is passed besides goes to NumPy.


def _reshape(a: Array, shape: Any, *rest: Any, **how: Any) -> Array:
    if rest or how or type(a) is not np.ndarray:
        return np.reshape(a, shape, *rest, **how)
    return a.reshape(shape)


def _transpose(a: Array, axes: Any = None) -> Array:
    return a.transpose(axes) if type(a) is np.ndarray else np.transpose(a, axes)


def _swapaxes(a: Array, axis1: int, axis2: int) -> Array:
    return a.swapaxes(axis1, axis2) if type(a) is np.ndarray else np.swapaxes(a, axis1, axis2)


def _moveaxis(a: Array, source: Any, destination: Any) -> Array:
    if type(a) is not np.ndarray or not (
        _is_axis(source, a.ndim) and _is_axis(destination, a.ndim)
    ):
        return np.moveaxis(a, source, destination)
    return a if source == destination else a.transpose(_order(a.ndim, source, destination))


def _flip(m: Array, axis: Any = None) -> Array:
    if type(m) is not np.ndarray or not _is_axis(axis, m.ndim):
        return np.flip(m, axis)
    index = (*[slice(None)] * (axis % m.ndim), slice(None, None, -1))
    return m[index]


def _is_axis(axis: Any, rank: int) -> bool:
    return isinstance(axis, int) and -rank <= axis < rank


@functools.lru_cache(1000)
def _order(rank: int, source: int, destination: int) -> tuple[int, ...]:
    """The order of the axes after one of them is moved."""
    order = list(range(rank))
    moved = order.pop(source)
    order.insert(destination % rank, moved)
    return tuple(order)


# ---- repetition -------------------------------------------------------------------------------


def _broadcast_to(array: Array, shape: Any, *rest: Any, **how: Any) -> Array:
    if rest or how or not _is_array(array) or not _fits(array, shape):
        return np.broadcast_to(array, shape, *rest, **how)
    y = np.empty(shape, array.dtype)
    y[...] = array
    return y


def _is_array(a: Any) -> bool:
    return type(a) is np.ndarray or isinstance(a, np.generic)


def _fits(array: Array, shape: Any) -> bool:
    """Whether it takes less time to fill an array of the shape than to make a view of it."""
    return type(shape) is tuple and array.ndim <= len(shape) and math.prod(shape) <= _FEW


def _like(make: Callable[..., Array], otherwise: Callable[..., Array]) -> Callable[..., Array]:
    def like(a: Array, *other: Any, **how: Any) -> Array:
        if other or how or not _is_array(a):
            return otherwise(a, *other, **how)
        return make(a.shape, a.dtype)

    return like


def _stack(arrays: Sequence[Array], axis: int = 0, *rest: Any, **how: Any) -> Array:
    if rest or how or not _are_alike(arrays) or not _is_axis(axis, arrays[0].ndim + 1):
        return np.stack(arrays, axis, *rest, **how)
    rank = arrays[0].ndim + 1
    at = axis % rank
    if at == 0:
        return np.array(arrays)
    if len(arrays) * arrays[0].size <= _IN_CACHE:
        return np.array(arrays).transpose(_order(rank, 0, at)).copy()
    index = (*[slice(None)] * at, None)
    return np.concatenate([x[index] for x in arrays], at)


def _are_alike(arrays: Sequence[Array]) -> bool:
    """Whether these are arrays of numbers, of one shape, one at least."""
    if type(arrays) not in (list, tuple) or {np.ndarray} != set(map(type, arrays)):
        return False
    return arrays[0].dtype.kind != "O" and len({x.shape for x in arrays}) == 1


# ---- reductions -------------------------------------------------------------------------------


def _total(name: str, ufunc: np.ufunc) -> Callable[..., Any]:
    """NumPy's sum or product, by the function of two."""
    reduce, otherwise = ufunc.reduce, getattr(np, name)

    def total(
        a: Array, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
        *rest: Any, **how: Any,
    ) -> Any:  # fmt: skip
        general = reduce if type(a) is np.ndarray else otherwise
        return general(a, axis, dtype, out, keepdims, *rest, **how)

    return total


def _extreme(name: str, ufunc: np.ufunc) -> Callable[..., Any]:
    """NumPy's maximum or minimum, by the function of two."""
    reduce, otherwise = ufunc.reduce, getattr(np, name)

    def extreme(
        a: Array, axis: Any = None, out: Any = None, keepdims: bool = False, *rest: Any, **how: Any
    ) -> Any:
        if type(a) is np.ndarray:
            return reduce(a, axis, None, out, keepdims, *rest, **how)
        return otherwise(a, axis, out, keepdims, *rest, **how)

    return extreme


def _logical(name: str, ufunc: np.ufunc) -> Callable[..., Any]:
    """NumPy's `all` or `any`, by the function of two."""
    reduce, otherwise = ufunc.reduce, getattr(np, name)

    def logical(
        a: Array, axis: Any = None, out: Any = None, keepdims: bool = False, **how: Any
    ) -> Any:
        if how or type(a) is not np.ndarray:
            return otherwise(a, axis, out, keepdims, **how)
        return reduce(a, axis, bool, out, keepdims)

    return logical


def _method(name: str) -> Callable[..., Any]:
    """A function of NumPy's that is a method of arrays."""
    method, otherwise = getattr(np.ndarray, name), getattr(np, name)

    def function(a: Array, *args: Any, **how: Any) -> Any:
        return (method if type(a) is np.ndarray else otherwise)(a, *args, **how)

    return function


_METHODS: Final = ("squeeze", "argmax", "argmin", "take", "cumsum", "cumprod")


# ---- the namespace ----------------------------------------------------------------------------

_OURS: Final[dict[str, Callable[..., Any]]] = {
    "reshape": _reshape,
    "transpose": _transpose,
    "swapaxes": _swapaxes,
    "moveaxis": _moveaxis,
    "flip": _flip,
    "broadcast_to": _broadcast_to,
    "zeros_like": _like(np.zeros, np.zeros_like),
    "ones_like": _like(np.ones, np.ones_like),
    "stack": _stack,
    **{name: _total(name, ufunc) for name, ufunc in (("sum", np.add), ("prod", np.multiply))},
    **{name: _extreme(name, ufunc) for name, ufunc in (("max", np.maximum), ("min", np.minimum))},
    "all": _logical("all", np.logical_and),
    "any": _logical("any", np.logical_or),
    **{name: _method(name) for name in _METHODS},
}


class _Namespace:
    """The functions of NumPy, each looked up there once."""

    def __init__(self) -> None:
        self.__dict__.update(_OURS)

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(np, name)
        return found

    def __reduce__(self) -> str:
        return "DIRECT"  # by which it is copied and pickled: there is one


DIRECT: Final = _Namespace()


def is_numpy(namespace: Any) -> bool:
    """Whether a namespace is NumPy, in either form."""
    return namespace is DIRECT or namespace is np
