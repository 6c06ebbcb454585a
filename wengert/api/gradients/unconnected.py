"""tf.UnconnectedGradients: what to return for sources that the target does not depend on."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from wengert.ops.arrays.creation import zeros
from wengert.values.bound_ops import bound
from wengert.values.dtypes import string
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
    return zeros(dims(source), source.dtype)


def gradient_by_itself(source: Value, targets: Sequence[Any], seeds: Sequence[Any]) -> Any:
    """The gradient by a source whose dtype has no derivatives, which flows from the source alone."""
    if source.dtype is string:
        return None
    own = [seed for target, seed in zip(targets, seeds, strict=True) if target is source]
    return reduce(bound.add, own) if own else None
