"""The modules that `import tensorflow...` returns, which look up their names in Wengert.

Every module of TensorFlow exists. A name that Wengert lacks is missing for `hasattr`; imported by
`from ... import`, it becomes an object that raises when it is used, so that a program runs up to
that point.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any, NoReturn

from wengert.compat import resolver
from wengert.host.user_frames import callers_frame


def stand_in(name: str, v1: bool) -> ModuleType:
    """The module of this name; if there is none, an object that raises when it is used."""
    path = name.partition(".")[2]
    if resolver.is_module(path, v1):
        return StandIn(name, v1)
    return Missing(name, v1)


class StandIn(ModuleType):
    """A module of TensorFlow, with Wengert's objects."""

    def __init__(self, name: str, v1: bool) -> None:
        super().__init__(name, f"{name}, as Wengert has it.")
        self.__dict__.update(_path=name.partition(".")[2], _v1=v1)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in resolver.MARKS:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        path = f"{self._path}.{name}" if self._path else name
        if resolver.is_module(path, self._v1):
            return self._submodule(name)
        try:
            found = resolver.find(self._path, name, self._v1)
        except resolver.NotFoundError:
            if resolver.is_sibling(self._path, name):  # array_ops.gen_array_ops
                return self._package()._submodule(name)
            absent = resolver.missing(self._path, name, self._v1)
            raise absent.error(f"{self.__name__}.{name}", _place()) from None
        self.__dict__[name] = found
        return found

    def _package(self) -> StandIn:
        found = sys.modules[self.__name__.rpartition(".")[0]]
        assert isinstance(found, StandIn)
        return found

    def _submodule(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.__name__}.{name}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *resolver.names(self._path, self._v1)})


class Missing(StandIn):
    """Something that Wengert lacks. It can be imported, but every use raises."""

    def __init__(self, name: str, v1: bool) -> None:
        super().__init__(name, v1)
        self.__dict__["_where"] = _place()

    def _raise(self) -> NoReturn:
        space, _, last = self._path.rpartition(".")
        raise resolver.missing(space, last, self._v1).error(self.__name__, self._where)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._raise()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do nothing."""
        return self._raise()

    def __mro_entries__(self, bases: Any) -> Any:
        return self._raise()

    def __iter__(self) -> Any:
        return self._raise()

    def __bool__(self) -> bool:
        return self._raise()

    def __repr__(self) -> str:
        return f"<{self.__name__}, which Wengert lacks>"


def _place() -> str:
    """The line of the program that used the name, skipping the import machinery."""
    frame = callers_frame()
    while frame.f_back is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
