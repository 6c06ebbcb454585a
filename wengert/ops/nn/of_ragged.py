"""What functions of neural networks do with ragged tensors: softmax, dropout, embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert.ops.arrays import gathering, identity
from wengert.ops.math import arithmetic, elementwise
from wengert.ops.nn.activations import softmax
from wengert.ops.nn.dropout import dropout
from wengert.ops.nn.embedding import embedding_lookup
from wengert.ops.nn.sparse_embedding import embedding_lookup_sparse, safe_embedding_lookup_sparse
from wengert.ops.ragged.answers import answers, rank_of, with_flat
from wengert.ops.ragged.places import count_of_rows, row_ids
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.reductions import segments
from wengert.values.shapes import normal_axis

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import IntLike, TensorLike


@answers(embedding_lookup)
def _embedding_lookup(
    params: Any, ids: RaggedTensor, max_norm: float | None = None, name: str | None = None
) -> RaggedTensor:
    return with_flat(ids, lambda flat: embedding_lookup(params, flat, max_norm=max_norm))


def _both_sparse(ids: Any, weights: Any) -> tuple[Any, Any]:
    """Ragged ids and weights as sparse ones."""
    if weights is None:
        return ids.to_sparse(), None
    if not (isinstance(ids, RaggedTensor) and isinstance(weights, RaggedTensor)):
        raise TypeError(
            f"sp_ids and sp_weights must be of the same type. Received sp_ids type: "
            f"{type(ids).__name__}, sp_weights type: {type(weights).__name__}."
        )
    return ids.to_sparse(), weights.to_sparse()


@answers(embedding_lookup_sparse)
def _embedding_lookup_sparse(
    params: Any, sp_ids: Any, sp_weights: Any, *others: Any, **named: Any
) -> Tensor:
    return embedding_lookup_sparse(params, *_both_sparse(sp_ids, sp_weights), *others, **named)


@answers(safe_embedding_lookup_sparse)
def _safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    *others: Any,
    **named: Any,
) -> Tensor:
    both = _both_sparse(sparse_ids, sparse_weights)
    return safe_embedding_lookup_sparse(embedding_weights, *both, *others, **named)


@answers(dropout)
def _dropout(
    x: RaggedTensor, rate: TensorLike, noise_shape: object = None, seed: Any = None, **_: Any
) -> RaggedTensor:
    if noise_shape is not None:
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    return with_flat(x, lambda flat: dropout(flat, rate, seed=seed))


@answers(softmax)
def _softmax(
    logits: RaggedTensor, axis: IntLike | None = None, name: str | None = None
) -> RaggedTensor:
    at = normal_axis(-1 if axis is None else int(axis), rank_of(logits))
    if at > logits.ragged_rank:
        inner = at - logits.ragged_rank
        return with_flat(logits, lambda flat: softmax(flat, inner))
    if at != logits.ragged_rank:
        raise NotImplementedError("tf.nn.softmax of a ragged tensor is along its innermost rows.")
    ids = row_ids(logits.nested_row_splits[-1])
    count = count_of_rows(logits.nested_row_splits[-1])
    flat = logits.flat_values
    largest = gathering.gather(segments.unsorted_segment_max(flat, ids, count), ids)
    powers = arithmetic.subtract(flat, identity.stop_gradient(largest))
    raised = elementwise.exp(powers)
    total = gathering.gather(gathering.unsorted_segment_sum(raised, ids, count), ids)
    return logits.with_flat_values(raised / total)
