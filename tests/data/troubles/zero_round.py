"""zero"""
import wengert as tf
x = tf.Variable([0.2, 1.7])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.sign(x) * 3.0)  #!
report = tape.explain(y, x)
