"""tensorflow.python.ops.gen_functional_ops: branches by functions of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.ops.arrays.creation import rank, size
from wengert.ops.control.cond import switch_case
from wengert.ops.math.comparison import not_equal, where
from wengert.ops.reductions.reductions import reduce_any
from wengert.values.convert import convert


def to_bool(input: Any, name: str | None = None) -> Any:
    """The truth of a tensor: of a scalar, that it is not zero and not empty; of others, their size."""
    x = convert(input)
    if x.shape.rank:
        return size(x) > 0
    true = x if x.dtype.name == "bool" else not_equal(x, "" if x.dtype.name == "string" else 0)
    return true if x.shape.rank == 0 else where(rank(x) > 0, size(x) > 0, reduce_any(true))


def case(
    branch_index: Any,
    input: Sequence[Any],
    Tout: Any,
    branches: Sequence[Callable[..., Any]],
    output_shapes: Any = (),
    name: str | None = None,
) -> Any:
    """The results of one of several functions of the same tensors; the last for other indices."""
    given = [convert(x) for x in input]
    functions = [lambda f=f: _listed(f(*given)) for f in branches]
    return switch_case(convert(branch_index), functions)


def _listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]
