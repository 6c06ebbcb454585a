"""zero"""
import wengert as tf
w = tf.Variable([1.0, 2.0])
mask = tf.constant([0.0, 0.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.exp(w) * mask)  #!
report = tape.explain(loss, w)
