"""other-tensor"""
import numpy as np
import wengert as tf
data = np.array([1.0, 2.0, 3.0], np.float32)
x = tf.constant(data)
again = tf.constant(data)
with tf.GradientTape() as tape:
    tape.watch(x)
    tape.watch(again)
    y = tf.reduce_sum(x * x)  #!
report = tape.explain(y, again)
