"""before-tape"""
import wengert as tf
x = tf.constant([1.0, 2.0])
features = tf.sin(x)  #!
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_sum(features ** 2)
report = tape.explain(loss, x)
