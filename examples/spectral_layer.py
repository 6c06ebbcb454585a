"""Can I differentiate through an eigendecomposition inside a convolutional layer?

The layer filters an image and takes the spectrum of the covariance of its channels. The sum of the
logarithms of the eigenvalues is the logarithm of the determinant: one number on two ways, and so must
be its gradient in the filter, to the second order.
"""

import numpy as np
import tensorflow as tf
from showing import show, title

IMAGE = tf.constant(np.random.default_rng(0).normal(size=(1, 8, 8, 2)))
FILTER = tf.constant(np.random.default_rng(1).normal(size=(3, 3, 2, 3)))


def covariance(kernel):
    channels = tf.nn.conv2d(IMAGE, kernel, 1, "SAME")
    rows = tf.reshape(channels, [-1, 3])
    rows = rows - tf.reduce_mean(rows, 0)
    return tf.matmul(rows, rows, transpose_a=True) / 64.0


def by_spectrum(kernel):
    values, _ = tf.linalg.eigh(covariance(kernel))
    return tf.reduce_sum(tf.math.log(values))


def by_determinant(kernel):
    return tf.linalg.logdet(covariance(kernel))


def two_gradients(f):
    """The gradient in the filter, and the gradient of its square."""
    with tf.GradientTape() as outer:
        outer.watch(FILTER)
        with tf.GradientTape() as tape:
            tape.watch(FILTER)
            y = f(FILTER)
        first = tape.gradient(y, FILTER)
        square = tf.reduce_sum(first * first)
    return first.numpy(), outer.gradient(square, FILTER).numpy()


def at_equal_eigenvalues(f, **options):
    """The gradient of a function of the spectrum, at the unit matrix."""
    a = tf.eye(2)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = f(tf.linalg.eigh(a, **options)[0])
    return tape.gradient(y, a)


title("Can I differentiate through an eigendecomposition?")
first, second = two_gradients(by_spectrum)
wanted_first, wanted_second = two_gradients(by_determinant)
length, wanted_length = np.linalg.norm(first), np.linalg.norm(wanted_first)
show("gradient by eigenvalues, by the determinant", length, wanted_length)
show("... largest difference", np.abs(first - wanted_first).max(), 0.0)
show("second order, largest difference", np.abs(second - wanted_second).max(), 0.0)

cubes = at_equal_eigenvalues(lambda values: tf.reduce_sum(values**3))
show("sum of cubes of two equal eigenvalues", cubes, 3.0 * np.eye(2))

# Which of two equal eigenvalues is the first is not defined, so neither is a gradient that asks.
if hasattr(tf, "register_op"):  # Wengert can refuse; TensorFlow gives the gradient of one choice
    try:
        at_equal_eigenvalues(lambda values: values[0], degenerate="exact")
        refused = False
    except tf.errors.InvalidArgumentError as error:
        refused = True
        print(error)
    show("the gradient of the first of them is refused", refused, True)

if hasattr(
    tf, "spectral_function"
):  # without eigenvectors to ask for: right at equal eigenvalues, too

    def by_function(kernel):
        return tf.linalg.trace(tf.spectral_function(tf.math.log, covariance(kernel)))

    by_trace = tf.grad(by_function)(FILTER)
    show("... by the matrix logarithm, difference", np.abs(by_trace - wanted_first).max(), 0.0)
    bend = tf.hvp(lambda a: tf.linalg.trace(tf.spectral_function(lambda v: v**3, a)))
    direction = tf.constant([[0.0, 1.0], [1.0, 0.0]])
    show("second derivative of the sum of cubes there", bend(tf.eye(2), direction), 6.0 * direction)
