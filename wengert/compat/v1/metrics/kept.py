"""What metrics have in common: variables that are kept between runs, weights, and collections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wengert.api.session.modes import get_default_graph
from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.variable_scope import variable_scope
from wengert.compat.v1.functions.variables import Variable
from wengert.compat.v1.functions.weighted_losses import check_weights
from wengert.core.context import current_graph
from wengert.ops.arrays.creation import rank, zeros
from wengert.ops.arrays.shaping import expand_dims, reshape, squeeze
from wengert.ops.control.cond import cond
from wengert.ops.math.comparison import equal
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


def metric_variable(
    shape: Any, dtype: Any = float32, validate_shape: bool = True, name: str | None = None
) -> Any:
    """A local variable of zeros."""
    return Variable(
        lambda: zeros(shape, dtype),
        validate_shape=validate_shape,
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
    found = convert(predictions)
    wanted = None if labels is None else convert(labels)
    if wanted is not None:
        found, wanted = _squeezed(found, wanted), _squeezed(wanted, found)
        found.shape.assert_is_compatible_with(wanted.shape)
    given = None if weights is None else convert(weights)
    if given is not None and given.shape.rank != 0:
        given = _squeezed(given, found)
        given = _if_more(found, given, lambda: expand_dims(given, -1), given)
    return found, wanted, given


def _squeezed(x: Any, y: Any) -> Any:
    """A tensor, without its last axis if it has one more than the other, and its size is 1."""
    if x.shape.rank == 0 or (x.shape.rank and x.shape[-1] not in (None, 1)):
        return x
    return _if_more(x, y, lambda: squeeze(x, [-1]), x)


def _if_more(x: Any, y: Any, then: Callable[[], Any], otherwise: Any) -> Any:
    """One of the two, by whether x has one axis more than y: told when it runs, if need be."""
    if x.shape.rank is None or y.shape.rank is None:
        return cond(equal(rank(x) - rank(y), 1), then, lambda: otherwise)
    return then() if x.shape.rank - y.shape.rank == 1 else otherwise


def floats(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """The aligned arguments as float32."""
    found, wanted, given = aligned(predictions, labels, weights)
    return cast(found, float32), cast(wanted, float32), given


def flat(x: Any) -> Any:
    """All elements as a vector."""
    return reshape(x, [-1])
