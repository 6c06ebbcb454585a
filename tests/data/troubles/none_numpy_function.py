"""left-tape"""
import numpy as np
import wengert as tf
@tf.function
def model(x):
    h = tf.exp(x)
    s = tf.numpy_function(np.sin, [h], tf.float32)  #!
    return tf.reduce_sum(s)
x = tf.constant([0.5, 1.5])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
report = tape.explain(y, x)
