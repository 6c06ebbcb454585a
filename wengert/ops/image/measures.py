"""Image metrics: gradients, total variation, PSNR, structural similarity."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import reshape
from wengert.ops.arrays.slicing import pad
from wengert.ops.image.adjust import convert_image_dtype
from wengert.ops.math.arithmetic import squared_difference
from wengert.ops.math.elementwise import abs_real, cast, log, square
from wengert.ops.nn.activations import relu
from wengert.ops.nn.conv.public import depthwise_conv2d
from wengert.ops.nn.pool.public import avg_pool
from wengert.ops.reductions.reductions import reduce_mean, reduce_prod, reduce_sum
from wengert.values.convert import convert
from wengert.values.shapes import broadcastable
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, FloatLike, TensorLike

# ---- differences of neighbours ----------------------------------------------------------------


@deferrable
def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """The differences from each pixel to the ones below and to its right; zero at the edge.

    >>> dy, dx = tf.image.image_gradients([[[[1.0], [3.0]], [[6.0], [10.0]]]])
    >>> dy.numpy().ravel().tolist(), dx.numpy().ravel().tolist()
    ([5.0, 7.0, 0.0, 0.0], [2.0, 0.0, 4.0, 0.0])
    """
    x = convert(image)
    if len(dims(x)) != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {dims(x)}."
        )
    dy, dx = x[:, 1:] - x[:, :-1], x[:, :, 1:] - x[:, :, :-1]
    return pad(dy, [[0, 0], [0, 1], [0, 0], [0, 0]]), pad(dx, [[0, 0], [0, 0], [0, 1], [0, 0]])


@deferrable
def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the absolute differences between vertically and horizontally adjacent pixels.

    >>> tf.image.total_variation(tf.constant([[[1.0], [3.0]], [[6.0], [10.0]]])).numpy()
    np.float32(18.0)
    """
    x = convert(images)
    if len(dims(x)) not in (3, 4):
        raise ValueError(f"'images' must be either 3 or 4-dimensional. The shape is {dims(x)}.")
    axes = [-3, -2, -1]
    down, right = x[..., 1:, :, :] - x[..., :-1, :, :], x[..., 1:, :] - x[..., :-1, :]
    return reduce_sum(abs_real(down), axes) + reduce_sum(abs_real(right), axes)


SOBEL = (((-1, -2, -1), (0, 0, 0), (1, 2, 1)), ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1)))


@deferrable
def sobel_edges(image: TensorLike) -> Tensor:
    """The Sobel gradients of each pixel: vertical and horizontal.

    >>> edges = tf.image.sobel_edges(tf.reshape(tf.range(9.0), [1, 3, 3, 1]))
    >>> edges.numpy()[0, 1, 1, 0].tolist()
    [24.0, 8.0]
    """
    x = convert(image)
    shape = dims(x)
    if len(shape) != 4:
        raise ValueError(f"sobel_edges expects a 4D tensor [batch_size, h, w, d], not {shape}.")
    pair = np.moveaxis(np.array(SOBEL, x.dtype.numpy_dtype), 0, -1)[:, :, None, :]
    around = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    return reshape(_each_channel(around, pair), (*shape, 2))


def _each_channel(x: Tensor, kernel: Array) -> Tensor:
    filters = convert(np.tile(kernel, (1, 1, dims(x)[-1], 1)))
    return depthwise_conv2d(x, filters, [1, 1, 1, 1], "VALID")


# ---- similarity of two images -----------------------------------------------------------------


def _comparable(a: TensorLike, b: TensorLike, max_val: TensorLike) -> tuple[Tensor, Tensor, Any]:
    """Two images in float32, and their maximum value on the same scale."""
    x, y = convert(a), convert(b)
    if min(len(dims(x)), len(dims(y))) < 3:
        raise ValueError(f"Shapes {dims(x)} and {dims(y)} must have rank at least 3")
    if dims(x)[-3:] != dims(y)[-3:] or not broadcastable(dims(x)[:-3], dims(y)[:-3]):
        raise ValueError(f"Two images are not compatible: {dims(x)} and {dims(y)}")
    top = convert_image_dtype(cast(convert(max_val), x.dtype), "float32")
    return convert_image_dtype(x, "float32"), convert_image_dtype(y, "float32"), top


@deferrable
def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of two images, in decibels.

    >>> print(tf.image.psnr([[[0.0]]], [[[0.1]]], max_val=1.0).numpy().round(4))
    20.0
    """
    return _noise_ratio(*_comparable(a, b, max_val))


def _noise_ratio(x: Tensor, y: Tensor, top: Tensor) -> Tensor:
    noise = reduce_mean(squared_difference(x, y), [-3, -2, -1])
    return (20 / math.log(10)) * log(top) - (10 / math.log(10)) * log(noise)


def _window(size: int, sigma: float) -> Array:
    """Gaussian weights that sum to one; those of a 2-D window are the product of two."""
    bell = np.exp(-0.5 * ((np.arange(size) - (size - 1) / 2) / sigma) ** 2)
    return bell / bell.sum()


def _similarity(
    x: Tensor, y: Tensor, top: Tensor, size: int, sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """For each position of the window: the similarity, and its contrast-structure factor alone."""
    for shape in (dims(x), dims(y)):
        if min(shape[-3:-1]) < size:
            raise InvalidArgumentError(
                f"The filter of size {size} must fit into the images, whose height and width are "
                f"{shape[-3:-1]}. Pass a smaller filter_size."
            )
    kernel = _window(size, sigma).astype(x.dtype.numpy_dtype)

    def means(z: Tensor) -> Tensor:
        return _windowed(z, kernel)

    c1, c2 = square(k1 * top), square(k2 * top)
    m, n = means(x), means(y)
    product, squares = 2.0 * m * n, square(m) + square(n)
    luminance = (product + c1) / (squares + c1)
    shared, spread = 2.0 * means(x * y), means(square(x) + square(y))
    structure = (shared - product + c2) / (spread - squares + c2)
    return luminance * structure, structure


def _windowed(x: Tensor, kernel: Array) -> Tensor:
    shape = dims(x)
    tall, wide = kernel[:, None, None, None], kernel[None, :, None, None]
    y = _each_channel(_each_channel(reshape(x, (-1, *shape[-3:])), tall), wide)
    return reshape(y, (*shape[:-3], *dims(y)[1:]))


@deferrable
def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of two images, which is one for equal images.

    `return_index_map` returns it for each position instead of the mean.

    >>> x = tf.reshape(tf.range(9.0), [3, 3, 1])
    >>> tf.image.ssim(x, x, max_val=9.0, filter_size=3).numpy()
    np.float32(1.0)
    """
    x, y, top = _comparable(img1, img2, max_val)
    alike, _ = _similarity(x, y, top, int(filter_size), float(filter_sigma), k1, k2)
    return reduce_mean(alike if return_index_map else reduce_mean(alike, [-3, -2]), [-1])


@deferrable
def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Iterable[FloatLike] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The product of structural similarities at several scales, each half of the one before.

    >>> x = tf.reshape(tf.range(36.0), [6, 6, 1])
    >>> f = tf.image.ssim_multiscale
    >>> f(x, x, max_val=36.0, power_factors=[0.5, 0.5], filter_size=3).numpy()
    np.float32(1.0)
    """
    x, y, top = _comparable(img1, img2, max_val)
    powers = [float(p) for p in power_factors]
    scores = []
    for step in range(len(powers)):
        if step:
            x, y = _halved(x), _halved(y)
        alike, structure = _similarity(x, y, top, int(filter_size), float(filter_sigma), k1, k2)
        last = step == len(powers) - 1
        scores.append(relu(reduce_mean(alike if last else structure, [-3, -2])))
    together = stack(scores, -1) ** convert(np.array(powers, x.dtype.numpy_dtype))
    return reduce_mean(reduce_prod(together, [-1]), [-1])


def _halved(x: Tensor) -> Tensor:
    """Means of two by two pixels; an odd last row or column is repeated."""
    shape = dims(x)
    flat = reshape(x, (-1, *shape[-3:]))
    odd = [n % 2 for n in shape[-3:-1]]
    if any(odd):
        flat = pad(flat, [[0, 0], [0, odd[0]], [0, odd[1]], [0, 0]], "SYMMETRIC")
    small = avg_pool(flat, 2, 2, "VALID")
    return reshape(small, (*shape[:-3], *dims(small)[1:]))
