"""Weighted losses: their reduction to one number, and the collection of a graph's losses."""

from __future__ import annotations

from typing import Any

from wengert.api.session.modes import name_scope
from wengert.api.variables.graph_variable import GraphKeys
from wengert.compat.v1.functions.variables import get_collection
from wengert.core.context import current_graph
from wengert.ops.arrays.creation import size
from wengert.ops.math.arithmetic import add_n, div_no_nan
from wengert.ops.math.comparison import not_equal
from wengert.ops.math.elementwise import cast, ones_like
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values.convert import convert
from wengert.values.dtypes import float32
from wengert.values.tensor import Tensor


class Reduction:
    """How elementwise losses are reduced to one number."""

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """The names of all reductions."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raise unless it is one of them."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


USUAL = Reduction.SUM_BY_NONZERO_WEIGHTS


# ---- the collection ---------------------------------------------------------------------------


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Add a loss to the graph's collection.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.losses.add_loss(tf.constant(1.0))
    ...     len(tf.compat.v1.losses.get_losses())
    1
    """
    graph = current_graph()
    if loss_collection and graph is not None:
        graph.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES) -> list[Any]:
    """The losses collected so far.

    >>> tf.compat.v1.losses.get_losses()
    []
    """
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The losses that regularizers of variables added.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     w = v1.get_variable("w", [2], regularizer=tf.nn.l2_loss)
    ...     len(v1.losses.get_regularization_losses())
    1
    """
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """The sum of the regularization losses; zero without any.

    >>> tf.compat.v1.losses.get_regularization_loss().numpy()
    np.float32(0.0)
    """
    found = get_regularization_losses(scope)
    return add_n(found, name=name) if found else convert(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of all losses that were collected.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     _ = v1.losses.mean_squared_error([0.0], [3.0])
    ...     v1.losses.add_loss(tf.constant(1.0))
    ...     print(v1.Session().run(v1.losses.get_total_loss()))
    10.0
    """
    found = get_losses(scope)
    if add_regularization_losses:
        found += get_regularization_losses(scope)
    return add_n(found, name=name)


# ---- weights ----------------------------------------------------------------------------------


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = USUAL,
) -> Tensor:
    """Losses times weights, reduced to one number, which is added to the collection.

    >>> v1 = tf.compat.v1
    >>> v1.losses.compute_weighted_loss([1.0, 2.0, 3.0], weights=[1.0, 0.0, 1.0]).numpy()
    np.float32(2.0)
    """
    with name_scope(scope, "weighted_loss"):
        return reduce_and_collect(losses, weights, loss_collection, reduction)


def reduce_and_collect(losses: Any, weights: Any, loss_collection: Any, reduction: str) -> Tensor:
    """The reduced loss, which is added to its collection."""
    Reduction.validate(reduction)
    given = convert(losses)
    each, weight = cast(given, float32), cast(convert(weights), float32)
    check_weights(each, weight)
    loss = cast(_reduced(each, weight, reduction), given.dtype)
    add_loss(loss, loss_collection)
    return loss


def check_weights(values: Tensor, weights: Tensor) -> None:
    """Check that weights are scalar, or broadcast to the values along axes of size 1 only."""
    have, wanted = weights.shape, values.shape
    if have.rank in (None, 0) or wanted.rank is None:
        return
    if have.rank != wanted.rank:
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={wanted.rank}. "
            f"weights.rank={have.rank}. values.shape={wanted}. weights.shape={have}. Received "
            f"weights={weights}, values={values}"
        )
    for axis, (a, b) in enumerate(zip(have, wanted, strict=True)):
        if a not in (1, b, None) and b is not None:
            raise ValueError(
                f"weights can not be broadcast to values. Mismatch at dim {axis}. "
                f"values.shape={wanted}, weights.shape={have}. Received weights={weights}, "
                f"values={values}"
            )


def _reduced(losses: Any, weights: Any, reduction: str) -> Any:
    weighted = losses * weights
    if reduction == Reduction.NONE:
        return weighted
    total = reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    everywhere = ones_like(losses) * weights
    if reduction == Reduction.MEAN:
        return div_no_nan(total, reduce_sum(everywhere), name="value")
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return div_no_nan(total, cast(size(losses), float32), name="value")
    present = reduce_sum(cast(not_equal(everywhere, 0.0), float32))
    return div_no_nan(total, present, name="value")
