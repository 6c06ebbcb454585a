"""tf.variable_creator_scope: functions of the program that make its variables."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final


class _Creators(threading.local):
    """The functions that are asked when a thread makes a variable, the outermost first."""

    stack: tuple[Callable[..., Any], ...] = ()


creators: Final = _Creators()


def adopt(stack: tuple[Callable[..., Any], ...]) -> None:
    """Ask these in this thread, as another one does, which waits meanwhile."""
    creators.stack = stack


@contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Let `variable_creator(next_creator, **kwargs)` make the variables that are made inside.

    It calls the next creator, with other arguments if it likes, and returns a variable.

    >>> def fixed(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "trainable": False})
    >>> with tf.variable_creator_scope(fixed):
    ...     v = tf.Variable(1.0)
    >>> v.trainable
    False
    """
    before = creators.stack
    creators.stack = (*before, variable_creator)
    try:
        yield
    finally:
        creators.stack = before


def created(
    make: Callable[..., Any],
    method: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """What the creators make, the innermost first, with all arguments that the method takes."""
    given = inspect.signature(method).bind(None, *args, **kwargs)
    given.apply_defaults()
    _, *wanted = given.arguments.items()
    for creator in creators.stack:
        make = functools.partial(creator, make)
    return make(**dict(wanted))
