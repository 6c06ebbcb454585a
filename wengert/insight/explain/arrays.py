"""The numbers of a value, and whether they are sound."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.core.context import activate
from wengert.core.dispatch import apply
from wengert.core.reverse import pull_back
from wengert.core.tape import Tape
from wengert.insight.journal import Step
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import wrap
from wengert.values.value import Key


def is_sound(value: Any) -> bool:
    """Whether all numbers of a value are finite, and not all are zero."""
    array = array_of(value)
    return array is None or (bool(finite(array).all()) and bool(np.any(array)))


def array_of(value: Any) -> Any:
    """The numbers of a value, in plain NumPy types; None if it has none."""
    if isinstance(value, IndexedSlices):
        value = value.values
    array = None if isinstance(value, SymbolicTensor) else getattr(value, "_array", None)
    if array is None or not hasattr(array, "dtype"):
        return None
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def finite(array: Any) -> Any:
    """Element by element, whether a number is finite; everything that is no float is."""
    return np.isfinite(array) if array.dtype.kind in "fc" else np.ones(array.shape, bool)


# ---- an operation once more ---------------------------------------------------------------------


def in_double(step: Step, came: Any = None, key: Key | None = None) -> Any:
    """What an operation gives in double precision, or its rule of a cotangent; None if that cannot be said."""
    arrays = [array_of(x) for x in step.inputs]
    if any(a is None for a in arrays) or all(a.itemsize >= _double(a).itemsize for a in arrays):
        return None
    return _again(step, [_double(a) for a in arrays], came, key)


def slope(step: Step, key: Key) -> Any:
    """What the rule of an operation gives of ones; None if that cannot be said."""
    arrays = [array_of(x) for x in step.inputs]
    return None if any(a is None for a in arrays) else _again(step, arrays, np.array(1.0), key)


def _again(step: Step, arrays: list[Any], came: Any, key: Key | None) -> Any:
    xs = [wrap(a) for a in arrays]
    tape = Tape()
    for x in xs:
        tape.watch(x)
    try:
        with activate((tape,), None):
            y = apply(step.row, xs, step.attrs)
        if key is None:
            return array_of(y[0] if step.row.many else y)
        with activate((), None):
            seed = np.broadcast_to(np.asarray(came).astype(array_of(y).dtype), y.shape)
            pulled = pull_back(tape, [y], [wrap(seed.copy())], xs, False)
    except Exception:  # noqa: BLE001  # it is an attempt: some operations know one dtype only
        return None
    keys = [getattr(x, "_key", None) for x in step.inputs]
    return array_of(pulled[keys.index(key)])


def _double(array: Any) -> Any:
    kinds = {"f": np.float64, "c": np.complex128}
    return array.astype(kinds.get(array.dtype.kind, array.dtype))
