"""How do I get guided backprop for a network that I did not write?

Guided backprop asks which inputs speak for a result: at every relu only positive gradients pass.
"""

import numpy as np
import tensorflow as tf
from showing import show, title

v1 = tf.compat.v1
X = np.array([-2.0, -0.5, 0.7, 3.0])


@tf.RegisterGradient("GuidedRelu")
def guided_relu(op, grad):
    """Nothing flows back where the result is zero or the gradient is negative."""
    return tf.where((op.outputs[0] > 0.0) & (grad > 0.0), grad, tf.zeros_like(grad))


def network(x):
    """Somebody else's: it calls tf.nn.relu, and cannot be changed."""
    return tf.reduce_sum(tf.nn.relu(x) * [1.0, 2.0, -3.0, 4.0])


title("How do I get guided backprop?")

x = tf.constant(X)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = network(x)
show("the gradient", tape.gradient(y, x), [0, 0, -3, 4])

# In a graph, operations take their gradient from the map that is in force when they are made.
with tf.Graph().as_default() as graph:
    x = v1.placeholder(tf.float64, [4])
    with graph.gradient_override_map({"Relu": "GuidedRelu"}):
        y = network(x)
    (gradient,) = tf.gradients(y, x)
    with v1.Session() as session:
        show("guided, by the map of a graph", session.run(gradient, {x: X}), [0, 0, 0, 4])

# Wengert has the same map for eager mode, and takes overrides when the gradient is asked for.
if hasattr(tf, "gradient_override_map"):
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tf.gradient_override_map({"Relu": "GuidedRelu"}):
            y = network(x)
        plain = network(x)
    show("guided, by a map in eager mode", tape.gradient(y, x), [0, 0, 0, 4])
    guided = tape.gradient(plain, x, overrides={"Relu": "GuidedRelu"})
    show("guided, after the fact", guided, [0, 0, 0, 4])
