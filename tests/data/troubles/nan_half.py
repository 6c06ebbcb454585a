"""overflow"""
import wengert as tf
x = tf.Variable([300.0, 2.0], dtype=tf.float16)
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.square(x)) * 0.001  #!
report = tape.explain(y, x)
