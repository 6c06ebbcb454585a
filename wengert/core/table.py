"""The table of operations, and the gradients that users register by operation type."""

from __future__ import annotations

import difflib
import sys
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from wengert.core.row import Row, place
from wengert.errors import DuplicateError, NoGradientError


class Registered(NamedTuple):
    """A user's gradient function; None says that the operation has no gradient on purpose."""

    function: Callable[..., Any] | None
    place: str


LOADED: Final = time.time_ns()  # when the library was
TABLE: Final[dict[str, Row]] = {}
GRADIENTS: Final[dict[str, Registered]] = {}
# What declares the rows that are not needed from the start.
_LATER: Final[list[Callable[[], None]]] = []


def declared_later(declare: Callable[[], None]) -> Callable[[], None]:
    """The function is called when somebody asks for an operation that is not in the table."""
    _LATER.append(declare)
    return declare


def complete() -> None:
    """Let the table hold every row there is."""
    while _LATER:
        _LATER.pop()()


def find(name: str) -> Row | None:
    """The row of an operation type, if there is one."""
    if name not in TABLE:
        complete()
    return TABLE.get(name)


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
            f"Op type not registered '{name}'. Declare it with tf.register_op.{_nearest(name)}"
        )
    return row


def add_gradient(name: str, function: Callable[..., Any] | None, where: str) -> None:
    """Register the gradient of an operation type; None means that it has none."""
    earlier = _place_of_gradient(name)
    if earlier:
        raise DuplicateError(
            f"Registering two gradients with name '{name}'! "
            f"(Previous registration was in {earlier}, this one is in {where}.) "
            f"Register yours under a name of its own."
        )
    GRADIENTS[name] = Registered(function, where)


def _place_of_gradient(name: str) -> str | None:
    if name in GRADIENTS:
        return GRADIENTS[name].place
    row = find(name)
    if row is not None and not row.users:
        return row.declared
    return None


def gradient_of(name: str) -> Registered:
    """The gradient that a user registered for an operation type."""
    if name not in GRADIENTS:
        raise missing_gradient(name)
    return GRADIENTS[name]


def missing_gradient(
    name: str, op_name: str = "", where: str = "", op_type: str = ""
) -> NoGradientError:
    """There is no gradient of this name; an operation of another type may have been given it."""
    made = f", made at {where}" if where else ""
    given = f", which {op_type} was given in place of its own" if op_type else ""
    return NoGradientError(
        f"No gradient defined for operation '{op_name or op_type or name}' "
        f"(op type: {op_type or name}{made}): gradient registry has no entry for: {name}{given}. "
        f'Write one with @tf.RegisterGradient("{name}"), or say that there is none with '
        f'tf.no_gradient("{name}"), or keep the gradient out with tf.stop_gradient.'
        f"{_nearest(name)}"
    )


def _nearest(name: str) -> str:
    complete()
    others = {*GRADIENTS, *TABLE} - {name}
    close = difflib.get_close_matches(name, sorted(others), n=3)
    return f" Registered names near it: {', '.join(close)}." if close else ""


def _line_of_declaration() -> str:
    """The line of the statement that declares an operation, behind `op` and its shorthands."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.endswith("declare.py"):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
