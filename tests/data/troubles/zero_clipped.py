"""zero"""
import wengert as tf
x = tf.Variable([3.0, -7.0])
with tf.GradientTape() as tape:
    c = tf.clip_by_value(x, -1.0, 1.0)  #!
    y = tf.reduce_sum(c * 2.0)
report = tape.explain(y, x)
