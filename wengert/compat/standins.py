"""The modules that `import tensorflow...` returns, which look up their names in Wengert.

Every module of TensorFlow exists. A name that Wengert lacks is missing for `hasattr`; imported by
`from ... import`, it becomes an object that raises when it is used, so that a program runs up to
that point.
"""

from __future__ import annotations

import ast
import importlib
import linecache
import sys
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final, NoReturn

from wengert.compat import resolver
from wengert.host.syntax import parsed
from wengert.host.user_frames import callers_frame

FOLDER: Final = Path(__file__).with_name("children")


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
        path = name.partition(".")[2]
        self.__dict__.update(_path=path, _v1=v1)
        if path in ("compat.v1", "compat.v2"):
            self.__dict__.update(resolver.MARKS)
        # A name for programs that show it, and look at what is beside: there is no such file.
        self.__file__ = str(FOLDER.joinpath(*name.split("."), "__init__.py"))

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":  # of a module from which a program imports *
            return [n for n in dir(self) if not n.startswith("_") and hasattr(self, n)]
        if name.startswith("__") and name not in (*resolver.MARKS, "__internal__"):
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


def _frame() -> FrameType:
    """The program that used the name, skipping the import machinery."""
    frame = callers_frame()
    while frame.f_back is not None and _imports(frame):
        frame = frame.f_back
    return frame


def _imports(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__", "")
    return name == "importlib" or frame.f_code.co_filename.startswith("<frozen importlib")


def _place() -> str:
    frame = _frame()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


_EXPECTED: Final = {
    "ImportError",
    "ModuleNotFoundError",
    "Exception",
    "BaseException",
    "AttributeError",
}


def is_an_attempt() -> bool:
    """Whether the program imports within a `try` that expects an error: it must get one."""
    frame = _frame()
    try:
        tree = parsed("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except (SyntaxError, ValueError):
        return False
    return any(
        isinstance(node, ast.Try)
        and node.body[0].lineno <= frame.f_lineno <= (node.body[-1].end_lineno or 0)
        and any(_expects(handler) for handler in node.handlers)
        for node in ast.walk(tree)
    )


def _expects(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    named = {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
    return not named.isdisjoint(_EXPECTED)
