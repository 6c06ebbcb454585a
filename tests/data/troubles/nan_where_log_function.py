"""where"""
import wengert as tf
@tf.function
def model(x):
    logs = tf.math.log(x)  #!
    return tf.reduce_sum(tf.where(x > 0.0, logs, tf.zeros_like(x)))
x = tf.constant([0.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
report = tape.explain(y, x)
