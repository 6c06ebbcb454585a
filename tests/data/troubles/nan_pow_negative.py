"""pow"""
import wengert as tf
x = tf.Variable([-2.0, 4.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.pow(x, 1.5))  #!
report = tape.explain(y, x)
