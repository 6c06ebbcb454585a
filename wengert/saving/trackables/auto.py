"""An object whose attributes become its parts."""

from __future__ import annotations

from wengert.saving.trackables.base import Trackable, holds_trackable
from wengert.saving.trackables.collections import NoDependency, wrap_or_unwrap


class AutoTrackable(Trackable):
    """An object that keeps what is assigned to it as a part, if that has parts of its own."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, NoDependency):
            value = value.value
        elif name != "_self_setattr_tracking" and self._self_setattr_tracking:
            value = wrap_or_unwrap(value)
            if holds_trackable(value):
                self._track_trackable(value, name, overwrite=True)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._parts_by_name().pop(name, None)
        super().__delattr__(name)
