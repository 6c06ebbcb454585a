"""tf.UnconnectedGradients: what to return for sources that the target does not depend on."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from wengert.ops.arrays.creation import zeros
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.values.value import Value


class UnconnectedGradients(enum.Enum):
    """What to return as the gradient where target and source are not connected.

    NONE says that there is no connection; ZERO gives zeros of the source's shape, which is what
    the mathematics says too.
    """

    NONE = "none"
    ZERO = "zero"


def as_policy(value: str | UnconnectedGradients) -> UnconnectedGradients:
    """The policy that an enum member or its string stands for."""
    if isinstance(value, UnconnectedGradients):
        return value
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: {value!r}. Choose 'none' or 'zero', or a "
            "member of tf.UnconnectedGradients."
        ) from None


def fill_unconnected(gradient: Any, source: Value, policy: UnconnectedGradients) -> Any:
    """The gradient, or what the policy puts in place of None."""
    if gradient is not None or policy is UnconnectedGradients.NONE:
        return gradient
    if not source.dtype.is_differentiable:
        return gradient
    return zeros(dims(source), source.dtype)
