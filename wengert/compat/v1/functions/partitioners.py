"""Partitioners: into how many parts each axis of a variable is cut."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from wengert.api.variables.get_variable import get_variable
from wengert.api.variables.partitioned_variable import PartitionedVariable as PartitionedVariable
from wengert.api.variables.variable_scope import variable_scope
from wengert.values.dtypes import as_dtype, float32
from wengert.values.shapes import TensorShape

Partitioner = Callable[..., list[int]]


def _one_axis(shape: TensorShape, axis: int, parts: int) -> list[int]:
    """One part along each axis, but for one of them."""
    cuts = [1] * (shape.rank or 0)
    cuts[axis] = parts
    return cuts


def _sizes(shape: TensorShape) -> list[int]:
    """The sizes, where none is unknown."""
    return [size or 0 for size in shape]


def _bytes_of(shape: TensorShape, dtype: Any, bytes_per_string: int) -> int:
    kind = as_dtype(dtype)
    each = bytes_per_string if kind.name == "string" else kind.size
    return int(shape.num_elements() or 0) * each


def _positive(name: str, value: int) -> None:
    if value < 1:
        raise ValueError(f"Argument `{name}` should be positive. Received: {name}={value}")


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Cut one axis into a number of parts, or into its size if that is smaller.

    >>> tf.compat.v1.fixed_size_partitioner(3)(tf.TensorShape([6, 2]), tf.float32)
    [3, 1]
    """

    def partitioner(shape: Any, **_: Any) -> list[int]:
        whole = TensorShape(shape)
        return _one_axis(whole, axis, min(num_shards, _sizes(whole)[axis]))

    return _taking_dtype(partitioner)


def _taking_dtype(partitioner: Callable[..., list[int]]) -> Partitioner:
    """The dtype may be given by place and by name."""

    def taking(shape: Any, dtype: Any = None) -> list[int]:
        return partitioner(shape, dtype=dtype)

    return taking


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """Cut one axis so that no part has more bytes than this, in as few parts as that takes.

    >>> tf.compat.v1.variable_axis_size_partitioner(32)(tf.TensorShape([6, 4]), tf.float32)
    [3, 1]
    """
    _positive("max_shard_bytes", max_shard_bytes)
    if max_shards is not None:
        _positive("max_shards", max_shards)

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        whole = _of_static_size(shape)
        if axis >= len(whole):
            raise ValueError(f"The axis {axis} is beyond the rank of the shape {whole}.")
        size = _sizes(whole)[axis]
        each = _bytes_of(whole, dtype, bytes_per_string_element) // size
        rows = max(1, max_shard_bytes // each) if each else size
        parts = math.ceil(size / rows)
        return _one_axis(whole, axis, parts if max_shards is None else min(parts, max_shards))

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """Cut one axis into as many parts as allowed, as long as each has at least so many bytes.

    >>> cut = tf.compat.v1.min_max_variable_partitioner(max_partitions=4, min_slice_size=48)
    >>> cut(tf.TensorShape([6, 4]), tf.float32)
    [2, 1]
    """
    _positive("max_partitions", max_partitions)
    _positive("min_slice_size", min_slice_size)

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        whole = _of_static_size(shape)
        enough = _bytes_of(whole, dtype, bytes_per_string_element) // min_slice_size
        parts = max(1, min(max_partitions, enough, _sizes(whole)[axis]))
        return _one_axis(whole, axis, parts)

    return partitioner


def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: Any = float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """The parts of a variable that is cut as `slicing` says: a number of parts for each axis.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     parts = v1.create_partitioned_variables([5, 2], [2, 1], v1.zeros_initializer())
    ...     [part.shape.as_list() for part in parts]
    [[3, 2], [2, 2]]
    """
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: "
            f"shape: {shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError("A partitioned Variable must have rank at least 1: shape: []")
    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        made = get_variable(
            "",
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=trainable,
            partitioner=lambda **_: list(slicing),
            collections=collections,
        )
    return list(made)


def _of_static_size(shape: Any) -> TensorShape:
    whole = TensorShape(shape)
    if not whole.is_fully_defined():
        raise ValueError(f"A partitioner needs a shape that is fully known, not {whole}.")
    return whole
