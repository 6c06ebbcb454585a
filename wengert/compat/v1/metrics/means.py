"""Metrics that are means: of values, of errors, of hits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.compat.v1.metrics.kept import (
    aligned,
    finished,
    floats,
    metric,
    metric_variable,
    weighted,
)
from wengert.ops.math.arithmetic import div_no_nan, squared_difference, subtract
from wengert.ops.math.comparison import equal, less, where
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.elementwise import cast, sqrt, zeros_like
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values.convert import convert
from wengert.values.dtypes import float32


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of all values so far, and the operation that takes in these.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.mean(tf.constant([1.0, 3.0]))
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    2.0
    """
    with metric(name, "mean"):
        given = cast(convert(values), float32)
        total, count = metric_variable([], name="total"), metric_variable([], name="count")
        return _of(given, weights, total, count, None, metrics_collections, updates_collections)


def _of(
    values: Any, weights: Any, total: Any, count: Any, axis: Any, into: Any, updates_into: Any
) -> tuple[Any, Any]:
    each = weighted(values, weights)
    taken = reduce_sum(values * each, axis), reduce_sum(each, axis)
    value = div_no_nan(total.read_value(), count.read_value(), name="value")
    updates = [kept.assign_add(new) for kept, new in zip((total, count), taken, strict=True)]
    return finished(value, div_no_nan(updates[0], updates[1], name="update_op"), into, updates_into)


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of all tensors so far, element by element.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     v1.metrics.mean_tensor(tf.ones([2, 3]))[0].shape.as_list()
    [2, 3]
    """
    with metric(name, "mean"):
        given = cast(convert(values), float32)
        total = metric_variable(given.shape, name="total_tensor")
        count = metric_variable(given.shape, name="count_tensor")
        return _of(given, weights, total, count, (), metrics_collections, updates_collections)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How often predictions are the labels.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.accuracy([1, 2, 3, 4], [1, 2, 3, 0])
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    0.75
    """
    found, wanted, given = aligned(predictions, labels, weights)
    if found.dtype is not wanted.dtype:
        found = cast(found, wanted.dtype)
    hits = cast(equal(found, wanted), float32)
    return mean(hits, given, metrics_collections, updates_collections, name or "accuracy")


def _of_errors(
    name: str, error: Callable[[Any, Any], Any], wanted: str, value: str
) -> Callable[..., tuple[Any, Any]]:
    def function(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        found, expected, given = floats(predictions, labels, weights)
        errors = error(found, expected)
        usual = function.__name__
        return mean(errors, given, metrics_collections, updates_collections, name or usual)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The mean of {wanted}.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.{name}([1.0, 2.0], [2.0, 5.0])
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    {value}
    """
    return function


mean_absolute_error = _of_errors(
    "mean_absolute_error", lambda a, b: absolute(a - b), "|predictions - labels|", "2.0"
)
mean_squared_error = _of_errors(
    "mean_squared_error", squared_difference, "(predictions - labels)²", "5.0"
)


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The root of the mean squared error.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.root_mean_squared_error([0.0, 0.0], [2.0, 2.0])
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    2.0
    """
    value, update = mean_squared_error(
        labels, predictions, weights, None, None, name or "root_mean_squared_error"
    )
    return finished(sqrt(value), sqrt(update), metrics_collections, updates_collections)


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of |predictions - labels| / normalizer, without those whose normalizer is zero.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.mean_relative_error([1.0, 2.0], [2.0, 4.0], [1.0, 2.0])
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    1.0
    """
    found, wanted, given = floats(predictions, labels, weights)
    by = cast(convert(normalizer), float32)
    errors = where(equal(by, 0.0), zeros_like(wanted), div_no_nan(absolute(wanted - found), by))
    usual = name or "mean_relative_error"
    return mean(errors, given, metrics_collections, updates_collections, usual)


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of 1 - labels · predictions along an axis.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.mean_cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], 1)
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    1.0
    """
    found, wanted, given = floats(predictions, labels, weights)
    products = reduce_sum(found * wanted, [dim], keepdims=True)
    value, update = mean(products, given, None, None, name or "mean_cosine_distance")
    return finished(subtract(1.0, value), subtract(1.0, update), metrics_collections, updates_collections)  # fmt: skip


def percentage_below(
    values: Any,
    threshold: float,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of values that are less than a threshold.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.percentage_below([1.0, 2.0, 3.0, 4.0], 2.5)
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update))
    0.5
    """
    below = cast(less(convert(values), threshold), float32)
    usual = name or "percentage_below_threshold"
    return mean(below, weights, metrics_collections, updates_collections, usual)
