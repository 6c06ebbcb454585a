"""How do I give a whole part of a program one gradient?

The part is round(x) * x, whose derivative by the rules is round(x). Wanted is 2x, as if it were x * x.
Three ways: a decorator, an override map, a name scope.
"""

import numpy as np
import tensorflow as tf
from showing import show, title

v1 = tf.compat.v1
X = np.array([1.2, 2.7], np.float32)


def part(x):
    return tf.round(x) * x


title("How do I give a whole part of a program one gradient?")

x = tf.constant(X)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = part(x)
show("by the rules", tape.gradient(y, x), [1.0, 3.0])


# 1. A decorator, where the part is a function that can be wrapped.
@tf.custom_gradient
def part_with_gradient(x):
    return part(x), lambda dy: 2.0 * x * dy


with tf.GradientTape() as tape:
    tape.watch(x)
    y = part_with_gradient(x)
show("1. by a decorator", tape.gradient(y, x), [2.4, 5.4])


# 2. An override map. It knows types of operations only, so the gradient goes through an identity of
#    its own: the value of the part is added to it in a way that has no gradient.
@tf.RegisterGradient("AsTheSquare")
def as_the_square(op, grad):
    return 2.0 * op.inputs[0] * grad


with tf.Graph().as_default() as graph:
    x = v1.placeholder(tf.float32, [2])
    with graph.gradient_override_map({"Identity": "AsTheSquare"}):
        through = tf.identity(x)
    y = through + tf.stop_gradient(part(x) - through)
    (gradient,) = tf.gradients(y, x)
    with v1.Session() as session:
        value, slope = session.run([y, gradient], {x: X})
show("2. by an override map: value", value, [1.2, 8.1])
show("2. by an override map: gradient", slope, [2.4, 5.4])


# 3. A name scope, where the part stands in somebody else's program. (Wengert only: TensorFlow has
#    no override that is chosen when the gradient is taken.)
def somebody_elses_program(x):
    with tf.name_scope("part"):
        return part(x)


if hasattr(tf, "gradient_override_map"):
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = somebody_elses_program(x)
    rule = {"part": lambda region, grad: [2.0 * region.inputs[0] * grad]}
    show("3. by a name scope", tape.gradient(y, x, overrides=rule), [2.4, 5.4])
