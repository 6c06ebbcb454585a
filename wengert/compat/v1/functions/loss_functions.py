"""The losses of tf.compat.v1.losses."""

from __future__ import annotations

from typing import Any

from wengert.api.session.modes import name_scope
from wengert.api.variables.graph_variable import GraphKeys
from wengert.compat.v1.functions.arguments import one_of
from wengert.compat.v1.functions.weighted_losses import (
    USUAL,
    add_loss,
    check_weights,
    reduce_and_collect,
)
from wengert.ops.arrays.creation import size
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.arrays.shaping import squeeze
from wengert.ops.math.arithmetic import div_no_nan, maximum, minimum, squared_difference
from wengert.ops.math.comparison import not_equal
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.elementwise import cast, log, ones_like, square
from wengert.ops.nn import activations
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values.convert import convert
from wengert.values.dtypes import float32
from wengert.values.tensor import Tensor

# ---- losses -----------------------------------------------------------------------------------


def _floats(first_name: str, first: Any, second_name: str, second: Any) -> tuple[Any, Any]:
    """Two arguments as float32 tensors, after a check that they have the same shape."""
    for name, value in ((first_name, first), (second_name, second)):
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")
    a, b = cast(convert(first), float32), cast(convert(second), float32)
    b.shape.assert_is_compatible_with(a.shape)
    return a, b


def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = USUAL,
) -> Tensor:
    """The mean of |predictions - labels|.

    >>> tf.compat.v1.losses.absolute_difference([1.0, 2.0], [0.0, 4.0]).numpy()
    np.float32(1.5)
    """
    with name_scope(scope, "absolute_difference"):
        wanted, found = _floats("labels", labels, "predictions", predictions)
        return reduce_and_collect(absolute(found - wanted), weights, loss_collection, reduction)


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = USUAL,
) -> Tensor:
    """The mean of (predictions - labels)².

    >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [0.0, 4.0]).numpy()
    np.float32(2.5)
    """
    with name_scope(scope, "mean_squared_error"):
        wanted, found = _floats("labels", labels, "predictions", predictions)
        return reduce_and_collect(
            squared_difference(found, wanted), weights, loss_collection, reduction
        )


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = USUAL,
) -> Tensor:
    """The Huber loss: half the squared error up to delta, linear beyond.

    >>> tf.compat.v1.losses.huber_loss([0.0, 0.0], [1.0, 3.0]).numpy()
    np.float32(1.5)
    """
    with name_scope(scope, "huber_loss"):
        wanted, found = _floats("labels", labels, "predictions", predictions)
        error = absolute(found - wanted)
        curved = minimum(error, delta)
        each = 0.5 * square(curved) + delta * (error - curved)
        return reduce_and_collect(each, weights, loss_collection, reduction)


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = USUAL,
) -> Tensor:
    """max(0, 1 - sign × logit), where the label 1 has the sign +1 and 0 the sign -1.

    >>> tf.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, 0.5]).numpy()
    np.float32(1.0)
    """
    with name_scope(scope, "hinge_loss"):
        wanted, found = _floats("labels", labels, "logits", logits)
        each = maximum(1.0 - (2.0 * wanted - 1.0) * found, 0.0)
        return reduce_and_collect(each, weights, loss_collection, reduction)


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = USUAL,
) -> Tensor:
    """-labels log(predictions + ε) - (1 - labels) log(1 - predictions + ε).

    >>> tf.compat.v1.losses.log_loss([1.0], [0.5]).numpy().round(4)
    np.float32(0.6931)
    """
    with name_scope(scope, "log_loss"):
        wanted, found = _floats("labels", labels, "predictions", predictions)
        each = -wanted * log(found + epsilon) - (1.0 - wanted) * log(1.0 - found + epsilon)
        return reduce_and_collect(each, weights, loss_collection, reduction)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: Any = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = USUAL,
    dim: Any = None,
) -> Tensor:
    """1 - the inner product along an axis, of vectors that must be normalized.

    >>> tf.compat.v1.losses.cosine_distance([[1.0, 0.0]], [[0.6, 0.8]], axis=1).numpy().round(4)
    np.float32(0.4)
    """
    along = one_of("axis", axis, "dim", dim)
    if along is None:
        raise ValueError("You must specify argument `axis`.")
    with name_scope(scope, "cosine_distance_loss"):
        wanted, found = _floats("labels", labels, "predictions", predictions)
        each = 1.0 - reduce_sum(found * wanted, along, True)
        return reduce_and_collect(each, weights, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
) -> Tensor:
    """For each example, the mean over pairs of elements of (their errors' difference)².

    >>> labels, predictions = [[0.0, 0.0]], [[1.0, 3.0]]
    >>> tf.compat.v1.losses.mean_pairwise_squared_error(labels, predictions).numpy()
    np.float32(4.0)
    """
    with name_scope(scope, "mean_pairwise_squared_error"):
        wanted, found = _floats("labels", labels, "predictions", predictions)
        weight = cast(convert(weights), float32)
        error = found - wanted
        check_weights(error, weight)
        axes = list(range(1, len(error.shape)))
        there = cast(not_equal(ones_like(error) * weight, 0.0), float32)
        count = reduce_sum(there, axes, True)
        others = maximum(count - 1.0, 0.0)
        # Over ordered pairs: 2 n Σ e² - 2 (Σ e)², divided by their number n (n - 1).
        squares = div_no_nan(reduce_sum(square(error), axes, True), others)
        crossed = div_no_nan(square(reduce_sum(error, axes, True)), count * others)
        loss = reduce_sum(2.0 * (squares - crossed) * weight)
        add_loss(loss, loss_collection)
        return loss


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = USUAL,
) -> Tensor:
    """The logistic loss; label smoothing moves the labels toward 1/2.

    >>> tf.compat.v1.losses.sigmoid_cross_entropy([1.0], [0.0]).numpy().round(4)
    np.float32(0.6931)
    """
    with name_scope(scope, "sigmoid_cross_entropy_loss"):
        wanted, found = _labelled("multi_class_labels", multi_class_labels, logits)
        if label_smoothing > 0:
            wanted = wanted * (1 - label_smoothing) + 0.5 * label_smoothing
        each = activations.sigmoid_cross_entropy_with_logits(wanted, found)
        return reduce_and_collect(each, weights, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = USUAL,
) -> Tensor:
    """The cross entropy of exclusive classes; smoothing moves the labels toward 1 / classes.

    >>> tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], [[0.0, 0.0]]).numpy().round(4)
    np.float32(0.6931)
    """
    with name_scope(scope, "softmax_cross_entropy_loss"):
        wanted, found = _labelled("onehot_labels", onehot_labels, logits)
        if label_smoothing > 0:
            classes = cast(size(wanted), found.dtype) / cast(size(wanted[:, 0]), found.dtype)
            wanted = wanted * (1 - label_smoothing) + label_smoothing / classes
        each = activations.softmax_cross_entropy_with_logits(stop_gradient(wanted), found)
        return reduce_and_collect(each, weights, loss_collection, reduction)


def _labelled(name: str, labels: Any, logits: Any) -> tuple[Any, Any]:
    """Labels in the dtype of the logits, after a check of their shapes."""
    for what, value in ((name, labels), ("logits", logits)):
        if value is None:
            raise ValueError(f"Argument `{what}` must not be None.")
    found = convert(logits)
    wanted = cast(convert(labels), found.dtype)
    found.shape.assert_is_compatible_with(wanted.shape)
    return wanted, found


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = USUAL,
) -> Tensor:
    """-log(softmax(logits)) at the label of each example.

    >>> tf.compat.v1.losses.sparse_softmax_cross_entropy([0], [[0.0, 0.0]]).numpy().round(4)
    np.float32(0.6931)
    """
    with name_scope(scope, "sparse_softmax_cross_entropy_loss"):
        found, chosen, weight = convert(logits), convert(labels), convert(weights)
        rank = (found.shape.rank or 2) - 1
        if chosen.shape.rank == rank + 1:
            chosen = squeeze(chosen, [-1])
        if weight.shape.rank == rank + 1:
            weight = squeeze(weight, [-1])
        each = activations.sparse_softmax_cross_entropy_with_logits(chosen, found)
        return reduce_and_collect(each, weight, loss_collection, reduction)
