"""Wrappers of public functions, by which a graph may name them, or put them off."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from wengert.core.context import thread
from wengert.errors import LeakedTensorError, NotATensorError
from wengert.inference.example_calls import for_each
from wengert.values.foreign_errors import FOREIGN, told
from wengert.values.typed_calls import answered

Function = TypeVar("Function", bound=Callable[..., Any])


class PublicSignature(inspect.Signature):
    """The signature of a wrapped function as TensorFlow's are: without annotations. Made when it is asked for."""

    __slots__ = ("_function", "_made")
    _return_annotation = inspect.Signature.empty

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._made: Mapping[str, inspect.Parameter] | None = None

    @property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        if self._made is None:
            found = inspect.signature(self._function).parameters
            plain = {n: p.replace(annotation=inspect.Parameter.empty) for n, p in found.items()}
            self._made = plain
        return self._made

    def replace(self, **changes: Any) -> inspect.Signature:  # type: ignore[override]
        """Another signature, with other parameters."""
        return inspect.Signature(list(self._parameters.values())).replace(**changes)

    def __reduce__(self) -> Any:
        return PublicSignature, (self._function,)


OF_FUNCTION: Final = (
    "__wengert_of__"  # the function that another was made of, and how to make it of another one
)


def made_of_function(make: Function) -> Function:
    """A public function that makes a function of the user's into another: autograph makes it again of what it converted."""

    @functools.wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        found = make(*args, **kwargs)

        def again(function: Any) -> Any:
            return made(function, *args[1:], **{k: v for k, v in kwargs.items() if k != "f"})

        vars(found)[OF_FUNCTION] = id(found), args[0] if args else kwargs["f"], again
        return found

    return made  # type: ignore[return-value]


def _by_position(function: Callable[..., Any]) -> tuple[int, tuple[str, ...]]:
    """Where the name is among the parameters that have a position, and what they are called."""
    code = inspect.unwrap(function).__code__
    parameters = code.co_varnames[: code.co_argcount]
    place = parameters.index("name") if "name" in parameters else len(parameters)
    return place, parameters


def deferrable(function: Function) -> Function:
    """A public function that a graph may name, or put off until the shapes are known."""
    place, parameters = _by_position(function)

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        graph = thread.context.building
        try:
            if graph is None:
                return function(*args, **kwargs)
            if place < len(args) <= len(parameters):  # from the name on, pass by keyword
                kwargs.update(zip(parameters[place:], args[place:], strict=False))
                args = args[:place]
            return graph.call(function, args, kwargs)
        except NotATensorError as error:
            if graph is None:
                return answered(public, args, kwargs, error)
            return graph.call(_answering(public, error), args, kwargs)
        except LeakedTensorError as error:
            return for_each(public, args, kwargs, error)
        except FOREIGN as error:
            raise told(error, function, args, kwargs)  # noqa: B904  # the same, or in its place

    public.__signature__ = PublicSignature(function)  # type: ignore[attr-defined]
    return public  # type: ignore[return-value]


def _answering(function: Callable[..., Any], error: NotATensorError) -> Callable[..., Any]:
    """What other types do for a function, as a function that a graph may put off."""

    @functools.wraps(function)
    def answering(*args: Any, **kwargs: Any) -> Any:
        return answered(function, args, kwargs, error)

    return answering


def nameable(function: Function) -> Function:
    """A public function that a graph may name, but not put off."""
    place, parameters = _by_position(function)

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        graph = thread.context.building
        try:
            if graph is None:
                return function(*args, **kwargs)
            if place < len(args) <= len(parameters):
                kwargs.update(zip(parameters[place:], args[place:], strict=False))
                args = args[:place]
            if not isinstance(kwargs.get("name"), str):
                return function(*args, **kwargs)
            return graph.call_named(function, args, kwargs, kwargs["name"])
        except NotATensorError as error:
            return answered(public, args, kwargs, error)
        except FOREIGN as error:
            raise told(error, function, args, kwargs)  # noqa: B904  # the same, or in its place

    public.__signature__ = PublicSignature(function)  # type: ignore[attr-defined]
    return public  # type: ignore[return-value]


def typed(function: Function) -> Function:
    """A public function that other types may answer, and that a graph neither names nor puts off."""

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except NotATensorError as error:
            return answered(public, args, kwargs, error)
        except FOREIGN as error:
            raise told(error, function, args, kwargs)  # noqa: B904  # the same, or in its place

    public.__signature__ = PublicSignature(function)  # type: ignore[attr-defined]
    return public  # type: ignore[return-value]
