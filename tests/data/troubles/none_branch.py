"""branch"""
import wengert as tf
w, b = tf.Variable(2.0), tf.Variable(1.0)
use_bias = False
with tf.GradientTape() as tape:
    y = w * 3.0
    if use_bias:  #!
        y = y + b
report = tape.explain(y, b)
