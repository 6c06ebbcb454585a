"""Gradients that users register by operation type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from wengert.core.table import find, names_near
from wengert.errors import DuplicateError, NoGradientError


class Registered(NamedTuple):
    """A user's gradient function; None if the operation was declared to have no gradient."""

    function: Callable[..., Any] | None
    place: str


GRADIENTS: Final[dict[str, Registered]] = {}
# Operation types of the library whose gradients are what is registered: programs took their own away.
REPLACED: Final[set[str]] = set()


def add_gradient(name: str, function: Callable[..., Any] | None, where: str) -> None:
    """Register the gradient of an operation type; None means that it has none."""
    earlier = _place_of_gradient(name)
    if earlier:
        raise DuplicateError(
            f"Registering two gradients with name '{name}'! "
            f"(Previous registration was in {earlier}, this one is in {where}.) "
            f"Register yours under a name of its own."
        )
    GRADIENTS[name] = Registered(function, where)


def _place_of_gradient(name: str) -> str | None:
    if name in GRADIENTS:
        return GRADIENTS[name].place
    row = find(name)
    if row is not None and not row.users and name not in REPLACED:
        return row.declared
    return None


def gradient_of(name: str) -> Registered:
    """The gradient that a user registered for an operation type."""
    if name not in GRADIENTS:
        raise missing_gradient(name)
    return GRADIENTS[name]


def missing_gradient(
    name: str, op_name: str = "", where: str = "", op_type: str = ""
) -> NoGradientError:
    """The error for a gradient name that is not registered, possibly of an overridden type."""
    made = f", made at {where}" if where else ""
    given = f", which {op_type} was given in place of its own" if op_type not in ("", name) else ""
    return NoGradientError(
        f"No gradient defined for operation '{op_name or op_type or name}' "
        f"(op type: {op_type or name}{made}): gradient registry has no entry for: {name}{given}. "
        f'Write one with @tf.RegisterGradient("{name}"), or say that there is none with '
        f'tf.no_gradient("{name}"), or keep the gradient out with tf.stop_gradient.'
        f"{names_near(name, GRADIENTS)}"
    )
