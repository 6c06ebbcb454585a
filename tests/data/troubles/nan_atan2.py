"""division"""
import wengert as tf
@tf.function
def model(x):
    angle = tf.atan2(x, tf.zeros_like(x) * x)  #!
    return tf.reduce_sum(angle)
x = tf.constant([0.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
report = tape.explain(y, x)
