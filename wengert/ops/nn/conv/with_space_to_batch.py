"""Dilation by tf.space_to_batch: tf.nn.with_space_to_batch, and the paddings it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import as_shape, static
from wengert.ops.nn.space_depth import batch_to_space, space_to_batch
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import Dims
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Integers, TensorLike


@deferrable
def required_space_to_batch_paddings(
    input_shape: TensorLike,
    block_shape: Integers,
    base_paddings: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The paddings that make spatial axes divisible into blocks, and the crops that undo them.

    >>> pads, crops = tf.required_space_to_batch_paddings([5], [4], [[1, 0]])
    >>> pads.numpy().tolist(), crops.numpy().tolist()
    ([[1, 2]], [[0, 2]])
    """
    pads, crops = _required(as_shape(input_shape), as_shape(block_shape), base_paddings)
    return convert(pads, dtypes.int32), convert(crops, dtypes.int32)


def _required(shape: Dims, blocks: Dims, base: TensorLike | None) -> tuple[Any, Any]:
    given = np.zeros((len(blocks), 2), int) if base is None else static(base).reshape(-1, 2)
    more = -(np.array(shape, int) + given.sum(axis=1)) % np.array(blocks, int)
    crops = np.stack([np.zeros_like(more), more], axis=1)
    return given + crops, crops


@deferrable
def with_space_to_batch(
    input: TensorLike,
    dilation_rate: TensorLike,
    padding: str,
    op: Callable[[Tensor, int, str], Tensor],
    filter_shape: TensorLike | None = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Tensor:
    """Apply `op(input, number of dimensions, padding)`, which has no dilation, with dilation.

    >>> def largest(x, dimensions, padding):
    ...     return tf.nn.max_pool1d(x, 2, 1, padding)
    >>> x = tf.reshape([3.0, 1.0, 2.0, 4.0], [1, 4, 1])
    >>> tf.nn.with_space_to_batch(x, [2], "VALID", largest, [2]).numpy().ravel().tolist()
    [3.0, 4.0]
    """
    x, rates = convert(input), as_shape(dilation_rate)
    axes = _axes(rates, spatial_dims, data_format)
    if min(rates, default=1) < 1:
        raise ValueError(
            f"all values of `dilation_rate` must be positive. Received: dilation_rate={list(rates)}"
        )
    if all(rate == 1 for rate in rates):
        return op(x, len(rates), padding)
    low, high = min(axes), max(axes)
    blocks = tuple(rates[axes.index(i)] if i in axes else 1 for i in range(low, high + 1))
    sizes = dims(x)[low : high + 1]
    base = _base_paddings(padding, rates, filter_shape, axes, range(low, high + 1))
    pads, crops = _required(sizes, blocks, base)
    front = (1,) * (low - 1)  # axes between the batch and the spatial ones, such as channels
    none = np.zeros((low - 1, 2), int)
    apart = space_to_batch(x, front + blocks, np.concatenate([none, pads]))
    result = op(apart, len(rates), "VALID")
    return batch_to_space(result, front + blocks, np.concatenate([none, crops]))


def _axes(rates: Dims, spatial_dims: Any, data_format: str | None) -> list[int]:
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    if spatial_dims is None:
        return list(range(first, first + len(rates)))
    return list(as_shape(spatial_dims))


def _base_paddings(
    padding: Any,
    rates: Dims,
    filter_shape: TensorLike | None,
    axes: list[int],
    span: range,
) -> Array:
    """The padding of the input: none, or as much as preserves its size."""
    pads = np.zeros((len(rates), 2), int)
    if not isinstance(padding, str):
        pairs = static(padding)
        pads = pairs if len(pairs) == len(rates) else pairs[axes]
    elif padding.upper() == "SAME":
        if filter_shape is None:
            raise ValueError("`filter_shape` must be specified for `padding='SAME'`.")
        kernel = np.array(as_shape(filter_shape)[: len(rates)])
        extra = (kernel - 1) * np.array(rates)
        pads = np.stack([extra // 2, extra - extra // 2], axis=1)
    elif padding.upper() != "VALID":
        raise ValueError(f"`padding` must be one of 'VALID' or 'SAME'. Received: {padding}")
    return np.array([pads[axes.index(i)] if i in axes else (0, 0) for i in span])
