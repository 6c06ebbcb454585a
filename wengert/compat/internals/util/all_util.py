"""tensorflow.python.util.all_util: the public names of modules."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any


def remove_undocumented(module_name: str, *_: Any, **__: Any) -> None:
    """Leave a module unchanged."""


def make_all(module_name: str, doc_string_modules: Sequence[Any] | None = None) -> list[str]:
    """The public names of a module."""
    return [name for name in dir(sys.modules[module_name]) if not name.startswith("_")]
