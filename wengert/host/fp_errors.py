"""Floating-point errors are values here (inf, nan), not warnings, as in TensorFlow.

NumPy keeps its error settings in a context variable. `np.errstate` reaches it at 0.9 µs a time,
longer than most operations take; setting the variable itself costs 0.1 µs. The variable is found
without private API: it is the one that `np.errstate` changes.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert.host.malloc import keep_blocks_in


def _find() -> tuple[Callable[[Any], Any], Callable[[Any], None], Any]:
    before = dict(contextvars.copy_context().items())
    with np.errstate(all="ignore"):
        after = contextvars.copy_context()
        for variable, value in after.items():
            if before.get(variable) is not value and "ufunc" in variable.name:
                return variable.set, variable.reset, value
    return _enter_slowly, _leave_slowly, None


def _enter_slowly(_: Any) -> Any:
    state = np.errstate(all="ignore")
    state.__enter__()
    return state


def _leave_slowly(state: Any) -> None:
    state.__exit__(None, None, None)


# token = enter(QUIET); try: ... finally: leave(token)
enter, leave, QUIET = _find()


def quiet_context() -> contextvars.Context:
    """A context in which the errors are off: `context.run(function, *arrays)` calls a NumPy function.

    It takes 0.02 µs. A context can be entered only once at a time, so each thread needs its own, and
    nested calls fail: the caller then uses `enter` and `leave`. Only for functions that run no
    Python code.
    """
    token = enter(QUIET)
    try:
        quiet = contextvars.copy_context()
    finally:
        leave(token)
    keep_blocks_in(quiet.run)
    return quiet
