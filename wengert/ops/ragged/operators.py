"""Python's operators on ragged tensors, elementwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert.core.context import current_graph
from wengert.errors import InvalidArgumentError, noted
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import gather
from wengert.ops.control.asserts import assert_equal, same_vectors
from wengert.ops.math.elementwise import cast
from wengert.ops.operators import ALONE, BINARY
from wengert.ops.ragged.conversions import from_tensor
from wengert.ops.ragged.partition_checks import known_splits
from wengert.ops.ragged.places import count_of_rows, row_ids
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.dtypes import int64
from wengert.values.shapes import shape_text
from wengert.values.symbolic import is_certain
from wengert.values.tensor import Tensor, dims, key_of

if TYPE_CHECKING:
    from wengert.values.shapes import Dims

Function = Callable[..., Any]


def elementwise(function: Function, x: Any, y: Any) -> RaggedTensor:
    """A function of two arguments, at least one of which is ragged."""
    like = x if isinstance(x, RaggedTensor) else y
    hint = like.dtype
    left, right = (v if isinstance(v, RaggedTensor) else convert(v, hint=hint) for v in (x, y))
    if isinstance(left, RaggedTensor) and isinstance(right, RaggedTensor):
        left = of_same_rows(left, right)
        return left.with_flat_values(function(left.flat_values, right.flat_values))
    if isinstance(left, RaggedTensor):
        return left.with_flat_values(function(left.flat_values, _spread(left, right)))
    return right.with_flat_values(function(_spread(right, left), right.flat_values))


def of_same_rows(a: RaggedTensor, b: RaggedTensor, said: str | None = None) -> RaggedTensor:
    """The first, after a check, at run time if need be, that both have the same row splits.

    The error begins with what is said of two that differ.
    """
    left, right = a.nested_row_splits, b.nested_row_splits
    fit = len(left) == len(right)
    for p, q in zip(left, right, strict=False):
        left_known, right_known = known_splits(p), known_splits(q)
        if left_known is not None and right_known is not None:
            if left_known.shape == right_known.shape:
                _check_rows(a, b, left_known, right_known, said)
            else:
                fit = False
        elif current_graph() is not None and key_of(p) is not key_of(q):  # known only at run time
            same = same_vectors(cast(p, int64), cast(q, int64))
            message = f"{said or _MISMATCH}: Condition x == y did not hold: the row lengths differ."
            a = a.with_flat_values(bound.provided(a.flat_values, same, message))
    if not fit:
        raise InvalidArgumentError(f"{_MISMATCH}: the row lengths of {a!r} and {b!r} differ.")
    return a


def _check_rows(a: RaggedTensor, b: RaggedTensor, left: Any, right: Any, said: str | None) -> None:
    """Raise as a comparison of the row splits does, unless they are the same."""
    try:
        assert_equal(left, right, said)
    except InvalidArgumentError as error:
        text = f"{_MISMATCH}: the row lengths of {a!r} and {b!r} differ."
        raise noted(error, text) from None


_MISMATCH = "Unable to broadcast: dimension size mismatch in a ragged dimension"


@deferrable
def _spread(r: Any, dense: Any) -> Tensor:
    """A dense operand, broadcast to the values of a ragged one."""
    shape = dims(dense)
    rank = r.ragged_rank + len(dims(r.flat_values))
    inner = len(dims(r.flat_values)) - 1
    if len(shape) <= inner or not shape:
        return convert(dense)
    full = (1,) * (rank - len(shape)) + tuple(shape)
    return _at_values(r, dense[(None,) * (rank - len(shape)) + (...,)], full)


def _at_values(r: RaggedTensor, dense: Tensor, shape: Dims) -> Tensor:
    """Broadcast from the outside in: gather the dense operand's rows by the rows of the values."""
    count, splits = count_of_rows(r.row_splits), r.row_splits
    if is_certain(shape) and shape[0] not in (1, count):
        raise InvalidArgumentError(
            f"Unable to broadcast: {count} rows with a tensor of shape {shape_text(shape)}."
        )
    if shape[1] != 1:
        other = from_tensor(dense) if shape[0] != 1 else None
        if other is None or r.ragged_rank > 1:
            raise InvalidArgumentError(f"{_MISMATCH}: shape {shape_text(shape)} against {r!r}.")
        return of_same_rows(other, r).flat_values
    ids = row_ids(splits)
    rows = dense[:, 0]
    picked = rows if shape[0] == 1 else gather(rows, ids)
    inner = r.values
    if isinstance(inner, RaggedTensor):
        return _at_values(inner, picked, dims(picked))
    return picked


def _binary(function: Function) -> Function:
    return lambda self, other: elementwise(function, self, other)


def _swapped(function: Function) -> Function:
    return lambda self, other: elementwise(function, other, self)


def _unary(function: Function) -> Function:
    return lambda self: self.with_flat_values(function(self.flat_values))


_OF_TWO = {name: function for name, function in BINARY.items() if name != "matmul"}

METHODS: dict[str, Function] = {
    **{f"__{name}__": _binary(function) for name, function in _OF_TWO.items()},
    **{f"__r{name}__": _swapped(function) for name, function in _OF_TWO.items()},
    **{f"__{name}__": _unary(ALONE[name]) for name in ("neg", "abs", "invert")},
    **{f"__{name}__": _binary(ALONE[name]) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
}
