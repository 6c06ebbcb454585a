"""where"""
import wengert as tf
x = tf.Variable([1.0, 0.5])
with tf.GradientTape() as tape:
    inside = x < 1.0
    y = tf.reduce_sum(tf.where(inside, tf.acos(x), 0.0))  #!
report = tape.explain(y, x)
