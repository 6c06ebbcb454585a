"""tensorflow.python.framework.tensor_shape: shapes, known and unknown."""

from __future__ import annotations

from wengert.values.dimensions import Dimension as Dimension
from wengert.values.dimensions import dimension_at_index as dimension_at_index
from wengert.values.dimensions import dimension_value as dimension_value
from wengert.values.shapes import TensorShape as TensorShape


def unknown_shape(rank: int | None = None) -> TensorShape:
    """A shape of which at most the rank is known."""
    return TensorShape(None if rank is None else [None] * rank)


def scalar() -> TensorShape:
    """The shape of a single number."""
    return TensorShape([])


def as_shape(shape: object) -> TensorShape:
    """A shape as a TensorShape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)
