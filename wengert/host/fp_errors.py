"""Floating-point errors are values here (inf, nan), not warnings, as in TensorFlow.

NumPy keeps its error settings in a context variable. `np.errstate` reaches it at 0.9 µs a time,
longer than most operations take; setting the variable itself costs 0.1 µs. The variable is found
without private API: it is the one that `np.errstate` changes.

It is set in a copy of the context, never in the caller's. Up to Python 3.11 the garbage collector may
run in the middle of setting a variable, and with it a finalizer that computes: another set of a
variable of the same context, there, takes away the memory that the first one is reading.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from wengert.host.malloc import keep_blocks_in

Result = TypeVar("Result")


def _find() -> tuple[contextvars.ContextVar[Any] | None, Any]:
    before = dict(contextvars.copy_context().items())
    with np.errstate(all="ignore"):
        after = contextvars.copy_context()
        for variable, value in after.items():
            if before.get(variable) is not value and "ufunc" in variable.name:
                return variable, value
    return None, None


# NumPy's settings, and those with which there are no errors; None where NumPy keeps them elsewhere.
VARIABLE, QUIET = _find()


def quietly(function: Callable[..., Result], /, *args: Any, **named: Any) -> Result:
    """What a function returns, computed with the errors off."""
    return contextvars.copy_context().run(_CALL, function, *args, **named)


def _call(function: Callable[..., Result], /, *args: Any, **named: Any) -> Result:
    VARIABLE.set(QUIET)  # type: ignore[union-attr]
    return function(*args, **named)


def _call_slowly(function: Callable[..., Result], /, *args: Any, **named: Any) -> Result:
    with np.errstate(all="ignore"):
        return function(*args, **named)


_CALL: Final = _call if VARIABLE is not None else _call_slowly


def strictly(function: Callable[..., Result], /, *args: Any) -> Result:
    """The same, but what is too large for a dtype is an error."""
    return contextvars.copy_context().run(_call_strictly, function, *args)


def _call_strictly(function: Callable[..., Result], /, *args: Any) -> Result:
    with np.errstate(over="raise"):
        return function(*args)


def quiet_context() -> contextvars.Context:
    """A context in which the errors are off: `context.run(function, *arrays)` calls a NumPy function.

    It takes 0.02 µs. A context can be entered only once at a time, so each thread needs its own, and
    nested calls fail: the caller then uses `quietly`. Only for functions that run no Python code.
    """
    quiet = quietly(contextvars.copy_context)
    keep_blocks_in(quiet.run)
    return quiet
