"""Lists and dictionaries as parts of objects."""

from __future__ import annotations

import functools
from typing import Any

from wengert.api.session.logger import get_logger
from wengert.saving.trackables.base import Trackable, arrived, holds_trackable


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
        return {name: e for name, e in self._elements() if holds_trackable(e)}

    _parts_by_name = _trackable_children

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        return self._trackable_children().get(name)

    def _changed(self) -> None:
        """Give new elements what a checkpoint has for them.

        What does not fit stays as it is, as in TensorFlow: an optimizer is built after it has been
        restored, and its list of variables may first be one of another model's.
        """
        if not self.__dict__.get("_self_pending"):
            return
        for name, part in self._trackable_children().items():
            try:
                arrived(self, name, part)
            except ValueError as error:
                get_logger().warning(
                    "Element %r was not restored from the checkpoint: %s", name, error
                )


def _noticed(kind: type, name: str) -> Any:
    """A method that changes the collection."""
    method = getattr(kind, name)

    @functools.wraps(method)
    def changing(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        self._changed()
        return result

    return changing


class ListWrapper(list[Any], TrackableDataStructure):
    """A list whose elements are its parts."""

    def _elements(self) -> list[tuple[str, Any]]:
        return [(str(i), e) for i, e in enumerate(self)]

    append, extend, insert, __setitem__, __iadd__ = (
        _noticed(list, name) for name in ("append", "extend", "insert", "__setitem__", "__iadd__")
    )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ListWrapper({list.__repr__(self)})"


class _DictWrapper(dict[Any, Any], TrackableDataStructure):
    """A dictionary whose values are its parts."""

    def _elements(self) -> list[tuple[str, Any]]:
        return [(str(k), v) for k, v in self.items()]

    update, setdefault, __setitem__ = (
        _noticed(dict, name) for name in ("update", "setdefault", "__setitem__")
    )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"DictWrapper({dict.__repr__(self)})"

    def __str__(self) -> str:
        return dict.__repr__(self)


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
    if holds_trackable(found):
        trackable._track_trackable(found, name, overwrite=True)
    return found
