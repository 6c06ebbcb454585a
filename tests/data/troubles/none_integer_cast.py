"""integer"""
import wengert as tf
def quantize(x):
    level = tf.cast(x * 8.0, tf.int32)  #!
    return tf.cast(level, tf.float32) / 8.0
w = tf.Variable([0.3, 0.7])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(quantize(w) ** 2)
report = tape.explain(loss, w)
