"""tensorflow.python.framework.common_shapes: shapes of what is broadcast."""

from __future__ import annotations

from wengert.values.shapes import TensorShape


def is_broadcast_compatible(shape_x: TensorShape, shape_y: TensorShape) -> bool:
    """Whether two shapes broadcast together, as far as they are known."""
    return _broadcast(shape_x, shape_y) is not None


def broadcast_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape that two shapes broadcast to."""
    found = _broadcast(shape_x, shape_y)
    if found is None:
        raise ValueError(f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}")
    return found


def _broadcast(one: TensorShape, other: TensorShape) -> TensorShape | None:
    if one.rank is None or other.rank is None:
        return TensorShape(None)
    rank = max(one.rank, other.rank)
    rows = [TensorShape([1] * (rank - len(s))).concatenate(s).as_list() for s in (one, other)]
    if any(
        None not in pair and 1 not in pair and pair[0] != pair[1]
        for pair in zip(*rows, strict=True)
    ):
        return None
    return TensorShape([_size(*pair) for pair in zip(*rows, strict=True)])


def _size(a: int | None, b: int | None) -> int | None:
    """One of an unknown size and a known one is the known one, unless that is 1."""
    if a == 1 or (a is None and b != 1):
        return b
    return a
