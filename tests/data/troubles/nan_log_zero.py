"""log"""
import wengert as tf
x = tf.Variable([0.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.math.log(x))  #!
report = tape.explain(y, x)
