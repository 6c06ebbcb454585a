"""Embeddings: rows of a table, which may lie in several tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert.core.context import is_replaced
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.partitioning import dynamic_partition, dynamic_stitch
from wengert.ops.arrays.shaping import reshape
from wengert.ops.math.arithmetic import floordiv, floormod, maximum
from wengert.ops.math.comparison import less, where
from wengert.ops.math.elementwise import cast
from wengert.ops.nn.activations import clip_by_norm
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike


@deferrable
def embedding_lookup(
    params: TensorLike, ids: TensorLike, max_norm: float | None = None, name: str | None = None
) -> Tensor:
    """Look up rows of an embedding table; with `max_norm`, longer rows are scaled down to it.

    The table may be a list of tensors, whose rows follow each other.

    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.nn.embedding_lookup(table, [1]).numpy().tolist()
    [[3.0, 4.0]]
    >>> tf.nn.embedding_lookup([table, table + 4.0], [1, 2]).numpy().tolist()
    [[3.0, 4.0], [5.0, 6.0]]
    """
    return rows_of(params, ids, "div", max_norm)


def rows_of(
    params: TensorLike, ids: TensorLike, partition_strategy: str, max_norm: float | None = None
) -> Tensor:
    """Rows of a table whose parts hold rows that follow each other ("div"), or every n-th one ("mod")."""
    parts = _parts(params)
    if len(parts) == 1:
        rows = _clipped(gather(parts[0], ids), ids, max_norm)
        return identity(rows) if is_replaced("Identity") else rows  # TensorFlow has one there
    index = convert(ids)
    flat = reshape(index, [-1])
    part, place = _places(parts, flat, partition_strategy)
    places = dynamic_partition(place, part, len(parts))
    order = dynamic_partition(range_(shape_of(flat)[0]), part, len(parts))
    found = dynamic_stitch(order, [gather(p, i) for p, i in zip(parts, places, strict=True)])
    rows = reshape(found, [*dims(index), *dims(convert(parts[0]))[1:]])
    return _clipped(rows, ids, max_norm)


def _parts(params: Any) -> list[Any]:
    if params is None:
        raise ValueError("params must be specified")
    if hasattr(params, "_get_variable_list"):  # a partitioned variable of version 1
        return params._get_variable_list()  # type: ignore[no-any-return]
    if not isinstance(params, (list, tuple)):
        return [params]
    if not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    return list(params)


def _places(parts: list[Any], ids: Tensor, strategy: str) -> tuple[Tensor, Tensor]:
    """For each id the number of its part, and its row there."""
    count = len(parts)
    if strategy == "mod":
        return cast(floormod(ids, count), dtypes.int32), floordiv(ids, count)
    if strategy != "div":
        raise ValueError(
            f"Unrecognized partition strategy: {strategy}.Must be one of either `mod` or `div`."
        )
    total = sum(cast(shape_of(part)[0], ids.dtype) for part in parts)
    each, more = floordiv(total, count), floormod(total, count)  # the first parts have one row more
    part = maximum(floordiv(ids, each + 1), floordiv(ids - more, each))
    place = where(less(part, more), floormod(ids, each + 1), floormod(ids - more, each))
    return cast(part, dtypes.int32), place


def _clipped(rows: Tensor, ids: TensorLike, max_norm: float | None) -> Tensor:
    if max_norm is None:
        return rows
    axes = list(range(len(dims(convert(ids))), len(dims(rows))))
    clipped: Tensor = clip_by_norm(rows, max_norm, axes)
    return clipped
