"""exp"""
import wengert as tf
x = tf.Variable([100.0, 1.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.math.log(1.0 + tf.exp(x)))  #!
report = tape.explain(y, x)
