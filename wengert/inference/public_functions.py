"""Wrappers of public functions, by which a graph may name them, or put them off."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from wengert.core.context import thread

Function = TypeVar("Function", bound=Callable[..., Any])


def deferrable(function: Function) -> Function:
    """A public function that a graph may name, or put off until the shapes are known."""

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        graph = thread.context.building
        if graph is None:
            return function(*args, **kwargs)
        return graph.call(function, args, kwargs)

    return public  # type: ignore[return-value]


def nameable(function: Function) -> Function:
    """A public function that a graph may name, but not put off."""

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        graph = thread.context.building
        if graph is None or not isinstance(kwargs.get("name"), str):
            return function(*args, **kwargs)
        return graph.call_named(function, args, kwargs, kwargs["name"])

    return public  # type: ignore[return-value]
