"""tensorflow.python.ops.weights_broadcast_ops: weights, one for each value or for each group of them."""

from __future__ import annotations

from typing import Any

from wengert.api.session.modes import executing_eagerly
from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.shaping import broadcast_to
from wengert.ops.control.effects import no_op
from wengert.values.convert import convert


def assert_broadcastable(weights: Any, values: Any) -> Any:
    """Raise unless weights are a number, or have the rank of the values and sizes of theirs or of one."""
    w, v = convert(weights).shape, convert(values).shape
    if w.rank is not None and v.rank is not None and w.rank:
        _check(w, v)
    return None if executing_eagerly() else no_op()


def _check(weights: Any, values: Any) -> None:
    told = f"weights.shape={weights}, values.shape={values}"
    if weights.rank != values.rank:
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={values.rank}. "
            f"weights.rank={weights.rank}. {told}."
        )
    for axis, (have, wanted) in enumerate(zip(weights, values, strict=True)):
        if have not in (None, 1, wanted) and wanted is not None:
            raise ValueError(
                f"weights can not be broadcast to values. Mismatch at dim {axis}. {told}."
            )


def broadcast_weights(weights: Any, values: Any) -> Any:
    """The weights, one for each value."""
    assert_broadcastable(weights, values)
    return broadcast_to(convert(weights), shape(convert(values)))
