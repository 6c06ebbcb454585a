"""Embedding lookups with sparse ids: rows of a table, combined."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from wengert.errors import NotATensorError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.shaping import reshape
from wengert.ops.math.arithmetic import div_no_nan
from wengert.ops.math.comparison import greater, greater_equal, logical_and, where
from wengert.ops.math.elementwise import cast, ones_like, sqrt, zeros_like
from wengert.ops.nn.embedding import rows_of
from wengert.ops.reductions.segments import segment_sum
from wengert.ops.reductions.unique import unique
from wengert.ops.sparse.places import places_where
from wengert.ops.sparse.shaping import fill_empty_rows, pick_values
from wengert.ops.sparse.shaping import reshape as reshape_sparse
from wengert.ops.sparse.tensor import SparseTensor, sparse
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import IntLike, TensorLike

COMBINERS = ("mean", "sqrtn", "sum")


def _combiner(value: str | None) -> str:
    combiner = "mean" if value is None else value
    if combiner not in COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    return str(combiner)


def _sparse(value: Any) -> SparseTensor:
    """Ids or weights; other types that are made of tensors may say what a lookup does with them."""
    if isinstance(value, Composite) and not isinstance(value, SparseTensor):
        raise NotATensorError(value, "Ids and weights must be sparse")
    return sparse(value)


@deferrable
def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: SparseTensor,
    sp_weights: SparseTensor | None,
    combiner: str | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Look up sparse ids in an embedding table; combine each row by "mean", "sum" or "sqrtn".

    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 1], [2, 2])
    >>> tf.nn.embedding_lookup_sparse(tf.constant([[2.0], [4.0]]), ids, None).numpy().tolist()
    [[3.0], [4.0]]
    """
    return combined_rows(params, sp_ids, sp_weights, "div", combiner, max_norm)


def combined_rows(
    params: TensorLike,
    sp_ids: SparseTensor,
    sp_weights: SparseTensor | None,
    partition_strategy: str,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> Tensor:
    """The same for any of the two strategies by which rows are dealt to the parts of a table."""
    how = _combiner(combiner)
    ids = _sparse(sp_ids)
    # Each row once: the gradient has one row for an id, however often it occurs.
    distinct, place = unique(ids.values)
    rows = gather(rows_of(params, distinct, partition_strategy, max_norm), place)
    segments = ids.indices[:, 0]
    if sp_weights is None:
        weights = ones_like(cast(ids.values, rows.dtype))
    else:
        given = _sparse(sp_weights)
        ids.values.shape.assert_is_compatible_with(given.values.shape)
        weights = cast(given.values, rows.dtype)
    spread = reshape(weights, (-1,) + (1,) * (len(dims(rows)) - 1))
    total = segment_sum(rows * spread, segments)
    if how == "mean":
        total = div_no_nan(total, segment_sum(spread, segments))
    elif how == "sqrtn":
        total = div_no_nan(total, sqrt(segment_sum(spread * spread, segments)))
    return total


@deferrable
def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: SparseTensor,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: IntLike | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`tf.nn.embedding_lookup_sparse` that leaves out ids below zero.

    A row without ids gives the row `default_id` of the table, or zeros.

    >>> ids = tf.SparseTensor([[0, 0], [2, 0]], [1, -1], [3, 1])
    >>> tf.nn.safe_embedding_lookup_sparse(tf.constant([[2.0], [4.0]]), ids).numpy().tolist()
    [[4.0], [0.0], [0.0]]
    """
    return safely_combined_rows(
        embedding_weights, sparse_ids, sparse_weights, "div", combiner, default_id, max_norm
    )


def safely_combined_rows(
    embedding_weights: TensorLike,
    sparse_ids: SparseTensor,
    sparse_weights: Any,
    partition_strategy: str,
    combiner: str = "mean",
    default_id: IntLike | None = None,
    max_norm: float | None = None,
) -> Tensor:
    """The same for any of the two strategies."""
    ids = _sparse(sparse_ids)
    shape = ids.dims
    flat = (math.prod(shape[:-1]), shape[-1])
    ids = reshape_sparse(ids, flat)
    weights = None
    if sparse_weights is not None:
        weights = reshape_sparse(_sparse(sparse_weights), flat)
    ids, weights = _pruned(ids, weights, combiner)
    ids, empty = fill_empty_rows(ids, convert(default_id or 0, ids.dtype))
    if weights is not None:
        weights = fill_empty_rows(weights, 1.0)[0]
    found = combined_rows(embedding_weights, ids, weights, partition_strategy, combiner, max_norm)
    if default_id is None:
        mask = reshape(empty, (-1,) + (1,) * (len(dims(found)) - 1))
        found = where(mask, zeros_like(found), found)
    return reshape(found, (*shape[:-1], *dims(found)[1:]))


def _pruned(
    ids: SparseTensor, weights: SparseTensor | None, combiner: str
) -> tuple[SparseTensor, SparseTensor | None]:
    """Remove invalid ids, and those without weight if the weights are divided by."""
    valid = greater_equal(ids.values, zeros_like(ids.values))
    if weights is not None and combiner != "sum":
        valid = logical_and(valid, greater(weights.values, zeros_like(weights.values)))
    kept = places_where(valid)
    return pick_values(ids, kept), None if weights is None else pick_values(weights, kept)
