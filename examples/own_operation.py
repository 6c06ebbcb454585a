"""How do I add an operation that is plain Python?

The operation is Gauss's arithmetic-geometric mean of two numbers: a loop that ends when they meet.
"""

import numpy as np
import tensorflow as tf
from showing import show, title


def mean_in_numpy(a, b):
    """Arrays in, array out."""
    while not np.allclose(a, b, rtol=1e-15):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return a


def gradients_of_mean(a, b, dy):
    """By a tape over the steps: six of them are enough for any two numbers of similar size."""
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        x, y = a, b
        for _ in range(6):
            x, y = (x + y) / 2.0, tf.sqrt(x * y)
    return tape.gradient(x, [a, b], output_gradients=dy)


# Under TensorFlow, a NumPy function inside a custom gradient.
@tf.custom_gradient
def wrapped(a, b):
    y = tf.numpy_function(mean_in_numpy, [a, b], a.dtype)
    return tf.reshape(y, a.shape), lambda dy: tuple(gradients_of_mean(a, b, dy))


def check(way, f):
    a, b = tf.constant(1.0, tf.float64), tf.constant(2.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        m = f(a, b)
    by_a, by_b = tape.gradient(m, [a, b])
    show(f"{way}: mean of 1 and 2", m, 1.4567910310469068)
    show(f"{way}: its gradient", [by_a, by_b], [0.6052092, 0.4257909])
    # The mean is homogeneous, so a dm/da + b dm/db = m (Euler).
    show(f"{way}: a dm/da + b dm/db", a * by_a + b * by_b, 1.4567910310469068)


title("How do I add an operation that is plain Python?")
check("wrapped", wrapped)

# Under Wengert it can be an operation like any other, with a type that has a registered gradient.
if hasattr(tf, "register_op"):
    mean = tf.register_op("ArithmeticGeometricMean")(mean_in_numpy)

    @tf.RegisterGradient("ArithmeticGeometricMean")
    def _mean_grad(op, grad):
        return gradients_of_mean(*op.inputs, grad)

    check("registered", mean)
