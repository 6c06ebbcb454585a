"""The n-th smallest element of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import expand_dims, static
from wengert.ops.math.comparison import equal
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

WHO = "NthElement"


def _kernel(_: Namespace, x: Array, *, n: int, reverse: bool) -> Array:
    at = x.shape[-1] - 1 - n if reverse else n
    return np.partition(x, at, axis=-1)[..., at]


def _rule(g: Tensor, y: Tensor, x: Tensor, *, n: int, reverse: bool) -> Tensor:
    """Equal elements share the cotangent."""
    chosen = cast(equal(x, expand_dims(y, -1)), g.dtype)
    share: Tensor = expand_dims(g, -1) / reduce_sum(chosen, -1, keepdims=True)
    return share * chosen


NTH_ELEMENT: Row = op(
    WHO,
    _kernel,
    shape=lambda x, *, n, reverse: x[:-1],
    vjp=(_rule,),
    saves="yx",
)


@deferrable
def nth_element(
    input: TensorLike, n: TensorLike, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The n-th smallest element of each row, or the n-th largest; n counts from 0."""
    x, place = convert(input), static(convert(n))
    if not dims(x):
        raise InvalidArgumentError(f"Input must be at least rank 1 but is rank 0 [Op:{WHO}]")
    if place.ndim:
        raise InvalidArgumentError(f"N must be scalar but has rank {place.ndim} [Op:{WHO}]")
    at = place.item()
    if at < 0:
        raise InvalidArgumentError(f"n must be non-negative but is {at} [Op:{WHO}]")
    if at >= dims(x)[-1]:
        raise InvalidArgumentError(f"Input must have last dimension > n = {at} [Op:{WHO}]")
    result: Tensor = apply(NTH_ELEMENT, (x,), {"n": at, "reverse": bool(reverse)})
    return result
