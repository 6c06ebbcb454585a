"""pow"""
import wengert as tf
x = tf.Variable([0.0, 4.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(x ** 0.5)  #!
report = tape.explain(y, x)
