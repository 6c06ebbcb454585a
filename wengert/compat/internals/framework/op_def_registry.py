"""tensorflow.python.framework.op_def_registry: what operations take and give."""

from __future__ import annotations

from typing import Any

from wengert.compat.graph_defs.descriptions import op_def
from wengert.compat.graph_defs.op_defs import op_defs


def get(name: str) -> Any:
    """The description of a type of operations, as OpDef; None if there is none."""
    return op_def(name) if name in op_defs() else None
