"""A new operation whose forward pass is plain NumPy, and its gradient. No C++."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import wengert as tf
from examples.showing import Line, show

TITLE = "A new operation in pure Python"


@tf.register_op("ArithmeticGeometricMean")
def agm(a: Any, b: Any) -> Any:
    """Gauss's mean of two numbers: arrays in, array out."""
    while not np.allclose(a, b, rtol=1e-15):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return a


@tf.RegisterGradient("ArithmeticGeometricMean")
def _agm_grad(op: Any, grad: Any) -> Any:
    """The derivative of each step, by the tape: as many steps as the operation took."""
    a, b = op.inputs
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        x, y = a, b
        for _ in range(6):
            x, y = (x + y) / 2.0, tf.sqrt(x * y)
    return tape.gradient(x, [a, b], output_gradients=grad)


def lines() -> Iterator[Line]:
    a, b = tf.constant(1.0, tf.float64), tf.constant(2.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        m = agm(a, b)
    by_a, by_b = tape.gradient(m, [a, b])
    yield Line("mean of 1 and 2", m, 1.4567910310469068)
    # The mean is homogeneous, so a dm/da + b dm/db = m (Euler).
    yield Line("a dm/da + b dm/db", a * by_a + b * by_b, 1.4567910310469068)


if __name__ == "__main__":
    show(TITLE, lines())
