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
from wengert.engines.native.frontend.scalar import HALVES, NotLowered, dtype_of, type_or_none
from wengert.values.dtypes import DType, bfloat16, float16, float32
from wengert.values.symbolic import Form

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
    found = lower(_Wide(op), [wide(low, v) for v in views])
    results = [narrow(low, v, kind) for v, kind in zip(found, made, strict=True)]
    if [v.kind for v in results] != made:
        raise NotLowered("the result has another dtype in NumPy")
    return results


class _Wide:
    """An operation as the same one on float32."""

    def __init__(self, op: Any) -> None:
        self._op = op
        self.inputs = [_wide_tensor(x) for x in op.inputs]
        self.outputs = [_wide_tensor(y) for y in op.outputs]
        self.attrs = {name: _wide_dtype(value) for name, value in op.attrs.items()}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._op, name)


class _WideTensor:
    """A tensor as the same one of float32."""

    def __init__(self, x: Any) -> None:
        self._x = x
        self._array = Form(x._array.shape, np.dtype(np.float32))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._x, name)


def _wide_tensor(x: Any) -> Any:
    return _WideTensor(x) if _is_half(x._array.dtype) else x


def _wide_dtype(value: Any) -> Any:
    """float32 for a dtype of two bytes; any other attribute as it is."""
    if isinstance(value, DType):
        return float32 if value is float16 or value is bfloat16 else value
    return np.dtype(np.float32) if isinstance(value, np.dtype) and _is_half(value) else value


def _is_half(dtype: Any) -> bool:
    return type_or_none(np.dtype(dtype)) in HALVES
