"""Networks for images: two layers as for CIFAR, the first stages of ResNet-18 and of MobileNetV2."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.native.libraries import contestants
from benchmarks.native.science import expected_of
from benchmarks.native.workload import BEST, FLOAT, Array, Program, Workload, normal

EPSILON = 1e-5


class Layers(NamedTuple):
    """What a network is made of, in a library; images are (batch, height, width, channels)."""

    convolve: Callable[..., Any]  # convolve(x, kernel, stride, border)
    each: Callable[..., Any]  # the same for each channel by itself
    pool: Callable[[Any], Any]  # the largest of 3 x 3, each second one
    normalize: Callable[[Any, Any, Any], Any]
    relu: Callable[[Any], Any]
    relu6: Callable[[Any], Any]
    mean_square: Callable[[Any], Any]


def of_tensorflow(tf: Any) -> Layers:
    def border(n: int) -> Any:
        return [[0, 0], [n, n], [n, n], [0, 0]]

    def normalize(x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, EPSILON)

    return Layers(
        lambda x, w, s, n: tf.nn.conv2d(x, w, s, border(n)),
        lambda x, w, s, n: tf.nn.depthwise_conv2d(x, w, [1, s, s, 1], border(n)),
        lambda x: tf.nn.max_pool2d(x, 3, 2, "VALID"),
        normalize,
        tf.nn.relu,
        tf.nn.relu6,
        lambda y: tf.reduce_mean(tf.square(y)),
    )


def of_jax(jax: Any) -> Layers:
    jnp, lax = jax.numpy, jax.lax
    form = ("NHWC", "HWIO", "NHWC")

    def convolve(x: Any, w: Any, s: int, n: int, groups: int = 1) -> Any:
        return lax.conv_general_dilated(
            x, w, (s, s), [(n, n)] * 2, dimension_numbers=form, feature_group_count=groups
        )

    def normalize(x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        return (x - mean) * lax.rsqrt(variance + EPSILON) * scale + offset

    return Layers(
        convolve,
        lambda x, w, s, n: convolve(x, w.transpose(0, 1, 3, 2), s, n, x.shape[-1]),
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "VALID"),
        normalize,
        jax.nn.relu,
        jax.nn.relu6,
        lambda y: jnp.mean(y * y),
    )


def of_torch(torch: Any) -> Layers:
    """Images keep their place in memory: channels last, as PyTorch calls it."""
    nn = torch.nn.functional

    def inside(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, *rest: f(x.permute(0, 3, 1, 2), *rest).permute(0, 2, 3, 1)

    return Layers(
        inside(lambda x, w, s, n: nn.conv2d(x, w.permute(3, 2, 0, 1), None, s, n)),
        inside(lambda x, w, s, n: nn.conv2d(x, w.permute(2, 3, 0, 1), None, s, n, 1, x.shape[1])),
        inside(lambda x: nn.max_pool2d(x, 3, 2)),
        inside(lambda x, a, b: nn.batch_norm(x, None, None, a, b, True, 0.0, EPSILON)),
        nn.relu,
        nn.relu6,
        lambda y: y.square().mean(),
    )


Network = Callable[[Layers, Any, Iterator[Any]], Any]


def program(
    network: Network, image: tuple[int, ...], shapes: Sequence[tuple[int, ...]], seed: int = 0
) -> Program:
    """The gradient in all weights of the mean square of what a network gives.

    By the seed no unit is so near to its kink that rounding decides on which side it is.
    """

    def inputs() -> list[Array]:
        x, *weights = normal(image, *shapes, seed=seed)
        return [x, *map(scaled, weights)]

    def value(layers: Callable[[Any], Layers], library: Any, x: Any, *weights: Any) -> Any:
        made = layers(library)
        return made.mean_square(network(made, x, iter(weights)))

    return Program(
        inputs,
        partial(value, of_tensorflow),
        partial(value, of_jax),
        partial(value, of_torch),
        gradients=range(1, len(shapes) + 1),
    )


def scaled(w: Array) -> Array:
    """Kernels that keep the size of what they take; scales are near one."""
    if w.ndim == 1:
        return 1 + FLOAT(0.1) * w
    return w * FLOAT(np.prod(w.shape[:-1]) ** -0.5)


# ---- two layers as for CIFAR --------------------------------------------------------------------


def cifar(layers: Layers, x: Any, weights: Iterator[Any]) -> Any:
    for w in weights:
        x = layers.pool(layers.relu(layers.convolve(x, w, 1, 2)))
    return x


CIFAR = program(cifar, (64, 32, 32, 3), [(5, 5, 3, 64), (5, 5, 64, 64)])

# ---- ResNet-18 ----------------------------------------------------------------------------------


def convolved(layers: Layers, x: Any, weights: Iterator[Any], stride: int, border: int) -> Any:
    x = layers.convolve(x, next(weights), stride, border)
    return layers.normalize(x, next(weights), next(weights))


def resnet(layers: Layers, x: Any, weights: Iterator[Any]) -> Any:
    x = layers.pool(layers.relu(convolved(layers, x, weights, 2, 3)))
    for stride in (1, 1, 2, 1):
        y = layers.relu(convolved(layers, x, weights, stride, 1))
        y = convolved(layers, y, weights, 1, 1)
        if stride > 1:
            x = convolved(layers, x, weights, stride, 0)
        x = layers.relu(x + y)
    return x


def normalized(*kernels: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Kernels, each with its scale and offset."""
    return [shape for k in kernels for shape in (k, (k[3],), (k[3],))]


SMALL, LARGE, BETWEEN = (3, 3, 64, 64), (3, 3, 128, 128), (3, 3, 64, 128)
RESNET = program(
    resnet,
    (8, 112, 112, 3),
    normalized((7, 7, 3, 64), *[SMALL] * 4, BETWEEN, LARGE, (1, 1, 64, 128), *[LARGE] * 2),
    seed=2,
)

# ---- MobileNetV2 --------------------------------------------------------------------------------


def mobilenet(layers: Layers, x: Any, weights: Iterator[Any]) -> Any:
    x = layers.relu6(convolved(layers, x, weights, 2, 1))
    for wide, stride in ((False, 1), (True, 2), (True, 1)):
        y = layers.relu6(convolved(layers, x, weights, 1, 0)) if wide else x
        y = layers.each(y, next(weights), stride, 1)
        y = layers.relu6(layers.normalize(y, next(weights), next(weights)))
        y = convolved(layers, y, weights, 1, 0)
        x = x + y if x.shape == y.shape else y
    return x


def by_itself(channels: int) -> list[tuple[int, ...]]:
    return [(3, 3, channels, 1), (channels,), (channels,)]


MOBILENET = program(
    mobilenet,
    (8, 112, 112, 3),
    [
        *normalized((3, 3, 3, 32)),
        *by_itself(32),
        *normalized((1, 1, 32, 16), (1, 1, 16, 96)),
        *by_itself(96),
        *normalized((1, 1, 96, 24), (1, 1, 24, 144)),
        *by_itself(144),
        *normalized((1, 1, 144, 24)),
    ],
    seed=8,
)

WORKLOADS = [
    Workload(name, contestants(made), expected_of(made), {BEST: 0.95})
    for name, made in (
        ("two layers as for CIFAR, batch 64", CIFAR),
        ("first two stages of ResNet-18, batch 8", RESNET),
        ("first two stages of MobileNetV2, batch 8", MOBILENET),
    )
]
