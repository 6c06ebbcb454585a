"""Formulas of optimizers, each of which is one pass over large arrays in eager mode.

There, every operation of a formula would go through memory for itself, which is what a step of a large
variable takes. Elsewhere they are the operations that they are made of.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from wengert.core.context import thread
from wengert.core.row import NO_ATTRS, Row
from wengert.host.fp_errors import quietly
from wengert.host.malloc import LARGE, keep_blocks
from wengert.ops.math.elementwise import sqrt, square
from wengert.ops.support.large_kernels import elementwise_kernel
from wengert.state.replicas import current
from wengert.state.variable import Variable
from wengert.values.tensor import Tensor, wrap

OPERATIONS: Final = SimpleNamespace(sqrt=sqrt, square=square)


def one_pass(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A formula `f(xp, *values)` as a function of tensors, variables and numbers."""
    row = Row(formula.__name__, formula)

    def computed(first: Any, *others: Any) -> Any:
        arrays = _arrays(first, others)
        if arrays is not None:
            keep_blocks()
            value = quietly(elementwise_kernel, row, arrays, NO_ATTRS)
            if value is not None:
                return wrap(value)
        return formula(OPERATIONS, first, *others)

    return computed


def _arrays(first: Any, others: tuple[Any, ...]) -> list[Any] | None:
    """The values as arrays of one shape and as numbers; None where operations are to be carried out."""
    if thread.context.listeners != () or current.context is not None:
        return None
    like = _array_of(first)
    if like is None or like.dtype.char not in "fd" or like.size < LARGE:
        return None
    found = [like]
    for x in others:
        array = np.array(x, like.dtype) if type(x) is float else _array_of(x)
        if array is None or array.dtype != like.dtype or array.shape not in (like.shape, ()):
            return None
        found.append(array)
    return found


def _array_of(x: Any) -> Any:
    """What a plain tensor or variable holds, as an array of NumPy's; None for anything else."""
    held = x._array if type(x) in (Tensor, Variable) else None
    return np.asarray(held) if isinstance(held, (np.ndarray, np.generic)) else None


@one_pass
def toward(_: Any, slot: Any, value: Any, weight: Any) -> Any:
    """A moving average that goes by a weight towards a value."""
    return slot + (value - slot) * weight


@one_pass
def toward_square(xp: Any, slot: Any, value: Any, weight: Any) -> Any:
    """The same for the square of a value."""
    return slot + (xp.square(value) - slot) * weight


@one_pass
def over_root(xp: Any, mean: Any, size: Any, rate: Any, epsilon: Any) -> Any:
    """A step of a rate along a mean, divided by the root of a size."""
    return mean * rate / (xp.sqrt(size) + epsilon)


@one_pass
def mixed(_: Any, slot: Any, value: Any, kept: Any, new: Any) -> Any:
    """A moving average as the sum of two shares."""
    return kept * slot + new * value


@one_pass
def mixed_square(xp: Any, slot: Any, value: Any, kept: Any, new: Any) -> Any:
    """The same for the square of a value."""
    return kept * slot + new * xp.square(value)


@one_pass
def over_root_of_sum(xp: Any, gradient: Any, spread: Any, rate: Any, epsilon: Any) -> Any:
    """A step of a rate along a gradient, divided by the root of a spread that is never 0."""
    return rate * gradient / xp.sqrt(spread + epsilon)


@one_pass
def scaled(_: Any, x: Any, first: Any, second: Any) -> Any:
    """The product with two numbers."""
    return x * first * second
