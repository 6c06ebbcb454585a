"""norm"""
import wengert as tf
x = tf.Variable([0.0, 0.0])
with tf.GradientTape() as tape:
    y = tf.sqrt(tf.reduce_sum(tf.square(x)))  #!
report = tape.explain(y, x)
