"""Arrays as vectors of real numbers: a complex number is two of them, as in the reals it is.

In TensorFlow's convention for complex gradients reverse mode is then the transpose of the real Jacobian,
and nothing that follows has to know of complex numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from wengert.values.typing import Array

ELEMENTS = 48  # as many are taken one by one; of more a sample, and directions by chance
SAMPLE = 12
DIRECTIONS = 6


def reals(array: Array) -> Array:
    """The numbers of an array as a vector."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.kind == "V":  # bfloat16, which NumPy does not count among its floats
        flat = flat.astype(np.float32)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def joined(arrays: Sequence[Array]) -> Array:
    """The numbers of several arrays as one vector."""
    return np.concatenate([reals(a) for a in arrays]) if arrays else np.zeros(0)


def count(arrays: Sequence[Array]) -> int:
    """How many real numbers arrays have."""
    return sum(a.size * (2 if a.dtype.kind == "c" else 1) for a in arrays)


def split(vector: Array, like: Sequence[Array]) -> list[Array]:
    """A vector as arrays of the shapes and dtypes of others."""
    made, start = [], 0
    for a in like:
        end = start + count([a])
        part = np.asarray(vector[start:end], np.float64)
        part = part.view(np.complex128) if a.dtype.kind == "c" else part
        made.append(part.reshape(a.shape).astype(a.dtype))
        start = end
    return made


def basis(size: int, rng: np.random.Generator, most: int = ELEMENTS) -> tuple[Array, list[int]]:
    """Directions, one in each row, and the elements that the first of them are the units of."""
    if size <= most:
        return np.eye(size), list(range(size))
    chosen = sorted(rng.choice(size, SAMPLE, replace=False).tolist())
    units = np.zeros((SAMPLE, size))
    units[np.arange(SAMPLE), chosen] = 1.0
    return np.concatenate([units, rng.normal(size=(DIRECTIONS, size))]), chosen


def place_in(array: Array, number: int) -> str:
    """A real number of an array by its indices: [0,2], or [1].imag."""
    part = ""
    if array.dtype.kind == "c":
        number, odd = divmod(number, 2)
        part = ".imag" if odd else ".real"
    if not array.shape:
        return part
    return f"[{','.join(map(str, np.unravel_index(number, array.shape)))}]{part}"


def largest(values: Any) -> float:
    """The largest size among numbers, or their parts, of those that are finite."""
    sizes = np.abs(reals(np.asarray(values)).astype(np.float64))
    return float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))
