"""What metrics have in common: variables that are kept between runs, weights, and collections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wengert.api.session.modes import get_default_graph
from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.variable_scope import variable_scope
from wengert.compat.v1.functions.variables import Variable
from wengert.compat.v1.functions.weighted_losses import check_weights
from wengert.core.context import current_graph
from wengert.ops.arrays.creation import zeros
from wengert.ops.arrays.shaping import expand_dims, reshape, squeeze
from wengert.ops.math.elementwise import cast, ones_like
from wengert.values.convert import convert
from wengert.values.dtypes import float32


@contextmanager
def metric(name: str | None, default: str) -> Iterator[None]:
    """The scope of a metric, which is a part of a graph."""
    if current_graph() is None:
        raise RuntimeError(
            f"tf.metrics.{default} is not supported when eager execution is enabled: its update is "
            "an operation of a graph. Use it within tf.Graph().as_default()."
        )
    with variable_scope(name, default):
        yield


def metric_variable(shape: Any, dtype: Any = float32, name: str | None = None) -> Any:
    """A local variable of zeros."""
    return Variable(
        lambda: zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        name=name,
    )


def finished(value: Any, update: Any, values_into: Any, updates_into: Any) -> tuple[Any, Any]:
    """The pair that a metric returns, added to the collections that were asked for."""
    graph = get_default_graph()
    for collections, item in ((values_into, value), (updates_into, update)):
        if collections:
            graph.add_to_collections(collections, item)
    return value, update


def weighted(values: Any, weights: Any) -> Any:
    """Weights as many as values; none stands for ones."""
    if weights is None:
        return ones_like(values)
    given = cast(convert(weights), values.dtype)
    check_weights(values, given)
    return ones_like(values) * given


def aligned(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """The arguments without last axes of size 1 that only one of them has."""
    found, wanted = convert(predictions), convert(labels)
    difference = (found.shape.rank or 0) - (wanted.shape.rank or 0)
    if difference == 1:
        found = squeeze(found, [-1])
    elif difference == -1:
        wanted = squeeze(wanted, [-1])
    found.shape.assert_is_compatible_with(wanted.shape)
    if weights is None:
        return found, wanted, None
    given = convert(weights)
    rank = given.shape.rank
    if rank and rank - (found.shape.rank or 0) == 1:
        given = squeeze(given, [-1])
    elif rank and (found.shape.rank or 0) - rank == 1:
        given = expand_dims(given, -1)
    return found, wanted, given


def floats(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """The aligned arguments as float32."""
    found, wanted, given = aligned(predictions, labels, weights)
    return cast(found, float32), cast(wanted, float32), given


def flat(x: Any) -> Any:
    """All elements as a vector."""
    return reshape(x, [-1])
