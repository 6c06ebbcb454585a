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


# ---- the same elements in another shape -------------------------------------------------------

# The parameters have NumPy's names, by which kernels may pass them.


def _reshape(a: Array, shape: Any, **how: Any) -> Array:
    return np.reshape(a, shape, **how) if how or type(a) is not np.ndarray else a.reshape(shape)


def _transpose(a: Array, axes: Any = None) -> Array:
    return a.transpose(axes) if type(a) is np.ndarray else np.transpose(a, axes)


def _squeeze(a: Array, axis: Any = None) -> Array:
    return a.squeeze(axis) if type(a) is np.ndarray else np.squeeze(a, axis)


def _swapaxes(a: Array, axis1: int, axis2: int) -> Array:
    return np.asarray(a).swapaxes(axis1, axis2)


def _moveaxis(a: Array, source: Any, destination: Any) -> Array:
    if type(a) is not np.ndarray or not (
        _is_axis(source, a.ndim) and _is_axis(destination, a.ndim)
    ):
        return np.moveaxis(a, source, destination)
    return a if source == destination else a.transpose(_order(a.ndim, source, destination))


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


def _broadcast_to(array: Array, shape: Any, **how: Any) -> Array:
    if how or type(array) is not np.ndarray or type(shape) is not tuple or not _fits(array, shape):
        return np.broadcast_to(array, shape, **how)
    y = np.empty(shape, array.dtype)
    y[...] = array
    return y


def _fits(array: Array, shape: tuple[int, ...]) -> bool:
    """Whether it takes less time to fill an array of the shape than to make a view of it."""
    return array.ndim <= len(shape) and math.prod(shape) <= _FEW


def _like(make: Callable[..., Array], otherwise: Callable[..., Array]) -> Callable[..., Array]:
    def like(a: Array, *other: Any, **how: Any) -> Array:
        if other or how or not (type(a) is np.ndarray or isinstance(a, np.generic)):
            return otherwise(a, *other, **how)
        return make(a.shape, a.dtype)

    return like


def _stack(arrays: Sequence[Array], axis: int = 0, **how: Any) -> Array:
    if how or not _are_alike(arrays) or not _is_axis(axis, arrays[0].ndim + 1):
        return np.stack(arrays, axis, **how)
    at = axis % (arrays[0].ndim + 1)
    index = (*[slice(None)] * at, None)
    return np.concatenate([x[index] for x in arrays], at)


def _are_alike(arrays: Sequence[Array]) -> bool:
    """Whether these are arrays of one shape, one at least."""
    if type(arrays) not in (list, tuple) or {np.ndarray} != set(map(type, arrays)):
        return False
    shape = arrays[0].shape
    return all(x.shape == shape for x in arrays)


# ---- reductions -------------------------------------------------------------------------------


def _total(ufunc: np.ufunc) -> Callable[..., Any]:
    """NumPy's sum or product, by the function of two."""
    reduce = ufunc.reduce

    def total(
        a: Array, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
        **rest: Any,
    ) -> Any:  # fmt: skip
        return reduce(a, axis, dtype, out, keepdims, **rest)

    return total


def _extreme(ufunc: np.ufunc, dtype: Any = None) -> Callable[..., Any]:
    """One of NumPy's reductions that choose among the elements, by the function of two."""
    reduce = ufunc.reduce

    def extreme(
        a: Array, axis: Any = None, out: Any = None, keepdims: bool = False, **rest: Any
    ) -> Any:
        return reduce(a, axis, dtype, out, keepdims, **rest)

    return extreme


# ---- the namespace ----------------------------------------------------------------------------

_OURS: Final[dict[str, Callable[..., Any]]] = {
    "reshape": _reshape,
    "transpose": _transpose,
    "squeeze": _squeeze,
    "swapaxes": _swapaxes,
    "moveaxis": _moveaxis,
    "broadcast_to": _broadcast_to,
    "zeros_like": _like(np.zeros, np.zeros_like),
    "ones_like": _like(np.ones, np.ones_like),
    "stack": _stack,
    "sum": _total(np.add),
    "prod": _total(np.multiply),
    "max": _extreme(np.maximum),
    "min": _extreme(np.minimum),
    "all": _extreme(np.logical_and, bool),
    "any": _extreme(np.logical_or, bool),
    "argmax": lambda a, axis=None, **how: np.asarray(a).argmax(axis, **how),
    "argmin": lambda a, axis=None, **how: np.asarray(a).argmin(axis, **how),
    "take": lambda a, indices, axis=None, **how: np.asarray(a).take(indices, axis, **how),
}


class _Namespace:
    """The functions of NumPy, each looked up there once."""

    def __init__(self) -> None:
        self.__dict__.update(_OURS)

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(np, name)
        return found


DIRECT: Final = _Namespace()


def is_numpy(namespace: Any) -> bool:
    """Whether a namespace is NumPy, in either form."""
    return namespace is DIRECT or namespace is np
