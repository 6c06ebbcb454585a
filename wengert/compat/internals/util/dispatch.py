"""tensorflow.python.util.dispatch: what public functions do for types of users'."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wengert.api.extension_types.dispatch import dispatch_for_api as dispatch_for_api
from wengert.api.extension_types.dispatch import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from wengert.api.extension_types.dispatch import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from wengert.api.extension_types.dispatch import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from wengert.api.extension_types.dispatch import unregister_dispatch_for as unregister_dispatch_for
from wengert.inference.public_functions import typed as add_dispatch_support
from wengert.values import nest
from wengert.values.typed_calls import Handler, add_handler, add_handler_for_all

__all__ = [
    "GlobalOpDispatcher",
    "OpDispatcher",
    "add_dispatch_support",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_types",
    "dispatch_for_unary_elementwise_apis",
    "unregister_dispatch_for",
]


class OpDispatcher:
    """What to do in place of one function: `handle` returns NOT_SUPPORTED where it does nothing."""

    NOT_SUPPORTED = NotImplemented

    def handle(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The result of a call, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Ask this object about calls of a function."""
        add_handler(op, Handler(self.handle, lambda _, args, kwargs: self.handle(args, kwargs)))


class GlobalOpDispatcher:
    """What to do in place of any function."""

    NOT_SUPPORTED = NotImplemented

    def handle(self, op: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The result of a call, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Ask this object about calls of all functions."""
        add_handler_for_all(Handler(self.handle, self.handle))


def dispatch_for_types(op: Callable[..., Any], *types: type) -> Callable[..., Any]:
    """Let the decorated function answer calls of another with a value of some types."""

    def registered(target: Callable[..., Any]) -> Callable[..., Any]:
        def answer(_: object, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
            given = nest.flatten([*args, *kwargs.values()])
            found = any(isinstance(v, types) for v in given)
            return target(*args, **kwargs) if found else NotImplemented

        add_handler(op, Handler(target, answer))
        return target

    return registered
