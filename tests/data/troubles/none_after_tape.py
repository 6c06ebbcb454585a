"""after-tape"""
import wengert as tf
w = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    h = tf.tanh(w)
scaled = h * 2.0
loss = tf.reduce_sum(scaled)  #!
report = tape.explain(loss, w)
