"""Metrics of the k classes that are predicted first: how many are right, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.compat.v1.functions.weighted_losses import check_weights
from wengert.compat.v1.metrics.kept import finished, metric, metric_variable
from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.shaping import expand_dims
from wengert.ops.linalg.diagonals import band_part
from wengert.ops.math.arithmetic import div_no_nan, divide, minimum
from wengert.ops.math.comparison import equal, logical_and
from wengert.ops.math.elementwise import cast, logical_not, ones_like
from wengert.ops.reductions.cumulative import cumsum
from wengert.ops.reductions.reductions import reduce_any, reduce_sum
from wengert.ops.reductions.sorting import top_k
from wengert.ops.sparse.math import to_dense
from wengert.ops.sparse.tensor import SparseTensor, SparseTensorValue
from wengert.values.convert import convert
from wengert.values.dtypes import float64, int64

# Stands where a row of sparse labels has no more of them.
NONE: Final = np.iinfo(np.int64).min


def _classes(labels: Any, predictions: Any) -> Any:
    """The labels of each example along the last axis, as dense as the predictions are."""
    if isinstance(labels, SparseTensorValue):
        labels = SparseTensor.from_value(labels)
    if isinstance(labels, SparseTensor):
        given = to_dense(
            SparseTensor(labels.indices, cast(labels.values, int64), labels.dense_shape), NONE
        )
    else:
        given = cast(convert(labels), int64)
    rank, wanted = given.shape.rank, predictions.shape.rank
    return expand_dims(given, -1) if None not in (rank, wanted) and rank == wanted - 1 else given


def _first(values: Any) -> Any:
    """Which elements of rows occur in them for the first time."""
    same = equal(expand_dims(values, -1), expand_dims(values, -2))
    earlier = cast(band_part(cast(same, int64), -1, 0), int64)
    return equal(reduce_sum(earlier, -1), 1)


def _among(values: Any, others: Any) -> Any:
    """Which elements of rows are among those of other rows."""
    return reduce_any(equal(expand_dims(values, -1), expand_dims(others, -2)), -1)


def _counted(chosen: Any, values: Any, class_id: Any) -> Any:
    """How many elements of each row are chosen; of one class, or of all."""
    if class_id is not None:
        chosen = logical_and(chosen, equal(values, cast(convert(class_id), int64)))
    return reduce_sum(cast(chosen, float64), -1)


def _hits(found: Any, wanted: Any, class_id: Any) -> Any:
    return _counted(logical_and(_first(found), _among(found, wanted)), found, class_id)


def _wrong(found: Any, wanted: Any, class_id: Any) -> Any:
    other = logical_and(_first(found), logical_not(_among(found, wanted)))
    return _counted(other, found, class_id)


def _missed(found: Any, wanted: Any, class_id: Any) -> Any:
    there = logical_and(_first(wanted), logical_not(equal(wanted, NONE)))
    return _counted(logical_and(there, logical_not(_among(wanted, found))), wanted, class_id)


def _kept(each: Any, weights: Any, name: str) -> tuple[Any, Any]:
    """The sum so far, and the operation that adds what is counted of these examples."""
    if weights is not None:
        given = cast(convert(weights), float64)
        check_weights(each, given)
        each = each * given
    total = metric_variable([], float64, name=name)
    return identity(total.read_value()), total.assign_add(reduce_sum(each))


def _at(name: str, k: Any, class_id: Any) -> str:
    of_class = "" if class_id is None else f"_class{class_id}"
    return f"{name}_at_{'k' if k is None else k}{of_class}"


EXAMPLE = """
    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.{call}
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    {value}
"""
FOUND = "tf.constant([[0.1, 0.3, 0.6], [0.5, 0.4, 0.1]])"


def _share(
    title: str, rest: Callable[..., Any], rest_name: str, says: str, values: tuple[str, str]
) -> Any:
    """Two metrics, of the k first classes by their number and by scores."""

    def of_classes(
        labels: Any,
        predictions_idx: Any,
        k: Any = None,
        class_id: Any = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        with metric(name, _at(title, k, class_id)):
            found = cast(convert(predictions_idx), int64)
            wanted = _classes(labels, found)
            both = [
                _kept(count(found, wanted, class_id), weights, _at(what, k, class_id))
                for count, what in ((_hits, "true_positive"), (rest, rest_name))
            ]
            (hits, new_hits), (others, new_others) = both
            now = divide(hits, hits + others)
            update = divide(new_hits, new_hits + new_others)
            return finished(now, update, metrics_collections, updates_collections)

    def of_scores(
        labels: Any,
        predictions: Any,
        k: Any,
        class_id: Any = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        _, first = top_k(predictions, k)
        into = metrics_collections, updates_collections
        return of_classes(labels, first, k, class_id, weights, *into, name)

    of_classes.__name__ = of_classes.__qualname__ = f"{title}_at_top_k"
    of_scores.__name__ = of_scores.__qualname__ = f"{title}_at_k"
    calls = (
        f"{title}_at_top_k([[2], [1]], [[2, 1], [0, 2]])",
        f"{title}_at_k([[2], [1]], {FOUND}, 1)",
    )
    for function, call, value in zip((of_classes, of_scores), calls, values, strict=True):
        example = EXAMPLE.format(call=call, value=value)
        function.__doc__ = f"{says}\n{example}    "
    return of_classes, of_scores


recall_at_top_k, recall_at_k = _share(
    "recall",
    _missed,
    "false_negative",
    "The share of the labels that are among the classes predicted first.",
    ("0.5", "0.5"),
)
precision_at_top_k, precision_at_k = _share(
    "precision",
    _wrong,
    "false_positive",
    "The share of the classes predicted first that are labels.",
    ("0.25", "0.5"),
)


def sparse_precision_at_k(
    labels: Any,
    predictions: Any,
    k: Any,
    class_id: Any = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The former name of `precision_at_k`.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.sparse_precision_at_k([[1]], [[0.1, 0.9]], 1)
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    1.0
    """
    result: tuple[Any, Any] = precision_at_k(
        labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )
    return result


def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean over examples of the precision at each place where a label is found.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.average_precision_at_k([[1], [0]], [[0.1, 0.9], [0.2, 0.8]], 2)
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    0.75
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    with metric(name, _at("average_precision", k, None)):
        found = cast(top_k(predictions, k)[1], int64)
        wanted = _classes(labels, found)
        there = logical_and(wanted >= 0, wanted < cast(shape(convert(predictions))[-1], int64))
        if isinstance(labels, SparseTensor):  # each of them counts once
            there = logical_and(there, _first(wanted))
        count = minimum(reduce_sum(cast(there, float64), -1), cast(convert(k), float64))
        each = _precisions(found, wanted) / count
        most, new_most = _kept(identity(ones_like(each), name="max"), weights, "max")
        total, new_total = _kept(each, weights, "total")
        return finished(
            div_no_nan(total, most, name="mean"),
            div_no_nan(new_total, new_most, name="update"),
            metrics_collections,
            updates_collections,
        )


def _precisions(found: Any, wanted: Any) -> Any:
    """The sum of the precisions at the places where a label is found."""
    relevant = cast(_among(found, wanted), float64)
    places = cumsum(ones_like(relevant), -1)
    return reduce_sum(cumsum(relevant, -1) / places * relevant, -1)


def sparse_average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The former name of `average_precision_at_k`.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.sparse_average_precision_at_k([[1]], [[0.1, 0.9]], 1)
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    1.0
    """
    return average_precision_at_k(
        labels, predictions, k, weights, metrics_collections, updates_collections, name
    )
