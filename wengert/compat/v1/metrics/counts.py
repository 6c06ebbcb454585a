"""Metrics that count hits and misses of yes and no: counts, precision, recall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.compat.v1.metrics.kept import aligned, finished, metric, metric_variable, weighted
from wengert.ops.arrays.identity import identity
from wengert.ops.math.arithmetic import div_no_nan
from wengert.ops.math.comparison import equal, logical_and
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values.dtypes import bool_, float32

# Of what is counted: what the label is, and what the prediction is.
KINDS: Final = {
    "true_positives": (True, True),
    "false_negatives": (True, False),
    "true_negatives": (False, False),
    "false_positives": (False, True),
}


def _count_of(kind: str, value: str) -> Callable[..., tuple[Any, Any]]:
    label, prediction = KINDS[kind]

    def function(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        with metric(name, kind):
            found, wanted, given = aligned(predictions, labels, weights)
            is_so = logical_and(
                equal(cast(wanted, bool_), label), equal(cast(found, bool_), prediction)
            )
            hits = cast(is_so, float32)
            count = metric_variable([], name="count")
            new = reduce_sum(hits * weighted(hits, given))
            now, update = identity(count.read_value()), count.assign_add(new)
            return finished(now, update, metrics_collections, updates_collections)

    function.__name__ = function.__qualname__ = kind
    function.__doc__ = f"""How many labels are {label} where the prediction is {prediction}.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.{kind}([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0])
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    {value}
    """
    return function


true_positives = _count_of("true_positives", "2.0")
false_negatives = _count_of("false_negatives", "1.0")
true_negatives = _count_of("true_negatives", "2.0")
false_positives = _count_of("false_positives", "1.0")


def _share(name: str, other: Callable[..., Any], of: str) -> Callable[..., tuple[Any, Any]]:
    def function(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        with metric(name, function.__name__):
            hits, new_hits = true_positives(labels, predictions, weights)
            rest, new_rest = other(labels, predictions, weights)
            value = div_no_nan(hits, hits + rest, name="value")
            update = div_no_nan(new_hits, new_hits + new_rest, name="update_op")
            return finished(value, update, metrics_collections, updates_collections)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The true positives among {of}.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.{name}([1, 1, 0, 0], [1, 0, 1, 0])
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    0.5
    """
    return function


precision = _share("precision", false_positives, "all that is predicted to be positive")
recall = _share("recall", false_negatives, "all that is positive")
