"""zero"""
import wengert as tf
@tf.function
def model(w):
    return tf.reduce_sum(tf.sigmoid(w * 100.0))  #!
w = tf.Variable([5.0, 8.0])
with tf.GradientTape() as tape:
    y = model(w)
report = tape.explain(y, w)
