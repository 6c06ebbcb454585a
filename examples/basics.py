"""First and second derivatives, and the gradient of several results at once."""

from __future__ import annotations

from collections.abc import Iterator

import wengert as tf
from examples.showing import Line, show

TITLE = "Gradients with a tape"


def lines() -> Iterator[Line]:
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        first = inner.gradient(y, x)
    yield Line("x² at 3: first derivative", first, 6.0)
    yield Line(
        "x² at 3: second derivative, by a tape around the tape", outer.gradient(first, x), 2.0
    )
    yield from cross_entropy()


def cross_entropy() -> Iterator[Line]:
    """Several targets give the gradient of their sum; their mean gives half of it here."""
    inputs = tf.constant([[0.1, 0.0], [0.5, 0.51]])
    w, b = tf.Variable(inputs), tf.Variable(0.0)
    with tf.GradientTape(persistent=True) as tape:
        logits = tf.matmul(inputs, w) + b
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=logits)
        mean = tf.reduce_mean(each)
    yield Line("cross-entropy of each example", each, [0.6881597, 0.71584916])
    yield Line(
        "gradient of the vector: that of its sum",
        tape.gradient(each, w),
        [[0.20586157, -0.20586154], [0.2607238, -0.26072377]],
    )
    yield Line(
        "gradient of its mean: half",
        tape.gradient(mean, w),
        [[0.10293078, -0.10293077], [0.1303619, -0.13036188]],
    )


if __name__ == "__main__":
    show(TITLE, lines())
