"""float16 and bfloat16: numbers that are stored in two bytes, and computed with in float32.

What only moves them is lowered as for other numbers. What computes is the same operation on float32
between conversions: so each result is rounded, as NumPy rounds it, and a loop with
several operations reads and writes half of the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import View
from wengert.engines.native.frontend.numbers.retyped import Retyped
from wengert.engines.native.frontend.scalar import HALVES, NotLowered, dtype_of, type_or_none

# Elementwise operations that take numbers of two bytes as they are.
OF_BITS: Final = frozenset(("Bitcast", "Cast"))
# Operations whose result depends on which numbers a dtype has, also those in the middle of it: a quotient
# is rounded before its floor is taken.
OF_DTYPES: Final = frozenset(("FloorDiv", "NextAfter", "UnsortedSegmentMax", "UnsortedSegmentMin"))
Lowered = Callable[[Any, Sequence[Any]], Sequence[View]]


def wide(low: Any, view: View) -> View:
    """The numbers as float32."""
    if view.kind not in HALVES:
        return view
    return low.computed(lambda x: x.astype(np.float32), view)  # type: ignore[no-any-return]


def narrow(low: Any, view: View, kind: str) -> View:
    """The numbers as they are stored, if that is in two bytes."""
    if kind not in HALVES or view.kind == kind:
        return view
    return low.computed(lambda x: x.astype(dtype_of(kind)), view)  # type: ignore[no-any-return]


def lowered_on_halves(
    low: Any, op: Any, views: Sequence[Any], made: Sequence[Any], lower: Lowered
) -> list[View]:
    """What an operation gives, some of whose inputs, or results, of the types `made`, are such numbers."""
    if not op.row.elementwise or op.row.name in OF_BITS:
        with suppress(NotLowered):
            return list(lower(op, views))
    kinds = {v.kind for v in views}
    # Draws have other bits for other dtypes, and a result of a double would be rounded twice.
    if op.row.name in OF_DTYPES or "f8" in kinds or not kinds & HALVES:
        raise NotLowered("what float32 would make otherwise")
    found = lower(Retyped(op, _wide_dtype), [wide(low, v) for v in views])
    results = [narrow(low, v, kind) for v, kind in zip(found, made, strict=True)]
    if [v.kind for v in results] != made:
        raise NotLowered("the result has another dtype in NumPy")
    return results


def _wide_dtype(dtype: Any) -> Any:
    """float32 for a dtype of two bytes; any other one as it is."""
    return np.dtype(np.float32) if _is_half(dtype) else dtype


def _is_half(dtype: Any) -> bool:
    return type_or_none(np.dtype(dtype)) in HALVES
