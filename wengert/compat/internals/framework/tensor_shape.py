"""tensorflow.python.framework.tensor_shape: shapes, known and unknown."""

from __future__ import annotations

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


def dimension_value(dimension: object) -> object:
    """A dimension unchanged: it is a number here, or None."""
    return dimension
