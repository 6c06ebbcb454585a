"""The sum of two gradients of the same value, as the reverse sweep accumulates them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply, behind_door
from wengert.core.table import TABLE
from wengert.ops.arrays.gathering import to_dense
from wengert.ops.arrays.joining import concat
from wengert.ops.control.tensor_list import ADD_LISTS
from wengert.ops.math.arithmetic import add
from wengert.ops.math.elementwise import cast
from wengert.values import dtypes
from wengert.values.dtypes import VARIANT
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor

_OBJECT: Final = np.dtype(object)
_FLOATS: Final = frozenset((np.dtype(np.float32), np.dtype(np.float64)))


def _add_gradients(a: Any, b: Any) -> Any:
    """The sum of two gradients; that of two IndexedSlices keeps the rows of both."""
    if type(a) is Tensor and type(b) is Tensor:
        dtype = getattr(a._array, "dtype", _OBJECT)
        if dtype in _FLOATS and dtype is getattr(b._array, "dtype", _OBJECT):
            return add(a, b)  # by far the commonest
    if isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices):
        indices = [a.indices, b.indices]
        if indices[0].dtype is not indices[1].dtype:
            indices = [cast(i, dtypes.int64) for i in indices]
        return IndexedSlices(concat([a.values, b.values], 0), concat(indices, 0), a.dims)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if _is_absent(a) or _is_absent(b):
            return b if _is_absent(a) else a
        if a._array.dtype is VARIANT:
            return apply(ADD_LISTS, (a, b))
    return to_dense(a) + to_dense(b)


def _is_absent(gradient: Tensor) -> bool:
    """Whether it is the gradient of a value inside of a branch that was not taken."""
    return getattr(gradient._array, "dtype", _OBJECT) is _OBJECT


add_gradients: Final = behind_door(_add_gradients, TABLE["AddV2"], _FLOATS)
