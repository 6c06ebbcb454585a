"""norm"""
import wengert as tf
@tf.function
def model(x):
    lengths = tf.norm(x, axis=1)  #!
    return tf.reduce_sum(lengths)
x = tf.constant([[0.0, 0.0], [1.0, 2.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
report = tape.explain(y, x)
