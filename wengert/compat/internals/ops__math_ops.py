"""tensorflow.python.ops.math_ops: what is not public of it."""

from __future__ import annotations

from typing import Any

from wengert import shape
from wengert.core.indexed_slices import IndexedSlices
from wengert.ops.comparison import equal as tensor_equals
from wengert.ops.comparison import not_equal as tensor_not_equals
from wengert.ops.creation import range_


def _as_indexed_slices(x: Any, optimize: bool = True) -> IndexedSlices:
    """A tensor as slices, one a row."""
    if isinstance(x, IndexedSlices):
        return x
    return IndexedSlices(x, range_(shape(x)[0]), shape(x))
