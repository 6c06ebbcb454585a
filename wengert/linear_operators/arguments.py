"""Parameters and arguments of linear operators: their dtypes, their sizes, their batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.errors import SymbolicValueError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import broadcast_to
from wengert.ops.linalg import solving
from wengert.ops.linalg.triangular import cholesky, cholesky_solve
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.sizes import common_shape
from wengert.values.tensor import dims

DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def as_parameter(value: Any, name: str, dtype: Any = None) -> Any:
    """A parameter: a variable unchanged, anything else as a tensor, of a dtype for matrices."""
    tensor = value if isinstance(value, Variable) else convert(value, dtype)
    if tensor.dtype.name not in DTYPES:
        raise TypeError(
            f"Argument `{name}` must have dtype in {', '.join(DTYPES)}. Received: "
            f"{tensor.dtype.name}."
        )
    return tensor


def sizes(value: Any) -> list[Any]:
    """The sizes of a parameter, in a graph symbolic ones where they are not known yet."""
    return list(dims(value.value() if isinstance(value, Variable) else value))


def common_batch(*batches: Sequence[Any]) -> list[Any]:
    """The batch axes to which several broadcast."""
    if all(type(size) is int for batch in batches for size in batch):
        return list(np.broadcast_shapes(*[tuple(b) for b in batches]))
    found = list(common_shape(batches, "LinearOperator"))
    if None in found:
        raise SymbolicValueError(f"Whether the batch axes {batches} broadcast is not known yet.")
    return found


@deferrable
def broadcast_batches(matrices: Sequence[Any]) -> list[Any]:
    """Matrices, broadcast to the batch axes that they have in common."""
    batch = common_batch(*[sizes(x)[:-2] for x in matrices])
    return [
        x if sizes(x)[:-2] == batch else broadcast_to(x, (*batch, *sizes(x)[-2:])) for x in matrices
    ]


@deferrable
def solve_broadcast(a: Any, b: Any, adjoint: bool, hermitian: bool = False) -> Any:
    """The solution of linear systems whose batch axes broadcast."""
    a, b = broadcast_batches([a, b])
    return cholesky_solve(cholesky(a), b) if hermitian else solving.solve(a, b, adjoint)


def is_in_blocks(counts: Sequence[int | None], x: Any, axis: int) -> bool:
    """Whether an argument is a list of blocks, of these sizes, rather than a nested list of numbers."""
    if not isinstance(x, (list, tuple)) or len(x) != len(counts):
        return False
    if not any(isinstance(part, (list, tuple)) for part in x):
        return True
    given = [convert(part).shape for part in x]
    if any((shape.rank or 0) < -axis for shape in given):
        return False
    if list(counts) == [shape[axis] for shape in given]:
        return True
    if None in counts:
        raise ValueError(
            "Argument `arg` is not blockwise: its input structure is ambiguous, as the sizes of the "
            "blocks are not known yet. Give a tensor, or a list of tensors."
        )
    total = sum(count or 0 for count in counts)
    if convert(x).shape[axis] != total:
        raise ValueError(
            f"Input dimension does not match operator dimension: {x!r} is neither of {total} rows "
            f"nor a list of blocks of {list(counts)} rows."
        )
    return False
