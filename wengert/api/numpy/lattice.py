"""Which dtype two operands have in common where promotion is TensorFlow's own, not NumPy's.

Either operand may be weak: a number of Python's, or what was made of such. It decides nothing but the
kind, integer, floating or complex. Beside a fraction an integer counts nothing, however wide it is; so
the result depends on no order, and is no wider than one of the operands unless both kinds of integers
meet. `"safe"` refuses what may lose digits or is wider than both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType, of_numpy
from wengert.values.value import Value
from wengert.values.weak import WEAK_DTYPES, is_weak


class Operand(NamedTuple):
    """What is known of an operand: its dtype, and whether that gives way."""

    dtype: DType
    weak: bool

    def __repr__(self) -> str:
        return f"({self.dtype!s}, weak={self.weak})"


# How many bits of an integer a dtype holds exactly.
_EXACT: Final = {
    dtypes.bfloat16: 8,
    dtypes.float16: 11,
    dtypes.float32: 24,
    dtypes.complex64: 24,
    dtypes.float64: 53,
    dtypes.complex128: 53,
}
_OF_PYTHON: Final = {
    int: dtypes.int32,
    float: dtypes.float32,
    complex: dtypes.complex128,
}


def _kind(dtype: DType) -> int:
    if dtype.is_complex:
        return 3
    return 2 if dtype.is_floating else 1 if dtype.is_integer else 0


def _is_number(dtype: DType) -> bool:
    return _kind(dtype) > 0 or dtype is dtypes.bool_


def operand(value: object) -> Operand | None:
    """An operand as promotion sees it; None if it is no number and nothing of numbers."""
    if isinstance(value, (Value, np.ndarray, np.generic)):
        found = value.dtype if isinstance(value.dtype, DType) else _of_array(value.dtype)
        return Operand(found, is_weak(value)) if found and _is_number(found) else None
    if type(value) in _OF_PYTHON:
        return Operand(_OF_PYTHON[type(value)], True)
    if isinstance(value, DType):
        return Operand(value, False)
    if not isinstance(value, (bool, list, tuple)):
        return None
    try:
        found = convert(value).dtype
    except (TypeError, ValueError):
        return None
    leaves = list(_leaves(value))
    weak = found in WEAK_DTYPES and all(type(leaf) in _OF_PYTHON for leaf in leaves)
    return Operand(found, weak) if _is_number(found) else None


def _of_array(dtype: object) -> DType | None:
    try:
        return of_numpy(dtype)
    except TypeError:
        return None


def _leaves(value: object) -> Iterator[object]:
    if not isinstance(value, (list, tuple)):
        yield value
        return
    for part in value:
        yield from _leaves(part)


def common(a: Operand, b: Operand, safe: bool) -> Operand:
    """What both become; a TypeError where `"safe"` refuses it.

    >>> common(Operand(tf.int64, False), Operand(tf.float16, False), safe=False)
    (<dtype: 'float16'>, weak=False)
    """
    found = _common(a, b)
    if safe and not _keeps(a, b, found):
        raise TypeError(
            f"In promotion mode PromoMode.SAFE, implicit dtype promotion between {a!r} and {b!r} is "
            "disallowed. You need to explicitly specify the dtype in your op, or relax your dtype "
            "promotion rules (such as from SAFE mode to ALL mode)."
        )
    return found


def _common(a: Operand, b: Operand) -> Operand:
    if a.weak and b.weak:
        return max(a, b, key=lambda one: WEAK_DTYPES.index(one.dtype))
    if a.weak or b.weak:
        weak, strong = (a, b) if a.weak else (b, a)
        return _beside_weak(weak, strong)
    low, high = sorted((a, b), key=lambda one: _kind(one.dtype))
    if _kind(low.dtype) == _kind(high.dtype) == 1:
        wide = of_numpy(np.promote_types(low.dtype.numpy_dtype, high.dtype.numpy_dtype))
        return Operand(wide, wide.is_floating)  # no integer holds uint64 and a signed one
    return Operand(_with_fractions(low.dtype, high.dtype), False)


def _beside_weak(weak: Operand, strong: Operand) -> Operand:
    kind = _kind(strong.dtype)
    if kind == 0:
        return weak
    if _kind(weak.dtype) <= kind:
        return strong
    if kind == 1:  # an integer of a width that was chosen: so is the fraction's
        return Operand(dtypes.float64 if weak.dtype.is_floating else dtypes.complex128, True)
    return Operand(_with_fractions(strong.dtype, dtypes.complex64), False)


def _with_fractions(low: DType, high: DType) -> DType:
    """Of two dtypes by kind, of which the higher has a fraction, or both are booleans."""
    if _kind(low) < 2:
        return high
    if {low, high} == {dtypes.bfloat16, dtypes.float16}:
        return dtypes.float32
    is_wide = dtypes.float64 in (low, high) or dtypes.complex128 in (low, high)
    if high.is_complex:
        return dtypes.complex128 if is_wide else dtypes.complex64
    return max(low, high, key=lambda one: _EXACT[one])


def _keeps(a: Operand, b: Operand, found: Operand) -> bool:
    """Whether one of the dtypes is the result, which holds every integer of the other."""
    if a.weak and b.weak:
        return True
    if found.dtype not in (a.dtype, b.dtype):
        return False
    return all(
        one.weak or _kind(one.dtype) != 1 or _bits(one.dtype) <= _EXACT.get(found.dtype, 64)
        for one in (a, b)
    )


def _bits(dtype: DType) -> int:
    return dtype.size * 8 - (0 if dtype.is_unsigned else 1)
