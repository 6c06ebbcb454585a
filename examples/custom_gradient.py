"""How do I give a function a gradient of my own?

log(1 + exp(x)) is right on paper. At x = 100 exp(x) is infinite in float32, and the chain rule gives
inf/inf. The same derivative written as 1 - 1/(1 + exp(x)) is exact everywhere.
"""

import tensorflow as tf
from showing import show, title


def by_the_chain_rule(x):
    return tf.math.log(1.0 + tf.exp(x))


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(dy):
        return dy * (1.0 - 1.0 / (1.0 + e))

    return tf.math.log(1.0 + e), grad


@tf.custom_gradient
def product(x, y):
    """Two inputs: the gradient returns two results, in their order."""
    return x * y, lambda dz: (dz * y, dz * x)


def gradient(f, at):
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


title("How do I give a function a gradient of my own?")
show("log(1 + exp(x)) by the chain rule, at 1", gradient(by_the_chain_rule, 1.0), 0.7310586)
show("log(1 + exp(x)) by the chain rule, at 100", gradient(by_the_chain_rule, 100.0), float("nan"))
show("with its own gradient, at 1", gradient(log1pexp, 1.0), 0.7310586)
show("with its own gradient, at 100", gradient(log1pexp, 100.0), 1.0)
show("of a vector", gradient(log1pexp, [0.0, 1.0, 100.0]), [0.5, 0.7310586, 1.0])

x, y = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = product(x, y)
dx, dy = tape.gradient(z, [x, y])
show("x y at (2, 3): by x", dx, 3.0)
show("x y at (2, 3): by y", dy, 2.0)
