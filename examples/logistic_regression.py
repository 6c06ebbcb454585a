"""How is logistic regression written in TensorFlow 2?

Variables, a tape inside a tf.function, an optimizer. Two clouds of points are to be told apart; what
is found is compared with Newton's method in NumPy.
"""

import numpy as np
import tensorflow as tf
from showing import show, title

rng = np.random.default_rng(0)
LABELS = (np.arange(200) % 2).astype(np.float64)
POINTS = rng.normal(size=(200, 2)) + np.outer(LABELS, [1.5, -1.0])

w = tf.Variable(tf.zeros([2], tf.float64))
b = tf.Variable(tf.zeros([], tf.float64))
optimizer = tf.optimizers.SGD(learning_rate=1.0, momentum=0.5)


@tf.function
def train(points, labels):
    with tf.GradientTape() as tape:
        logits = tf.linalg.matvec(points, w) + b
        each = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(each)
    gradients = tape.gradient(loss, [w, b])
    optimizer.apply_gradients(zip(gradients, [w, b]))
    return loss


def newton():
    """The same minimum: each step solves with the Hessian."""
    x = np.column_stack([POINTS, np.ones(200)])
    found = np.zeros(3)
    for _ in range(20):
        p = 1 / (1 + np.exp(-x @ found))
        found += np.linalg.solve(x.T * (p * (1 - p)) @ x, x.T @ (LABELS - p))
    return found


title("How is logistic regression written in TensorFlow 2?")
points, labels = tf.constant(POINTS), tf.constant(LABELS)
for step in range(301):
    loss = train(points, labels)
    if step % 100 == 0:
        print(f"step {step:4}: loss {float(loss):.6f}")

right = np.mean((POINTS @ w.numpy() + b.numpy() > 0) == (LABELS > 0))
print(f"{right:.1%} of the points are on the right side")
show("weights and offset, beside Newton's method", [*w.numpy(), b.numpy()], newton(), within=1e-4)
