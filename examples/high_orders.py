"""How do I get derivatives of high order?

By tapes within tapes: each records what the one inside it computes. Taylor mode has all orders in one pass.
"""

import math

import tensorflow as tf
from showing import show, title


def derivative(f, order):
    """The derivative of a function of one number, as a function."""
    if order == 0:
        return f
    lower = derivative(f, order - 1)

    def higher(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = lower(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return higher


title("How do I get derivatives of high order?")
three = tf.constant(3.0)
show("x² at 3: first derivative", derivative(tf.square, 1)(three), 6.0)
show("x² at 3: second derivative", derivative(tf.square, 2)(three), 2.0)
show("x² at 3: third derivative", derivative(tf.square, 3)(three), 0.0)

x = tf.constant(0.7, tf.float64)
show("sin at 0.7: sixth derivative", derivative(tf.sin, 6)(x), -math.sin(0.7))
show("exp at 0.7: sixth derivative", derivative(tf.exp, 6)(x), math.exp(0.7))
show("x⁷ at 0.7: sixth derivative", derivative(lambda v: v**7, 6)(x), math.factorial(7) * 0.7)
show("log at 0.7: sixth derivative", derivative(tf.math.log, 6)(x), -120 / 0.7**6)

if hasattr(tf, "taylor"):  # TensorFlow has nothing of the kind
    orders = tf.taylor(tf.math.log, x, 1.0, order=6)
    show("log at 0.7: all orders in one pass, the sixth", orders[6], -120 / 0.7**6)
