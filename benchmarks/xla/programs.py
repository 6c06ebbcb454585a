"""The programs, written once with Wengert's API and once for JAX: each makes a step to be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

import wengert as tf

Step = Callable[[], Any]  # runs once, and gives a number when it is done


class Program(NamedTuple):
    """A step, made anew by each of the two; both give the same number on their first call."""

    ours: Callable[[], Step]
    jaxs: Callable[[Any], Step]


def _normal(*shape: int, scale: float = 1.0) -> Any:
    rng = np.random.default_rng(sum(shape))
    return (scale * rng.standard_normal(shape)).astype(np.float32)


# ---- a training step of two layers ---------------------------------------------------------------

_X, _LABELS = _normal(256, 256), np.arange(256) % 10


def _parameters() -> list[Any]:
    return [_normal(256, 512, scale=0.05), _normal(512, scale=0.0), _normal(512, 10, scale=0.05)]


def _mlp() -> Step:
    weights = [tf.Variable(w) for w in _parameters()]
    x, labels = tf.constant(_X), tf.constant(_LABELS)

    @tf.function(engine="xla")
    def step(x: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = tf.nn.relu(x @ weights[0] + weights[1]) @ weights[2]
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(each)
        for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(0.1 * g)
        return loss

    return lambda: float(step(x, labels))


def _mlp_in_jax(jax: Any) -> Step:
    jnp = jax.numpy
    held = [list(map(jnp.asarray, _parameters()))]
    x, labels = jnp.asarray(_X), jnp.asarray(_LABELS)

    def loss(weights: Any, x: Any, labels: Any) -> Any:
        logits = jax.nn.relu(x @ weights[0] + weights[1]) @ weights[2]
        logs = jax.nn.log_softmax(logits)
        return -jnp.mean(jnp.take_along_axis(logs, labels[:, None], 1))

    @jax.jit
    def step(weights: Any, x: Any, labels: Any) -> Any:
        value, gs = jax.value_and_grad(loss)(weights, x, labels)
        return value, [w - 0.1 * g for w, g in zip(weights, gs, strict=True)]

    def run() -> float:
        value, held[0] = step(held[0], x, labels)
        return float(value)

    return run


# ---- a chain of a thousand multiply-adds ---------------------------------------------------------

_LINKS: Final = 500


def _chain_value(x: Any) -> Any:
    for _ in range(_LINKS):
        x = x * 0.999 + 1e-3
    return x


def _chain() -> Step:
    x = tf.constant(_normal(8))

    @tf.function(engine="xla")
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(_chain_value(x))
        return y + tf.reduce_sum(tape.gradient(y, x))

    return lambda: float(step(x))


def _chain_in_jax(jax: Any) -> Step:
    x = jax.numpy.asarray(_normal(8))

    @jax.jit
    def step(x: Any) -> Any:
        y, g = jax.value_and_grad(lambda x: _chain_value(x).sum())(x)
        return y + g.sum()

    return lambda: float(step(x))


# ---- a step of a convolution ---------------------------------------------------------------------

_IMAGES, _FILTER = (32, 28, 28, 8), (3, 3, 8, 16)


def _convolution() -> Step:
    x, w = tf.constant(_normal(*_IMAGES)), tf.Variable(_normal(*_FILTER, scale=0.1))

    @tf.function(engine="xla")
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME")), 2, 2, "SAME")
            loss = tf.reduce_mean(y * y)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    return lambda: float(step(x))


def _convolution_in_jax(jax: Any) -> Step:
    jnp, lax = jax.numpy, jax.lax
    x, held = jnp.asarray(_normal(*_IMAGES)), [jnp.asarray(_normal(*_FILTER, scale=0.1))]

    def loss(w: Any, x: Any) -> Any:
        form = ("NHWC", "HWIO", "NHWC")
        y = jax.nn.relu(lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=form))
        y = lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
        return jnp.mean(y * y)

    @jax.jit
    def step(w: Any, x: Any) -> Any:
        value, g = jax.value_and_grad(loss)(w, x)
        return value, w - 0.1 * g

    def run() -> float:
        value, held[0] = step(held[0], x)
        return float(value)

    return run


# ---- a loop --------------------------------------------------------------------------------------

_TURNS: Final = 100


def _loop() -> Step:
    x, m = tf.constant(_normal(64)), tf.constant(_normal(64, 64, scale=0.1))

    @tf.function(engine="xla")
    def step(x: Any) -> Any:
        def body(i: Any, v: Any) -> Any:
            return i + 1, tf.tanh(tf.linalg.matvec(m, v) + x)

        return tf.reduce_sum(tf.while_loop(lambda i, v: i < _TURNS, body, (0, x))[1])

    return lambda: float(step(x))


def _loop_in_jax(jax: Any) -> Step:
    jnp = jax.numpy
    x, m = jnp.asarray(_normal(64)), jnp.asarray(_normal(64, 64, scale=0.1))

    @jax.jit
    def step(x: Any) -> Any:
        def body(held: Any) -> Any:
            return held[0] + 1, jnp.tanh(m @ held[1] + x)

        return jax.lax.while_loop(lambda held: held[0] < _TURNS, body, (0, x))[1].sum()

    return lambda: float(step(x))


PROGRAMS: Final = {
    "two layers, a training step": Program(_mlp, _mlp_in_jax),
    "chain of 1,000 operations, value and gradient": Program(_chain, _chain_in_jax),
    "convolution and pooling, a training step": Program(_convolution, _convolution_in_jax),
    "loop of 100 products": Program(_loop, _loop_in_jax),
}
