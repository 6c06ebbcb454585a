"""norm"""
import wengert as tf
x = tf.Variable([0.0, 0.0])
with tf.GradientTape() as tape:
    d = tf.norm(x)  #!
    y = d * 2.0
report = tape.explain(y, x)
