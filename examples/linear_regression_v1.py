"""How was linear regression written in TensorFlow 1?

Placeholders, variables that a session initializes, an optimizer that adds operations to the graph.
"""

import numpy as np
import tensorflow.compat.v1 as tf
from showing import show, title

tf.disable_v2_behavior()

HEIGHTS = np.array([1.0, 2.0, 3.0, 4.0])
WEIGHTS = np.array([3.1, 4.9, 7.2, 8.8])

title("How was linear regression written in TensorFlow 1?")

x = tf.placeholder(tf.float64, [None], name="x")
y = tf.placeholder(tf.float64, [None], name="y")
slope = tf.get_variable("slope", initializer=np.float64(0.0))
offset = tf.get_variable("offset", initializer=np.float64(0.0))
loss = tf.reduce_mean(tf.square(slope * x + offset - y))
train = tf.train.GradientDescentOptimizer(learning_rate=0.1).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(1001):
        _, value = session.run([train, loss], {x: HEIGHTS, y: WEIGHTS})
        if step % 200 == 0:
            print(f"step {step:4}: loss {value:.6f}")
    found = session.run([slope, offset])

show("slope and offset, beside the exact solution", found, np.polyfit(HEIGHTS, WEIGHTS, 1))
