"""Integers of a graph that are shapes, or made of them, as exact terms.

Programs compute shapes: tf.shape(x)[0] * 2 is 2 n where x has n rows, and the zeros of that shape
have 2 n elements. A row says of what integers its result consists; an integer of which nothing is
known is a term of its own.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.core.row import Attrs
from wengert.errors import SymbolicValueError
from wengert.values.sizes import Size, element_of
from wengert.values.symbolic import SymbolicTensor, is_certain

MOST: Final = 64  # elements: no shape has more


def integers_of(x: Any) -> Any:
    """The value of a small tensor of integers, as an array of integers and terms; None: none is."""
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
        x._integers = _found(x, shape)
    return x._integers


def _found(x: SymbolicTensor, shape: tuple[int, ...]) -> Any:
    if x.op.row.integers is not None:
        try:
            found = x.op.row.integers(x.op.inputs, x.op.attrs)
        except SymbolicValueError:
            found = None
        if found is not None:
            return found[x.value_index] if x.op.row.many else found
    elements = [element_of(x, at) for at in range(np.prod(shape, dtype=int))]
    return array_of(elements).reshape(shape)


def array_of(integers: Any) -> Any:
    """A vector of integers and terms."""
    array = np.empty(len(integers), object)
    array[:] = integers
    return array


def by_function(function: Any) -> Any:
    """The rule of a row that computes integers as it computes any array."""

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
    """An argument that is an integer: a number, or a term where only a run knows it."""
    if type(value) is Size:
        return value
    if type(value) is SymbolicTensor and value._known is None and not value._array.shape:
        known = integers_of(value)
        if known is not None:
            return known.item()
    return value.__index__()
