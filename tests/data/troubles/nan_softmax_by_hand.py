"""softmax"""
import wengert as tf
x = tf.Variable([100.0, 1.0])
with tf.GradientTape() as tape:
    e = tf.exp(x)  #!
    p = e / tf.reduce_sum(e)
    y = tf.reduce_sum(p * p)
report = tape.explain(y, x)
