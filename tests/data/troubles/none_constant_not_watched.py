"""not-watched"""
import wengert as tf
c = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:  #!
    loss = tf.reduce_sum(c * c)
report = tape.explain(loss, c)
