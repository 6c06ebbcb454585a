"""tensorflow.python.trackable.data_structures: lists and dictionaries as parts of objects."""

from __future__ import annotations

from typing import Any

from wengert.compat.internals.trackable.base import Trackable


class NoDependency:
    """A value that does not become a part of the object it is assigned to."""

    def __init__(self, value: Any) -> None:
        self.value = value


class TrackableDataStructure(Trackable):
    """A collection whose elements are its parts."""

    def _elements(self) -> list[tuple[str, Any]]:
        raise NotImplementedError

    def _trackable_children(self, save_type: str = "checkpoint", **_: Any) -> dict[str, Any]:
        """The elements that have parts, by index or key."""
        return {name: e for name, e in self._elements() if isinstance(e, Trackable)}

    _parts_by_name = _trackable_children


class ListWrapper(list[Any], TrackableDataStructure):
    """A list whose elements are its parts."""

    def _elements(self) -> list[tuple[str, Any]]:
        return [(str(i), e) for i, e in enumerate(self)]

    __hash__ = None  # type: ignore[assignment]


class _DictWrapper(dict[Any, Any], TrackableDataStructure):
    """A dictionary whose values are its parts."""

    def _elements(self) -> list[tuple[str, Any]]:
        return [(str(k), v) for k, v in self.items()]

    __hash__ = None  # type: ignore[assignment]


def wrap_or_unwrap(value: Any) -> Any:
    """Lists and dictionaries as collections that are parts; what is told not to be one, as it is."""
    if isinstance(value, NoDependency):
        return value.value
    if type(value) is list:
        return ListWrapper([wrap_or_unwrap(v) for v in value])
    if type(value) is dict:
        return _DictWrapper({k: wrap_or_unwrap(v) for k, v in value.items()})
    return value


wrap = wrap_or_unwrap


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """What is to be stored under a name of an object, which notes it as a part."""
    found = wrap_or_unwrap(value)
    if isinstance(found, Trackable):
        trackable._track_trackable(found, name, overwrite=True)
    return found
