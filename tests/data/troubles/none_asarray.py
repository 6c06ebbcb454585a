"""left-tape"""
import numpy as np
import wengert as tf
x = tf.Variable([[1.0, 2.0], [3.0, 5.0]])
with tf.GradientTape() as tape:
    a = np.asarray(x * 2.0)  #!
    loss = tf.reduce_sum(tf.linalg.inv(a))
report = tape.explain(loss, x)
