"""Functions of NumPy's that only move elements, on tensors: NumPy moves their places, and a gather follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.numpy import joining, shapes
from wengert.api.numpy.promotion import as_tensor
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import gathering
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric


def _by_places(move: Callable[..., Any], values: Sequence[Numeric]) -> Tensor:
    """What `move` does with arrays, done with tensors: it is given the place of each of their elements."""
    tensors = [as_tensor(x) for x in values]
    places, begin = [], 0
    for tensor in tensors:
        shape = dims(tensor)
        places.append(begin + np.arange(math.prod(shape)).reshape(shape))
        begin += math.prod(shape)
    together = joining.concatenate([shapes.ravel(x) for x in tensors])
    return gathering.gather_densely(together, as_tensor(move(*places)))


@deferrable
def insert(arr: Numeric, obj: Any, values: Numeric, axis: int | None = None) -> Tensor:
    return _by_places(lambda x, new: np.insert(x, obj, new, axis), [arr, values])


@deferrable
def delete(arr: Numeric, obj: Any, axis: int | None = None) -> Tensor:
    return _by_places(lambda x: np.delete(x, obj, axis), [arr])


@deferrable
def resize(a: Numeric, new_shape: Any) -> Tensor:
    return _by_places(lambda x: np.resize(x, new_shape), [a])


@deferrable
def choose(a: Any, choices: Sequence[Numeric], mode: Any = "raise") -> Tensor:
    return _by_places(lambda *xs: np.choose(np.asarray(a), xs, mode=mode), list(choices))


@deferrable
def sliding_window_view(x: Numeric, window_shape: Any, axis: Any = None) -> Tensor:
    window = np.lib.stride_tricks.sliding_window_view
    return _by_places(lambda places: window(places, window_shape, axis), [x])


@deferrable
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Numeric, *args: Any, **kwargs: Any
) -> Tensor:
    """What a function makes of each line along an axis, in its place."""
    lines = shapes.moveaxis(as_tensor(arr), axis, -1)
    outer, size = dims(lines)[:-1], dims(lines)[-1]
    flat = shapes.reshape(lines, (-1, size))
    made = [as_tensor(func1d(flat[i], *args, **kwargs)) for i in range(math.prod(outer))]
    inner = dims(made[0])
    found = shapes.reshape(joining.stack(made), (*outer, *inner))
    count = len(inner)
    return shapes.moveaxis(
        found, list(range(-count, 0)), [axis % len(dims(lines)) + k for k in range(count)]
    )
