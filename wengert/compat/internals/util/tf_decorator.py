"""tensorflow.python.util.tf_decorator: decorators that can be unwrapped."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def make_decorator(target: Callable[..., Any], decorator_func: Any, *_: Any, **__: Any) -> Any:
    """The decorator, with the name and the docstring of what it decorates."""
    return functools.wraps(target)(decorator_func)


def unwrap(maybe_tf_decorator: Any) -> tuple[list[Any], Any]:
    """The decorators of a function, and the function itself."""
    return [], inspect.unwrap(maybe_tf_decorator)
