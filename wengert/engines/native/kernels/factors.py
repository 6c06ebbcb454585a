"""Cholesky factors and triangular systems of one large matrix, by our OpenBLAS.

NumPy's and SciPy's copies share one matrix among their threads, which wait for each other by spinning: beside
two busy processes on two processors a factor of 500 x 500 then takes 0.5 s, and 2.4 ms here. Our copy
computes on the calling thread, with the kernels that fit the processor. Of larger matrices all threads are
worth it, and theirs are used.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.scalar import TYPE_OF
from wengert.engines.native.runtime import openblas

_FEWEST: Final = 64  # rows
_MOST: Final = 1024
_LETTERS: Final = {"f4": "s", "f8": "d"}
_ROW_MAJOR, _LEFT, _NOT_UNIT = 101, 141, 131  # as CBLAS numbers them
_UPPER, _LOWER = 121, 122
_PLAIN, _TRANSPOSED = 111, 112


def cholesky(a: Any) -> Any:
    """The lower factor; None for other matrices, and for those that are not positive definite."""
    factor = _function("{}potrf_", _kind(a))
    if factor is None:
        return None
    y = np.array(a, order="C")
    size, status = ctypes.c_int(len(y)), ctypes.c_int()
    # By columns the matrix in memory is the transposed one, and its upper factor the lower one.
    place = ctypes.c_void_p(y.ctypes.data)
    factor(b"U", ctypes.byref(size), place, ctypes.byref(size), ctypes.byref(status))
    return None if status.value else np.tril(y)


def triangular_solve(a: Any, b: Any, lower: bool, adjoint: bool) -> Any:
    """The solution of a x = b; None for other matrices. The diagonal has no zeros."""
    kind = _kind(a)
    solve = _function("cblas_{}trsm", kind)
    if solve is None or b.ndim != 2 or TYPE_OF.get(b.dtype) != kind:
        return None
    a, x = np.ascontiguousarray(a), np.array(b, order="C")
    sides = (_LOWER if lower else _UPPER, _TRANSPOSED if adjoint else _PLAIN, _NOT_UNIT)
    number = ctypes.c_float if kind == "f4" else ctypes.c_double
    arrays = [(ctypes.c_void_p(m.ctypes.data), ctypes.c_int(m.shape[1])) for m in (a, x)]
    solve(_ROW_MAJOR, _LEFT, *sides, *x.shape, number(1), *arrays[0], *arrays[1])
    return x


def _kind(a: Any) -> str | None:
    """The element type of a square matrix whose size is right for one thread."""
    kind = TYPE_OF.get(a.dtype)
    return kind if kind in _LETTERS and a.ndim == 2 and _FEWEST <= len(a) <= _MOST else None


@functools.cache
def _function(form: str, kind: str | None) -> Callable[..., None] | None:
    """OpenBLAS's function for an element type."""
    library = openblas.library() if kind is not None else None
    name = form.format(_LETTERS.get(str(kind)))
    return getattr(library, f"scipy_{name}", None) or getattr(library, name, None)
