"""Values that live on a device, and are fetched when NumPy asks for them.

The array of a tensor or a variable is a slot. While the slot is empty the value is on the device alone,
and the first question for the array fetches it. Whoever sets the slot of a variable replaces the value, as
ever. A tensor does not change, so what it has on a device is its value whether it was fetched or not.

A step that replaces a variable may be given the memory of the old value for the new one. What the step
returns is then found by all who come for the old one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.values.value import HELD, Value, slot_of

_SLOT: Final[Any] = Value.__dict__["_array"]


class Settings:
    """The settings of this process."""

    fetch: Callable[[Any], Any] = np.asarray  # what makes an array on a device NumPy's
    tensors = False  # whether there are tensors on a device: calls need not look otherwise


class OnDevice:
    """The value of a variable on a device, and NumPy's view or copy of it once it was fetched."""

    __slots__ = ("_array", "given_to", "host")

    def __init__(self, array: Any, host: Any = None) -> None:
        self._array = array
        self.host = host
        self.given_to: tuple[Step, int] | None = None  # and the place there

    @property
    def array(self) -> Any:
        """The array on the device; the new one, if its memory was given to a step."""
        array = self._array
        if array is None and self.given_to is not None:
            step, at = self.given_to
            return step.value_of(at)
        return array

    @property
    def dtype(self) -> Any:
        """The dtype, NumPy's."""
        return self.array.dtype

    @property
    def shape(self) -> Any:
        """The shape."""
        return self.array.shape

    def fetched(self) -> Any:
        """NumPy's array."""
        if self.host is None:
            self.host = Settings.fetch(self.array)
        return self.host


class Step:
    """A step that is given the memory of variables. Each variable's lock is held meanwhile."""

    def __init__(self, held: Sequence[OnDevice], places: Sequence[int], lock: Any) -> None:
        self._places = places
        self._lock = lock
        self._arrays = [h._array for h in held]
        # What the step returns, the new values in front: filled before anything else can happen.
        self.returned: list[Any] = []
        for at, h in enumerate(held):
            h.given_to = self, at  # it does not refer to them: each is let go by its variable
            h._array = None

    def value_of(self, at: int) -> Any:
        """The new value of a variable, if need be when the step of another thread has returned."""
        if not self.returned:
            with self._lock:
                pass
        if self.returned:
            return self.returned[0][0][self._places[at]]
        if self._arrays[at].is_deleted():
            raise RuntimeError(
                "The value of a variable was lost: the step that was given its memory ended without a "
                "new one. Restore a checkpoint."
            )
        return self._arrays[at]  # it has not begun: this is its thread, interrupted by a signal

    def undo(self, held: Sequence[OnDevice]) -> None:
        """Give the memory back after an error."""
        for h, array in zip(held, self._arrays, strict=True):
            if not self.returned and not array.is_deleted():
                h._array = array
                h.given_to = None

    def alone(self) -> list[Any]:
        """The arrays, copies of those that something else refers to."""
        arrays = self._arrays
        for at, array in enumerate(arrays):
            if sys.getrefcount(array) > _ALONE:
                arrays[at] = array.copy()
        return arrays


def _count_alone() -> int:
    """The references to an object that only a list, and a loop like the one above, refer to."""
    objects = [object()]
    for _, one in enumerate(objects):
        found = sys.getrefcount(one)
    return found


_ALONE: Final = _count_alone()


# ---- variables -----------------------------------------------------------------------------------


def held_by(variable: Any) -> OnDevice | None:
    """What holds the value of a variable on a device; None if its array is NumPy's."""
    try:
        held: OnDevice | None = variable.__dict__.get(HELD)
    except AttributeError:  # it cannot be held
        return None
    if held is None:
        return None
    try:
        slot_of(variable)
    except AttributeError:
        return held
    return None


def hold(variable: Any, held: OnDevice) -> None:
    """Let a variable's value be an array on a device."""
    variable.__dict__[HELD] = held
    try:
        del variable._array
    except AttributeError:  # it was on the device before
        return


def hold_next(variable: Any, held: OnDevice) -> None:
    """The same of a variable whose value is on a device, and whose lock was held meanwhile."""
    variable.__dict__[HELD] = held


def can_be_held(variable: Any) -> bool:
    """Whether a variable's value can be an array on a device."""
    return getattr(type(variable), "_array", None) is _SLOT


def fetched_of(variable: Any, name: str) -> Any:
    """What `__getattr__` of a variable finds: its array, if that is on a device."""
    held = variable.__dict__.get(HELD) if name == "_array" else None
    if held is None:
        raise AttributeError(f"{type(variable).__name__!r} object has no attribute {name!r}")
    return held.fetched()


# ---- tensors: the array on the device stands among their attributes -------------------------------


def put(tensor: Any, array: Any) -> None:
    """Let a tensor have an array on a device; without one of NumPy's it lives there."""
    Settings.tensors = True
    tensor.__dict__[HELD] = array


def array_of(tensor: Any) -> Any:
    """What a tensor has on a device; None if it has nothing."""
    return tensor.__dict__.get(HELD)


def form_of(tensor: Any) -> Any:
    """What knows the shape and the dtype of a tensor, without fetching it."""
    try:
        return slot_of(tensor)
    except AttributeError:
        return tensor._form
