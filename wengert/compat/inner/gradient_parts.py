"""What TensorFlow's gradient functions are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wengert.api.gradients.graph_gradients import gradients
from wengert.ops.arrays.creation import ones, shape
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.values.convert import convert
from wengert.values.dtypes import int32

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import TensorLike

# The tapes of Python functions that wait for their gradient: none does, as a gradient calls the function again.
TAPES: Final[dict[bytes, object]] = {}
Axes = list[int]


def summed_axes(x_shape: Any, y_shape: Any) -> tuple[Axes | None, Axes | None]:
    """The axes along which the gradients of two broadcast operands are summed; None if unknown."""
    if x_shape.rank is None or y_shape.rank is None:
        return None, None
    rank = max(x_shape.rank, y_shape.rank)
    xs, ys = ([1] * (rank - s.rank) + s.as_list() for s in (x_shape, y_shape))
    pairs = list(zip(xs, ys, strict=True))
    if any((a is None and b != 1) or (b is None and a != 1) for a, b in pairs):
        return None, None  # an unknown size may be one
    return _stretched(pairs), _stretched([(b, a) for a, b in pairs])


def _stretched(pairs: list[tuple[int | None, int | None]]) -> Axes:
    return [i for i, (own, other) in enumerate(pairs) if own == 1 and other != 1]


def add_leading_unit_dimensions(x: TensorLike, num_dimensions: TensorLike) -> Tensor:
    """A tensor with so many axes of size one before its own."""
    return reshape(x, concat([ones([num_dimensions], int32), shape(convert(x))], 0))


def gradients_of(ys: Any, xs: Any, *args: Any, src_graph: Any = None, **kwargs: Any) -> Any:
    """The gradients of the sum of some values with respect to others, as tf.gradients takes them."""
    return gradients(ys, xs, *args, **kwargs)
