"""Metrics of probabilities, which thresholds make positive or negative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.compat.v1.metrics.counts import KINDS
from wengert.compat.v1.metrics.kept import finished, flat, floats, metric, metric_variable, weighted
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.slicing import reverse
from wengert.ops.control.asserts import assert_greater_equal, assert_less_equal
from wengert.ops.control.effects import with_dependencies
from wengert.ops.math.arithmetic import div_no_nan, maximum, minimum
from wengert.ops.math.comparison import equal, greater, logical_and, where
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.elementwise import cast, log, ones_like
from wengert.ops.reductions.reductions import argmin, reduce_sum
from wengert.values.convert import convert
from wengert.values.dtypes import bool_, float32

_TINY = 1e-7
Counts = dict[str, Any]


def _counted(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any, kinds: Sequence[str]
) -> tuple[Counts, Counts]:
    """Of each kind of hit and miss, the counts at each threshold: those so far, and their updates."""
    found, wanted, given = floats(predictions, labels, weights)
    low = assert_greater_equal(found, 0.0, message="predictions must be in [0, 1]")
    high = assert_less_equal(found, 1.0, message="predictions must be in [0, 1]")
    found = with_dependencies([low, high], found)
    each = flat(weighted(found, given))
    limits = convert(np.reshape(np.asarray(thresholds, np.float32), (-1, 1)))
    above, true = greater(flat(found), limits), cast(flat(wanted), bool_)
    kept: Counts = {}
    updates: Counts = {}
    for kind in kinds:
        label, prediction = KINDS[kind]
        hits = cast(logical_and(equal(true, label), equal(above, prediction)), float32)
        count = metric_variable([len(thresholds)], name=kind)
        kept[kind] = count.read_value()
        updates[kind] = count.assign_add(reduce_sum(hits * each, 1))
    return kept, updates


def _even(count: int) -> list[float]:
    """Thresholds from just below 0 to just above 1."""
    inner = [(i + 1) / (count - 1) for i in range(count - 2)]
    return [0.0 - _TINY, *inner, 1.0 + _TINY]


# ---- the area below a curve -------------------------------------------------------------------


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> tuple[Any, Any]:
    """The area below the curve of true over false positives (ROC), or of precision over recall (PR).

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.auc([0.0, 1.0, 1.0], [0.1, 0.4, 0.9])
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.0
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    if summation_method not in _AREAS:
        raise ValueError(f"Invalid summation_method: {summation_method}")
    with metric(name, "auc"):
        limits = _even(num_thresholds) if thresholds is None else [
            0.0 - _TINY, *sorted(thresholds), 1.0 + _TINY,
        ]  # fmt: skip
        kept, updates = _counted(labels, predictions, limits, weights, list(KINDS))

        def area(counts: Counts) -> Any:
            if curve == "PR" and summation_method == "careful_interpolation":
                return _interpolated(counts)
            return _AREAS[summation_method](*_curve(counts, curve))

        return finished(area(kept), area(updates), metrics_collections, updates_collections)


def _curve(counts: Counts, curve: str) -> tuple[Any, Any]:
    """Points of a curve; a little is added, so that nothing is divided by zero."""
    tp, fn, tn, fp = (counts[kind] for kind in KINDS)
    little = 1e-6
    recall = (tp + little) / (tp + fn + little)
    if curve == "ROC":
        return fp / (fp + tn + little), recall
    return recall, (tp + little) / (tp + fp + little)


def _area(height: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: reduce_sum((x[:-1] - x[1:]) * height(y[:-1], y[1:]))


_AREAS = {
    "trapezoidal": _area(lambda a, b: (a + b) / 2.0),
    "careful_interpolation": _area(lambda a, b: (a + b) / 2.0),
    "minoring": _area(minimum),
    "majoring": _area(maximum),
}


def _interpolated(counts: Counts) -> Any:
    """Precision between two thresholds, if true positives grow evenly with all positives.

    The integral of (slope × p + intercept) / p over true positives is a logarithm of the ratio of
    positives (Davis and Goadrich, 2006).
    """
    tp, fn, _, fp = (counts[kind] for kind in KINDS)
    p = tp + fp
    growth = tp[:-1] - tp[1:]
    slope = div_no_nan(growth, maximum(p[:-1] - p[1:], 0.0))
    intercept = tp[1:] - slope * p[1:]
    both = logical_and(greater(p[:-1], 0.0), greater(p[1:], 0.0))
    ratio = where(both, div_no_nan(p[:-1], maximum(p[1:], 0.0)), ones_like(p[1:]))
    pieces = slope * (growth + intercept * log(ratio))
    return reduce_sum(div_no_nan(pieces, maximum(tp[1:] + fn[1:], 0.0)))


# ---- at thresholds ----------------------------------------------------------------------------


def _at_thresholds(
    name: str,
    scope: str,
    kinds: list[str],
    value: Callable[[Counts], Any],
    words: str,
    example: str,
) -> Callable[..., tuple[Any, Any]]:
    def function(
        labels: Any,
        predictions: Any,
        thresholds: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        with metric(name, scope):
            kept, updates = _counted(labels, predictions, thresholds, weights, kinds)
            return finished(value(kept), value(updates), metrics_collections, updates_collections)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{words} at each threshold.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.{name}([1, 0, 1], [0.9, 0.6, 0.2], [0.5, 0.8])
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update).round(2).tolist())
    {example}
    """
    return function


def _counts_at(kind: str, example: str) -> Callable[..., tuple[Any, Any]]:
    words = f"The {kind.replace('_', ' ')}"
    return _at_thresholds(
        f"{kind}_at_thresholds", kind, [kind], lambda counts: counts[kind], words, example
    )


def _share_at(name: str, other: str, words: str, example: str) -> Callable[..., tuple[Any, Any]]:
    def share(counts: Counts) -> Any:
        hits = counts["true_positives"]
        return hits / (hits + counts[other] + _TINY)

    kinds = ["true_positives", other]
    full = f"{name}_at_thresholds"
    return _at_thresholds(full, full, kinds, share, words, example)


true_positives_at_thresholds = _counts_at("true_positives", "[1.0, 1.0]")
false_negatives_at_thresholds = _counts_at("false_negatives", "[1.0, 1.0]")
true_negatives_at_thresholds = _counts_at("true_negatives", "[0.0, 1.0]")
false_positives_at_thresholds = _counts_at("false_positives", "[1.0, 0.0]")
precision_at_thresholds = _share_at("precision", "false_positives", "The precision", "[0.5, 1.0]")
recall_at_thresholds = _share_at("recall", "false_negatives", "The recall", "[0.5, 0.5]")


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of positives found, at the threshold whose specificity is nearest.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.sensitivity_at_specificity([0, 1, 1], [0.3, 0.2, 0.9], 1.0)
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.5
    """
    _check_share("specificity", specificity)

    def best(counts: Counts) -> Any:
        tp, fn, tn, fp = (counts[kind] for kind in KINDS)
        at = argmin(absolute(tn / (tn + fp + _TINY) - specificity), 0)
        return gather(tp, at) / (gather(tp, at) + gather(fn, at) + _TINY)

    with metric(name, "sensitivity_at_specificity"):
        kept, updates = _counted(labels, predictions, _even(num_thresholds), weights, list(KINDS))
        return finished(best(kept), best(updates), metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of negatives recognized, at the threshold whose sensitivity is nearest.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     value, update = v1.metrics.specificity_at_sensitivity([0, 1, 1], [0.3, 0.4, 0.9], 0.5)
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.0
    """
    _check_share("sensitivity", sensitivity)

    def best(counts: Counts) -> Any:
        tp, fn, tn, fp = (counts[kind] for kind in KINDS)
        far = absolute(tp / (tp + fn + _TINY) - sensitivity)
        at = num_thresholds - 1 - argmin(reverse(far, [0]), 0)  # the last of those that are nearest
        return gather(tn, at) / (gather(tn, at) + gather(fp, at) + _TINY)

    with metric(name, "specificity_at_sensitivity"):
        kept, updates = _counted(labels, predictions, _even(num_thresholds), weights, list(KINDS))
        return finished(best(kept), best(updates), metrics_collections, updates_collections)


def _check_share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"`{name}` must be in the range [0, 1]. Currently, `{name}` got {value}.")
