"""The parts of any object, and what it wants to save."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wengert.api.variables.module import Module
from wengert.saving.trackables.base import holds_trackable, is_collection, is_trackable
from wengert.saving.trackables.collections import wrap
from wengert.state.variable import Variable


def parts_of(value: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
    """The parts of an object by their names."""
    if isinstance(value, Variable):
        return {}
    if isinstance(value, Mapping) and is_collection(value):
        named = {str(key): part for key, part in value.items()}
    elif is_collection(value):
        named = {str(n): part for n, part in enumerate(value)}
        fields = getattr(value, "_fields", None)
        if fields is not None:
            named |= dict(zip(fields, value, strict=True))
    elif hasattr(type(value), "_trackable_children"):
        return dict(value._trackable_children(save_type, **kwargs))
    elif isinstance(value, Module):
        named = dict(vars(value))
    else:
        return {}
    return {name: part for name, part in named.items() if holds_trackable(part)}


def part_of(value: Any, name: str) -> Any:
    """The part of a name; None if there is none yet.

    A list or dictionary of a module becomes one that notices what is added to it.
    """
    if isinstance(value, Module) and not hasattr(type(value), "_trackable_children"):
        found = vars(value).get(name)
        if type(found) in (list, dict):
            found = wrap(found)
            object.__setattr__(value, name, found)
        return found if is_trackable(found) or is_collection(found) else None
    if hasattr(type(value), "_lookup_dependency"):
        found = value._lookup_dependency(name)
        if found is not None:
            return found
    return parts_of(value).get(name)


def saved_of(value: Any) -> dict[str, Any]:
    """What is saved of an object itself, by names; nothing of its parts."""
    if not hasattr(type(value), "_serialize_to_tensors"):
        return {}
    try:
        return dict(value._serialize_to_tensors())
    except NotImplementedError:
        return {}
