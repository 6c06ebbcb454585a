"""tensorflow.python.ops.control_flow_ops: control dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.api.session.modes import control_dependencies
from wengert.ops.arrays.identity import identity


def with_dependencies(
    dependencies: Sequence[Any], output_tensor: Any, name: str | None = None
) -> Any:
    """The tensor, with control dependencies on others."""
    with control_dependencies(dependencies):
        return identity(output_tensor, name=name)
