"""log"""
import wengert as tf
@tf.function
def model(x):
    terms = x * tf.math.log(x)  #!
    return tf.reduce_sum(terms)
x = tf.constant([0.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
report = tape.explain(y, x)
