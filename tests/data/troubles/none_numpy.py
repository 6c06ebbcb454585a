"""left-tape"""
import numpy as np
import wengert as tf
x = tf.Variable([1.0, 4.0])
with tf.GradientTape() as tape:
    h = tf.sin(x)
    z = tf.constant(np.square(h.numpy()))  #!
    loss = tf.reduce_sum(z)
report = tape.explain(loss, x)
