"""Which operations a public function uses, and which public functions use an operation: read from their code."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any, Final

from wengert.cli.names import at, public_names
from wengert.core.row import Row
from wengert.core.table import TABLE

_DEPTH: Final = 3  # from a function to one that it calls, and on
_MODULES: Final = ("tf", "tf.math", "tf.nn", "tf.linalg", "tf.signal", "tf.image", "tf.sparse", "tf.random",
                   "tf.bitwise", "tf.sets", "tf.debugging")  # fmt: skip


def used_by(name: str) -> list[str]:
    """The operations of a public function; none if there is no such function."""
    full = name if name.startswith("tf.") else f"tf.{name}"
    function = at(full)
    if not callable(function):
        return []
    same = [n for n in TABLE if _is_same(n, full)]
    if same:
        return same
    for depth in range(_DEPTH):
        found = sorted({row.name for row in _rows(function, depth)} & TABLE.keys())
        if found:
            return found
    return []


def functions_of(row: Row) -> list[str]:
    """The public functions that use an operation themselves."""
    return _by_operation().get(row.name, [])


@functools.cache
def _by_operation() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for module in _MODULES:
        for name in public_names()[module]:
            function = at(f"{module}.{name}")
            if inspect.isroutine(function):
                same = [n for n in TABLE if _is_same(n, name)]
                for used in {row.name for row in _rows(function, 0)} | set(same):
                    found.setdefault(used, []).append(f"{module}.{name}")
    return found


def _is_same(operation: str, function: str) -> bool:
    return operation.lower() == function.rpartition(".")[2].replace("_", "")


def _rows(function: Any, depth: int) -> Iterator[Row]:
    """The rows that the code of a function names, and so deep that of functions of its own file."""
    inner = inspect.unwrap(function)
    code = getattr(inner, "__code__", None)
    if code is None:
        return
    cells = dict(zip(code.co_freevars, inner.__closure__ or (), strict=True))
    for name in (*code.co_names, *code.co_freevars):
        found = cells[name].cell_contents if name in cells else inner.__globals__.get(name)
        if isinstance(found, Row):
            yield found
        elif depth and inspect.isfunction(found) and found.__module__.startswith("wengert.ops"):
            yield from _rows(found, depth - 1)
