"""Calls of Python from compiled code, which hand over 64-bit numbers in halves.

JAX keeps 64-bit types to the thread that asked for them. Threads of XLA's, any of which may be the one that calls
Python, have none: there JAX rounds what it hands over to 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.xla.backend import io_callback, jax, jnp, lax

_HALF: Final = np.uint32
_WIDE: Final = frozenset(map(np.dtype, (np.int64, np.uint64, np.float64, np.complex128)))


def called(
    function: Callable[..., Any], forms: Sequence[Any], given: Sequence[Any], in_order: bool
) -> list[Any]:
    """The results of a function of NumPy's arrays; in order, and once each time, where it has effects."""
    arrays = list(map(jnp.asarray, given))
    taken = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in arrays]

    def of_halves(*parts: Any) -> list[Any]:
        return list(map(_parted, function(*map(_joined, parts, taken))))

    halves = list(map(_form, forms)), *map(_sent, arrays)
    if in_order:
        found = io_callback(of_halves, *halves, ordered=True)
    else:
        found = jax.pure_callback(of_halves, *halves, vmap_method="sequential")
    return list(map(_received, found, forms))


def _form(form: Any) -> Any:
    """The shape and dtype in which an array of a form crosses."""
    if form.dtype not in _WIDE:
        return form
    return jax.ShapeDtypeStruct((*form.shape, form.dtype.itemsize // 4), _HALF)


# ---- on Python's side ---------------------------------------------------------------------------


def _parted(array: Any) -> Any:
    if array.dtype not in _WIDE:
        return array
    return np.ascontiguousarray(array).reshape(*array.shape, 1).view(_HALF)


def _joined(part: Any, form: Any) -> Any:
    part = np.asarray(part)
    if form.dtype not in _WIDE:
        return part
    return np.ascontiguousarray(part).view(form.dtype).reshape(form.shape)


# ---- in the program -----------------------------------------------------------------------------


def _sent(array: Any) -> Any:
    if array.dtype not in _WIDE:
        return array
    if array.dtype != np.complex128:
        return lax.bitcast_convert_type(array, _HALF)
    parts = lax.bitcast_convert_type(jnp.stack([array.real, array.imag], -1), _HALF)
    return parts.reshape(*array.shape, 4)


def _received(halves: Any, form: Any) -> Any:
    if form.dtype not in _WIDE:
        return halves
    if form.dtype != np.complex128:
        return lax.bitcast_convert_type(halves, form.dtype)
    parts = lax.bitcast_convert_type(halves.reshape(*form.shape, 2, 2), np.float64)
    return lax.complex(parts[..., 0], parts[..., 1])
