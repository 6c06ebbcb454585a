"""where"""
import wengert as tf
x = tf.Variable([0.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0))  #!
report = tape.explain(y, x)
