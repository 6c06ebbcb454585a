"""An object with named parts, each of which may have parts of its own."""

from __future__ import annotations

import functools
from abc import ABCMeta
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from wengert.api.variables.module import Module
from wengert.state.variable import Variable


class TrackableReference(NamedTuple):
    """An object by the name that another one has for it."""

    name: str
    ref: Any


def arrived(parent: Any, name: str, part: Any) -> None:
    """An object got a part: what a checkpoint has for it is given to it now."""
    for waiting in list(parent.__dict__.get("_self_pending", ())):
        waiting.arrived(parent, name, part)


class Trackable(metaclass=ABCMeta):  # noqa: B024  # variables are such without deriving from it
    """An object with named parts, which a checkpoint would save with it."""

    _self_setattr_tracking = True

    def _parts_by_name(self) -> dict[str, Any]:
        found: dict[str, Any] = self.__dict__.setdefault("_self_trackable_parts", {})
        return found

    @property
    def _self_unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(name, part) for name, part in self._parts_by_name().items()]

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return self._self_unconditional_checkpoint_dependencies

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Note a part; a name that another part has is an error unless it is overwritten."""
        if not holds_trackable(trackable):
            raise TypeError(
                "Trackable._track_trackable() can only be used to track objects of type Trackable. Got "
                f"type {type(trackable)}."
            )
        before = self._parts_by_name().get(name)
        if before is not None and before is not trackable and not overwrite:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name "
                "is already declared as a dependency. Names must be unique (or overwrite=True)."
            )
        self._parts_by_name()[name] = trackable
        arrived(self, name, trackable)
        return trackable

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        """The part of a name; None if there is none."""
        return self._parts_by_name().get(name)

    def _trackable_children(self, save_type: str = "checkpoint", **_: Any) -> dict[str, Any]:
        """The parts by their names."""
        return dict(self._parts_by_name())

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """What is saved of the object itself, by names."""
        raise NotImplementedError

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Take what was saved."""
        raise NotImplementedError

    def _no_dependency(self, value: Any) -> Any:
        """A value that does not become a part."""
        return value


_MARKS: Final = ("_trackable_children", "_serialize_to_tensors")
_DEEPEST: Final = 50


def is_trackable(value: Any) -> bool:
    """Whether a checkpoint may hold a value: it has parts, or something to save."""
    if isinstance(value, Trackable):
        return True
    return any(hasattr(type(value), mark) for mark in _MARKS)


def is_collection(value: Any) -> bool:
    """Whether a value is one of Python's own collections."""
    return isinstance(value, (list, tuple, Mapping)) and not is_trackable(value)


def holds_trackable(value: Any, depth: int = 0) -> bool:
    """Whether it is a trackable, or a collection with one somewhere."""
    if is_trackable(value):
        return True
    if depth > _DEEPEST or not is_collection(value):
        return False
    inner = value.values() if isinstance(value, Mapping) else value
    return any(holds_trackable(part, depth + 1) for part in inner)


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method in which attributes do not become parts."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, "_self_setattr_tracking", True)
        self._self_setattr_tracking = False
        try:
            return method(self, *args, **kwargs)
        finally:
            self._self_setattr_tracking = before

    return untracked


Trackable.register(Variable)
Trackable.register(Module)
