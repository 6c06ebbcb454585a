"""softmax"""
import wengert as tf
x = tf.Variable([100.0, 1.0])
with tf.GradientTape() as tape:
    p = tf.exp(x) / tf.reduce_sum(tf.exp(x))  #!
    y = tf.reduce_sum(p * p)
report = tape.explain(y, x)
