"""dynamic_partition and dynamic_stitch: rows split among tensors, and merged again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.batch import one_by_one
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, EachInput, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.batched import behind, in_front
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.shaping import reshape
from wengert.ops.math.comparison import equal
from wengert.ops.math.elementwise import cast
from wengert.ops.support.batch_rules import batch_all
from wengert.ops.support.declare import convert_alike
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.sizes import shapes_differ
from wengert.values.symbolic import AnyShape
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

# ---- partition --------------------------------------------------------------------------------


def _partition_kernel(
    _: Namespace, x: Array, partitions: Array, *, num_partitions: int
) -> list[Array]:
    bad = np.argwhere((partitions < 0) | (partitions >= num_partitions))
    if len(bad):
        raise InvalidArgumentError(
            f"partitions{bad[0].tolist()} = {int(partitions[tuple(bad[0])])} is not in "
            f"[0, {num_partitions}) [Op:DynamicPartition]"
        )
    dealt, rows = partitions.ravel(), x.reshape(partitions.size, *x.shape[partitions.ndim :])
    # A third of the time of an index of truth values.
    return [rows.compress(dealt == part, axis=0) for part in range(num_partitions)]


def _partition_forms(inputs: Sequence[Any], attrs: Attrs) -> list[Any]:
    """The number of rows of each result is known only if the partitions are."""
    x, partitions = inputs
    count, known = attrs["num_partitions"], getattr(partitions, "_known", None)
    shape, dealt, dtype = dims(x), dims(partitions), x._array.dtype
    if isinstance(shape, AnyShape) or isinstance(dealt, AnyShape):
        return [(None, dtype)] * count
    rest = shape[len(dealt) :]
    if known is None:
        return [((None, *rest), dtype)] * count
    return [((int(np.sum(known == part)), *rest), dtype) for part in range(count)]


def _partition_rule(
    gs: Sequence[Tensor],
    ys: Sequence[Tensor],
    x: Tensor,
    partitions: Tensor,
    *,
    num_partitions: int,
) -> Tensor:
    shape = dims(partitions)
    places = reshape(range_(math.prod(shape)), shape)
    dealt = apply(PARTITION, (places, partitions), {"num_partitions": num_partitions})
    rest = dims(x)[len(shape) :]
    return reshape(dynamic_stitch(dealt, gs), (*shape, *rest))


def _batched_partition(
    batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> list[Tensor]:
    x, partitions = xs
    if batched[1]:  # each example has parts of its own sizes
        return one_by_one(PARTITION, batched, size, xs, attrs)  # type: ignore[no-any-return]
    parts = apply(PARTITION, (behind(x, len(dims(partitions))), partitions), attrs)
    return [in_front(part, 1) for part in parts]


PARTITION: Row = op(
    "DynamicPartition",
    _partition_kernel,
    vjp=(_partition_rule, None),
    linear=(0,),
    many=True,
    saves="x",
    by_value=True,
    forms=_partition_forms,
    batch=_batched_partition,
)


@deferrable
def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Partition the rows of a tensor: row i goes to output number partitions[i].

    >>> [t.numpy().tolist() for t in tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2)]
    [[1, 3], [2]]
    """
    x, parts = convert(data), convert(partitions, dtypes.int32)
    leading = dims(x)[: len(dims(parts))] if isinstance(dims(x), tuple) else dims(parts)
    if isinstance(dims(parts), tuple) and shapes_differ(leading, dims(parts)):
        raise InvalidArgumentError(
            f"data.shape must start with partitions.shape, got data.shape = {shape_text(dims(x))}, "
            f"partitions.shape = {shape_text(dims(parts))} [Op:DynamicPartition]"
        )
    if num_partitions < 1:
        raise InvalidArgumentError(
            f"num_partitions must be at least 1, got {num_partitions} [Op:DynamicPartition]"
        )
    dealt: list[Tensor] = apply(PARTITION, (x, parts), {"num_partitions": int(num_partitions)})
    return dealt


# ---- stitch -----------------------------------------------------------------------------------


def _stitch_kernel(xp: Namespace, *xs: Array) -> Array:
    """Half of the inputs are indices, the other half rows; of duplicates the last one wins."""
    count = len(xs) // 2
    indices, data = xs[:count], xs[count:]
    for number, i in enumerate(indices):
        if i.size and i.min() < 0:
            raise InvalidArgumentError(
                f"indices[{number}] is out of range: {i.min()} is negative [Op:DynamicStitch]"
            )
    out = xp.zeros((_rows_of(indices), *data[0].shape[indices[0].ndim :]), data[0].dtype)
    for i, rows in zip(indices, data, strict=True):
        out[i] = rows
    return out


def _rows_of(indices: Sequence[Any]) -> int:
    return max([int(i.max()) + 1 for i in indices if i.size], default=0)


def _stitch_rule(at: int, g: Tensor, y: Tensor | None, *xs: Tensor) -> Tensor | None:
    """A row receives the cotangent at its index, unless a later row replaced it."""
    count = len(xs) // 2
    if at < count:
        return None
    indices = xs[:count]
    starts = [0]
    for i in indices:
        starts.append(starts[-1] + math.prod(dims(i)))
    turns = [
        reshape(range_(a, b), dims(i)) for a, b, i in zip(starts, starts[1:], indices, strict=False)
    ]
    own = indices[at - count]
    latest = gather(apply(STITCH, (*indices, *turns)), own)
    rows = gather(g, own)
    mask = cast(equal(latest, turns[at - count]), rows.dtype)
    return rows * reshape(mask, dims(own) + (1,) * (len(dims(rows)) - len(dims(own))))


def _stitch_forms(inputs: Sequence[Any], attrs: Attrs) -> list[Any]:
    """The number of rows depends on the largest index."""
    count = len(inputs) // 2
    indices, data = inputs[:count], inputs[count:]
    dtype = data[0]._array.dtype
    places, shape = dims(indices[0]), dims(data[0])
    if isinstance(places, AnyShape) or isinstance(shape, AnyShape):
        return [(None, dtype)]
    known = [i._known for i in indices]
    rows = None if any(k is None for k in known) else _rows_of(known)
    return [((rows, *shape[len(places) :]), dtype)]


def _batched_stitch(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    count = len(xs) // 2
    indices, data = xs[:count], batch_all(batched[count:], size, xs[count:])
    if any(batched[:count]):  # each example has its own number of rows
        return one_by_one(STITCH, batched, size, xs, attrs)  # type: ignore[no-any-return]
    rows = [behind(x, len(dims(i))) for i, x in zip(indices, data, strict=True)]
    return in_front(apply(STITCH, (*indices, *rows)), 1)


STITCH: Row = op(
    "DynamicStitch",
    _stitch_kernel,
    vjp=EachInput(_stitch_rule),
    linear="jointly",
    saves="x",
    by_value=True,
    forms=_stitch_forms,
    batch=_batched_stitch,
)


@deferrable
def dynamic_stitch(
    indices: Iterable[TensorLike], data: Iterable[TensorLike], name: str | None = None
) -> Tensor:
    """Merge the rows of several tensors: row i of data[m] becomes row indices[m][i].

    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy().tolist()
    [10, 20, 30]
    """
    places = [convert(i, dtypes.int32) for i in indices]
    rows = convert_alike("DynamicStitch", *data)
    if not places or len(places) != len(rows):
        raise InvalidArgumentError(
            f"Expected as many lists of indices as of data, got {len(places)} and {len(rows)} "
            "[Op:DynamicStitch]"
        )
    for number, (i, x) in enumerate(zip(places, rows, strict=True)):
        if shapes_differ(dims(x)[: len(dims(i))], dims(i)):
            raise InvalidArgumentError(
                f"data[{number}].shape = {shape_text(dims(x))} does not start with indices[{number}]"
                f".shape = {shape_text(dims(i))} [Op:DynamicStitch]"
            )
    rests = [dims(x)[len(dims(i)) :] for i, x in zip(places, rows, strict=True)]
    for number, rest in enumerate(rests):
        if shapes_differ(rest, rests[0]):
            raise InvalidArgumentError(
                "Need data[0].shape[indices[0].ndim:] = data[i].shape[indices[i].ndim:], got "
                f"{shape_text(rests[0])} and, of data[{number}], {shape_text(rest)} "
                "[Op:DynamicStitch]"
            )
    stitched: Tensor = apply(STITCH, (*places, *rows))
    return stitched
