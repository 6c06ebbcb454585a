"""norm"""
import wengert as tf
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    target = tf.constant([1.0, 2.0])
    y = tf.sqrt(tf.reduce_sum((x - target) ** 2))  #!
report = tape.explain(y, x)
