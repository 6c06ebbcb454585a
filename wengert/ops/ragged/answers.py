"""How ragged tensors answer public functions: elementwise ones all at once, others one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from wengert.ops.ragged.operators import elementwise
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.values import nest
from wengert.values.tensor import dims
from wengert.values.typed_calls import (
    DECIDES,
    FITS,
    NO,
    OF_ONE,
    OF_TWO,
    Handler,
    add_handler,
    add_handler_of_set,
    elementwise_of_one,
    elementwise_of_two,
)

Function = Callable[..., Any]
Target = TypeVar("Target", bound=Function)


def answers(*functions: Function) -> Callable[[Target], Target]:
    """Let a function with the same parameters answer calls with a ragged tensor in them."""

    def register(target: Target) -> Target:
        def answer(function: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
            given = nest.flatten([*args, *kwargs.values()])
            if not any(isinstance(v, RaggedTensor) for v in given):
                return NotImplemented
            return target(*args, **kwargs)

        for function in functions:
            add_handler(function, Handler(target, answer))
        return target

    return register


def rank_of(r: RaggedTensor) -> int:
    """The number of axes."""
    return r.ragged_rank + len(dims(r.flat_values))


def with_flat(r: RaggedTensor, function: Callable[[Any], Any]) -> RaggedTensor:
    """The same rows with what a function makes of the innermost values."""
    return r.with_flat_values(function(r.flat_values))


def _fits(value: object) -> int:
    if isinstance(value, RaggedTensor):
        return DECIDES
    return NO if nest.is_composite(value) else FITS


add_handler_of_set(OF_ONE, elementwise_of_one(_fits, lambda function, r: with_flat(r, function)))
add_handler_of_set(
    OF_TWO, elementwise_of_two(_fits, _fits, lambda function, x, y: elementwise(function, x, y))
)
