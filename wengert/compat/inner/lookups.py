"""Rows of tables, through functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.ops.nn.embedding import rows_of
from wengert.values.convert import convert

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import TensorLike


def transformed_rows(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    max_norm: float | None = None,
    transform_fn: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """Rows of a table, through a function that takes some rows and gives a value for each."""
    if transform_fn is None:
        return rows_of(params, ids, partition_strategy, max_norm)
    index = convert(ids)
    rows = transform_fn(rows_of(params, reshape(index, [-1]), partition_strategy, max_norm))
    return reshape(rows, concat([shape(index), shape(rows)[1:]], 0))
