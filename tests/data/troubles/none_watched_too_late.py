"""not-watched"""
import wengert as tf
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    y = x * x  #!
    tape.watch(x)
    z = y + 1.0
report = tape.explain(z, x)
