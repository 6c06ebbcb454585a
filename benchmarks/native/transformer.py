"""A step of a transformer: the gradient in all weights of six layers of attention and of dense units."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from benchmarks.native.libraries import contestants
from benchmarks.native.science import expected_of
from benchmarks.native.workload import BEST, FLOAT, Array, Program, Workload, normal

LAYERS, BATCH, POSITIONS, WIDTH, HEADS = 6, 16, 256, 256, 8
EACH = WIDTH // HEADS
EPSILON = 1e-5


class Blocks(NamedTuple):
    """What a layer is made of, in a library."""

    attend: Callable[..., Any]  # of queries, keys and values: (batch, positions, width)
    normalize: Callable[[Any, Any, Any], Any]
    relu: Callable[[Any], Any]
    mean_square: Callable[[Any], Any]


def of_tensorflow(tf: Any) -> Blocks:
    def heads(x: Any) -> Any:
        return tf.transpose(tf.reshape(x, [BATCH, POSITIONS, HEADS, EACH]), [0, 2, 1, 3])

    def attend(q: Any, k: Any, v: Any) -> Any:
        scores = tf.nn.softmax(tf.matmul(heads(q), heads(k), transpose_b=True) * EACH**-0.5)
        mixed = tf.transpose(scores @ heads(v), [0, 2, 1, 3])
        return tf.reshape(mixed, [BATCH, POSITIONS, WIDTH])

    def normalize(x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + EPSILON) * scale + offset

    return Blocks(attend, normalize, tf.nn.relu, lambda y: tf.reduce_mean(tf.square(y)))


def of_jax(jax: Any) -> Blocks:
    def heads(x: Any) -> Any:
        return x.reshape(BATCH, POSITIONS, HEADS, EACH)

    def attend(q: Any, k: Any, v: Any) -> Any:
        return jax.nn.dot_product_attention(heads(q), heads(k), heads(v)).reshape(q.shape)

    def normalize(x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + EPSILON) * scale + offset

    return Blocks(attend, normalize, jax.nn.relu, lambda y: jax.numpy.mean(y * y))


def of_torch(torch: Any) -> Blocks:
    nn = torch.nn.functional

    def heads(x: Any) -> Any:
        return x.view(BATCH, POSITIONS, HEADS, EACH).transpose(1, 2)

    def attend(q: Any, k: Any, v: Any) -> Any:
        mixed = nn.scaled_dot_product_attention(heads(q), heads(k), heads(v))
        return mixed.transpose(1, 2).reshape(q.shape)

    def normalize(x: Any, scale: Any, offset: Any) -> Any:
        return nn.layer_norm(x, (WIDTH,), scale, offset, EPSILON)

    return Blocks(attend, normalize, nn.relu, lambda y: y.square().mean())


def encoded(blocks: Blocks, x: Any, weights: Iterator[Any]) -> Any:
    for wq, wk, wv, wo, s1, o1, w1, b1, w2, b2, s2, o2 in zip(*[weights] * 12, strict=True):
        x = blocks.normalize(x + blocks.attend(x @ wq, x @ wk, x @ wv) @ wo, s1, o1)
        x = blocks.normalize(x + blocks.relu(x @ w1 + b1) @ w2 + b2, s2, o2)
    return x


def inputs() -> list[Array]:
    square, line, wide = (WIDTH, WIDTH), (WIDTH,), 4 * WIDTH
    layer = [*[square] * 4, line, line, (WIDTH, wide), (wide,), (wide, WIDTH), line, line, line]
    x, *weights = normal((BATCH, POSITIONS, WIDTH), *layer * LAYERS)
    return [x, *(w * FLOAT(w.shape[0] ** -0.5 if w.ndim == 2 else 1) for w in weights)]


def value(blocks: Callable[[Any], Blocks], library: Any, x: Any, *weights: Any) -> Any:
    made = blocks(library)
    return made.mean_square(encoded(made, x, iter(weights)))


PROGRAM = Program(
    inputs,
    partial(value, of_tensorflow),
    partial(value, of_jax),
    partial(value, of_torch),
    gradients=range(1, 12 * LAYERS + 1),
)

WORKLOADS = [
    Workload(
        f"step of a transformer, {LAYERS} layers, width {WIDTH}, {BATCH} x {POSITIONS}",
        contestants(PROGRAM),
        expected_of(PROGRAM),
        {BEST: 0.85},
    )
]
