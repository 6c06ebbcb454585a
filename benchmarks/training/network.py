"""The network of `wengert train cifar10` as a program for TensorFlow, with its fused Adam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MAPS, FLOOR, DECAY, EPSILON = 12, 1e-3, 0.004, 1e-7


def step_of(tf: Any, rate: float, seed: int, with_spectrum: bool) -> Callable[[Any, Any], Any]:
    """A training step as one graph; it gives the loss before the update."""
    tf.random.set_seed(seed)
    weights = _weights(tf, with_spectrum)
    optimizer = tf.compat.v1.train.AdamOptimizer(rate, epsilon=EPSILON)
    variables = list(weights.values())

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = _logits(tf, weights, x, with_spectrum)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            loss = tf.reduce_mean(each)
            squares = tf.nn.l2_loss(weights["local3"]) + tf.nn.l2_loss(weights["local4"])
            total = loss + DECAY * squares
        slopes = tape.gradient(total, variables)
        optimizer.apply_gradients(zip(slopes, variables, strict=True))
        return loss

    return step  # type: ignore[no-any-return]


def _weights(tf: Any, with_spectrum: bool) -> dict[str, Any]:
    """Drawn in the order in which the command's network draws them: equal seeds give equal numbers."""
    found: dict[str, Any] = {}

    def drawn(name: str, shape: list[int], deviation: float, offset: float | None) -> None:
        found[name] = tf.Variable(tf.random.truncated_normal(shape, stddev=deviation))
        if offset is not None:
            found[f"{name} offsets"] = tf.Variable(tf.fill([shape[-1]], offset))

    drawn("conv1", [5, 5, 3, 64], 0.05, 0.0)
    drawn("conv2", [5, 5, 64, 64], 0.05, 0.1)
    if with_spectrum:
        drawn("spectrum", [3, 3, 64, MAPS], 0.05, None)
    drawn("local3", [6 * 6 * 64 + (MAPS if with_spectrum else 0), 384], 0.04, 0.1)
    drawn("local4", [384, 192], 0.04, 0.1)
    drawn("logits", [192, 10], 1 / 192.0, 0.0)
    return found


def _logits(tf: Any, weights: dict[str, Any], x: Any, with_spectrum: bool) -> Any:
    def convolution(x: Any, name: str) -> Any:
        y = tf.nn.conv2d(x, weights[name], 1, "SAME")
        return tf.nn.relu(y + weights[f"{name} offsets"])

    def pooled(x: Any) -> Any:
        return tf.nn.max_pool2d(x, 3, 2, "SAME")

    def normalized(x: Any) -> Any:
        return tf.nn.local_response_normalization(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)

    def dense(x: Any, name: str) -> Any:
        return tf.matmul(x, weights[name]) + weights[f"{name} offsets"]

    x = normalized(pooled(convolution(x, "conv1")))
    x = pooled(normalized(convolution(x, "conv2")))
    flat = tf.reshape(x, [-1, 6 * 6 * 64])
    if with_spectrum:
        flat = tf.concat([flat, _spectrum(tf, weights["spectrum"], x)], 1)
    hidden = tf.nn.relu(dense(tf.nn.relu(dense(flat, "local3")), "local4"))
    return dense(hidden, "logits")


def _spectrum(tf: Any, kernel: Any, x: Any) -> Any:
    """The logarithms of the eigenvalues of the covariance of feature maps, for each picture."""
    rows = tf.reshape(tf.nn.conv2d(x, kernel, 1, "SAME"), [-1, 36, MAPS])
    rows -= tf.reduce_mean(rows, 1, keepdims=True)
    values, _ = tf.linalg.eigh(tf.matmul(rows, rows, transpose_a=True) / 36.0)
    return tf.math.log(tf.nn.relu(values) + FLOOR)
