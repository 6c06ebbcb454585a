"""Pooling, morphology and rearranged space in tf.compat.v1, with the arguments of version 1."""

from __future__ import annotations

from typing import Any

from wengert.compat.v1.functions.arguments import one_of
from wengert.ops.image import patches
from wengert.ops.nn import space_depth
from wengert.ops.nn.pool import fractional, morphology, public
from wengert.values import dtypes
from wengert.values.tensor import Tensor


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """tf.nn.max_pool2d with the arguments of version 1.

    >>> tf.compat.v1.nn.max_pool([[[[1.0], [2.0]]]], [1, 1, 2, 1], [1] * 4, "VALID").numpy()
    array([[[[2.]]]], dtype=float32)
    """
    x = one_of("input", input, "value", value)
    return public.max_pool2d(x, ksize, strides, padding, data_format, name=name)


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """tf.nn.avg_pool2d with the arguments of version 1.

    >>> tf.compat.v1.nn.avg_pool([[[[1.0], [2.0]]]], [1, 1, 2, 1], [1] * 4, "VALID").numpy()
    array([[[[1.5]]]], dtype=float32)
    """
    x = one_of("input", input, "value", value)
    return public.avg_pool2d(x, ksize, strides, padding, data_format, name=name)


avg_pool2d = avg_pool
max_pool_v2 = public.max_pool
avg_pool_v2 = public.avg_pool


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """tf.nn.pool with the arguments of version 1.

    >>> tf.compat.v1.nn.pool([[[1.0], [2.0]]], [2], "AVG", "VALID").numpy()
    array([[[1.5]]], dtype=float32)
    """
    rates = one_of("dilations", dilations, "dilation_rate", dilation_rate)
    return public.pool(
        input, window_shape, pooling_type, strides, padding, data_format, rates, name=name
    )


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    Targmax: Any = None,  # noqa: N803  # TensorFlow's name
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> public.WithArgmax:
    """tf.nn.max_pool_with_argmax with the arguments of version 1.

    >>> x = [[[[1.0], [2.0]]]]
    >>> tf.compat.v1.nn.max_pool_with_argmax(x, [1, 1, 2, 1], [1] * 4, "VALID").argmax.numpy()
    array([[[[1]]]])
    """
    kind = one_of("output_dtype", output_dtype, "Targmax", Targmax) or dtypes.int64
    return public.max_pool_with_argmax(
        input, ksize, strides, padding, data_format, kind, include_batch_in_index, name=name
    )


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> fractional.Fractional:
    """tf.nn.fractional_max_pool with the arguments of version 1.

    >>> x = tf.reshape(tf.range(4.0), [1, 1, 4, 1])
    >>> tf.compat.v1.nn.fractional_max_pool(x, [1.0, 1.0, 2.0, 1.0]).output.numpy().ravel()
    array([1., 3.], dtype=float32)
    """
    seeds = _seeds(deterministic, seed, seed2)
    return fractional.seeded(
        fractional.MAX, value, pooling_ratio, pseudo_random, overlapping, seeds
    )


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> fractional.Fractional:
    """tf.nn.fractional_avg_pool with the arguments of version 1.

    >>> x = tf.reshape(tf.range(4.0), [1, 1, 4, 1])
    >>> tf.compat.v1.nn.fractional_avg_pool(x, [1.0, 1.0, 2.0, 1.0]).output.numpy().ravel()
    array([0.5, 2.5], dtype=float32)
    """
    seeds = _seeds(deterministic, seed, seed2)
    return fractional.seeded(
        fractional.AVG, value, pooling_ratio, pseudo_random, overlapping, seeds
    )


def _seeds(deterministic: bool, seed: int, seed2: int) -> tuple[int, int]:
    """The seeds; some fixed ones, where the regions shall be the same each time and none were given."""
    pair = int(seed), int(seed2)
    return (1, 1) if deterministic and pair == (0, 0) else pair


# ---- morphology -------------------------------------------------------------------------------


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """tf.nn.dilation2d with the arguments of version 1.

    >>> x, w = [[[[1.0], [2.0]]]], [[[0.0], [0.5]]]
    >>> tf.compat.v1.nn.dilation2d(x, w, [1] * 4, [1] * 4, "VALID").numpy()
    array([[[[2.5]]]], dtype=float32)
    """
    w = one_of("filters", filters, "filter", filter)
    holes = one_of("dilations", dilations, "rates", rates)
    return morphology.dilation2d(input, w, strides, padding, "NHWC", holes, name=name)


def erosion2d(
    value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: str | None = None
) -> Tensor:
    """tf.nn.erosion2d with the arguments of version 1.

    >>> x, w = [[[[1.0], [2.0]]]], [[[0.0], [0.5]]]
    >>> tf.compat.v1.nn.erosion2d(x, w, [1] * 4, [1] * 4, "VALID").numpy()
    array([[[[0.5]]]], dtype=float32)
    """
    return morphology.erosion2d(value, kernel, strides, padding, "NHWC", rates, name=name)


# ---- rearranged space ---------------------------------------------------------------------------


def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: Any = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """tf.space_to_batch with the arguments of version 1: one block size for two axes.

    >>> x = tf.reshape(tf.range(4), [1, 2, 2, 1])
    >>> tf.compat.v1.space_to_batch(x, [[0, 0], [0, 0]], 2).numpy().ravel().tolist()
    [0, 1, 2, 3]
    """
    blocks = one_of("block_shape", block_shape, "block_size", _twice(block_size))
    return space_depth.space_to_batch(input, blocks, paddings, name=name)


def batch_to_space(
    input: Any,
    crops: Any,
    block_size: Any = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """tf.batch_to_space with the arguments of version 1: one block size for two axes.

    >>> x = tf.reshape(tf.range(4), [4, 1, 1, 1])
    >>> tf.compat.v1.batch_to_space(x, [[0, 0], [0, 0]], 2).numpy().ravel().tolist()
    [0, 1, 2, 3]
    """
    blocks = one_of("block_shape", block_shape, "block_size", _twice(block_size))
    return space_depth.batch_to_space(input, blocks, crops, name=name)


batch_to_space_nd = space_depth.batch_to_space


def _twice(block_size: Any) -> Any:
    return None if block_size is None else [block_size, block_size]


def space_to_depth(
    input: Any, block_size: Any, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """tf.nn.space_to_depth with the arguments of version 1.

    >>> tf.compat.v1.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().tolist()
    [[[[1, 2, 3, 4]]]]
    """
    return space_depth.space_to_depth(input, block_size, data_format, name=name)


def depth_to_space(
    input: Any, block_size: Any, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """tf.nn.depth_to_space with the arguments of version 1.

    >>> tf.compat.v1.depth_to_space([[[[1, 2, 3, 4]]]], 2)[0, :, :, 0].numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return space_depth.depth_to_space(input, block_size, data_format, name=name)


def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """tf.image.extract_patches with the arguments of version 1.

    >>> x, one = tf.reshape(tf.range(4.0), [1, 2, 2, 1]), [1, 1, 1, 1]
    >>> tf.compat.v1.extract_image_patches(x, [1, 2, 2, 1], one, one, "VALID").numpy().tolist()
    [[[[0.0, 1.0, 2.0, 3.0]]]]
    """
    window = one_of("sizes", sizes, "ksizes", ksizes)
    return patches.extract_patches(images, window, strides, rates, padding, name=name)
