"""Space to batch, space to depth, and back: blocks of pixels moved into batch or channels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import as_shape, static, transpose
from wengert.ops.arrays.window_geometry import channels_last, check_rank
from wengert.ops.support.batch_rules import merged_batch
from wengert.values.convert import convert
from wengert.values.shapes import Dims
from wengert.values.sizes import certainly
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Integers, IntLike, Namespace, TensorLike

Pairs = tuple[tuple[int, int], ...]

# ---- depth ------------------------------------------------------------------------------------


def _depth_to_space(_: Namespace, x: Array, *, block_size: int, data_format: str) -> Array:
    b = block_size
    if channels_last(data_format):
        n, h, w, c = x.shape
        parts = x.reshape(n, h, w, b, b, c // b**2).transpose(0, 1, 3, 2, 4, 5)
        return parts.reshape(n, h * b, w * b, c // b**2)
    n, c, h, w = x.shape
    parts = x.reshape(n, b, b, c // b**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    return parts.reshape(n, c // b**2, h * b, w * b)


def _space_to_depth(_: Namespace, x: Array, *, block_size: int, data_format: str) -> Array:
    b = block_size
    if channels_last(data_format):
        n, h, w, c = x.shape
        parts = x.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
        return parts.reshape(n, h // b, w // b, b * b * c)
    n, c, h, w = x.shape
    parts = x.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4)
    return parts.reshape(n, b * b * c, h // b, w // b)


def _rearranged(shape: Dims, *, block_size: int, data_format: str, down: bool) -> Dims:
    """Sides divided by the block and channels multiplied, or the other way round."""
    b = block_size
    last = channels_last(data_format)
    n, h, w, c = shape if last else (shape[0], *shape[2:], shape[1])
    h, w, c = (h // b, w // b, c * b * b) if down else (h * b, w * b, c // (b * b))
    return (n, h, w, c) if last else (n, c, h, w)


DEPTH_TO_SPACE: Row = op(
    "DepthToSpace",
    _depth_to_space,
    shape=partial(_rearranged, down=False),
    vjp=(lambda g, y, x, **attrs: apply(SPACE_TO_DEPTH, (g,), attrs),),
    linear=(0,),
    batch=merged_batch("DepthToSpace"),
    saves="",
)
SPACE_TO_DEPTH: Row = op(
    "SpaceToDepth",
    _space_to_depth,
    shape=partial(_rearranged, down=True),
    vjp=(lambda g, y, x, **attrs: apply(DEPTH_TO_SPACE, (g,), attrs),),
    linear=(0,),
    batch=merged_batch("SpaceToDepth"),
    saves="",
)


def _depth_attrs(x: Tensor, block_size: IntLike, data_format: str, who: str) -> Attrs:
    size = int(block_size)
    if size < 2:
        raise InvalidArgumentError(
            f"Value for attr 'block_size' of {size} must be at least minimum 2 [Op:{who}]"
        )
    if data_format not in ("NHWC", "NCHW"):
        raise InvalidArgumentError(
            f"Value for attr 'data_format' of {data_format!r} is not in the list of allowed "
            f'values: "NHWC", "NCHW" [Op:{who}]'
        )
    check_rank(dims(x), 4, who)
    return {"block_size": size, "data_format": data_format}


@deferrable
def depth_to_space(
    input: TensorLike, block_size: IntLike, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Depth to space: the channels of each pixel become a block of pixels.

    >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2)[0, :, :, 0].numpy().tolist()
    [[1, 2], [3, 4]]
    """
    x = convert(input)
    attrs = _depth_attrs(x, block_size, data_format, "DepthToSpace")
    depth = dims(x)[3 if data_format == "NHWC" else 1]
    if depth % attrs["block_size"] ** 2:
        raise InvalidArgumentError(
            f"Input depth dimension {depth} should be divisible by: {attrs['block_size'] ** 2} "
            "[Op:DepthToSpace]"
        )
    result: Tensor = apply(DEPTH_TO_SPACE, (x,), attrs)
    return result


@deferrable
def space_to_depth(
    input: TensorLike, block_size: IntLike, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Space to depth: each block of pixels becomes the channels of one pixel.

    >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().tolist()
    [[[[1, 2, 3, 4]]]]
    """
    x = convert(input)
    attrs = _depth_attrs(x, block_size, data_format, "SpaceToDepth")
    height, width = dims(x)[1:3] if data_format == "NHWC" else dims(x)[2:]
    if any(certainly(side % attrs["block_size"] != 0) for side in (height, width)):
        raise InvalidArgumentError(
            f"Image width {width} and height {height} should be divisible by block_size: "
            f"{attrs['block_size']} [Op:SpaceToDepth]"
        )
    result: Tensor = apply(SPACE_TO_DEPTH, (x,), attrs)
    return result


# ---- batch ------------------------------------------------------------------------------------


def _space_to_batch(_: Namespace, x: Array, *, block_shape: Dims, paddings: Pairs) -> Array:
    m, rest = len(block_shape), x.shape[1 + len(block_shape) :]
    if any(p for pair in paddings for p in pair):
        x = np.pad(x, [(0, 0), *paddings, *[(0, 0)] * len(rest)])
    n, *space = x.shape[: m + 1]
    pairs = [v for s, b in zip(space, block_shape, strict=True) for v in (s // b, b)]
    inner, outer = range(2, 2 * m + 2, 2), range(1, 2 * m + 1, 2)
    tail = range(2 * m + 1, 2 * m + 1 + len(rest))
    parts = x.reshape(n, *pairs, *rest).transpose(*inner, 0, *outer, *tail)
    return parts.reshape(n * math.prod(block_shape), *pairs[::2], *rest)


def _batch_to_space(_: Namespace, x: Array, *, block_shape: Dims, crops: Pairs) -> Array:
    m = len(block_shape)
    space, rest = x.shape[1 : m + 1], x.shape[m + 1 :]
    n = len(x) // math.prod(block_shape)
    order = [m, *[v for i in range(m) for v in (m + 1 + i, i)]]
    tail = range(2 * m + 1, 2 * m + 1 + len(rest))
    parts = x.reshape(*block_shape, n, *space, *rest).transpose(*order, *tail)
    sizes = [s * b for s, b in zip(space, block_shape, strict=True)]
    y = parts.reshape(n, *sizes, *rest)
    kept = [slice(a, s - b) for s, (a, b) in zip(sizes, crops, strict=True)]
    return y[tuple([slice(None), *kept])]


def _space_to_batch_shape(x: Dims, *, block_shape: Dims, paddings: Pairs) -> Dims:
    n, *rest = x
    sides = zip(rest, block_shape, paddings, strict=False)
    space = [(size + a + b) // block for size, block, (a, b) in sides]
    return (n * math.prod(block_shape), *space, *rest[len(space) :])


def _batch_to_space_shape(x: Dims, *, block_shape: Dims, crops: Pairs) -> Dims:
    n, *rest = x
    sides = zip(rest, block_shape, crops, strict=False)
    space = [size * block - a - b for size, block, (a, b) in sides]
    return (n // math.prod(block_shape), *space, *rest[len(space) :])


def _more_in_batch(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    """The examples at the end: what is moved is in front of it."""
    (x,) = xs
    rank = len(dims(x))
    behind = transpose(x, (*range(1, rank), 0))
    row, inner = (SPACE_TO_BATCH, attrs) if "paddings" in attrs else (BATCH_TO_SPACE, attrs)
    y = apply(row, (behind,), inner)
    last = len(dims(y)) - 1
    return transpose(y, (last, *range(last)))


SPACE_TO_BATCH: Row = op(
    "SpaceToBatchND",
    _space_to_batch,
    vjp=(
        lambda g, y, x, *, block_shape, paddings: apply(
            BATCH_TO_SPACE, (g,), {"block_shape": block_shape, "crops": paddings}
        ),
    ),
    shape=_space_to_batch_shape,
    linear=(0,),
    batch=_more_in_batch,
    saves="",
)
BATCH_TO_SPACE: Row = op(
    "BatchToSpaceND",
    _batch_to_space,
    vjp=(
        lambda g, y, x, *, block_shape, crops: apply(
            SPACE_TO_BATCH, (g,), {"block_shape": block_shape, "paddings": crops}
        ),
    ),
    shape=_batch_to_space_shape,
    linear=(0,),
    batch=_more_in_batch,
    saves="",
)


def _pairs(value: TensorLike, count: int, what: str, who: str) -> Pairs:
    array = static(value)
    if array.shape != (count, 2):
        shape = str(list(array.shape)).replace(" ", "")
        raise InvalidArgumentError(
            f"{what} should have shape [{count}, 2] instead of {shape} [Op:{who}]"
        )
    if (array < 0).any():
        raise InvalidArgumentError(f"{what.capitalize()} must be non-negative [Op:{who}]")
    return tuple((int(a), int(b)) for a, b in array)


def _blocks(value: Integers, rank: int, who: str) -> Dims:
    blocks = as_shape(value)
    for i, block in enumerate(blocks):
        if block < 1:
            raise InvalidArgumentError(
                f"All values in block_shape must be positive, got value, {block} at index {i}. "
                f"[Op:{who}]"
            )
    if rank < len(blocks) + 1:
        raise InvalidArgumentError(
            f"input rank should be >= {len(blocks) + 1} instead of {rank} [Op:{who}]"
        )
    return blocks


@deferrable
def space_to_batch(
    input: TensorLike, block_shape: Integers, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Space to batch: each position within spatial blocks becomes an image of its own.

    >>> x = tf.reshape(tf.range(4), [1, 4, 1])
    >>> tf.space_to_batch(x, [2], [[0, 0]])[:, :, 0].numpy().tolist()
    [[0, 2], [1, 3]]
    """
    x = convert(input)
    blocks = _blocks(block_shape, len(dims(x)), "SpaceToBatchND")
    pads = _pairs(paddings, len(blocks), "paddings", "SpaceToBatchND")
    for i, (block, pair) in enumerate(zip(blocks, pads, strict=True)):
        padded = dims(x)[i + 1] + sum(pair)
        if certainly(padded % block != 0):
            raise InvalidArgumentError(
                f"padded_shape[{i}]={padded} is not divisible by block_shape[{i}]={block} "
                "[Op:SpaceToBatchND]"
            )
    attrs = {"block_shape": blocks, "paddings": pads}
    result: Tensor = apply(SPACE_TO_BATCH, (x,), attrs)
    return result


@deferrable
def space_to_batch_nd(
    input: TensorLike, block_shape: Integers, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """tf.space_to_batch under the name of its operation.

    >>> x = tf.reshape(tf.range(4), [1, 4, 1])
    >>> tf.space_to_batch_nd(x, [2], [[0, 0]])[:, :, 0].numpy().tolist()
    [[0, 2], [1, 3]]
    """
    return space_to_batch(input, block_shape, paddings)


@deferrable
def batch_to_space(
    input: TensorLike, block_shape: Integers, crops: TensorLike, name: str | None = None
) -> Tensor:
    """Batch to space: images interleaved to larger ones, the inverse of tf.space_to_batch.

    >>> tf.batch_to_space([[[0], [2]], [[1], [3]]], [2], [[0, 0]])[0, :, 0].numpy().tolist()
    [0, 1, 2, 3]
    """
    x = convert(input)
    blocks = _blocks(block_shape, len(dims(x)), "BatchToSpaceND")
    cut = _pairs(crops, len(blocks), "crops", "BatchToSpaceND")
    count = math.prod(blocks)
    if certainly(dims(x)[0] % count != 0):
        raise InvalidArgumentError(
            f"Input batch dimension ({dims(x)[0]}) is not divisible by product of block sizes "
            f"({count}) [Op:BatchToSpaceND]"
        )
    for i, (block, pair) in enumerate(zip(blocks, cut, strict=True)):
        left = dims(x)[i + 1] * block - sum(pair)
        if certainly(left < 0):
            raise InvalidArgumentError(
                f"cropped_shape[{i}]={left} must be non-negative [Op:BatchToSpaceND]"
            )
    result: Tensor = apply(BATCH_TO_SPACE, (x,), {"block_shape": blocks, "crops": cut})
    return result
