"""sqrt"""
import wengert as tf
x = tf.Variable([1.0, 0.5])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.acos(x))  #!
report = tape.explain(y, x)
