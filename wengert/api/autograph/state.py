"""The state of a statement: the variables, and parts of objects, that its blocks write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import CellType
from typing import Any, Final

import numpy as np

from wengert.api.autograph.expressions import Place
from wengert.api.autograph.jumps import RESULT


class _Absent:
    """The value of a variable that has none."""

    def __init__(self, called: str) -> None:
        self._called = called

    def __repr__(self) -> str:
        return self._called

    def __bool__(self) -> bool:
        return False


ABSENT: Final = _Absent("ABSENT")
# The same of a return value that is certainly given before it is read.
GUARDED: Final = _Absent("GUARDED")


class State:
    """Where the values of a statement's variables are: cells, globals, attributes and items.

    What is written but not read afterwards (`local`) has its old value whenever a block begins. It
    keeps the one that the last block gave it: functions made there read it when a gradient calls them.
    """

    def __init__(
        self, places: Sequence[Place], local: Sequence[Place], *functions: Callable[..., Any] | None
    ) -> None:
        self._cells: dict[str, CellType] = {}
        self._globals: dict[str, Any] = {}
        for function in functions:
            if function is not None:
                names = function.__code__.co_freevars
                self._cells.update(zip(names, function.__closure__ or (), strict=True))
                self._globals = function.__globals__
        found = dict.fromkeys([p for place in places for p in self._resolved(place)])
        self._places = [p for p in found if len(p) == 1 or self._owner(p) is not ABSENT]
        self._local = [(p, self._get(p)) for p in local]
        self.names = [_spoken(p) for p in self._places]

    def _resolved(self, place: Place) -> list[Place]:
        """The places that are meant, with the keys that variables have now; of items those that are there."""
        found = [place[:1]]
        for kind, key in place[1:]:
            if kind in ("[]", "[*]"):
                found = [(*p, ("[", k)) for p in found for k in self._keys(p, kind, key)]
            else:
                found = [(*p, (kind, key)) for p in found]
        return found

    def _keys(self, place: Place, kind: str, key: str) -> Iterable[Any]:
        """The keys of a container's items that a program may write: the one in a variable, or all."""
        owner = self._get(place)
        if kind == "[]":
            found = self._get((key,))
            return [found] if _is_plain(found) and _part(owner, ("[", found)) is not ABSENT else []
        if isinstance(owner, list):
            return range(len(owner))
        return [*owner] if isinstance(owner, dict) else []

    def values(self) -> list[Any]:
        """The values as they are now."""
        return [self._get(place) for place in self._places]

    def set(self, values: Sequence[Any]) -> None:
        """Give all of them other values."""
        for place, value in zip(self._places, values, strict=True):
            self._set(place, value)

    def begin(self, values: Sequence[Any]) -> None:
        """The same before a block: what is not read afterwards has its old value again."""
        for place, value in self._local:
            self._set(place, value)
        self.set(values)

    def _get(self, place: Place) -> Any:
        if len(place) > 1:
            return _part(self._owner(place), place[-1])
        if place[0] not in self._cells:
            return self._globals.get(place[0], ABSENT)
        try:
            return self._cells[place[0]].cell_contents
        except ValueError:
            return ABSENT

    def _owner(self, place: Place) -> Any:
        """The object of which a place is a part."""
        found = self._get(place[:1])
        for step in place[1:-1]:
            found = _part(found, step)
        return found

    def _set(self, place: Place, value: object) -> None:
        if len(place) > 1:
            _set_part(self._owner(place), place[-1], value)
        elif place[0] not in self._cells:
            self._globals.pop(place[0], None)
            if value is not ABSENT:
                self._globals[place[0]] = value
        elif value is not ABSENT:
            self._cells[place[0]].cell_contents = value
        elif self._get(place) is not ABSENT:
            del self._cells[place[0]].cell_contents


def _is_plain(key: object) -> bool:
    """Whether a key is a value of Python's, by which an item is found."""
    if type(key) is tuple:
        return all(map(_is_plain, key))
    return isinstance(key, (int, float, str, bytes, type(None), np.integer))


def _part(owner: Any, step: tuple[str, Any]) -> Any:
    kind, key = step
    try:
        return getattr(owner, key) if kind == "." else owner[key]
    except (AttributeError, LookupError, TypeError):
        return ABSENT


def _set_part(owner: Any, step: tuple[str, Any], value: Any) -> None:
    kind, key = step
    if _part(owner, step) is value or owner is ABSENT:
        return
    if kind == ".":
        delattr(owner, key) if value is ABSENT else setattr(owner, key, value)
    elif value is ABSENT:
        del owner[key]
    else:
        owner[key] = value


def _spoken(place: Place) -> str:
    """A place as it is written in the program."""
    if place[0] == RESULT:
        return "the return value"
    steps = [f".{key}" if kind == "." else f"[{key!r}]" for kind, key in place[1:]]
    return f"'{place[0]}{''.join(steps)}'"
