"""where"""
import wengert as tf
x = tf.Variable([0.0, 4.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.where(x > 0.0, x ** -0.5, 0.0))  #!
report = tape.explain(y, x)
