"""What is the gradient of several targets?

That of their sum. What each target contributes is in the Jacobian.
"""

import tensorflow as tf
from showing import show, title

title("What is the gradient of several targets?")

x = tf.constant([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    square, cube = x**2, x**3
    y = tf.stack([x[0] * x[1], x[0] + 3.0 * x[1], x[1] ** 2])
show("[x², x³] at (1, 2): gradient of both", tape.gradient([square, cube], x), [5.0, 16.0])
show("... of x²", tape.gradient(square, x), [2.0, 4.0])
show("... of x³", tape.gradient(cube, x), [3.0, 12.0])

show("a vector (x₀x₁, x₀ + 3x₁, x₁²): gradient", tape.gradient(y, x), [3.0, 8.0])
jacobian = tape.jacobian(y, x)
show("... Jacobian", jacobian, [[2.0, 1.0], [1.0, 3.0], [0.0, 4.0]])
show("... the sum of its rows is the gradient", tf.reduce_sum(jacobian, 0), [3.0, 8.0])
weighted = tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0, 10.0]))
show("... with weights 1, 0, 10 for its rows", weighted, [2.0, 41.0])

# A loss for each example: its gradient is summed over the examples, that of the mean is not.
inputs = tf.constant([[0.1, 0.0], [0.5, 0.51]])
w, b = tf.Variable(inputs), tf.Variable(0.0)
with tf.GradientTape(persistent=True) as tape:
    logits = tf.matmul(inputs, w) + b
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=logits)
    mean = tf.reduce_mean(each)
show("cross-entropy of two examples", each, [0.6881597, 0.71584916])
show(
    "gradient of the losses: that of their sum",
    tape.gradient(each, w),
    [[0.20586157, -0.20586154], [0.2607238, -0.26072377]],
)
show(
    "gradient of their mean: half",
    tape.gradient(mean, w),
    [[0.10293078, -0.10293077], [0.1303619, -0.13036188]],
)
