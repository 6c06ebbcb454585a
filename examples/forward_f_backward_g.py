"""How do I compute f, but differentiate as if it were g?

With stop_gradient: g(x) + stop_gradient(f(x) - g(x)) has the value of f and the gradient of g.
"""

import tensorflow as tf
from showing import show, title


def value_and_gradient(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


def as_a_sum(x):
    """floor forward, the square backward."""
    g = tf.square(x)
    return g + tf.stop_gradient(tf.floor(x) - g)


def as_a_product(x):
    """The same value; the gradient of g is multiplied by f/g, so it is that of log g times f."""
    g = tf.square(x)
    return g * tf.stop_gradient(tf.floor(x) / g)


def straight_through(x):
    """A rounding that lets gradients pass: forward round, backward the identity."""
    return tf.reduce_sum((x + tf.stop_gradient(tf.round(x) - x)) ** 2)


def reversed_factor(x):
    """Forward x, backward -x: what one part of an adversarial network learns, another unlearns."""
    minus = -x + tf.stop_gradient(2.0 * x)
    return tf.reduce_sum(minus * x)


title("How do I compute f, but differentiate as if it were g?")
value, slope = value_and_gradient(as_a_sum, 2.7)
show("floor forward, square backward: value", value, 2.0)
show("... gradient", slope, 5.4)
value, slope = value_and_gradient(as_a_product, 2.7)
show("as a product: value", value, 2.0)
show("... gradient, 2x times f/g", slope, 1.4814815)
value, slope = value_and_gradient(straight_through, [1.2, 2.7])
show("rounding, straight through: sum of squares", value, 10.0)
show("... gradient", slope, [2.0, 6.0])
value, slope = value_and_gradient(reversed_factor, [1.0, -3.0])
show("one factor of x² reversed: value", value, 10.0)
show("... gradient", slope, [0.0, 0.0])
