"""sqrt"""
import wengert as tf
@tf.function
def model(x):
    roots = tf.sqrt(x * 3.0)  #!
    return tf.reduce_sum(roots * 2.0)
x = tf.constant([0.0, 4.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
report = tape.explain(y, x)
