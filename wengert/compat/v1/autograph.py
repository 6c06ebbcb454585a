"""tf.compat.v1.autograph: tf.autograph, with the arguments of version 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.api.autograph import entry as _entry
from wengert.api.autograph.entry import set_verbosity as set_verbosity
from wengert.api.autograph.entry import trace as trace
from wengert.autograph import experimental as experimental


def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    experimental_optional_features: Any = None,
) -> Callable[..., Any]:
    """The converted function."""
    return _entry.to_graph(entity, recursive, experimental_optional_features)


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    indentation: str = "  ",
    experimental_optional_features: Any = None,
) -> str:
    """The converted function as Python."""
    return _entry.to_code(entity, recursive, experimental_optional_features)
