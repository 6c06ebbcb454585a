"""zero"""
import wengert as tf
@tf.function
def f(x):
    return tf.reduce_sum(tf.where(x > 10.0, x * x, 1.0))  #!
x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(x)
report = tape.explain(y, x)
