"""division"""
import wengert as tf
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    d = x - tf.constant([1.0, 3.0])
    y = tf.reduce_sum(x / d)  #!
report = tape.explain(y, x)
