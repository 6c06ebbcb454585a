"""Machine code in units that plans share: a function with all that it calls (program/units.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final
from weakref import WeakValueDictionary

from wengert.engines.native.runtime.cache import CODE, keep, read_file
from wengert.engines.native.runtime.llvm import LoadedObject, compile_each

PREFIX: Final = "k"  # of the symbols of a plan's functions
Text = Callable[[], str]

# Those that some plan of this process uses, by their names.
_loaded: Final[WeakValueDictionary[str, LoadedObject]] = WeakValueDictionary()


def symbol_of(unit: str, place: int = 0) -> str:
    """The symbol of a function of a unit; the first is the one for which it was made."""
    return f"{PREFIX}{unit}.{place}"


class Units:
    """The loaded code of a plan; its units are kept as long as some plan uses them."""

    def __init__(self, objects: dict[str, LoadedObject]) -> None:
        self._objects = objects

    def address(self, symbol: str) -> int:
        """Where a function begins."""
        unit = symbol[len(PREFIX) :].partition(".")[0]
        return self._objects[unit].address(symbol)


def load(names: Iterable[str]) -> Units | None:
    """Units that were compiled before; None if one of them is missing."""
    found = {name: _known(name) for name in names}
    present = {name: made for name, made in found.items() if made is not None}
    return Units(present) if len(present) == len(found) else None


def load_or_compile(texts: dict[str, Text]) -> Units:
    """Units by their names: those that are missing are compiled."""
    known = {name: _known(name) for name in texts}
    found = {name: made for name, made in known.items() if made is not None}
    missing = [name for name in texts if name not in found]
    for name, code in zip(missing, compile_each([texts[m]() for m in missing]), strict=True):
        keep(name + CODE, code)
        found[name] = _loaded[name] = LoadedObject(code)
    return Units(found)


def _known(name: str) -> LoadedObject | None:
    made = _loaded.get(name)
    if made is None:
        code = read_file(name + CODE)
        if code is not None:
            made = _loaded[name] = LoadedObject(code)
    return made
