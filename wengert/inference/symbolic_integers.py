"""Symbolic values of a graph's integers that are shapes, or computed from them.

Programs compute shapes: tf.shape(x)[0] * 2 is 2 n where x has n rows, and the zeros of that shape
have 2 n elements. A row has a rule for the integers in its result; an integer of which nothing is
known becomes a symbol of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.core.row import Attrs
from wengert.errors import SymbolicValueError
from wengert.values.sizes import Bounds, Size, bounds_of, element_of, high, low
from wengert.values.symbolic import SymbolicTensor, is_certain

MOST: Final = 64  # elements: no shape has more


def integers_of(x: Any) -> Any:
    """The value of a small integer tensor, as an array of integers and sizes; None for others."""
    if x._array.dtype.kind not in "iu":
        return None
    if type(x) is not SymbolicTensor:
        return np.asarray(x._array).astype(object)
    if x._known is not None:
        return np.asarray(x._known).astype(object)
    shape = x._array.shape
    if not is_certain(shape) or np.prod(shape, dtype=object) > MOST:
        return None
    if x._integers is None:
        # A tuple: sizes refer to tensors, and the garbage collector does not traverse arrays.
        x._integers = tuple(_found(x, shape))
    return array_of(x._integers).reshape(shape)


def _found(x: SymbolicTensor, shape: tuple[int, ...]) -> list[Any]:
    if x.op.row.integers is not None:
        try:
            found = x.op.row.integers(x.op.inputs, x.op.attrs)
        except SymbolicValueError:
            found = None
        if found is not None:
            return _within(found[x.value_index] if x.op.row.many else found, x)
    computed = _computed(x)
    if computed is not None:
        return computed.ravel().tolist()  # type: ignore[no-any-return]
    count = int(np.prod(shape, dtype=int))
    bounds: Sequence[Bounds | None] = _bounds_outside(x) or [None] * count
    return [element_of(x, at, known) for at, known in enumerate(bounds)]


def _bounds_outside(x: SymbolicTensor) -> list[Bounds] | None:
    """What is known of the integers of what was brought in from the graph around; None if it was not."""
    outside = x.op.graph.outside_of(x)
    if type(outside) is not SymbolicTensor:
        return None
    found = integers_of(outside)
    return None if found is None else list(map(bounds_of, found.ravel().tolist()))


def note_bounds(x: SymbolicTensor, bounds: Bounds) -> None:
    """Say between which numbers a single integer lies, before anything was computed of it."""
    x._integers = (element_of(x, 0, bounds),)


def bounds_of_all(x: Any) -> Bounds | None:
    """The least and the greatest of integers that no run can change; None for others, and for none."""
    known = x._known if type(x) is SymbolicTensor else x._array
    if known is None or x._array.dtype.kind not in "iu" or not np.size(known):
        return None
    return Bounds(int(np.min(known)), int(np.max(known)))


def all_between(bounds: Bounds | None, shape: tuple[int, ...]) -> Any:
    """The integers of an array of which only bounds are known; None if not even these are."""
    if bounds is None:
        return None
    found = np.empty(shape, object)
    found.fill(bounds)
    return found


def is_single_integer(x: Any) -> bool:
    """Whether a tensor is known to be one."""
    shape = x._array.shape
    return x._array.dtype.kind in "iu" and type(shape) is tuple and not shape


def known_bounds(x: Any) -> Bounds | None:
    """The bounds of a single integer; None if there are none, or it is something else."""
    if not is_single_integer(x):
        return None
    found = integers_of(x)
    bounds = None if found is None else bounds_of(found.item())
    return None if bounds in (None, Bounds(None, None)) else bounds


def known_value(x: Any) -> Any:
    """The value of a small tensor of integers or bools that no run can change; None for others."""
    if type(x) is not SymbolicTensor:
        array = x._array
        return array if isinstance(array, np.ndarray) and array.size <= MOST else None
    if x._known is not None:
        return np.asarray(x._known)
    shape, dtype = x._array.shape, x._array.dtype
    if not is_certain(shape) or np.prod(shape, dtype=object) > MOST:
        return None
    if dtype.kind == "b":
        return _computed(x)
    found = integers_of(x)
    if found is None or any(type(n) is Size for n in found.flat):
        return None
    return found.astype(dtype)


def _computed(x: SymbolicTensor) -> Any:
    """What the operation of a tensor gives for inputs that are all known."""
    row = x.op.row
    if not x.op.inputs or row.stateful or row.effects or row.users or row.graphs or row.step:
        return None
    values = [known_value(i) for i in x.op.inputs]
    if any(v is None for v in values):
        return None
    try:
        found = row.kernel(np, *values, **x.op.attrs)
    except Exception:  # noqa: BLE001  # the run will say what is wrong
        return None
    array = np.asarray(found[x.value_index] if row.many else found)
    return array if array.dtype == x._array.dtype else None


# A size times more than this may overflow an int32 for sizes that occur in practice.
_LARGE_FACTOR: Final = 1 << 20


def _within(integers: Any, x: SymbolicTensor) -> list[Any]:
    """The integers in their dtype: numbers wrap, and a size that may wrap becomes unknown."""
    dtype = x._array.dtype
    limits = np.iinfo(dtype)
    return [
        element_of(x, at, value if type(value) is Bounds else None)
        if type(value) is Bounds or (type(value) is Size and not _cannot_wrap(value, limits))
        else _in_dtype(value, dtype)
        for at, value in enumerate(np.asarray(integers, object).ravel().tolist())
    ]


def _in_dtype(value: Any, dtype: Any) -> Any:
    if type(value) is Size or type(value) is bool:
        return value
    bits = 8 * dtype.itemsize
    wrapped = int(value) & ((1 << bits) - 1)
    return wrapped - (1 << bits) if dtype.kind == "i" and wrapped >> (bits - 1) else wrapped


def _cannot_wrap(size: Size, limits: Any) -> bool:
    """Whether a size is within a dtype's limits for all array sizes that occur in practice."""
    least, most = low(size), high(size)
    if (least is not None and least < limits.min) or (most is not None and most > limits.max):
        return False
    if least is not None and most is not None:
        return True
    if limits.bits < 32 or (limits.min == 0 and least is None):
        return False
    return all(abs(factor) < _LARGE_FACTOR for _, factor in size.terms)


def array_of(integers: Any) -> Any:
    """A vector of integers and sizes."""
    array = np.empty(len(integers), object)
    array[:] = integers
    return array


def by_function(function: Any) -> Any:
    """The integer rule of a row that computes integers as it computes any array."""

    def integers(inputs: Any, attrs: Attrs) -> Any:
        values = [integers_of(x) for x in inputs]
        if any(v is None for v in values):
            return None
        return _as_array(function(*values, **attrs))

    return integers


def _as_array(found: Any) -> Any:
    if isinstance(found, (list, tuple)):
        return [_as_array(part) for part in found]
    array = np.empty(() if type(found) is Size else np.shape(found), object)
    array[...] = found
    return array


def integer(value: Any) -> Any:
    """An integer argument: a number, or a size if it is known only at run time."""
    if type(value) is Size:
        return value
    if type(value) is SymbolicTensor and value._known is None and not value._array.shape:
        known = integers_of(value)
        if known is not None:
            return known.item()
    return value.__index__()
