"""Warnings and errors for non-scalar targets, and for sources and targets without derivatives."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wengert.errors import GradientWarning
from wengert.host.user_frames import callers_depth
from wengert.values.symbolic import known_shape
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.overrides.switches import Switches
    from wengert.values.value import Value


def complain_of_dtype(what: str, value: Value, method: str, switches: Switches) -> None:
    """Warn of a value whose dtype has no derivatives, or raise, by the switch `int_sources`.

    Raises:
        TypeError: If the switch says so.
    """
    message = (
        f"The dtype of the {what} must be floating (e.g. tf.float32) when calling "
        f"{method}, got {value.dtype!r}: it has no derivative"
    )
    way_out = "Use tf.cast(x, tf.float32) before the tape starts to follow it."
    if switches.int_sources == "raise":
        raise TypeError(f"{message}, and int_sources='raise'. {way_out}")
    warnings.warn(f"{message}. {way_out}", GradientWarning, stacklevel=callers_depth())


def complain_of_shapes(
    targets: Sequence[Any], given: Sequence[Any] | None, weights: str, switches: Switches
) -> None:
    """Warn or raise, by the switch `on_nonscalar`, where the elements of a target would be summed.

    Args:
        targets: The tensors that are differentiated.
        given: For each the weights of its elements, or None; None if there are none at all.
        weights: The argument that takes them.
        switches: The switches in force.

    Raises:
        ValueError: If the switch says so.
    """
    if switches.on_nonscalar in (None, "sum"):
        return
    for i, target in enumerate(targets):
        shape = known_shape(dims(target))
        weighted = given is not None and i < len(given) and given[i] is not None
        if weighted or not shape.rank or not target.dtype.is_differentiable:
            continue
        message = (
            f"The target of a gradient is no scalar but has the shape {list(shape)}: what is "
            "computed is the gradient of the sum of its elements. For the derivatives of each "
            "element use jacobian; to have the sum, say tf.reduce_sum(target), or give "
            f"the weight of each element as {weights}."
        )
        if switches.on_nonscalar == "raise":
            raise ValueError(f"{message} on_nonscalar='raise' is set.")
        warnings.warn(message, GradientWarning, stacklevel=callers_depth())
