"""A program of a user, which type checkers must not find fault with (tests/test_typing.py)."""

from __future__ import annotations

import numpy as np

import wengert as tf


@tf.custom_gradient
def log1pexp(x: tf.Tensor) -> tuple[tf.Tensor, object]:
    e = tf.exp(x)
    return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))


class Layer(tf.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.w = tf.Variable(tf.random.normal([inputs, outputs], stddev=0.1), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(features=x @ self.w + self.b)


@tf.function
def loss_of(layer: Layer, x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(tf.square(layer(x) - y), axis=[0, 1], keepdims=False)


@tf.function(reduce_retracing=True)
def doubled(x: tf.Tensor) -> tf.Tensor:
    return x * 2.0


def train(steps: int) -> float:
    layer = Layer(3, 2)
    x, y = tf.constant(np.ones((4, 3), np.float32)), tf.ones((4, 2), dtype=tf.float32)
    optimizer = tf.optimizers.Adam(learning_rate=0.1)
    loss = tf.constant(0.0)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_of(layer, x, y)
        variables = [layer.w, layer.b]
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
    return float(loss)


def derivatives() -> list[float]:
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = log1pexp(x) + doubled(tf.identity(x))
        z = x**2 / tf.cast(3, "float32")
    slope = tape.gradient(y, x)
    both = tape.gradient({"y": y, "z": z}, {"x": x})
    dx, dz = tape.gradient(z, (x, x), unconnected_gradients=tf.UnconnectedGradients.ZERO)
    x.assign_sub(0.1 * slope).assign_add(1.0)
    assert isinstance(both["x"], tf.Tensor)
    return [float(slope), float(dx + dz), x.numpy().item()]


def operations() -> tf.Tensor:
    table = tf.reshape(tf.range(12), shape=[3, -1])
    rows = tf.gather(table, indices=[0, 2], axis=0)
    joined = tf.concat([rows, tf.transpose(tf.transpose(rows))], axis=0)
    wide = tf.cast(joined[..., :2], tf.float32)
    logits = tf.matmul(wide, wide, transpose_b=True)
    shares = tf.nn.softmax(logits, axis=-1)
    angle = tf.atan2(y=shares, x=tf.ones_like(shares))
    values, places = tf.math.top_k(angle, k=2)
    padded = tf.pad(values, [[0, 1], [0, 0]])
    where = tf.where(padded > 0.1, padded, tf.zeros_like(padded))
    image = tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), strides=1, padding="SAME")
    halves = tf.split(tf.image.resize(image, [8, 8]), 2, axis=1)
    norms = [tf.norm(half, ord="euclidean") for half in halves]
    mean, variance = tf.nn.moments(tf.stack(norms), axes=[0])
    s = tf.linalg.svd(wide, compute_uv=False)
    total = tf.add_n([mean, variance, tf.reduce_sum(s), tf.reduce_max(where)])
    return total + tf.cast(tf.reduce_sum(places), total.dtype)


if __name__ == "__main__":
    print(train(3), derivatives(), operations().shape.as_list())
