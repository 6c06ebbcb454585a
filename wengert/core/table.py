"""The table of operations."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from wengert.core.row import Row, place
from wengert.errors import DuplicateError
from wengert.host.spelling import words_near

LOADED: Final = time.time_ns()  # when the library was
TABLE: Final[dict[str, Row]] = {}
# Operations that are found by their names, and are no part of the table.
ASIDE: Final[dict[str, Row]] = {}
# Functions that declare the rows that are not needed from the start.
_LATER: Final[list[Callable[[], None]]] = []


def declared_later(declare: Callable[[], None]) -> Callable[[], None]:
    """Register a function to be called when an operation is not found in the table."""
    _LATER.append(declare)
    return declare


def complete() -> None:
    """Load every row into the table."""
    while _LATER:
        _LATER.pop()()


def find(name: str) -> Row | None:
    """The row of an operation type, if there is one."""
    if name not in TABLE:
        complete()
    return TABLE.get(name) or ASIDE.get(name)


def op(name: str, kernel: Callable[..., Any] | str, **fields: Any) -> Row:
    """Declare an operation: make its row and enter it into the table."""
    declared = _line_of_declaration() if isinstance(kernel, str) else place(kernel)
    if fields.get("users"):
        complete()
    if name in TABLE:
        raise DuplicateError(
            f"Registering two operations with name '{name}'! "
            f"(Previous registration was in {TABLE[name].declared}, "
            f"this one is in {declared}.) Choose another name."
        )
    row = TABLE[name] = Row(name, kernel, declared=declared, **fields)
    return row


def row_of(name: str) -> Row:
    """The row of an operation type."""
    row = find(name)
    if row is None:
        raise RuntimeError(
            f"Op type not registered '{name}'. Declare it with tf.register_op.{names_near(name)}"
        )
    return row


def is_users(row: Row) -> bool:
    """Whether what a row computes is a user's; one whose gradient alone was replaced computes what it did."""
    if not row.users:
        return False
    usual = TABLE.get(row.name)
    return usual is None or usual.users or row.kernel is not usual.kernel


def names_near(name: str, more: Iterable[str] = ()) -> str:
    """A hint at operations with similar names, for an error; '' if there are none."""
    complete()
    close = words_near(name, sorted({*more, *TABLE} - {name}))
    return f" Registered names near it: {', '.join(close)}." if close else ""


def _line_of_declaration() -> str:
    """The line of the statement that declares an operation, behind `op` and its shorthands."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.endswith("declare.py"):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
