"""tensorflow.python.ops.inplace_ops: changes of a tensor's rows, which return a new tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.ops.arrays.creation import zeros
from wengert.ops.arrays.shaping import expand_dims, reshape
from wengert.ops.arrays.tensor_scatter import (
    tensor_scatter_nd_add,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from wengert.ops.math.elementwise import zeros_like
from wengert.values.convert import convert


def _rows(change: Callable[..., Any]) -> Callable[..., Any]:
    """A function that changes all rows, some, or one."""

    def changed(x: Any, i: Any, v: Any) -> Any:
        x, v = convert(x), convert(v)
        if i is None:
            return reshape(change(expand_dims(x, 0), [[0]], expand_dims(v, 0)), x.shape)
        places = convert(i)
        if not places.shape.rank:
            places, v = expand_dims(places, 0), expand_dims(v, 0)
        return change(x, expand_dims(places, -1), v)

    return changed


alias_inplace_update = inplace_update = _rows(tensor_scatter_nd_update)
alias_inplace_add = inplace_add = _rows(tensor_scatter_nd_add)
alias_inplace_sub = inplace_sub = _rows(tensor_scatter_nd_sub)


def empty(shape: Any, dtype: Any, init: bool = False) -> Any:
    """A tensor with arbitrary values: zeros."""
    return zeros(shape, dtype)


def empty_like(x: Any, init: bool | None = None) -> Any:
    """A tensor of the same shape with arbitrary values: zeros."""
    return zeros_like(x)
