"""tensorflow.python.util.deprecation: decorators for deprecations, which give no warnings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.testing.decorators import no_context as silence


def deprecated(date: Any, instructions: Any, warn_once: bool = True) -> Callable[[Any], Any]:
    """Leave a function unchanged."""
    return lambda function: function


def deprecated_args(date: Any, instructions: Any, *names: Any, **more: Any) -> Callable[[Any], Any]:
    """Leave a function unchanged."""
    return lambda function: function


deprecated_arg_values = deprecated_args


def deprecated_endpoints(*names: str) -> Callable[[Any], Any]:
    """Leave a function unchanged."""
    return lambda function: function


def deprecated_argument_lookup(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """The argument passed under the new name, or under the old one."""
    if old is not None and new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return new if old is None else old


__all__ = [
    "deprecated",
    "deprecated_arg_values",
    "deprecated_args",
    "deprecated_argument_lookup",
    "deprecated_endpoints",
    "silence",
]


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """The function or class itself, which its old name stands for."""
    return func_or_class
