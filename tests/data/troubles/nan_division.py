"""division"""
import wengert as tf
x = tf.Variable([0.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(1.0 / x)  #!
report = tape.explain(y, x)
