"""What other types do for public functions: tf.abs of a ragged tensor, tf.add of a type of yours.

A public function converts what it is given to tensors. Where that fails, since a value is made of
tensors but is none, it asks here whether somebody said what to do. Calls with tensors never come
here, so they cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from wengert.errors import NotATensorError

Function = Callable[..., Any]
Declared = TypeVar("Declared", bound=Function)
# How well a value fits: not at all, or it does, or it is also one for whose sake a call is taken.
NO, FITS, DECIDES = 0, 1, 2
Fits = Callable[[Any], int]

# Functions of each element by itself, of one value or of two, and checks of two.
OF_ONE: Final[set[Function]] = set()
OF_TWO: Final[set[Function]] = set()
CHECKS_OF_TWO: Final[set[Function]] = set()


def of_one(function: Declared) -> Declared:
    """Note that a function treats every element of its first argument by itself."""
    OF_ONE.add(function)
    return function


def of_two(function: Declared) -> Declared:
    """Note that a function treats the elements of two values pair by pair."""
    OF_TWO.add(function)
    return function


def check_of_two(function: Declared) -> Declared:
    """Note that a function checks the elements of two values pair by pair."""
    CHECKS_OF_TWO.add(function)
    return function


class Handler(NamedTuple):
    """What is to be called in place of some public functions."""

    target: Function
    answer: Callable[[Function, Sequence[Any], Mapping[str, Any]], Any]


# Functions that are others under operators of Python's.
SAME_AS: Final[dict[Function, Function]] = {}

# The handlers of one function, of all functions of a set, and of all there are.
_BY_FUNCTION: Final[dict[Function, list[Handler]]] = {}
_BY_SET: Final[list[tuple[set[Function], Handler]]] = []
_OF_ALL: Final[list[Handler]] = []


def add_handler(function: Function, handler: Handler) -> None:
    """Let a handler answer calls of a function; it returns NotImplemented where it does not."""
    _BY_FUNCTION.setdefault(function, []).append(handler)


def add_handler_of_set(functions: set[Function], handler: Handler) -> None:
    """Let a handler answer calls of all functions of a set."""
    _BY_SET.append((functions, handler))


def add_handler_for_all(handler: Handler) -> None:
    """Let a handler answer calls of every function that no other answers."""
    _OF_ALL.append(handler)


def remove_target(target: Function) -> bool:
    """Forget what calls a target; return whether there was anything."""
    before = sum(map(len, _BY_FUNCTION.values())) + len(_BY_SET)
    for function, handlers in list(_BY_FUNCTION.items()):
        _BY_FUNCTION[function] = [h for h in handlers if h.target is not target]
    _BY_SET[:] = [entry for entry in _BY_SET if entry[1].target is not target]
    return before != sum(map(len, _BY_FUNCTION.values())) + len(_BY_SET)


def handlers_of(function: Function) -> list[Handler]:
    """Who may answer calls of a function, in the order in which they are asked."""
    return [
        *_BY_FUNCTION.get(function, ()),
        *[handler for functions, handler in _BY_SET if function in functions],
        *_OF_ALL,
    ]


def answered(
    function: Function, args: Sequence[Any], kwargs: Mapping[str, Any], error: NotATensorError
) -> Any:
    """What a handler returns for a call; the error where none answers."""
    public = SAME_AS.get(function, function)
    for handler in handlers_of(public):
        result = handler.answer(public, args, kwargs)
        if result is not NotImplemented:
            return result
    raise error


def elementwise_of_one(fits: Fits, target: Function) -> Handler:
    """Calls `target(f, x)`, where f is the function of one value, its other arguments given."""

    def answer(function: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        x, args, kwargs = _first_taken(args, kwargs)
        if fits(x) != DECIDES:
            return NotImplemented
        return target(lambda value: function(value, *args, **kwargs), x)

    return Handler(target, answer)


def elementwise_of_two(fits_x: Fits, fits_y: Fits, target: Function) -> Handler:
    """Calls `target(f, x, y)`, where f is the function of two values, its other arguments given."""

    def answer(function: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        x, args, kwargs = _first_taken(args, kwargs)
        y, args, kwargs = _first_taken(args, kwargs)
        fit = fits_x(x), fits_y(y)
        if NO in fit or DECIDES not in fit:
            return NotImplemented
        return target(lambda a, b: function(a, b, *args, **kwargs), x, y)

    return Handler(target, answer)


def _first_taken(
    args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, Sequence[Any], Mapping[str, Any]]:
    """The first argument, and the others."""
    if args:
        return args[0], args[1:], kwargs
    name = next(iter(kwargs), "")
    return kwargs.get(name), args, {k: v for k, v in kwargs.items() if k != name}
