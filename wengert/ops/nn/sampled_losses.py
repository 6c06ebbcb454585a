"""Losses over many classes, of which only the true ones and a few candidates are computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert.inference.public_functions import deferrable, nameable
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.gathering import scatter_nd
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import expand_dims, reshape
from wengert.ops.linalg.matmul import matmul
from wengert.ops.math.elementwise import cast, log, ones_like, zeros_like
from wengert.ops.nn.activations import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
)
from wengert.ops.nn.embedding import rows_of
from wengert.ops.random.candidates import compute_accidental_hits, log_uniform_candidate_sampler
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import IntLike, TensorLike


@nameable
def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str | None = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: true classes are told from sampled ones, each by itself.

    >>> weights, biases = tf.ones([10, 3]), tf.zeros([10])
    >>> tf.nn.nce_loss(weights, biases, [[2], [5]], tf.ones([2, 3]), 4, 10).shape
    TensorShape([2])
    """
    return contrasted(
        *(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values),
        remove_accidental_hits,
        "div",
    )


@nameable
def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: IntLike | None = None,
    name: str | None = "sampled_softmax_loss",
) -> Tensor:
    """Softmax cross-entropy over the true classes and the sampled ones: quick, for training alone.

    >>> weights, biases = tf.ones([10, 3]), tf.zeros([10])
    >>> tf.nn.sampled_softmax_loss(weights, biases, [[2], [5]], tf.ones([2, 3]), 4, 10).shape
    TensorShape([2])
    """
    return normalized(
        *(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values),
        remove_accidental_hits,
        "div",
        seed,
    )


def contrasted(*arguments: Any) -> Tensor:
    """The loss of noise-contrastive estimation, by the arguments of `_drawn`."""
    return _contrasted(*_drawn(*arguments))


def normalized(*arguments: Any) -> Tensor:
    """The loss of a softmax, by the same arguments."""
    return _normalized(*_drawn(*arguments))


@deferrable
def _contrasted(*arguments: Any) -> Tensor:
    scores, truth = _scores(*arguments)
    return reduce_sum(sigmoid_cross_entropy_with_logits(labels=truth, logits=scores), 1)


@deferrable
def _normalized(*arguments: Any) -> Tensor:
    scores, truth = _scores(*arguments)
    found: Tensor = softmax_cross_entropy_with_logits(labels=stop_gradient(truth), logits=scores)
    return found


def _drawn(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    seed: IntLike | None = None,
) -> tuple[Any, ...]:
    """The arguments of `_scores`, with candidates: they are drawn even where the rest is put off."""
    if sampled_values is None:
        true = cast(convert(labels), dtypes.int64)
        sampled_values = log_uniform_candidate_sampler(
            true, num_true, num_sampled, True, num_classes, seed
        )
    candidates = tuple(sampled_values)
    tables = weights, biases, labels, inputs
    return *tables, num_true, candidates, remove_accidental_hits, partition_strategy


def _scores(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_true: int,
    candidates: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    subtract_log_q: bool = True,
) -> tuple[Tensor, Tensor]:
    """The scores of the true classes and of the sampled ones, (batch, num_true + num_sampled), and the labels.

    What a class is expected is taken off its score, since frequent classes are sampled more often.
    """
    true, x = cast(convert(labels), dtypes.int64), convert(inputs)
    sampled, of_true, of_sampled = (stop_gradient(v) for v in candidates)
    flat, sampled = reshape(true, [-1]), cast(sampled, dtypes.int64)
    # One lookup for both, so that the gradient in the table is one piece.
    ids, count = concat([flat, sampled], 0), shape_of(flat)[0]
    rows = cast(rows_of(weights, ids, partition_strategy), x.dtype)
    offsets = cast(rows_of(biases, ids, partition_strategy), x.dtype)
    own = reshape(rows[:count], [-1, num_true, dims(x)[1]])
    true_scores = reduce_sum(expand_dims(x, 1) * own, 2) + reshape(offsets[:count], [-1, num_true])
    sampled_scores = matmul(x, rows[count:], transpose_b=True) + offsets[count:]
    if remove_accidental_hits:
        sampled_scores = sampled_scores + _ruled_out(true, sampled, num_true, sampled_scores)
    if subtract_log_q:
        true_scores -= log(cast(of_true, x.dtype))
        sampled_scores -= log(cast(of_sampled, x.dtype))
    truth = [ones_like(true_scores) / num_true, zeros_like(sampled_scores)]
    return concat([true_scores, sampled_scores], 1), concat(truth, 1)


def sampled_logits(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = None,
    seed: IntLike | None = None,
) -> tuple[Tensor, Tensor]:
    """The scores and labels of which the sampled losses are made."""
    drawn = _drawn(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, partition_strategy, seed,
    )  # fmt: skip
    arguments: tuple[Any, ...] = (*drawn, subtract_log_q)
    return _scores(*arguments)


def _ruled_out(true: Tensor, sampled: Tensor, num_true: int, scores: Tensor) -> Tensor:
    """What makes a candidate that is a true class as unlikely as can be."""
    found, places, weights = compute_accidental_hits(true, sampled, num_true)
    at = stack([cast(found, dtypes.int64), places], 1)
    shape = shape_of(scores, dtypes.int64)
    rows: Tensor = scatter_nd(at, cast(weights, scores.dtype), shape)
    return rows
