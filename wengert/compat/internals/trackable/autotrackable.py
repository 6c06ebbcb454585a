"""tensorflow.python.trackable.autotrackable: an object whose attributes become its parts."""

from __future__ import annotations

from wengert.compat.internals.trackable.base import Trackable
from wengert.compat.internals.trackable.data_structures import NoDependency, wrap_or_unwrap


class AutoTrackable(Trackable):
    """An object that keeps what is assigned to it as a part, if that has parts of its own."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, NoDependency):
            value = value.value
        elif name != "_self_setattr_tracking" and self._self_setattr_tracking:
            value = wrap_or_unwrap(value)
            if isinstance(value, Trackable):
                self._track_trackable(value, name, overwrite=True)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._parts_by_name().pop(name, None)
        super().__delattr__(name)
