"""What public functions do with sparse tensors: those of zero that are zero, and questions of shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wengert.ops.arrays import creation
from wengert.ops.math import complex as complex_
from wengert.ops.math import elementwise
from wengert.ops.nn import activations
from wengert.ops.reductions.reductions import reduce_prod
from wengert.ops.sparse.tensor import SparseTensor
from wengert.ops.special import bessel
from wengert.values import dtypes
from wengert.values.typed_calls import Handler, add_handler

Function = Callable[..., Any]


def _answer(function: Function, target: Function) -> None:
    """Let `target` answer calls of a function whose first argument is a sparse tensor."""

    def answer(_: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        rest = dict(kwargs)
        first = args[0] if args else rest.pop(next(iter(rest), ""), None)
        if not isinstance(first, SparseTensor):
            return NotImplemented
        return target(first, *args[1:], **rest)

    add_handler(function, Handler(target, answer))


def _of_values(function: Function) -> Function:
    """The function of the values alone: where nothing is stored, it gives zero again."""
    return lambda s, *args, **kwargs: s.with_values(function(s.values, *args, **kwargs))


def _shape(input: SparseTensor, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    return elementwise.cast(input.dense_shape, out_type)


def _size(input: SparseTensor, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    return elementwise.cast(reduce_prod(input.dense_shape), out_type)


def _rank(input: SparseTensor, name: str | None = None) -> Any:
    return creation.size(input.dense_shape)


_KEEP_ZEROS = (
    *(getattr(elementwise, n) for n in ("asin", "asinh", "atan", "atanh", "cast", "negative")),
    *(getattr(elementwise, n) for n in ("sin", "sqrt", "square", "tan", "tanh")),
    complex_.abs, complex_.sign, activations.erf, bessel.bessel_i0e, bessel.bessel_i1e,
)  # fmt: skip

for _function in _KEEP_ZEROS:
    _answer(_function, _of_values(_function))
for _function, _target in (
    (creation.shape, _shape),
    (creation.size, _size),
    (creation.rank, _rank),
):
    _answer(_function, _target)
