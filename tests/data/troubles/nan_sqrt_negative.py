"""sqrt"""
import wengert as tf
x = tf.Variable([-1.0, 4.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.sqrt(x))  #!
report = tape.explain(y, x)
