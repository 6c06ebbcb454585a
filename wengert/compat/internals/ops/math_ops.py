"""tensorflow.python.ops.math_ops: its names that are not public."""

from __future__ import annotations

from typing import Any

from wengert import shape
from wengert.ops.arrays.creation import range_
from wengert.ops.math.comparison import equal as tensor_equals
from wengert.ops.math.comparison import not_equal as tensor_not_equals
from wengert.values.indexed_slices import IndexedSlices


def _as_indexed_slices(x: Any, optimize: bool = True) -> IndexedSlices:
    """A tensor as IndexedSlices, one for each row."""
    if isinstance(x, IndexedSlices):
        return x
    return IndexedSlices(x, range_(shape(x)[0]), shape(x))
