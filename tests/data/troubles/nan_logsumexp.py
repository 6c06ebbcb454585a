"""exp"""
import wengert as tf
@tf.function
def model(x):
    return tf.math.log(tf.reduce_sum(tf.exp(x)))  #!
x = tf.constant([100.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
report = tape.explain(y, x)
