"""Which inputs of a deferred call are only measured: it takes sizes of them, and no values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wengert.core.row import Row
from wengert.inference.deferred_calls import (
    Parts,
    Place,
    Slices,
    Term,
    call_of,
    call_pulled_back,
)
from wengert.values import nest

_Use = tuple[int, bool]  # an input, and whether its values matter


def measured_inputs(row: Row) -> set[int]:
    """The inputs of an operation of which a deferred call takes sizes alone."""
    call = call_of(row)
    return set() if call is None else _measured(*call)


def _measured(function: Any, args: Any, kwargs: Any) -> set[int]:
    uses = list(_uses_of_call(function, args, kwargs))
    return {at for at, _ in uses} - {at for at, by_value in uses if by_value}


def _uses_of_call(function: Any, args: Any, kwargs: Any) -> Iterator[_Use]:
    """The uses of a call. The gradient of a call makes that call, which may measure some of its inputs."""
    pulled = call_pulled_back(function)
    if pulled is None:
        yield from _uses([args, list(kwargs.values())])
        return
    (gs, xs), asked = args
    yield from _uses(gs)
    measured = _measured(*pulled)
    for at, pair in enumerate(zip(xs, asked, strict=True)):
        for index, by_value in _uses(pair):
            yield index, by_value and at not in measured


def _uses(value: Any) -> Iterator[_Use]:
    if type(value) is Place:
        yield value.index, not value.whole_shape
    elif type(value) is Term:
        yield from _uses_of_term(value.said)
    elif type(value) in (Slices, Parts):
        yield from _uses(value.parts)
    elif isinstance(value, slice):
        yield from _uses([value.start, value.stop, value.step])
    elif nest.is_nested(value):
        for part in nest.flatten(value):
            yield from _uses(part)


def _uses_of_term(said: Any) -> Iterator[_Use]:
    """The inputs of a size in words: a number, or a constant and products of atoms."""
    if isinstance(said, int):
        return
    for kind, *parts in [atom for _, atoms in said[1] for atom in atoms]:
        if kind == "input":
            at, _, element = parts
            yield at, element is not None
        else:
            for part in parts:
                yield from _uses_of_term(part)
