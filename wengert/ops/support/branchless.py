"""np.where without branches.

np.where branches on each element, and half of the branches are mispredicted if the condition is
random: 3.6 ms for a million float32. Bitwise operations have no branches: 0.5 ms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from wengert.values.typing import Array

_WHOLE: Final = {2: np.int16, 4: np.int32, 8: np.int64}  # by the size in bytes
_LARGE: Final = 1024  # below, np.where is faster


def _is_plain(c: Array, *others: Array) -> bool:
    """Whether all are contiguous, of one shape, and their elements fit a machine word."""
    first = others[0]
    return bool(
        c.size >= _LARGE
        and c.dtype.kind == "b"
        and first.dtype.itemsize in _WHOLE
        and first.dtype.kind != "O"
        and c.flags.c_contiguous
        and all(
            o.shape == c.shape and o.dtype == first.dtype and o.flags.c_contiguous for o in others
        )
    )


def _mask(c: Array, size: int) -> Array:
    """All bits set where the condition holds, none elsewhere."""
    mask = c.view(np.int8).astype(_WHOLE[size])
    return np.negative(mask, out=mask)


def choose(c: Array, x: Array, y: Array) -> Array:
    """np.where(c, x, y)."""
    if not _is_plain(c, x, y):
        return np.where(c, x, y)
    kind = _WHOLE[x.dtype.itemsize]
    below = y.view(kind)
    bits = np.bitwise_xor(x.view(kind), below)
    bits &= _mask(c, x.dtype.itemsize)
    bits ^= below
    return bits.view(x.dtype)


def keep(c: Array, x: Array) -> Array:
    """x where the condition holds, zero elsewhere."""
    if not _is_plain(c, x):
        return np.where(c, x, np.zeros((), x.dtype))
    mask = _mask(c, x.dtype.itemsize)
    mask &= x.view(mask.dtype)
    return mask.view(x.dtype)
