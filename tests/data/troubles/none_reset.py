"""used-up"""
import wengert as tf
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    a = x * x
    tape.reset()  #!
    b = a * 2.0
report = tape.explain(b, x)
