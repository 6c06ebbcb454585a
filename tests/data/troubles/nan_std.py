"""sqrt"""
import wengert as tf
x = tf.Variable([2.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.math.reduce_std(x)  #!
report = tape.explain(y, x)
