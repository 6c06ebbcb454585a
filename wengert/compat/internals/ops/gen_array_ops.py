"""tensorflow.python.ops.gen_array_ops: generated functions that are no row of ours."""

from __future__ import annotations

from typing import Any

from wengert.ops.arrays.identity import identity
from wengert.ops.reductions.unique import Unique, UniqueWithCounts, unique_along
from wengert.values import dtypes


def unique_v2(x: Any, axis: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Unique:
    """The unique slices along an axis, in the order of their first occurrence, and indices."""
    return Unique(*unique_along(x, axis, out_idx)[:2])


def unique_with_counts_v2(
    x: Any, axis: Any, out_idx: Any = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """The unique slices along an axis, indices and counts."""
    return UniqueWithCounts(*unique_along(x, axis, out_idx))


def snapshot(input: Any, name: str | None = None) -> Any:
    """A copy: the tensor, which never changes."""
    return identity(input, name=name)


ref_identity = snapshot
