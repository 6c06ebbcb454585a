"""tensorflow.python.util.tf_decorator: decorators that can be unwrapped."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any


class TFDecorator:
    """What is known of a decorated function: its decorator, and the function itself."""

    def __init__(
        self,
        decorator_name: str,
        target: Any,
        decorator_doc: str = "",
        decorator_argspec: inspect.FullArgSpec | None = None,
    ) -> None:
        self._decorated_target = target
        self._decorator_name = decorator_name
        self._decorator_doc = decorator_doc
        self._decorator_argspec = decorator_argspec
        if hasattr(target, "__name__"):
            self.__name__ = target.__name__
        if hasattr(target, "__qualname__"):
            self.__qualname__ = target.__qualname__
        if decorator_doc:
            self.__doc__ = decorator_doc
        elif getattr(target, "__doc__", None):
            self.__doc__ = target.__doc__
        else:
            self.__doc__ = ""
        if callable(target):
            self.__wrapped__ = target
            self.__signature__ = _signature(decorator_argspec, target)

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self._decorated_target.__get__(instance, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._decorated_target(*args, **kwargs)

    @property
    def decorated_target(self) -> Any:
        """The function that is decorated."""
        return self._decorated_target

    @decorated_target.setter
    def decorated_target(self, decorated_target: Any) -> None:
        self._decorated_target = decorated_target

    @property
    def decorator_name(self) -> str:
        """The name of the decorator."""
        return self._decorator_name

    @property
    def decorator_doc(self) -> str:
        """The docstring that the decorator gives."""
        return self._decorator_doc

    @property
    def decorator_argspec(self) -> inspect.FullArgSpec | None:
        """The parameters that the decorator gives."""
        return self._decorator_argspec


def _signature(given: inspect.FullArgSpec | None, target: Any) -> inspect.Signature | None:
    """The signature that a decorator gives, or else that of the function."""
    if given is None:
        try:
            return inspect.signature(target)
        except (TypeError, ValueError):
            return None
    kinds, required = inspect.Parameter, len(given.args) - len(given.defaults or ())
    found = [
        kinds(
            name,
            kinds.POSITIONAL_OR_KEYWORD,
            default=kinds.empty if i < required else (given.defaults or ())[i - required],
        )
        for i, name in enumerate(given.args)
    ]
    if given.varargs:
        found.append(kinds(given.varargs, kinds.VAR_POSITIONAL))
    usual = given.kwonlydefaults or {}
    found += [
        kinds(name, kinds.KEYWORD_ONLY, default=usual.get(name, kinds.empty))
        for name in given.kwonlyargs
    ]
    if given.varkw:
        found.append(kinds(given.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(found)


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Any,
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: inspect.FullArgSpec | None = None,
) -> Any:
    """The decorator, with the name and the docstring of what it decorates."""
    if decorator_name is None:
        frame = inspect.currentframe()
        caller = None if frame is None else frame.f_back
        decorator_name = "" if caller is None else caller.f_code.co_name
    made: Any = functools.wraps(target)(decorator_func)
    known = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    made._tf_decorator = known
    if known.__doc__:
        made.__doc__ = known.__doc__
    if decorator_argspec is not None:
        made.__signature__ = known.__signature__
    return made


def rewrap(decorator_func: Any, previous_target: Any, new_target: Any) -> None:
    """Let a decorated function decorate another one in place of the last one."""
    for part in _chain(decorator_func):
        known = part if isinstance(part, TFDecorator) else part._tf_decorator
        if known.decorated_target is previous_target:
            known.decorated_target = new_target
            part.__wrapped__ = new_target
            return


def _chain(value: Any) -> Iterator[Any]:
    """The decorated function, what it decorates where that is decorated, and so on."""
    while isinstance(value, TFDecorator) or hasattr(value, "_tf_decorator"):
        yield value
        known = value if isinstance(value, TFDecorator) else value._tf_decorator
        value = known.decorated_target


def unwrap(maybe_tf_decorator: Any) -> tuple[list[Any], Any]:
    """The decorators of a function, the outermost first, and the function itself."""
    chain = list(_chain(maybe_tf_decorator))
    found = [part if isinstance(part, TFDecorator) else part._tf_decorator for part in chain]
    target = found[-1].decorated_target if found else maybe_tf_decorator
    return found, inspect.unwrap(target) if _is_ours(target) else target


def _is_ours(value: Any) -> bool:
    """Whether it is a function of the library, whose own wrappers are none of its decorators."""
    return str(getattr(value, "__module__", "")).startswith("wengert")
