"""What a public function states of its result's shape, for when a call of it is put off.

Guesses reveal ranks, and never sizes. A function whose result has sizes that follow from known
arguments alone says so by a rule, which takes those of its arguments that it reads, by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import numpy as np

from wengert.inference.symbolic_integers import integers_of
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import SymbolicTensor

Function = TypeVar("Function", bound=Callable[..., Any])
# None: of unknown rank; None in it: an unknown size.
Stated: TypeAlias = tuple[int | None, ...] | None


def states(rule: Callable[..., Stated]) -> Callable[[Function], Function]:
    """Decorate a function with a rule for the shape of its result."""

    def stating(function: Function) -> Function:
        function.stated_shape = rule  # type: ignore[attr-defined]
        return function

    return stating


def stated_shape(function: Callable[..., Any], args: Any, kwargs: Any) -> Stated:
    """What a function states of the shape of its result for some arguments."""
    rule = getattr(function, "stated_shape", None)
    if rule is None:
        return None
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    found: Stated = rule(*[bound.arguments[name] for name in inspect.signature(rule).parameters])
    return found


def in_agreement(stated: Stated, known: Any) -> Any:
    """A shape with the stated sizes in place of those that are unknown in it."""
    if stated is None:
        return known
    if known is None:
        return stated
    if len(stated) != len(known):
        return known
    return tuple([b if a is None else a for a, b in zip(stated, known, strict=True)])


def sizes_of(value: Any) -> Stated:
    """The shape of an argument, with None for what is known only at run time."""
    if isinstance(value, (list, tuple)):  # its elements may be sizes that are known at run time
        inner = sizes_of(value[0]) if len(value) else ()
        return None if inner is None else (len(value), *inner)
    shape = TensorShape(getattr(value, "shape", ()))
    return None if shape.rank is None else tuple(shape)


def sizes_of_alike(values: Any) -> Stated:
    """The shape of arguments that have the same: what is known of any of them."""
    found: Stated = None
    for value in values if isinstance(values, (list, tuple)) else ():
        found = in_agreement(found, sizes_of(value))
    return found


def number_of(value: Any) -> int | None:
    """An integer argument, if it is known."""
    known = getattr(value, "_known", value)
    return int(known) if isinstance(known, (int, np.integer, np.ndarray)) else None


def numbers_of(value: Any) -> list[int | None] | None:
    """The integers of an argument that is a list of them; None if their number is unknown."""
    if isinstance(value, SymbolicTensor):
        found = integers_of(value)
        value = value._known if found is None else found
    if isinstance(value, (list, tuple, np.ndarray, TensorShape)):
        return [number_of(part) for part in value]
    shape = sizes_of(value)
    return [None] * shape[0] if shape and shape[0] is not None else None


def numbers_as_shape(value: Any) -> Stated:
    """The shape that an argument says."""
    found = numbers_of(value)
    return None if found is None else tuple(found)


def scaled_shape(shape: Any, *scales: Any) -> Stated:
    """The same of what is multiplied by numbers, or by arrays that cannot make it larger."""
    found = numbers_as_shape(shape)
    sizes = [sizes_of(x) for x in scales if x is not None]
    if found is None or any(s is None or len(s) > len(found) or set(s) - {1} for s in sizes):
        return None
    return found
