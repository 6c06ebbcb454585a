"""Arguments that had another name in version 1."""

from __future__ import annotations

from typing import Any


def one_of(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """The value of an argument with two names, of which at most one may be given."""
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old
