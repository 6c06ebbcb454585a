"""What sparse tensors answer public functions: those that keep zeros are of the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from wengert.ops.arrays.creation import rank, shape, size
from wengert.ops.math import complex as complex_numbers
from wengert.ops.math import elementwise
from wengert.ops.math.arithmetic import divide
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_prod
from wengert.ops.sparse.tensor import SparseTensor
from wengert.ops.special.bessel import bessel_i0e, bessel_i1e
from wengert.values.dtypes import int32
from wengert.values.typed_calls import Handler, add_handler

Function = Callable[..., Any]


def of_values(function: Function, x: SparseTensor, *args: Any, **kwargs: Any) -> SparseTensor:
    """What a function that keeps zeros makes of the values."""
    kwargs.pop("name", None)
    values = function(x.values, *args, **kwargs)
    return SparseTensor._of(x.indices, values, x.dense_shape, x._known)


def _shape(_: Function, x: SparseTensor, out_type: Any = int32, name: str | None = None) -> Any:
    return cast(x.dense_shape, out_type or int32)


def _size(_: Function, x: SparseTensor, out_type: Any = int32, name: str | None = None) -> Any:
    return cast(reduce_prod(x.dense_shape), out_type or int32)


def _rank(_: Function, x: SparseTensor, name: str | None = None) -> Any:
    return size(x.dense_shape)


_ANSWERS: Final[dict[Function, Function]] = {
    **dict.fromkeys(
        (
            cast,
            complex_numbers.abs,
            elementwise.asin,
            elementwise.asinh,
            elementwise.atan,
            elementwise.atanh,
            elementwise.negative,
            elementwise.sin,
            elementwise.tan,
            complex_numbers.sign,
            elementwise.square,
            elementwise.sqrt,
            elementwise.tanh,
            bessel_i0e,
            bessel_i1e,
        ),
        of_values,
    ),
    shape: _shape,
    size: _size,
    rank: _rank,
    divide: lambda _, x, y, name=None: x / y,
}


def answer_with(function: Function, target: Function) -> None:
    """Let `target(function, x, ...)` answer calls of a function with a sparse tensor."""

    def answer(called: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        given = list(args) or [kwargs.get("x", kwargs.get("input"))]
        if not isinstance(given[0], SparseTensor):
            return NotImplemented
        named = {k: v for k, v in kwargs.items() if k not in ("x", "input")}
        return target(called, given[0], *given[1:], **named)

    add_handler(function, Handler(target, answer))


for _function, _target in _ANSWERS.items():
    answer_with(_function, _target)
