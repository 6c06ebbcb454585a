"""Context managers that are safe with interrupts.

A generator of `contextlib` restores the state in a `finally`. If an interrupt comes just as the
block ends, that runs only when the generator is garbage-collected, and then restores an outdated
state.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any, ParamSpec

Arguments = ParamSpec("Arguments")
Change = tuple[None, Callable[[], None]]


class ContextManager(ContextDecorator):
    """Makes a change when the block begins, and undoes it when the block ends."""

    __slots__ = ("_args", "_change", "_kwargs", "_undo")

    def __init__(self, change: Callable[..., tuple[Any, Any]], args: Any, kwargs: Any) -> None:
        self._change = change
        self._args = args
        self._kwargs = kwargs
        self._undo: list[Callable[[], object]] = []  # a stack, as blocks may be nested

    def __enter__(self) -> Any:
        value, undo = self._change(*self._args, **self._kwargs)
        self._undo.append(undo)
        return value

    def __exit__(self, *error: object) -> None:
        self._undo.pop()()


def context_manager(
    change: Callable[Arguments, tuple[Any, Callable[[], object]]],
) -> Callable[Arguments, ContextManager]:
    """Decorates a function that makes a change and returns the value for `as` and an undo function.

    >>> settings = {"depth": 1}
    >>> @context_manager
    ... def deeper(by):
    ...     before = settings["depth"]
    ...     settings["depth"] += by
    ...     return settings["depth"], lambda: settings.update(depth=before)
    >>> with deeper(2) as depth:
    ...     depth, settings
    (3, {'depth': 3})
    >>> settings
    {'depth': 1}
    """
    code = change.__code__
    most = sys.maxsize if code.co_flags & inspect.CO_VARARGS else code.co_argcount

    @functools.wraps(change)
    def new(*args: Arguments.args, **kwargs: Arguments.kwargs) -> ContextManager:
        if len(args) > most:
            change(*args, **kwargs)  # raises here, where it is called, and not where it is entered
        return ContextManager(change, args, kwargs)

    return new


def enter(context: Any) -> tuple[Any, Callable[[], None]]:
    """Enter another context manager; its value, and a function that exits it."""
    value = context.__enter__()

    def leave() -> None:
        context.__exit__(None, None, None)

    return value, leave
