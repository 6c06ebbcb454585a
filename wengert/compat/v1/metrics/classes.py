"""Metrics of several classes: the mean of intersections over unions, and of accuracies."""

from __future__ import annotations

from typing import Any

from wengert.compat.v1.functions.arrays import confusion_matrix
from wengert.compat.v1.metrics.kept import finished, flat, metric, metric_variable, weighted
from wengert.ops.linalg.diagonals import diag_part
from wengert.ops.math.arithmetic import div_no_nan
from wengert.ops.math.comparison import equal, greater, not_equal, where
from wengert.ops.math.elementwise import cast, ones_like
from wengert.ops.reductions.reductions import reduce_mean, reduce_sum
from wengert.values.convert import convert
from wengert.values.dtypes import float32, float64, int64


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean over classes of intersection over union; the update gives the matrix of confusions.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.mean_iou([0, 0, 1, 1], [0, 1, 1, 1], 2)
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update).tolist(), session.run(value).round(4))
    [[1.0, 1.0], [0.0, 2.0]] 0.5833
    """
    with metric(name, "mean_iou"):
        found, wanted = (flat(cast(convert(v), int64)) for v in (predictions, labels))
        given = None if weights is None else flat(cast(convert(weights), float64))
        total = metric_variable([num_classes] * 2, float64, name="total_confusion_matrix")
        new = confusion_matrix(wanted, found, num_classes, dtype=float64, weights=given)
        value = _of_matrix(total.read_value())
        return finished(value, total.assign_add(new), metrics_collections, updates_collections)


def _of_matrix(matrix: Any) -> Any:
    """Classes that occur neither as label nor as prediction do not count."""
    sums = cast(reduce_sum(matrix, 0), float32) + cast(reduce_sum(matrix, 1), float32)
    both = cast(diag_part(matrix), float32)
    either = sums - both
    occurring = reduce_sum(cast(not_equal(either, 0.0), float32))
    shares = both / where(greater(either, 0.0), either, ones_like(either))
    return div_no_nan(reduce_sum(shares), occurring, name="mean_iou")


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean over classes of the accuracy; the update gives that of each class.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.mean_per_class_accuracy([0, 0, 1, 1], [0, 1, 1, 1], 2)
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update).tolist(), session.run(value))
    [0.5, 1.0] 0.75
    """
    with metric(name, "mean_accuracy"):
        found, wanted = (flat(cast(convert(v), int64)) for v in (predictions, labels))
        hits = cast(equal(found, wanted), float32)
        each = weighted(hits, None if weights is None else flat(convert(weights)))
        total = metric_variable([num_classes], name="total")
        count = metric_variable([num_classes], name="count")
        value = reduce_mean(
            div_no_nan(count.read_value(), total.read_value()), name="mean_accuracy"
        )
        seen = total.assign_add(_by_class(each, wanted, num_classes))
        right = count.assign_add(_by_class(hits * each, wanted, num_classes))
        update = div_no_nan(right, seen, name="update_op")
        return finished(value, update, metrics_collections, updates_collections)


def _by_class(values: Any, classes: Any, count: int) -> Any:
    rows = confusion_matrix(classes, classes, count, dtype=float32, weights=values)
    return diag_part(rows)
